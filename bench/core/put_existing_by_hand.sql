\set u random(10000000, 9999999 + :users)
\set d random(11, 28)
\set ms 100 + :u % 900
INSERT INTO hand_written VALUES ('USER#' || :u, 'ORDER#2024-03-' || :d || 'T09:30:00.' || :ms || 'Z',
    '{"orderId": "76d80224611fc919a5d5", "status": "PENDING", "amount": 431.25, "currency": "EUR", "qty": 3, "carrier": "COLISSIMO", "GSI1PK": "STATUS#PENDING#123", "GSI1SK": "2025-06-01T09:30:00.123456Z"}')
ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item;

\set u random(10000000, 9999999 + :users)
\set r random(1000000000, 9999999999)
SELECT partitioning.put_item('app', ('{"PK": "USER#' || :u
    || '", "SK": "ORDER#2025-06-01T09:30:00.' || :r || 'Z", '
    || '"orderId": "76d80224611fc919a5d5", "status": "PENDING", "amount": 431.25, "currency": "EUR", "qty": 3, "carrier": "COLISSIMO", "GSI1PK": "STATUS#PENDING#123", "GSI1SK": "2025-06-01T09:30:00.123456Z"}')::partitioning.item);

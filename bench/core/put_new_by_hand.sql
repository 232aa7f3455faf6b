\set u random(10000000, 9999999 + :users)
\set r random(1000000000, 9999999999)
INSERT INTO hand_written VALUES ('USER#' || :u, 'ORDER#2025-06-01T09:30:00.' || :r || 'Z',
    :body)
ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item;

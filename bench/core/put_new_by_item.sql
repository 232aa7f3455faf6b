\set u random(10000000, 9999999 + :users)
\set r random(1000000000, 9999999999)
SELECT partitioning.put_item('app', ('{"PK": "USER#' || :u
    || '", "SK": "ORDER#2025-06-01T09:30:00.' || :r || 'Z", '
    || substr(:body::text, 2))::partitioning.item);

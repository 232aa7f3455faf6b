\set u random(10000000, 9999999 + :users)
\set d random(11, 28)
\set r random(1000000000, 9999999999)
SELECT k.pk, k.sk_new, k.sk_old, item,
    format('{"update": {"table": "app", "key": {"PK": %s, "SK": "PROFILE"}, %s}}', to_json(k.pk), :payment::text) AS pay,
    format('{"put": {"table": "app", "item": {"PK": %s, "SK": %s, %s}}', to_json(k.pk), to_json(k.sk_new), substr(item, 2)) AS add,
    format('{"put": {"table": "app", "item": {"PK": %s, "SK": %s, %s}}', to_json(k.pk), to_json(k.sk_old), substr(item, 2)) AS replace
FROM (SELECT 'USER#' || :u AS pk, 'ORDER#2025-06-01T09:30:00.' || :r || 'Z' AS sk_new, 'ORDER#2024-03-' || :d || 'T09:30:00.' || (100 + :u % 900) || 'Z' AS sk_old,
    '{"orderId": "76d80224611fc919a5d5", "status": "PENDING", "amount": 431.25, "currency": "EUR", "qty": 3, "carrier": "COLISSIMO", "GSI1PK": "STATUS#PENDING#123", "GSI1SK": "2025-06-01T09:30:00.123456Z"}' AS item) AS k \gset
WITH paid AS (
    UPDATE hand_written SET item = jsonb_set(item, '{balance}', to_jsonb((item ->> 'balance')::numeric - 1))
    WHERE pk = :pk AND sk = 'PROFILE' AND (item ->> 'balance')::numeric >= 100
    RETURNING 1
), added AS (
    INSERT INTO hand_written VALUES (:pk, :sk_new, :item)
    ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item
)
INSERT INTO hand_written VALUES (:pk, :sk_old, :item)
ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item;

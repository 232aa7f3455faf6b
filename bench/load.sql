-- The data of the benches: users of 20 items each, a profile, an address and
-- 18 orders, about 200 bytes an item, loaded in time order so that the orders
-- of one user lie apart in the heap.
--
--   psql -v users=10000 -v method=btree -f load.sql
--
-- Table hand_written is what one writes by hand (jsonb, a btree primary key),
-- app the item table; both hold the same items.
SET client_min_messages = warning;

CREATE TABLE hand_written (
    pk text COLLATE "C",
    sk text COLLATE "C",
    item jsonb,
    PRIMARY KEY (pk, sk)
);

INSERT INTO hand_written
SELECT 'USER#' || u, 'PROFILE', jsonb_build_object(
    'name', 'Customer ' || u,
    'email', 'user' || u || '@example.com',
    'tier', (ARRAY['bronze', 'silver', 'gold'])[1 + u % 3],
    'balance', 1000 + u % 500,
    'created', '2023-11-0' || (1 + u % 9) || 'T08:00:00Z',
    'version', 1,
    'GSI1PK', 'EMAIL#user' || u || '@example.com',
    'GSI1SK', 'PROFILE')
FROM generate_series(10000000, 9999999 + :users) u;

INSERT INTO hand_written
SELECT 'USER#' || u, 'ADDRESS#home', jsonb_build_object(
    'street', (u % 997) || ' Rue de la Republique',
    'city', (ARRAY['Paris', 'Lyon', 'Lille', 'Nantes'])[1 + u % 4],
    'zip', (10000 + u % 85000)::text,
    'country', 'FR',
    'phone', '+3360' || u,
    'verified', u % 2 = 0,
    'lat', trim_scale((43000 + u % 7000) / 1000.0),
    'note', 'ring twice, leave with the neighbour')
FROM generate_series(10000000, 9999999 + :users) u;

INSERT INTO hand_written
SELECT 'USER#' || u,
    'ORDER#2024-03-' || d || 'T09:30:00.' || (100 + u % 900) || 'Z',
    jsonb_build_object(
        'orderId', substr(md5(u::text || d), 1, 20),
        'status', (ARRAY['PENDING', 'PAID', 'SHIPPED', 'DELIVERED'])[1 + (u + d) % 4],
        'amount', trim_scale((100 + (u * 7 + d * 13) % 90000) / 100.0),
        'currency', 'EUR',
        'qty', 1 + (u + d) % 5,
        'carrier', 'COLISSIMO',
        'GSI1PK', 'STATUS#' || (ARRAY['PENDING', 'PAID', 'SHIPPED', 'DELIVERED'])[1 + (u + d) % 4] || '#' || (u % 1000),
        'GSI1SK', '2024-03-' || d || 'T09:30:00.' || (100 + u % 900) || 'Z#' || u)
FROM generate_series(11, 28) d, generate_series(10000000, 9999999 + :users) u
ORDER BY d, u;

SELECT partitioning.create_table('app', 'PK', 'SK',
    options => jsonb_build_object('index_method', :'method'));
INSERT INTO app (pk, sk, attributes)
SELECT pk, sk, item::partitioning.item FROM hand_written;

-- Items that all came at one pace fill all index pages at one time, and then
-- these split at one time.  Indexes built anew, as by a restore, are not there.
REINDEX TABLE hand_written;
REINDEX TABLE app;
VACUUM (ANALYZE, FREEZE) hand_written, app;

-- The hash is frozen: these values never change.
SELECT value, partitioning.key_hash(value) FROM (VALUES
    (''), ('a'), ('ab'), ('abc'), ('abcd'), ('abcde'), ('ORDER#2026-05-09'), ('é')) AS v (value);
SELECT value, partitioning.key_hash(value) FROM (VALUES
    ('\x'::bytea), ('\x00'), ('\xff'), ('\x616263')) AS v (value);
SELECT value, partitioning.key_hash(value) FROM (VALUES
    (0::numeric), (1), (-1), (9999), (10000), (0.0001), (1e20), (1e125), (-1e-130),
    ('NaN'), ('Infinity'), ('-Infinity')) AS v (value);

-- Equal numbers have one hash, however they are written.
SELECT count(DISTINCT partitioning.key_hash(value)) FROM (VALUES
    (1.5::numeric), (1.50), (1.500000000000000000000000000000000000000000000000000000000000)) AS v (value);
SELECT partitioning.key_hash(0.0) = partitioning.key_hash(0), partitioning.key_hash(-0.00) = partitioning.key_hash(0);

-- It spreads: each of 16 ranges gets its share of 16,000 keys, give or take.
SELECT min(n) > 800 AND max(n) < 1200 AND count(*) = 16
FROM (SELECT count(*) AS n FROM generate_series(1, 16000) AS i
      GROUP BY (partitioning.key_hash('USER#' || i) >> 28)) AS t;
SELECT min(n) > 800 AND max(n) < 1200 AND count(*) = 16
FROM (SELECT count(*) AS n FROM generate_series(1, 16000) AS i
      GROUP BY (partitioning.key_hash(i::numeric) >> 28)) AS t;

-- Null gives null.
SELECT partitioning.key_hash(NULL::text), partitioning.key_hash(NULL::numeric), partitioning.key_hash(NULL::bytea);

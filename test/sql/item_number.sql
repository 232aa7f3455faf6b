-- Numbers: grammar, range, normal form, order.
SET search_path = partitioning, public;
\set VERBOSITY terse

CREATE FUNCTION pg_temp.number(numeral text) RETURNS item
LANGUAGE sql RETURN from_dynamodb_json(json_build_object('N', numeral));

-- Every spelling reads back in the normal form.
SELECT n, pg_temp.number(n)
FROM unnest(ARRAY['0042.500', '-7e-2', '6.02E5', '+.25', '-0.00', '1e3', '1000.0',
                  '+01000', '5.', '.5', '0e126', '0.0e126', '0e-131', '-0', '0e999999999999999999999',
                  '1E+2', '10e-1', '123456789', '0.000001', '-100', '1.10e1', '00', '0.1e1']) n;
SELECT pg_temp.number('3e125') = pg_temp.number('3' || repeat('0', 125)) AS plain;

-- What is no numeral is refused by name; the empty string differently.
SELECT pg_temp.number('');
SELECT pg_temp.number('NaN');
SELECT pg_temp.number('Infinity');
SELECT pg_temp.number('0x10');
SELECT pg_temp.number('1_000');
SELECT pg_temp.number(' 1');
SELECT pg_temp.number('1 ');
SELECT pg_temp.number('.');
SELECT pg_temp.number('+');
SELECT pg_temp.number('-.');
SELECT pg_temp.number('1e');
SELECT pg_temp.number('1e+');
SELECT pg_temp.number('e5');
SELECT pg_temp.number('1.2.3');
SELECT pg_temp.number('--1');
SELECT pg_temp.number('1e5.0');
SELECT pg_temp.number('1,5');
SELECT pg_temp.number('١');

-- The actual magnitude counts, not the written exponent.
SELECT pg_temp.number('9.9999999999999999999999999999999999999e125') =
       pg_temp.number(repeat('9', 38) || repeat('0', 88)) AS largest;
SELECT pg_temp.number('1e126');
SELECT pg_temp.number('-1e126');
SELECT pg_temp.number('0.1e126') = pg_temp.number('1e125') AS equal;
SELECT pg_temp.number('10e125');
SELECT pg_temp.number('1e-130'), pg_temp.number('-1e-130');
SELECT pg_temp.number('1e-131');
SELECT pg_temp.number('0.1e-130');
SELECT pg_temp.number('10e-131') = pg_temp.number('1e-130') AS equal;
SELECT pg_temp.number('1e999999999999999999999');
SELECT pg_temp.number('1e-999999999999999999999');
SELECT pg_temp.number('0.' || repeat('0', 1000000) || '1e1000000');
SELECT pg_temp.number('1' || repeat('0', 1000000) || 'e-1000000');

-- 38 significant digits, zeros at either end not counted.
SELECT pg_temp.number(repeat('7', 38)), pg_temp.number('-0.' || repeat('7', 38));
SELECT pg_temp.number(repeat('7', 39));
SELECT pg_temp.number('000' || repeat('7', 38) || '000'),
       pg_temp.number('0.000' || repeat('7', 38) || '000');
SELECT pg_temp.number('1' || repeat('0', 37) || '1');
SELECT pg_temp.number('1' || repeat('0', 36) || '1');
SELECT pg_temp.number('1.2345678901234567890123456789012345678e-130');

-- Range comes before digits.
SELECT pg_temp.number(repeat('7', 127));
SELECT pg_temp.number('1.' || repeat('7', 50) || 'e-131');

-- The same in plain JSON.
SELECT '[1.50, -0, 1E3, 12345678901234567890123456789012345678]'::item;
SELECT '1e126'::item;
SELECT '1e-131'::item;
SELECT '123456789012345678901234567890123456789'::item;

-- Bytes order numbers; every power of ten and its neighbours, both signs.
WITH numerals AS (
    SELECT sign || mantissa || 'e' || exponent AS n
    FROM unnest(ARRAY['', '-']) sign,
         unnest(ARRAY['1', '1.0000000000000000000000000000000000001', '1.01', '1.1', '2', '9', '9.9',
                      '9.9999999999999999999999999999999999999']) mantissa,
         generate_series(-130, 125) exponent
    UNION ALL SELECT '0'
), ranked AS (
    SELECT n, rank() OVER (ORDER BY n::numeric) AS by_value,
           rank() OVER (ORDER BY item_send(pg_temp.number(n))) AS by_bytes,
           rank() OVER (ORDER BY pg_temp.number(n)) AS by_item
    FROM numerals
)
SELECT count(*), count(*) FILTER (WHERE by_value <> by_bytes OR by_value <> by_item) AS wrong
FROM ranked;

-- All of them come back, as numbers and as text.
WITH numerals AS (
    SELECT (sign || mantissa || 'e' || exponent)::numeric AS n
    FROM unnest(ARRAY['', '-']) sign, unnest(ARRAY['1', '1.23', '9', '12.3456789']) mantissa,
         generate_series(-130, 124) exponent
    UNION ALL SELECT g FROM generate_series(-10100, 10100, 7) g
)
SELECT count(*), count(*) FILTER (WHERE item_number(i) <> n OR i::text <> trim_scale(n)::text) AS wrong
FROM numerals, LATERAL (SELECT pg_temp.number(n::text) AS i) t;

-- numeric leaves without trailing zeros, large and small.
SELECT item_number('1.50'), item_number('100'), item_number('-99999999'), item_number('1e20'), item_number('0');

-- No encoding is a prefix of another, but for zero.
WITH encoded AS (
    SELECT encode(item_send(pg_temp.number(n)), 'hex') AS e
    FROM unnest(ARRAY['1', '10', '100', '1.01', '1.0101', '12', '1200', '0.12', '-1', '-1.01', '-100', '99e122', '1e124', '-1e124']) n
)
SELECT count(*) FROM encoded a, encoded b WHERE a.e <> b.e AND starts_with(a.e, b.e);

-- Size: one byte, one for each pair of digits, one for the sign.
SELECT n, item_size(pg_temp.number(n))
FROM unnest(ARRAY['0', '-0', '7', '-123', '1200', '120', '12', '0.1', '0.12', '0.012', '1e125', '1e124', '-1e124',
                  '12345678901234567890123456789012345678', '1.2345678901234567890123456789012345678']) n;

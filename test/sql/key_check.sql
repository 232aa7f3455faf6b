-- The check function by itself: true, null, or the error.
SET search_path = partitioning;
SELECT check_item('PK', 'a'::text, '{}', 0), check_item('PK', 1::numeric, '{"a": 1}', 2704), check_item('PK', '\x00'::bytea, '{}', 2704);
SELECT check_item('PK', 'a'::text, 'SK', 1::numeric, '{}', 0), check_item('PK', 1::numeric, 'SK', '\x'::bytea || '\x01', '{}', 2704);
SELECT check_item(NULL, 'a'::text, '{}', 0), check_item('PK', NULL::text, '{}', 0), check_item('PK', 'a'::text, NULL, 0),
       check_item('PK', 'a'::text, '{}', NULL), check_item('PK', 'a'::text, 'SK', NULL::text, '{}', 0);

-- Only the three key types, whatever is passed.
SELECT check_item('PK', 1, '{}', 0);
SELECT check_item('PK', 'a'::varchar, '{}', 0);
SELECT check_item('PK', 'a', '{}', 0);
SELECT check_item('PK', NULL, '{}', 0);
SELECT check_item('PK', ARRAY['a'], '{}', 0);
SELECT check_item('PK', 'a'::text, 'SK', now(), '{}', 0);

-- Names that change from call to call.
SELECT name, check_item(name, 'a'::text, '{}', 0) FROM unnest(ARRAY['a', 'bc', '', NULL]) AS name;
SELECT name, check_item(name, 'a'::text, '{"b": 1}', 0) FROM unnest(ARRAY['a', 'b']) AS name;

-- Values that come compressed or out of line are the same values.
CREATE TABLE public.key_check (pk text COLLATE "C", sk text COLLATE "C", attributes item);
ALTER TABLE public.key_check ALTER pk SET STORAGE external, ALTER sk SET STORAGE main;
INSERT INTO public.key_check VALUES (repeat('p', 2048), repeat('s', 1024), jsonb_build_object('a', repeat('x', 300000)));
INSERT INTO public.key_check VALUES (repeat('p', 2049), repeat('s', 1024), '{}');
SELECT check_item('PK', pk, 'SK', sk, attributes, 2704) FROM public.key_check WHERE length(pk) = 2048;
SELECT check_item('PK', pk, 'SK', sk, attributes, 2704) FROM public.key_check WHERE length(pk) = 2049;
SELECT check_item('PK', pk || 'x', 'SK', sk, attributes, 2704) FROM public.key_check WHERE length(pk) = 2048;
SELECT length(a.pk), length(b.pk), a.pk <=# b.pk AS le, a.pk >=# b.pk AS ge, a.pk = b.pk AS eq,
       key_hash(a.pk) = key_hash(b.pk) AS hash, key_hash(a.pk) = key_hash(repeat('p', length(a.pk))) AS same,
       a.pk >=# key_hash(a.pk) AS position, begins_with(a.pk, b.pk)
FROM public.key_check AS a, public.key_check AS b ORDER BY 1, 2;
SELECT length(pk) FROM public.key_check ORDER BY pk USING <#;
SELECT repeat('p', 2048) <# repeat('p', 2049) AS shorter_first;

-- The index limit: 0 is none, a small one is obeyed.
SELECT check_item('PK', repeat('x', 2048), 'SK', repeat('y', 1024), '{}', 0);
SELECT check_item('PK', 'abcdefgh'::text, 'SK', 'abcdefgh'::text, '{}', 32);
SELECT check_item('PK', 'abcdefgh'::text, 'SK', 'abcdefgh'::text, '{}', 24);
DROP TABLE public.key_check;

-- What the check says, nbtree does: every length around the limit, with and without compression.
CREATE TABLE public.key_check (pk text COLLATE "C", sk text COLLATE "C");
CREATE INDEX ON public.key_check (pk text_hash_ops, sk);
CREATE FUNCTION public.fits(pk text, sk text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    said bool := true;
    did bool := true;
BEGIN
    BEGIN
        PERFORM partitioning.check_item('PK', pk, 'SK', sk, '{}', 2704);
    EXCEPTION WHEN program_limit_exceeded THEN said := false;
    END;
    BEGIN
        INSERT INTO public.key_check VALUES (pk, sk);
    EXCEPTION WHEN program_limit_exceeded THEN did := false;
    END;
    RETURN CASE WHEN said = did THEN CASE WHEN did THEN 'fits' ELSE 'too long' END ELSE 'wrong' END;
END
$$;
CREATE FUNCTION public.noise(bytes int, seed int) RETURNS text LANGUAGE sql AS
    $$SELECT left(string_agg(translate(encode(sha512(convert_to(seed || ':' || i, 'UTF8')), 'base64'), E'\n', ''), '' ORDER BY i), bytes)
      FROM generate_series(1, bytes / 80 + 1) AS i$$;
SELECT public.fits(public.noise(n, 1), public.noise(1024, 2)), count(*), min(n), max(n)
FROM generate_series(1640, 1690) AS n GROUP BY 1 ORDER BY 1;
SELECT public.fits(repeat('x', 800) || public.noise(n, 3), public.noise(1024, 4)), count(*), min(n), max(n)
FROM generate_series(1000, 1248, 4) AS n GROUP BY 1 ORDER BY 1;
SELECT public.fits(public.noise(2048, 5), public.noise(n, 6)), count(*), min(n), max(n)
FROM generate_series(1, 1024, 3) AS n GROUP BY 1 ORDER BY 1;
DROP TABLE public.key_check;
DROP FUNCTION public.fits, public.noise;
RESET search_path;

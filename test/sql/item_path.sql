-- Reaching into items: functions, operators, subscripts; assignment.
SET search_path = partitioning, public;
CREATE TEMP TABLE docs (id int, doc item);
INSERT INTO docs VALUES
    (1, '{"name": "Ann", "age": 41.50, "ok": true, "none": null, "ü": 1,
          "order": {"lines": [{"sku": "a", "qty": 2}, {"sku": "b"}, [1, [2, 3]]], "10": "ten"},
          "tags": {"$string_set": ["x", "y"]}, "bin": {"$binary": "AAEC"}}'),
    (2, NULL),
    (3, '{}'),
    (4, '[]');

-- The value at the end of a path, as item, text, number.
SELECT item_get(doc, 'name'), item_text(doc, 'name'), item_number(doc, 'name'), item_number(doc, 'age')
FROM docs ORDER BY id;
SELECT item_get(doc, 'order', 'lines', '1', 'sku'), item_text(doc, 'order', 'lines', '2', '1', '0'),
       item_get(doc, 'order', 'lines', '-3'), item_get(doc, 'order', '10')
FROM docs WHERE id = 1;
-- No steps: the value itself.
SELECT item_get('5', VARIADIC '{}'), item_text('"x"', VARIADIC '{}'), item_number('5'), item_number('"5"'), item_text('null'),
       item_has('5', VARIADIC '{}');
SELECT item_number(doc['age']), item_text(doc['name']), item_text(doc -> 'tags') FROM docs ORDER BY id;
-- What is not there is NULL: name, position, step into a scalar or a set.
SELECT item_get(doc, 'nix'), item_get(doc, 'order', 'lines', '3'), item_get(doc, 'order', 'lines', '-4'),
       item_get(doc, 'order', 'lines', 'x'), item_get(doc, 'order', 'lines', ''), item_get(doc, 'order', 'lines', '1.0'),
       item_get(doc, 'order', 'lines', '99999999999999999999'), item_get(doc, 'order', 'lines', '-99999999999999999999'),
       item_get(doc, 'name', '0'), item_get(doc, 'tags', '0'), item_get(doc, 'tags', 'x'), item_get(doc, '')
FROM docs WHERE id = 1;
SELECT item_get(doc, NULL), item_get(doc, 'order', NULL), item_get(doc, VARIADIC NULL), item_has(doc, NULL)
FROM docs WHERE id = 1;
-- The null value is there, but has no text.
SELECT item_has(doc, 'none'), item_get(doc, 'none'), item_text(doc, 'none') IS NULL AS no_text, item_has(doc, 'nix')
FROM docs WHERE id = 1;
-- Other types as text.
SELECT item_text(doc, 'age'), item_text(doc, 'ok'), item_text(doc, 'tags'), item_text(doc, 'bin'), item_text(doc, 'order', 'lines', '0')
FROM docs WHERE id = 1;
-- text cannot hold U+0000.
SELECT item_text('{"a": "x\u0000y"}', 'a');

-- Operators.
SELECT doc -> 'name', doc ->> 'name', doc -> 'order' -> 'lines' -> 0 ->> 'sku', doc #> '{order,lines,1}', doc #>> '{order,lines,1,sku}',
       doc -> 'nix', doc ->> 'none', doc -> 0
FROM docs WHERE id = 1;
SELECT '["a", null, {"b": 1}]'::item -> 0, '["a", null]'::item -> -1, '["a"]'::item ->> 0, '[null]'::item ->> 0,
       '["a"]'::item -> 1, '["a"]'::item -> 'a', '5'::item -> 0, '["a"]'::item -> (-2147483648);

-- ?: attribute of a map, string in a list or a string set.
SELECT doc ? 'name', doc ? 'ü', doc ? 'u', doc ? '' FROM docs WHERE id = 1;
SELECT '["a", 1, {"b": 1}]'::item ? 'a', '["a", 1, {"b": 1}]'::item ? 'b', '[1]'::item ? '1',
       '{"$string_set": ["a", "b"]}'::item ? 'b', '{"$string_set": ["a", "b"]}'::item ? 'c',
       '{"$number_set": [1]}'::item ? '1', '"a"'::item ? 'a';

-- Subscripts: text and integer, constants and columns.
SELECT doc['name'], doc['order']['lines'][0]['sku'], doc['order']['lines'][-1][1][0], doc['order'][10], doc['nix']['more'], doc[NULL]
FROM docs ORDER BY id;
SELECT doc[k] FROM docs, unnest(ARRAY['name', 'ok', 'nix', NULL]) k WHERE id = 1;
SELECT ('[1, 2, 3]'::item)[i], ('[1, 2, 3]'::item)[i::smallint], ('[1, 2, 3]'::item)[i::text] FROM generate_series(-4, 3) i;
SELECT doc[1:2] FROM docs;
SELECT doc[1.5] FROM docs;
SELECT doc[now()] FROM docs;

-- They need no search_path.
SET search_path = public;
SELECT doc['name'], partitioning.item_text(doc, 'order', 'lines', '1', 'sku') FROM docs WHERE id = 1;
SET search_path = partitioning, public;

-- Assignment: replace, add, nested, into NULL, append to a list.
CREATE TEMP TABLE target (id int, doc item);
CREATE FUNCTION pg_temp.start(doc item) RETURNS void LANGUAGE sql AS
    'TRUNCATE target; INSERT INTO target VALUES (1, doc)';
SELECT pg_temp.start('{"a": 1, "l": [1, 2, {"x": 1}]}');
UPDATE target SET doc['a'] = '"new"', doc['b'] = '2', doc['l'][0] = '[]', doc['l'][2]['y'] = 'null' RETURNING doc;
UPDATE target SET doc['l'][99] = '"end"', doc['l'][-1] = '"replaced"' RETURNING doc;
UPDATE target SET doc['new']['path'][0]['deep'] = 'true' RETURNING doc;
UPDATE target SET doc['a'] = jsonb_build_object('from', 'jsonb'), doc['b'] = NULL RETURNING doc;
SELECT pg_temp.start(NULL);
UPDATE target SET doc['a']['b'] = '1' RETURNING doc;
SELECT pg_temp.start(NULL);
UPDATE target SET doc[0] = '1' RETURNING doc;
INSERT INTO target (id, doc['x'][0], doc['y']) VALUES (2, '1', '{"$string_set": ["s"]}') RETURNING doc;
-- Errors of assignment leave the row as it was.
SELECT pg_temp.start('{"s": "x", "l": [1], "set": {"$string_set": ["a"]}}');
UPDATE target SET doc['s']['a'] = '1';
UPDATE target SET doc['set'][0] = '"b"';
UPDATE target SET doc['l']['x'] = '1';
UPDATE target SET doc['l'][-2] = '1';
UPDATE target SET doc[''] = '1';
UPDATE target SET doc[NULL] = '1';
UPDATE target SET doc[1:2] = '1';
UPDATE target SET doc['a'] = '{"$string_set": []}';
SELECT doc FROM target;
-- Results stay within 32 levels.
SELECT pg_temp.start('{}');
UPDATE target SET doc['b'] = (repeat('[', 31) || repeat(']', 31))::item RETURNING length(doc::text);
UPDATE target SET doc['b'] = (repeat('[', 32) || repeat(']', 32))::item;
-- In plpgsql as well.
DO $$
DECLARE doc item := '{"a": [1]}';
BEGIN
    doc['a'][1] := '2';
    doc['b'] := '{}';
    RAISE NOTICE '% %', doc, doc['a'][1];
END $$;

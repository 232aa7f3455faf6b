-- item: any DynamoDB attribute value.  Items of item tables are maps.

CREATE TYPE partitioning.item;

CREATE FUNCTION partitioning.item_in(pg_catalog.cstring)
RETURNS partitioning.item
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_in(pg_catalog.cstring) IS
'Input function of type item: plain JSON. Invalid JSON is invalid_text_representation, an invalid value IM001.';

CREATE FUNCTION partitioning.item_out(partitioning.item)
RETURNS pg_catalog.cstring
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_out(partitioning.item) IS
'Output function of type item: plain JSON.';

CREATE FUNCTION partitioning.item_recv(pg_catalog.internal)
RETURNS partitioning.item
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_recv(pg_catalog.internal) IS
'Binary input function of type item. Checks every byte; invalid_binary_representation otherwise.';

CREATE FUNCTION partitioning.item_send(partitioning.item)
RETURNS pg_catalog.bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_send(partitioning.item) IS
'Binary output function of type item: the encoded value, its format version first.';

CREATE FUNCTION partitioning.item_subscript_handler(pg_catalog.internal)
RETURNS pg_catalog.internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_subscript_handler(pg_catalog.internal) IS
'Subscripting of type item: attributes[''order''][''lines''][0].';

CREATE TYPE partitioning.item (
    INPUT = partitioning.item_in,
    OUTPUT = partitioning.item_out,
    RECEIVE = partitioning.item_recv,
    SEND = partitioning.item_send,
    SUBSCRIPT = partitioning.item_subscript_handler,
    INTERNALLENGTH = VARIABLE,
    ALIGNMENT = int4,
    STORAGE = extended,
    CATEGORY = 'U'
);
COMMENT ON TYPE partitioning.item IS
'A DynamoDB attribute value: string, number, binary, Boolean, null, map, list, or set of strings, numbers or binaries';

-- Casts.

CREATE FUNCTION partitioning.item_from_jsonb(pg_catalog.jsonb)
RETURNS partitioning.item
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_from_jsonb(pg_catalog.jsonb) IS
'The item whose text form the JSON is. Errors as for item input.';

CREATE CAST (pg_catalog.jsonb AS partitioning.item)
WITH FUNCTION partitioning.item_from_jsonb(pg_catalog.jsonb) AS IMPLICIT;
COMMENT ON CAST (pg_catalog.jsonb AS partitioning.item) IS
'JSON to item, so that item functions take what jsonb_build_object() makes';

CREATE FUNCTION partitioning.item_to_jsonb(partitioning.item)
RETURNS pg_catalog.jsonb
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_to_jsonb(partitioning.item) IS
'The item''s text form as jsonb. A string with U+0000 is untranslatable_character.';

CREATE CAST (partitioning.item AS pg_catalog.jsonb)
WITH FUNCTION partitioning.item_to_jsonb(partitioning.item) AS ASSIGNMENT;
COMMENT ON CAST (partitioning.item AS pg_catalog.jsonb) IS
'Item to JSON; sets and binaries become objects of one $ member';

CREATE FUNCTION partitioning.item_from_json(pg_catalog.json)
RETURNS partitioning.item
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_from_json(pg_catalog.json) IS
'The item whose text form the JSON is. Errors as for item input.';

CREATE CAST (pg_catalog.json AS partitioning.item)
WITH FUNCTION partitioning.item_from_json(pg_catalog.json) AS ASSIGNMENT;
COMMENT ON CAST (pg_catalog.json AS partitioning.item) IS
'JSON to item';

CREATE FUNCTION partitioning.item_to_json(partitioning.item)
RETURNS pg_catalog.json
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_to_json(partitioning.item) IS
'The item''s text form as json.';

CREATE CAST (partitioning.item AS pg_catalog.json)
WITH FUNCTION partitioning.item_to_json(partitioning.item) AS ASSIGNMENT;
COMMENT ON CAST (partitioning.item AS pg_catalog.json) IS
'Item to JSON; sets and binaries become objects of one $ member';

CREATE FUNCTION partitioning.to_dynamodb_json(item partitioning.item)
RETURNS pg_catalog.json
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.to_dynamodb_json(partitioning.item) IS
'The typed JSON of the DynamoDB API: a map as an item {"name": {"S": "x"}}, any other value as {"S": "x"}.';

CREATE FUNCTION partitioning.from_dynamodb_json(document pg_catalog.json)
RETURNS partitioning.item
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.from_dynamodb_json(pg_catalog.json) IS
'Reads the typed JSON of the DynamoDB API. IM013 when it does not fit the API''s model, IM001 when a value is invalid.';

-- Accessors.  Steps of a path are attribute names, and positions in lists.

CREATE FUNCTION partitioning.item_get(item partitioning.item, VARIADIC path pg_catalog.text[])
RETURNS partitioning.item
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_get(partitioning.item, pg_catalog.text[]) IS
'The value at the end of the path, NULL if there is none.';

CREATE FUNCTION partitioning.item_text(item partitioning.item, VARIADIC path pg_catalog.text[])
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_text(partitioning.item, pg_catalog.text[]) IS
'The value at the end of the path as text: a string as it is, other types in the text form of item. NULL if there is none or it is the null value. A string with U+0000 is untranslatable_character.';

CREATE FUNCTION partitioning.item_text(item partitioning.item)
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_text(partitioning.item) IS
'The value as text, as after a path: item_text(attributes[''status'']).';

CREATE FUNCTION partitioning.item_number(item partitioning.item, VARIADIC path pg_catalog.text[])
RETURNS pg_catalog."numeric"
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_number(partitioning.item, pg_catalog.text[]) IS
'The number at the end of the path, NULL if there is none or the value is of another type.';

CREATE FUNCTION partitioning.item_number(item partitioning.item)
RETURNS pg_catalog."numeric"
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_number(partitioning.item) IS
'The number as numeric, NULL for a value of another type: item_number(attributes[''total'']).';

CREATE FUNCTION partitioning.item_has(item partitioning.item, VARIADIC path pg_catalog.text[])
RETURNS pg_catalog.bool
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_has(partitioning.item, pg_catalog.text[]) IS
'Is there a value at the end of the path? The null value is one.';

CREATE FUNCTION partitioning.item_size(item partitioning.item)
RETURNS pg_catalog.int4
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_size(partitioning.item) IS
'Size in bytes by DynamoDB''s rules: of a map as an item (names and values), of any other value as an attribute value.';

CREATE FUNCTION partitioning.item_type(item partitioning.item)
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_type(partitioning.item) IS
'DynamoDB''s abbreviation of the type: S, N, B, BOOL, NULL, M, L, SS, NS or BS.';

CREATE FUNCTION partitioning.item_get_attribute(item partitioning.item, name pg_catalog.text)
RETURNS partitioning.item
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_get_attribute(partitioning.item, pg_catalog.text) IS
'Implementation of operator ->: attribute of a map, NULL if there is none.';

CREATE OPERATOR partitioning.-> (
    FUNCTION = partitioning.item_get_attribute,
    LEFTARG = partitioning.item, RIGHTARG = pg_catalog.text
);
COMMENT ON OPERATOR partitioning.-> (partitioning.item, pg_catalog.text) IS
'attribute of a map';

CREATE FUNCTION partitioning.item_get_element(item partitioning.item, "position" pg_catalog.int4)
RETURNS partitioning.item
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_get_element(partitioning.item, pg_catalog.int4) IS
'Implementation of operator ->: element of a list, from 0 (negative: from the end), NULL if there is none.';

CREATE OPERATOR partitioning.-> (
    FUNCTION = partitioning.item_get_element,
    LEFTARG = partitioning.item, RIGHTARG = pg_catalog.int4
);
COMMENT ON OPERATOR partitioning.-> (partitioning.item, pg_catalog.int4) IS
'element of a list';

CREATE FUNCTION partitioning.item_text_attribute(item partitioning.item, name pg_catalog.text)
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_text_attribute(partitioning.item, pg_catalog.text) IS
'Implementation of operator ->>: attribute of a map as text, see item_text().';

CREATE OPERATOR partitioning.->> (
    FUNCTION = partitioning.item_text_attribute,
    LEFTARG = partitioning.item, RIGHTARG = pg_catalog.text
);
COMMENT ON OPERATOR partitioning.->> (partitioning.item, pg_catalog.text) IS
'attribute of a map as text';

CREATE FUNCTION partitioning.item_text_element(item partitioning.item, "position" pg_catalog.int4)
RETURNS pg_catalog.text
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_text_element(partitioning.item, pg_catalog.int4) IS
'Implementation of operator ->>: element of a list as text, see item_text().';

CREATE OPERATOR partitioning.->> (
    FUNCTION = partitioning.item_text_element,
    LEFTARG = partitioning.item, RIGHTARG = pg_catalog.int4
);
COMMENT ON OPERATOR partitioning.->> (partitioning.item, pg_catalog.int4) IS
'element of a list as text';

CREATE OPERATOR partitioning.#> (
    FUNCTION = partitioning.item_get,
    LEFTARG = partitioning.item, RIGHTARG = pg_catalog.text[]
);
COMMENT ON OPERATOR partitioning.#> (partitioning.item, pg_catalog.text[]) IS
'value at the end of a path';

CREATE OPERATOR partitioning.#>> (
    FUNCTION = partitioning.item_text,
    LEFTARG = partitioning.item, RIGHTARG = pg_catalog.text[]
);
COMMENT ON OPERATOR partitioning.#>> (partitioning.item, pg_catalog.text[]) IS
'value at the end of a path as text';

CREATE FUNCTION partitioning.item_exists(item partitioning.item, name pg_catalog.text)
RETURNS pg_catalog.bool
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_exists(partitioning.item, pg_catalog.text) IS
'Implementation of operator ?: does a map have the attribute, a list or string set the string?';

CREATE OPERATOR partitioning.? (
    FUNCTION = partitioning.item_exists,
    LEFTARG = partitioning.item, RIGHTARG = pg_catalog.text,
    RESTRICT = pg_catalog.matchingsel, JOIN = pg_catalog.matchingjoinsel
);
COMMENT ON OPERATOR partitioning.? (partitioning.item, pg_catalog.text) IS
'attribute exists';

-- Operators that make a new value.

CREATE FUNCTION partitioning.item_concat(partitioning.item, partitioning.item)
RETURNS partitioning.item
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_concat(partitioning.item, partitioning.item) IS
'Implementation of operator ||: maps merge, the right one wins; sets of one type unite; a list takes up anything. Other types are datatype_mismatch.';

CREATE OPERATOR partitioning.|| (
    FUNCTION = partitioning.item_concat,
    LEFTARG = partitioning.item, RIGHTARG = partitioning.item
);
COMMENT ON OPERATOR partitioning.|| (partitioning.item, partitioning.item) IS
'merge maps, unite sets, append to lists';

CREATE FUNCTION partitioning.item_remove_attribute(item partitioning.item, name pg_catalog.text)
RETURNS partitioning.item
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_remove_attribute(partitioning.item, pg_catalog.text) IS
'Implementation of operator -: a map without the attribute. Other types are datatype_mismatch.';

CREATE OPERATOR partitioning.- (
    FUNCTION = partitioning.item_remove_attribute,
    LEFTARG = partitioning.item, RIGHTARG = pg_catalog.text
);
COMMENT ON OPERATOR partitioning.- (partitioning.item, pg_catalog.text) IS
'map without an attribute';

CREATE FUNCTION partitioning.item_remove_attributes(item partitioning.item, names pg_catalog.text[])
RETURNS partitioning.item
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_remove_attributes(partitioning.item, pg_catalog.text[]) IS
'Implementation of operator -: a map without the attributes. Other types are datatype_mismatch.';

CREATE OPERATOR partitioning.- (
    FUNCTION = partitioning.item_remove_attributes,
    LEFTARG = partitioning.item, RIGHTARG = pg_catalog.text[]
);
COMMENT ON OPERATOR partitioning.- (partitioning.item, pg_catalog.text[]) IS
'map without attributes';

CREATE FUNCTION partitioning.item_remove_element(item partitioning.item, "position" pg_catalog.int4)
RETURNS partitioning.item
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_remove_element(partitioning.item, pg_catalog.int4) IS
'Implementation of operator -: a list without the element at the position (negative: from the end). Other types are datatype_mismatch.';

CREATE OPERATOR partitioning.- (
    FUNCTION = partitioning.item_remove_element,
    LEFTARG = partitioning.item, RIGHTARG = pg_catalog.int4
);
COMMENT ON OPERATOR partitioning.- (partitioning.item, pg_catalog.int4) IS
'list without an element';

-- Comparison: equality as in DynamoDB, and an order over all values.

CREATE FUNCTION partitioning.item_eq(partitioning.item, partitioning.item)
RETURNS pg_catalog.bool
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_eq(partitioning.item, partitioning.item) IS
'Implementation of operator =.';

CREATE FUNCTION partitioning.item_ne(partitioning.item, partitioning.item)
RETURNS pg_catalog.bool
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_ne(partitioning.item, partitioning.item) IS
'Implementation of operator <>.';

CREATE FUNCTION partitioning.item_lt(partitioning.item, partitioning.item)
RETURNS pg_catalog.bool
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_lt(partitioning.item, partitioning.item) IS
'Implementation of operator <.';

CREATE FUNCTION partitioning.item_le(partitioning.item, partitioning.item)
RETURNS pg_catalog.bool
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_le(partitioning.item, partitioning.item) IS
'Implementation of operator <=.';

CREATE FUNCTION partitioning.item_gt(partitioning.item, partitioning.item)
RETURNS pg_catalog.bool
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_gt(partitioning.item, partitioning.item) IS
'Implementation of operator >.';

CREATE FUNCTION partitioning.item_ge(partitioning.item, partitioning.item)
RETURNS pg_catalog.bool
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_ge(partitioning.item, partitioning.item) IS
'Implementation of operator >=.';

CREATE OPERATOR partitioning.= (
    FUNCTION = partitioning.item_eq,
    LEFTARG = partitioning.item, RIGHTARG = partitioning.item,
    COMMUTATOR = OPERATOR(partitioning.=), NEGATOR = OPERATOR(partitioning.<>),
    HASHES, MERGES,
    RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel
);
COMMENT ON OPERATOR partitioning.= (partitioning.item, partitioning.item) IS
'equal';

CREATE OPERATOR partitioning.<> (
    FUNCTION = partitioning.item_ne,
    LEFTARG = partitioning.item, RIGHTARG = partitioning.item,
    COMMUTATOR = OPERATOR(partitioning.<>), NEGATOR = OPERATOR(partitioning.=),
    RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
COMMENT ON OPERATOR partitioning.<> (partitioning.item, partitioning.item) IS
'not equal';

CREATE OPERATOR partitioning.< (
    FUNCTION = partitioning.item_lt,
    LEFTARG = partitioning.item, RIGHTARG = partitioning.item,
    COMMUTATOR = OPERATOR(partitioning.>), NEGATOR = OPERATOR(partitioning.>=),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR partitioning.< (partitioning.item, partitioning.item) IS
'less than';

CREATE OPERATOR partitioning.<= (
    FUNCTION = partitioning.item_le,
    LEFTARG = partitioning.item, RIGHTARG = partitioning.item,
    COMMUTATOR = OPERATOR(partitioning.>=), NEGATOR = OPERATOR(partitioning.>),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR partitioning.<= (partitioning.item, partitioning.item) IS
'less than or equal';

CREATE OPERATOR partitioning.> (
    FUNCTION = partitioning.item_gt,
    LEFTARG = partitioning.item, RIGHTARG = partitioning.item,
    COMMUTATOR = OPERATOR(partitioning.<), NEGATOR = OPERATOR(partitioning.<=),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR partitioning.> (partitioning.item, partitioning.item) IS
'greater than';

CREATE OPERATOR partitioning.>= (
    FUNCTION = partitioning.item_ge,
    LEFTARG = partitioning.item, RIGHTARG = partitioning.item,
    COMMUTATOR = OPERATOR(partitioning.<=), NEGATOR = OPERATOR(partitioning.<),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR partitioning.>= (partitioning.item, partitioning.item) IS
'greater than or equal';

CREATE FUNCTION partitioning.item_cmp(partitioning.item, partitioning.item)
RETURNS pg_catalog.int4
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_cmp(partitioning.item, partitioning.item) IS
'Order of two items: less than, equal to or greater than 0. By type (S, N, B, BOOL, NULL, M, L, SS, NS, BS), then by value.';

CREATE FUNCTION partitioning.item_hash(partitioning.item)
RETURNS pg_catalog.int4
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_hash(partitioning.item) IS
'Hash of an item.';

CREATE FUNCTION partitioning.item_hash_extended(partitioning.item, pg_catalog.int8)
RETURNS pg_catalog.int8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION partitioning.item_hash_extended(partitioning.item, pg_catalog.int8) IS
'Hash of an item with a seed.';

CREATE OPERATOR CLASS partitioning.item_ops
DEFAULT FOR TYPE partitioning.item USING btree AS
    OPERATOR 1 partitioning.<,
    OPERATOR 2 partitioning.<=,
    OPERATOR 3 partitioning.=,
    OPERATOR 4 partitioning.>=,
    OPERATOR 5 partitioning.>,
    FUNCTION 1 partitioning.item_cmp(partitioning.item, partitioning.item);
COMMENT ON OPERATOR CLASS partitioning.item_ops USING btree IS
'order over all items';

CREATE OPERATOR CLASS partitioning.item_ops
DEFAULT FOR TYPE partitioning.item USING hash AS
    OPERATOR 1 partitioning.=,
    FUNCTION 1 partitioning.item_hash(partitioning.item),
    FUNCTION 2 partitioning.item_hash_extended(partitioning.item, pg_catalog.int8);
COMMENT ON OPERATOR CLASS partitioning.item_ops USING hash IS
'equality of items';

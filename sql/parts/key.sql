/*
 * Keys: hash order, begins_with(), and the check constraint of item tables.
 *
 * Order by hash, then by value.  The operators have names of their own: were
 * they called <, the planner would believe that a key index gives ORDER BY pk.
 */

CREATE FUNCTION partitioning.key_hash(partition_key pg_catalog.text)
    RETURNS pg_catalog.int4
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'key_hash';
COMMENT ON FUNCTION partitioning.key_hash(pg_catalog.text) IS
    'hash of a partition key, which decides its place in the key index; the same on every machine and server version';

CREATE FUNCTION partitioning.key_hash(partition_key pg_catalog.bytea)
    RETURNS pg_catalog.int4
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'key_hash';
COMMENT ON FUNCTION partitioning.key_hash(pg_catalog.bytea) IS
    'hash of a partition key, which decides its place in the key index; the same on every machine and server version';

CREATE FUNCTION partitioning.key_hash(partition_key pg_catalog.numeric)
    RETURNS pg_catalog.int4
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'key_hash_numeric';
COMMENT ON FUNCTION partitioning.key_hash(pg_catalog.numeric) IS
    'hash of a partition key, which decides its place in the key index; the same on every machine and server version';

CREATE FUNCTION partitioning.text_hash_lt(a pg_catalog.text, b pg_catalog.text)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.text_hash_lt(pg_catalog.text, pg_catalog.text) IS
    'implementation of <# operator';

CREATE FUNCTION partitioning.text_hash_le(a pg_catalog.text, b pg_catalog.text)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.text_hash_le(pg_catalog.text, pg_catalog.text) IS
    'implementation of <=# operator';

CREATE FUNCTION partitioning.text_hash_ge(a pg_catalog.text, b pg_catalog.text)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.text_hash_ge(pg_catalog.text, pg_catalog.text) IS
    'implementation of >=# operator';

CREATE FUNCTION partitioning.text_hash_gt(a pg_catalog.text, b pg_catalog.text)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.text_hash_gt(pg_catalog.text, pg_catalog.text) IS
    'implementation of ># operator';

CREATE FUNCTION partitioning.text_hash_compare(a pg_catalog.text, b pg_catalog.text)
    RETURNS pg_catalog.int4
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.text_hash_compare(pg_catalog.text, pg_catalog.text) IS
    'compares two values in hash order: negative, 0 or positive';

CREATE FUNCTION partitioning.text_hash_sortsupport(pg_catalog.internal)
    RETURNS pg_catalog.void
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.text_hash_sortsupport(pg_catalog.internal) IS
    'sort support of hash order';

CREATE FUNCTION partitioning.text_position_lt(a pg_catalog.text, hash pg_catalog.int4)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.text_position_lt(pg_catalog.text, pg_catalog.int4) IS
    'implementation of <# operator';

CREATE FUNCTION partitioning.text_position_le(a pg_catalog.text, hash pg_catalog.int4)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.text_position_le(pg_catalog.text, pg_catalog.int4) IS
    'implementation of <=# operator';

CREATE FUNCTION partitioning.text_position_ge(a pg_catalog.text, hash pg_catalog.int4)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.text_position_ge(pg_catalog.text, pg_catalog.int4) IS
    'implementation of >=# operator';

CREATE FUNCTION partitioning.text_position_gt(a pg_catalog.text, hash pg_catalog.int4)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.text_position_gt(pg_catalog.text, pg_catalog.int4) IS
    'implementation of ># operator';

CREATE FUNCTION partitioning.text_position_compare(a pg_catalog.text, hash pg_catalog.int4)
    RETURNS pg_catalog.int4
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.text_position_compare(pg_catalog.text, pg_catalog.int4) IS
    'compares a value with the position before all values of a hash: negative or positive, never 0';

CREATE OPERATOR partitioning.<# (
    FUNCTION = partitioning.text_hash_lt,
    LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.text,
    COMMUTATOR = OPERATOR(partitioning.>#), NEGATOR = OPERATOR(partitioning.>=#),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR partitioning.<# (pg_catalog.text, pg_catalog.text) IS
    'comes before, in hash order';

CREATE OPERATOR partitioning.<=# (
    FUNCTION = partitioning.text_hash_le,
    LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.text,
    COMMUTATOR = OPERATOR(partitioning.>=#), NEGATOR = OPERATOR(partitioning.>#),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR partitioning.<=# (pg_catalog.text, pg_catalog.text) IS
    'comes before or equals, in hash order';

CREATE OPERATOR partitioning.>=# (
    FUNCTION = partitioning.text_hash_ge,
    LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.text,
    COMMUTATOR = OPERATOR(partitioning.<=#), NEGATOR = OPERATOR(partitioning.<#),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR partitioning.>=# (pg_catalog.text, pg_catalog.text) IS
    'comes after or equals, in hash order';

CREATE OPERATOR partitioning.># (
    FUNCTION = partitioning.text_hash_gt,
    LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.text,
    COMMUTATOR = OPERATOR(partitioning.<#), NEGATOR = OPERATOR(partitioning.<=#),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR partitioning.># (pg_catalog.text, pg_catalog.text) IS
    'comes after, in hash order';

CREATE OPERATOR partitioning.<# (
    FUNCTION = partitioning.text_position_lt,
    LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.int4,
    NEGATOR = OPERATOR(partitioning.>=#),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR partitioning.<# (pg_catalog.text, pg_catalog.int4) IS
    'lies before the position before all values of this hash';

CREATE OPERATOR partitioning.<=# (
    FUNCTION = partitioning.text_position_le,
    LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.int4,
    NEGATOR = OPERATOR(partitioning.>#),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR partitioning.<=# (pg_catalog.text, pg_catalog.int4) IS
    'lies before the position before all values of this hash';

CREATE OPERATOR partitioning.>=# (
    FUNCTION = partitioning.text_position_ge,
    LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.int4,
    NEGATOR = OPERATOR(partitioning.<#),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR partitioning.>=# (pg_catalog.text, pg_catalog.int4) IS
    'lies behind the position before all values of this hash';

CREATE OPERATOR partitioning.># (
    FUNCTION = partitioning.text_position_gt,
    LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.int4,
    NEGATOR = OPERATOR(partitioning.<=#),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR partitioning.># (pg_catalog.text, pg_catalog.int4) IS
    'lies behind the position before all values of this hash';

CREATE OPERATOR FAMILY partitioning.text_hash_ops USING btree;
COMMENT ON OPERATOR FAMILY partitioning.text_hash_ops USING btree IS
    'order by hash, then by value';

CREATE OPERATOR CLASS partitioning.text_hash_ops
    FOR TYPE pg_catalog.text USING btree FAMILY partitioning.text_hash_ops AS
    OPERATOR 1 partitioning.<# (pg_catalog.text, pg_catalog.text),
    OPERATOR 2 partitioning.<=# (pg_catalog.text, pg_catalog.text),
    OPERATOR 3 pg_catalog.= (pg_catalog.text, pg_catalog.text),
    OPERATOR 4 partitioning.>=# (pg_catalog.text, pg_catalog.text),
    OPERATOR 5 partitioning.># (pg_catalog.text, pg_catalog.text),
    FUNCTION 1 partitioning.text_hash_compare(pg_catalog.text, pg_catalog.text),
    FUNCTION 2 partitioning.text_hash_sortsupport(pg_catalog.internal),
    FUNCTION 4 pg_catalog.btvarstrequalimage(pg_catalog.oid);
COMMENT ON OPERATOR CLASS partitioning.text_hash_ops USING btree IS
    'order by hash, then by value: for partition keys';

/* No = between a value and a position: a position equals no value. */
ALTER OPERATOR FAMILY partitioning.text_hash_ops USING btree ADD
    OPERATOR 1 partitioning.<# (pg_catalog.text, pg_catalog.int4),
    OPERATOR 2 partitioning.<=# (pg_catalog.text, pg_catalog.int4),
    OPERATOR 4 partitioning.>=# (pg_catalog.text, pg_catalog.int4),
    OPERATOR 5 partitioning.># (pg_catalog.text, pg_catalog.int4),
    FUNCTION 1 (pg_catalog.text, pg_catalog.int4) partitioning.text_position_compare(pg_catalog.text, pg_catalog.int4);

CREATE FUNCTION partitioning.bytea_hash_lt(a pg_catalog.bytea, b pg_catalog.bytea)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.bytea_hash_lt(pg_catalog.bytea, pg_catalog.bytea) IS
    'implementation of <# operator';

CREATE FUNCTION partitioning.bytea_hash_le(a pg_catalog.bytea, b pg_catalog.bytea)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.bytea_hash_le(pg_catalog.bytea, pg_catalog.bytea) IS
    'implementation of <=# operator';

CREATE FUNCTION partitioning.bytea_hash_ge(a pg_catalog.bytea, b pg_catalog.bytea)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.bytea_hash_ge(pg_catalog.bytea, pg_catalog.bytea) IS
    'implementation of >=# operator';

CREATE FUNCTION partitioning.bytea_hash_gt(a pg_catalog.bytea, b pg_catalog.bytea)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.bytea_hash_gt(pg_catalog.bytea, pg_catalog.bytea) IS
    'implementation of ># operator';

CREATE FUNCTION partitioning.bytea_hash_compare(a pg_catalog.bytea, b pg_catalog.bytea)
    RETURNS pg_catalog.int4
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.bytea_hash_compare(pg_catalog.bytea, pg_catalog.bytea) IS
    'compares two values in hash order: negative, 0 or positive';

CREATE FUNCTION partitioning.bytea_hash_sortsupport(pg_catalog.internal)
    RETURNS pg_catalog.void
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.bytea_hash_sortsupport(pg_catalog.internal) IS
    'sort support of hash order';

CREATE FUNCTION partitioning.bytea_position_lt(a pg_catalog.bytea, hash pg_catalog.int4)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.bytea_position_lt(pg_catalog.bytea, pg_catalog.int4) IS
    'implementation of <# operator';

CREATE FUNCTION partitioning.bytea_position_le(a pg_catalog.bytea, hash pg_catalog.int4)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.bytea_position_le(pg_catalog.bytea, pg_catalog.int4) IS
    'implementation of <=# operator';

CREATE FUNCTION partitioning.bytea_position_ge(a pg_catalog.bytea, hash pg_catalog.int4)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.bytea_position_ge(pg_catalog.bytea, pg_catalog.int4) IS
    'implementation of >=# operator';

CREATE FUNCTION partitioning.bytea_position_gt(a pg_catalog.bytea, hash pg_catalog.int4)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.bytea_position_gt(pg_catalog.bytea, pg_catalog.int4) IS
    'implementation of ># operator';

CREATE FUNCTION partitioning.bytea_position_compare(a pg_catalog.bytea, hash pg_catalog.int4)
    RETURNS pg_catalog.int4
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.bytea_position_compare(pg_catalog.bytea, pg_catalog.int4) IS
    'compares a value with the position before all values of a hash: negative or positive, never 0';

CREATE OPERATOR partitioning.<# (
    FUNCTION = partitioning.bytea_hash_lt,
    LEFTARG = pg_catalog.bytea, RIGHTARG = pg_catalog.bytea,
    COMMUTATOR = OPERATOR(partitioning.>#), NEGATOR = OPERATOR(partitioning.>=#),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR partitioning.<# (pg_catalog.bytea, pg_catalog.bytea) IS
    'comes before, in hash order';

CREATE OPERATOR partitioning.<=# (
    FUNCTION = partitioning.bytea_hash_le,
    LEFTARG = pg_catalog.bytea, RIGHTARG = pg_catalog.bytea,
    COMMUTATOR = OPERATOR(partitioning.>=#), NEGATOR = OPERATOR(partitioning.>#),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR partitioning.<=# (pg_catalog.bytea, pg_catalog.bytea) IS
    'comes before or equals, in hash order';

CREATE OPERATOR partitioning.>=# (
    FUNCTION = partitioning.bytea_hash_ge,
    LEFTARG = pg_catalog.bytea, RIGHTARG = pg_catalog.bytea,
    COMMUTATOR = OPERATOR(partitioning.<=#), NEGATOR = OPERATOR(partitioning.<#),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR partitioning.>=# (pg_catalog.bytea, pg_catalog.bytea) IS
    'comes after or equals, in hash order';

CREATE OPERATOR partitioning.># (
    FUNCTION = partitioning.bytea_hash_gt,
    LEFTARG = pg_catalog.bytea, RIGHTARG = pg_catalog.bytea,
    COMMUTATOR = OPERATOR(partitioning.<#), NEGATOR = OPERATOR(partitioning.<=#),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR partitioning.># (pg_catalog.bytea, pg_catalog.bytea) IS
    'comes after, in hash order';

CREATE OPERATOR partitioning.<# (
    FUNCTION = partitioning.bytea_position_lt,
    LEFTARG = pg_catalog.bytea, RIGHTARG = pg_catalog.int4,
    NEGATOR = OPERATOR(partitioning.>=#),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR partitioning.<# (pg_catalog.bytea, pg_catalog.int4) IS
    'lies before the position before all values of this hash';

CREATE OPERATOR partitioning.<=# (
    FUNCTION = partitioning.bytea_position_le,
    LEFTARG = pg_catalog.bytea, RIGHTARG = pg_catalog.int4,
    NEGATOR = OPERATOR(partitioning.>#),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR partitioning.<=# (pg_catalog.bytea, pg_catalog.int4) IS
    'lies before the position before all values of this hash';

CREATE OPERATOR partitioning.>=# (
    FUNCTION = partitioning.bytea_position_ge,
    LEFTARG = pg_catalog.bytea, RIGHTARG = pg_catalog.int4,
    NEGATOR = OPERATOR(partitioning.<#),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR partitioning.>=# (pg_catalog.bytea, pg_catalog.int4) IS
    'lies behind the position before all values of this hash';

CREATE OPERATOR partitioning.># (
    FUNCTION = partitioning.bytea_position_gt,
    LEFTARG = pg_catalog.bytea, RIGHTARG = pg_catalog.int4,
    NEGATOR = OPERATOR(partitioning.<=#),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR partitioning.># (pg_catalog.bytea, pg_catalog.int4) IS
    'lies behind the position before all values of this hash';

CREATE OPERATOR FAMILY partitioning.bytea_hash_ops USING btree;
COMMENT ON OPERATOR FAMILY partitioning.bytea_hash_ops USING btree IS
    'order by hash, then by value';

CREATE OPERATOR CLASS partitioning.bytea_hash_ops
    FOR TYPE pg_catalog.bytea USING btree FAMILY partitioning.bytea_hash_ops AS
    OPERATOR 1 partitioning.<# (pg_catalog.bytea, pg_catalog.bytea),
    OPERATOR 2 partitioning.<=# (pg_catalog.bytea, pg_catalog.bytea),
    OPERATOR 3 pg_catalog.= (pg_catalog.bytea, pg_catalog.bytea),
    OPERATOR 4 partitioning.>=# (pg_catalog.bytea, pg_catalog.bytea),
    OPERATOR 5 partitioning.># (pg_catalog.bytea, pg_catalog.bytea),
    FUNCTION 1 partitioning.bytea_hash_compare(pg_catalog.bytea, pg_catalog.bytea),
    FUNCTION 2 partitioning.bytea_hash_sortsupport(pg_catalog.internal),
    FUNCTION 4 pg_catalog.btequalimage(pg_catalog.oid);
COMMENT ON OPERATOR CLASS partitioning.bytea_hash_ops USING btree IS
    'order by hash, then by value: for partition keys';

/* No = between a value and a position: a position equals no value. */
ALTER OPERATOR FAMILY partitioning.bytea_hash_ops USING btree ADD
    OPERATOR 1 partitioning.<# (pg_catalog.bytea, pg_catalog.int4),
    OPERATOR 2 partitioning.<=# (pg_catalog.bytea, pg_catalog.int4),
    OPERATOR 4 partitioning.>=# (pg_catalog.bytea, pg_catalog.int4),
    OPERATOR 5 partitioning.># (pg_catalog.bytea, pg_catalog.int4),
    FUNCTION 1 (pg_catalog.bytea, pg_catalog.int4) partitioning.bytea_position_compare(pg_catalog.bytea, pg_catalog.int4);

CREATE FUNCTION partitioning.numeric_hash_lt(a pg_catalog.numeric, b pg_catalog.numeric)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.numeric_hash_lt(pg_catalog.numeric, pg_catalog.numeric) IS
    'implementation of <# operator';

CREATE FUNCTION partitioning.numeric_hash_le(a pg_catalog.numeric, b pg_catalog.numeric)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.numeric_hash_le(pg_catalog.numeric, pg_catalog.numeric) IS
    'implementation of <=# operator';

CREATE FUNCTION partitioning.numeric_hash_ge(a pg_catalog.numeric, b pg_catalog.numeric)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.numeric_hash_ge(pg_catalog.numeric, pg_catalog.numeric) IS
    'implementation of >=# operator';

CREATE FUNCTION partitioning.numeric_hash_gt(a pg_catalog.numeric, b pg_catalog.numeric)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.numeric_hash_gt(pg_catalog.numeric, pg_catalog.numeric) IS
    'implementation of ># operator';

CREATE FUNCTION partitioning.numeric_hash_compare(a pg_catalog.numeric, b pg_catalog.numeric)
    RETURNS pg_catalog.int4
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.numeric_hash_compare(pg_catalog.numeric, pg_catalog.numeric) IS
    'compares two values in hash order: negative, 0 or positive';

CREATE FUNCTION partitioning.numeric_hash_sortsupport(pg_catalog.internal)
    RETURNS pg_catalog.void
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.numeric_hash_sortsupport(pg_catalog.internal) IS
    'sort support of hash order';

CREATE FUNCTION partitioning.numeric_position_lt(a pg_catalog.numeric, hash pg_catalog.int4)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.numeric_position_lt(pg_catalog.numeric, pg_catalog.int4) IS
    'implementation of <# operator';

CREATE FUNCTION partitioning.numeric_position_le(a pg_catalog.numeric, hash pg_catalog.int4)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.numeric_position_le(pg_catalog.numeric, pg_catalog.int4) IS
    'implementation of <=# operator';

CREATE FUNCTION partitioning.numeric_position_ge(a pg_catalog.numeric, hash pg_catalog.int4)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.numeric_position_ge(pg_catalog.numeric, pg_catalog.int4) IS
    'implementation of >=# operator';

CREATE FUNCTION partitioning.numeric_position_gt(a pg_catalog.numeric, hash pg_catalog.int4)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.numeric_position_gt(pg_catalog.numeric, pg_catalog.int4) IS
    'implementation of ># operator';

CREATE FUNCTION partitioning.numeric_position_compare(a pg_catalog.numeric, hash pg_catalog.int4)
    RETURNS pg_catalog.int4
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.numeric_position_compare(pg_catalog.numeric, pg_catalog.int4) IS
    'compares a value with the position before all values of a hash: negative or positive, never 0';

CREATE OPERATOR partitioning.<# (
    FUNCTION = partitioning.numeric_hash_lt,
    LEFTARG = pg_catalog.numeric, RIGHTARG = pg_catalog.numeric,
    COMMUTATOR = OPERATOR(partitioning.>#), NEGATOR = OPERATOR(partitioning.>=#),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR partitioning.<# (pg_catalog.numeric, pg_catalog.numeric) IS
    'comes before, in hash order';

CREATE OPERATOR partitioning.<=# (
    FUNCTION = partitioning.numeric_hash_le,
    LEFTARG = pg_catalog.numeric, RIGHTARG = pg_catalog.numeric,
    COMMUTATOR = OPERATOR(partitioning.>=#), NEGATOR = OPERATOR(partitioning.>#),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR partitioning.<=# (pg_catalog.numeric, pg_catalog.numeric) IS
    'comes before or equals, in hash order';

CREATE OPERATOR partitioning.>=# (
    FUNCTION = partitioning.numeric_hash_ge,
    LEFTARG = pg_catalog.numeric, RIGHTARG = pg_catalog.numeric,
    COMMUTATOR = OPERATOR(partitioning.<=#), NEGATOR = OPERATOR(partitioning.<#),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR partitioning.>=# (pg_catalog.numeric, pg_catalog.numeric) IS
    'comes after or equals, in hash order';

CREATE OPERATOR partitioning.># (
    FUNCTION = partitioning.numeric_hash_gt,
    LEFTARG = pg_catalog.numeric, RIGHTARG = pg_catalog.numeric,
    COMMUTATOR = OPERATOR(partitioning.<#), NEGATOR = OPERATOR(partitioning.<=#),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR partitioning.># (pg_catalog.numeric, pg_catalog.numeric) IS
    'comes after, in hash order';

CREATE OPERATOR partitioning.<# (
    FUNCTION = partitioning.numeric_position_lt,
    LEFTARG = pg_catalog.numeric, RIGHTARG = pg_catalog.int4,
    NEGATOR = OPERATOR(partitioning.>=#),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR partitioning.<# (pg_catalog.numeric, pg_catalog.int4) IS
    'lies before the position before all values of this hash';

CREATE OPERATOR partitioning.<=# (
    FUNCTION = partitioning.numeric_position_le,
    LEFTARG = pg_catalog.numeric, RIGHTARG = pg_catalog.int4,
    NEGATOR = OPERATOR(partitioning.>#),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR partitioning.<=# (pg_catalog.numeric, pg_catalog.int4) IS
    'lies before the position before all values of this hash';

CREATE OPERATOR partitioning.>=# (
    FUNCTION = partitioning.numeric_position_ge,
    LEFTARG = pg_catalog.numeric, RIGHTARG = pg_catalog.int4,
    NEGATOR = OPERATOR(partitioning.<#),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR partitioning.>=# (pg_catalog.numeric, pg_catalog.int4) IS
    'lies behind the position before all values of this hash';

CREATE OPERATOR partitioning.># (
    FUNCTION = partitioning.numeric_position_gt,
    LEFTARG = pg_catalog.numeric, RIGHTARG = pg_catalog.int4,
    NEGATOR = OPERATOR(partitioning.<=#),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR partitioning.># (pg_catalog.numeric, pg_catalog.int4) IS
    'lies behind the position before all values of this hash';

CREATE OPERATOR FAMILY partitioning.numeric_hash_ops USING btree;
COMMENT ON OPERATOR FAMILY partitioning.numeric_hash_ops USING btree IS
    'order by hash, then by value';

CREATE OPERATOR CLASS partitioning.numeric_hash_ops
    FOR TYPE pg_catalog.numeric USING btree FAMILY partitioning.numeric_hash_ops AS
    OPERATOR 1 partitioning.<# (pg_catalog.numeric, pg_catalog.numeric),
    OPERATOR 2 partitioning.<=# (pg_catalog.numeric, pg_catalog.numeric),
    OPERATOR 3 pg_catalog.= (pg_catalog.numeric, pg_catalog.numeric),
    OPERATOR 4 partitioning.>=# (pg_catalog.numeric, pg_catalog.numeric),
    OPERATOR 5 partitioning.># (pg_catalog.numeric, pg_catalog.numeric),
    FUNCTION 1 partitioning.numeric_hash_compare(pg_catalog.numeric, pg_catalog.numeric),
    FUNCTION 2 partitioning.numeric_hash_sortsupport(pg_catalog.internal);
COMMENT ON OPERATOR CLASS partitioning.numeric_hash_ops USING btree IS
    'order by hash, then by value: for partition keys';

/* No = between a value and a position: a position equals no value. */
ALTER OPERATOR FAMILY partitioning.numeric_hash_ops USING btree ADD
    OPERATOR 1 partitioning.<# (pg_catalog.numeric, pg_catalog.int4),
    OPERATOR 2 partitioning.<=# (pg_catalog.numeric, pg_catalog.int4),
    OPERATOR 4 partitioning.>=# (pg_catalog.numeric, pg_catalog.int4),
    OPERATOR 5 partitioning.># (pg_catalog.numeric, pg_catalog.int4),
    FUNCTION 1 (pg_catalog.numeric, pg_catalog.int4) partitioning.numeric_position_compare(pg_catalog.numeric, pg_catalog.int4);

/* Prefixes of sort keys. */

CREATE FUNCTION partitioning.begins_with_support(pg_catalog.internal)
    RETURNS pg_catalog.internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.begins_with_support(pg_catalog.internal) IS
    'planner support of begins_with: index bounds and selectivity';

CREATE FUNCTION partitioning.begins_with(sort_key pg_catalog.text, prefix pg_catalog.text)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT partitioning.begins_with_support
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.begins_with(pg_catalog.text, pg_catalog.text) IS
    'whether a value begins with a prefix, byte by byte; an index condition for any fixed prefix, bound parameters included';

CREATE FUNCTION partitioning.prefix_successor(prefix pg_catalog.text)
    RETURNS pg_catalog.text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.prefix_successor(pg_catalog.text) IS
    'smallest value above all that begin with the prefix; a value above every key when there is none';

CREATE FUNCTION partitioning.begins_with(sort_key pg_catalog.bytea, prefix pg_catalog.bytea)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT partitioning.begins_with_support
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.begins_with(pg_catalog.bytea, pg_catalog.bytea) IS
    'whether a value begins with a prefix, byte by byte; an index condition for any fixed prefix, bound parameters included';

CREATE FUNCTION partitioning.prefix_successor(prefix pg_catalog.bytea)
    RETURNS pg_catalog.bytea
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.prefix_successor(pg_catalog.bytea) IS
    'smallest value above all that begin with the prefix; a value above every key when there is none';

/* The check constraint of item tables. */

CREATE FUNCTION partitioning.check_item(pk_name pg_catalog.text, pk pg_catalog."any",
    attributes partitioning.item, index_limit pg_catalog.int4)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.check_item(pg_catalog.text, pg_catalog."any", partitioning.item, pg_catalog.int4) IS
    'check constraint of item tables without sort key: true, or the error of what is wrong with key, attributes, size of the item or of its index entry (index_limit, 0 for none)';

CREATE FUNCTION partitioning.check_item(pk_name pg_catalog.text, pk pg_catalog."any",
    sk_name pg_catalog.text, sk pg_catalog."any",
    attributes partitioning.item, index_limit pg_catalog.int4)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.check_item(pg_catalog.text, pg_catalog."any", pg_catalog.text, pg_catalog."any", partitioning.item, pg_catalog.int4) IS
    'check constraint of item tables with sort key: true, or the error of what is wrong with key, attributes, size of the item or of its index entry (index_limit, 0 for none)';

/* Write shards. */

CREATE FUNCTION partitioning.check_shard(pk pg_catalog.text, sk pg_catalog."any", shard_by pg_catalog.text,
    shards pg_catalog.int4, former_shards pg_catalog.int4)
    RETURNS pg_catalog.bool
    LANGUAGE c IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.check_shard(pg_catalog.text, pg_catalog."any", pg_catalog.text, pg_catalog.int4, pg_catalog.int4) IS
    'check constraint of item tables with write shards: true, or error 23514 when pk does not end with the number of a shard; shard_by NULL: of that which sk belongs to';

CREATE FUNCTION partitioning.shard_base(pk pg_catalog.text)
    RETURNS pg_catalog.text
    LANGUAGE c IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.shard_base(pg_catalog.text) IS
    'partition key that a stored one belongs to: what is before # and a number at its end; without these all of it';

CREATE FUNCTION partitioning.shard_of(pk pg_catalog.text)
    RETURNS pg_catalog.int4
    LANGUAGE c IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.shard_of(pg_catalog.text) IS
    'number of the write shard at the end of a stored partition key; null without one';

/* The columns of local indexes. */

CREATE FUNCTION partitioning.index_key_text(name pg_catalog.text, attributes partitioning.item)
    RETURNS pg_catalog.text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.index_key_text(pg_catalog.text, partitioning.item) IS
    'value of an attribute that can be a sort key of type S, or NULL; generates the column of a local index';

CREATE FUNCTION partitioning.index_key_numeric(name pg_catalog.text, attributes partitioning.item)
    RETURNS pg_catalog.numeric
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.index_key_numeric(pg_catalog.text, partitioning.item) IS
    'value of an attribute that can be a sort key of type N, or NULL; generates the column of a local index';

CREATE FUNCTION partitioning.index_key_bytea(name pg_catalog.text, attributes partitioning.item)
    RETURNS pg_catalog.bytea
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.index_key_bytea(pg_catalog.text, partitioning.item) IS
    'value of an attribute that can be a sort key of type B, or NULL; generates the column of a local index';

CREATE FUNCTION partitioning.index_key_template(template pg_catalog.text, attributes partitioning.item)
    RETURNS pg_catalog.text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.index_key_template(pg_catalog.text, partitioning.item) IS
    'sort key that a template makes of attributes, or NULL when one is absent; generates the column of a local index';

CREATE FUNCTION partitioning.index_key_template(template pg_catalog.text, attributes partitioning.item,
    name pg_catalog.text, key pg_catalog."any")
    RETURNS pg_catalog.text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.index_key_template(pg_catalog.text, partitioning.item, pg_catalog.text, pg_catalog."any") IS
    'the same with one key attribute of the table among those that the template names';

CREATE FUNCTION partitioning.index_key_template(template pg_catalog.text, attributes partitioning.item,
    name1 pg_catalog.text, key1 pg_catalog."any", name2 pg_catalog.text, key2 pg_catalog."any")
    RETURNS pg_catalog.text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.index_key_template(pg_catalog.text, partitioning.item, pg_catalog.text, pg_catalog."any", pg_catalog.text, pg_catalog."any") IS
    'the same with both key attributes of the table among those that the template names';

/*
 * The index access method ptree and its operator classes.
 *
 * The first column of a ptree index is in hash order, by one of the
 * *_hash_ops classes; the default classes are for the sort key and for a last
 * column of type bigint.
 */

CREATE FUNCTION partitioning.ptreehandler(pg_catalog.internal)
    RETURNS pg_catalog.index_am_handler
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.ptreehandler(pg_catalog.internal) IS
    'handler of the index access method ptree';

CREATE ACCESS METHOD ptree TYPE INDEX HANDLER partitioning.ptreehandler;
COMMENT ON ACCESS METHOD ptree IS
    'index for partition keys in hash order with sort keys in their natural order';

CREATE OPERATOR CLASS partitioning.text_hash_ops
    FOR TYPE pg_catalog.text USING ptree AS
        OPERATOR 1 partitioning.<# (pg_catalog.text, pg_catalog.text),
        OPERATOR 2 partitioning.<=# (pg_catalog.text, pg_catalog.text),
        OPERATOR 3 pg_catalog.= (pg_catalog.text, pg_catalog.text),
        OPERATOR 4 partitioning.>=# (pg_catalog.text, pg_catalog.text),
        OPERATOR 5 partitioning.># (pg_catalog.text, pg_catalog.text),
        OPERATOR 1 partitioning.<# (pg_catalog.text, pg_catalog.int4),
        OPERATOR 2 partitioning.<=# (pg_catalog.text, pg_catalog.int4),
        OPERATOR 4 partitioning.>=# (pg_catalog.text, pg_catalog.int4),
        OPERATOR 5 partitioning.># (pg_catalog.text, pg_catalog.int4),
        FUNCTION 7 partitioning.key_hash(pg_catalog.text);
COMMENT ON OPERATOR CLASS partitioning.text_hash_ops USING ptree IS
    'partition keys of type S: hash order';

CREATE OPERATOR CLASS partitioning.bytea_hash_ops
    FOR TYPE pg_catalog.bytea USING ptree AS
        OPERATOR 1 partitioning.<# (pg_catalog.bytea, pg_catalog.bytea),
        OPERATOR 2 partitioning.<=# (pg_catalog.bytea, pg_catalog.bytea),
        OPERATOR 3 pg_catalog.= (pg_catalog.bytea, pg_catalog.bytea),
        OPERATOR 4 partitioning.>=# (pg_catalog.bytea, pg_catalog.bytea),
        OPERATOR 5 partitioning.># (pg_catalog.bytea, pg_catalog.bytea),
        OPERATOR 1 partitioning.<# (pg_catalog.bytea, pg_catalog.int4),
        OPERATOR 2 partitioning.<=# (pg_catalog.bytea, pg_catalog.int4),
        OPERATOR 4 partitioning.>=# (pg_catalog.bytea, pg_catalog.int4),
        OPERATOR 5 partitioning.># (pg_catalog.bytea, pg_catalog.int4),
        FUNCTION 7 partitioning.key_hash(pg_catalog.bytea);
COMMENT ON OPERATOR CLASS partitioning.bytea_hash_ops USING ptree IS
    'partition keys of type B: hash order';

CREATE OPERATOR CLASS partitioning.numeric_hash_ops
    FOR TYPE pg_catalog.numeric USING ptree AS
        OPERATOR 1 partitioning.<# (pg_catalog.numeric, pg_catalog.numeric),
        OPERATOR 2 partitioning.<=# (pg_catalog.numeric, pg_catalog.numeric),
        OPERATOR 3 pg_catalog.= (pg_catalog.numeric, pg_catalog.numeric),
        OPERATOR 4 partitioning.>=# (pg_catalog.numeric, pg_catalog.numeric),
        OPERATOR 5 partitioning.># (pg_catalog.numeric, pg_catalog.numeric),
        OPERATOR 1 partitioning.<# (pg_catalog.numeric, pg_catalog.int4),
        OPERATOR 2 partitioning.<=# (pg_catalog.numeric, pg_catalog.int4),
        OPERATOR 4 partitioning.>=# (pg_catalog.numeric, pg_catalog.int4),
        OPERATOR 5 partitioning.># (pg_catalog.numeric, pg_catalog.int4),
        FUNCTION 7 partitioning.key_hash(pg_catalog.numeric);
COMMENT ON OPERATOR CLASS partitioning.numeric_hash_ops USING ptree IS
    'partition keys of type N: hash order';

CREATE OPERATOR CLASS partitioning.text_ops
    DEFAULT FOR TYPE pg_catalog.text USING ptree AS
        OPERATOR 1 pg_catalog.< (pg_catalog.text, pg_catalog.text),
        OPERATOR 2 pg_catalog.<= (pg_catalog.text, pg_catalog.text),
        OPERATOR 3 pg_catalog.= (pg_catalog.text, pg_catalog.text),
        OPERATOR 4 pg_catalog.>= (pg_catalog.text, pg_catalog.text),
        OPERATOR 5 pg_catalog.> (pg_catalog.text, pg_catalog.text),
        OPERATOR 6 pg_catalog.^@ (pg_catalog.text, pg_catalog.text);
COMMENT ON OPERATOR CLASS partitioning.text_ops USING ptree IS
    'sort keys of type S: byte order, so the column needs collation "C"';

CREATE OPERATOR CLASS partitioning.bytea_ops
    DEFAULT FOR TYPE pg_catalog.bytea USING ptree AS
        OPERATOR 1 pg_catalog.< (pg_catalog.bytea, pg_catalog.bytea),
        OPERATOR 2 pg_catalog.<= (pg_catalog.bytea, pg_catalog.bytea),
        OPERATOR 3 pg_catalog.= (pg_catalog.bytea, pg_catalog.bytea),
        OPERATOR 4 pg_catalog.>= (pg_catalog.bytea, pg_catalog.bytea),
        OPERATOR 5 pg_catalog.> (pg_catalog.bytea, pg_catalog.bytea);
COMMENT ON OPERATOR CLASS partitioning.bytea_ops USING ptree IS
    'sort keys of type B: byte order';

CREATE OPERATOR CLASS partitioning.numeric_ops
    DEFAULT FOR TYPE pg_catalog.numeric USING ptree AS
        OPERATOR 1 pg_catalog.< (pg_catalog.numeric, pg_catalog.numeric),
        OPERATOR 2 pg_catalog.<= (pg_catalog.numeric, pg_catalog.numeric),
        OPERATOR 3 pg_catalog.= (pg_catalog.numeric, pg_catalog.numeric),
        OPERATOR 4 pg_catalog.>= (pg_catalog.numeric, pg_catalog.numeric),
        OPERATOR 5 pg_catalog.> (pg_catalog.numeric, pg_catalog.numeric);
COMMENT ON OPERATOR CLASS partitioning.numeric_ops USING ptree IS
    'sort keys of type N: numeric order';

CREATE OPERATOR CLASS partitioning.int8_ops
    DEFAULT FOR TYPE pg_catalog.int8 USING ptree AS
        OPERATOR 1 pg_catalog.< (pg_catalog.int8, pg_catalog.int8),
        OPERATOR 2 pg_catalog.<= (pg_catalog.int8, pg_catalog.int8),
        OPERATOR 3 pg_catalog.= (pg_catalog.int8, pg_catalog.int8),
        OPERATOR 4 pg_catalog.>= (pg_catalog.int8, pg_catalog.int8),
        OPERATOR 5 pg_catalog.> (pg_catalog.int8, pg_catalog.int8);
COMMENT ON OPERATOR CLASS partitioning.int8_ops USING ptree IS
    'a last column that is compared after all others';

CREATE FUNCTION partitioning.ptree_check(
        index pg_catalog.regclass,
        heapallindexed pg_catalog.bool DEFAULT false)
    RETURNS pg_catalog.void
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.ptree_check(pg_catalog.regclass, pg_catalog.bool) IS
    'verifies a ptree index, with heapallindexed also that every visible row is in it; raises index_corrupted at the first fault; runs beside writers and on a standby';

CREATE FUNCTION partitioning.ptree_stats(
        index pg_catalog.regclass,
        OUT version pg_catalog.int4,
        OUT depth pg_catalog.int4,
        OUT leaf_pages pg_catalog.int8,
        OUT inner_pages pg_catalog.int8,
        OUT unused_pages pg_catalog.int8,
        OUT entries pg_catalog.int8,
        OUT bytes_per_entry pg_catalog.float8,
        OUT leaf_fill pg_catalog.float8)
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION partitioning.ptree_stats(pg_catalog.regclass) IS
    'format version, levels, pages and entries of a ptree index; reads all of it';

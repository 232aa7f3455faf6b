-- The settings of the extension: names, defaults, ranges.
SELECT name, boot_val AS setting, unit, context, vartype, min_val, max_val, short_desc
FROM pg_settings WHERE name LIKE 'partitioning.%' ORDER BY name COLLATE "C";

-- Values out of range and unknown names are refused.
SET partitioning.expression_cache_size = -1;
SET partitioning.expression_cache_size = 65537;
SET partitioning.no_such_setting = 1;

-- Expressions work without a cache and with a tiny one.
CREATE SCHEMA settings;
SET search_path = settings, partitioning;
SELECT create_table('app', 'PK');
SET partitioning.expression_cache_size = 0;
SELECT update_item('app', '{"PK": "1"}', 'SET v = :v', '{":v": 1}', return_values => 'ALL_NEW');
SET partitioning.expression_cache_size = 1;
SELECT update_item('app', '{"PK": "1"}', 'SET v = v + :v', '{":v": 1}', 'v = :v', return_values => 'ALL_NEW');
SELECT update_item('app', '{"PK": "1"}', 'SET v = v + :v', '{":v": 1}', 'v > :v', return_values => 'ALL_NEW');
RESET partitioning.expression_cache_size;

-- A table name is looked up in wire_schema first, then along the search path.
CREATE SCHEMA settings_wire;
SET search_path = settings_wire, partitioning;
SELECT create_table('app', 'PK');
SELECT create_table('only_here', 'PK');
SELECT put_item('settings_wire.app', '{"PK": "1", "v": "wire"}');
SET search_path = settings, partitioning;
SELECT get_item('app', '{"PK": "1"}');
SELECT get_item('only_here', '{"PK": "1"}');
SET partitioning.wire_schema = 'settings_wire';
SELECT get_item('app', '{"PK": "1"}');
SELECT get_item('only_here', '{"PK": "1"}') IS NULL AS found_table;
SET partitioning.wire_schema = 'no such schema';
SELECT get_item('app', '{"PK": "1"}');
SET partitioning.wire_schema = '';
SELECT get_item('app', '{"PK": "1"}');
RESET partitioning.wire_schema;

SET client_min_messages = warning;
DROP SCHEMA settings CASCADE;
DROP SCHEMA settings_wire CASCADE;

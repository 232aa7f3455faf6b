-- The items of the program are rows.
SELECT count(*) FROM "sdk-activity";
SELECT query('sdk-activity', '#u = :u AND begins_with(sort, :p)',
    '{":u": "U#ada", ":p": "EVENT#"}', expression_names => '{"#u": "user"}',
    scan_forward => false, max_items => 2);
SELECT get_item('sdk-activity', '{"user": "U#ada", "sort": "PROFILE"}');

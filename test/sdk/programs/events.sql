-- SQL merges the same suffixes.
SELECT merge_query('sdk-events',
    ARRAY(SELECT format('EVENTS#2026-03-14#%s', i) FROM generate_series(0, 9) i),
    scan_forward => false, max_items => 3);

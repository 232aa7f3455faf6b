SELECT * FROM partitioning.query('sharded', :condition, :event_values,
    scan_forward => false, max_items => 10);

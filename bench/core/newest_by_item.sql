SELECT partitioning.query('app', :condition, :values,
    scan_forward => false, max_items => 10);

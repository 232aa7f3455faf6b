SELECT partitioning.put_item('hot_' || :shards::text, jsonb_build_object('PK', 'TODAY',
    'SK', clock_timestamp()::text || ' ' || :client_id::text, 'what', 'login', 'user', :client_id::int));

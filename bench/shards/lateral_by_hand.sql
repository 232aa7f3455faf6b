SELECT sk, item
FROM generate_series(0, 9) AS n,
    LATERAL (SELECT sk, item FROM by_hand WHERE pk = :event || '#' || n AND sk >= :prefix AND sk < :prefix_end ORDER BY sk DESC LIMIT 10) AS s
ORDER BY sk DESC LIMIT 10;

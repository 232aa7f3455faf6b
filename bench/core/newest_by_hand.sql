SELECT sk, item FROM hand_written
WHERE pk = :pk AND sk >= :prefix AND sk < :prefix_end
ORDER BY sk DESC LIMIT 10;

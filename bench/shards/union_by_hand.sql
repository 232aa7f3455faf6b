SELECT sk, item FROM (
(SELECT sk, item FROM by_hand WHERE pk = :event || '#0' AND sk >= :prefix AND sk < :prefix_end ORDER BY sk DESC LIMIT 10)
UNION ALL
(SELECT sk, item FROM by_hand WHERE pk = :event || '#1' AND sk >= :prefix AND sk < :prefix_end ORDER BY sk DESC LIMIT 10)
UNION ALL
(SELECT sk, item FROM by_hand WHERE pk = :event || '#2' AND sk >= :prefix AND sk < :prefix_end ORDER BY sk DESC LIMIT 10)
UNION ALL
(SELECT sk, item FROM by_hand WHERE pk = :event || '#3' AND sk >= :prefix AND sk < :prefix_end ORDER BY sk DESC LIMIT 10)
UNION ALL
(SELECT sk, item FROM by_hand WHERE pk = :event || '#4' AND sk >= :prefix AND sk < :prefix_end ORDER BY sk DESC LIMIT 10)
UNION ALL
(SELECT sk, item FROM by_hand WHERE pk = :event || '#5' AND sk >= :prefix AND sk < :prefix_end ORDER BY sk DESC LIMIT 10)
UNION ALL
(SELECT sk, item FROM by_hand WHERE pk = :event || '#6' AND sk >= :prefix AND sk < :prefix_end ORDER BY sk DESC LIMIT 10)
UNION ALL
(SELECT sk, item FROM by_hand WHERE pk = :event || '#7' AND sk >= :prefix AND sk < :prefix_end ORDER BY sk DESC LIMIT 10)
UNION ALL
(SELECT sk, item FROM by_hand WHERE pk = :event || '#8' AND sk >= :prefix AND sk < :prefix_end ORDER BY sk DESC LIMIT 10)
UNION ALL
(SELECT sk, item FROM by_hand WHERE pk = :event || '#9' AND sk >= :prefix AND sk < :prefix_end ORDER BY sk DESC LIMIT 10)
) AS s ORDER BY sk DESC LIMIT 10;

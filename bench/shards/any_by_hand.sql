SELECT sk, item FROM by_hand
WHERE pk = ANY (ARRAY[:event || '#0', :event || '#1', :event || '#2', :event || '#3', :event || '#4', :event || '#5', :event || '#6', :event || '#7', :event || '#8', :event || '#9'])
    AND sk >= :prefix AND sk < :prefix_end
ORDER BY sk DESC LIMIT 10;

SELECT item_of(t) FROM "sdk-User" t ORDER BY 1;

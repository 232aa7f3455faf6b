SELECT item_of(t) FROM "sdk-electro" t ORDER BY pk, sk;

SELECT sk, attributes FROM app
WHERE pk = :pk AND partitioning.begins_with(sk, :prefix)
ORDER BY sk DESC LIMIT 10;

SELECT sk, attributes FROM sharded
WHERE partitioning.shard_base(pk) = :event AND partitioning.begins_with(sk, :prefix)
ORDER BY sk DESC LIMIT 10;

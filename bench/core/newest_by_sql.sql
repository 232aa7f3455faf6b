\set u random(10000000, 9999999 + :users)
SELECT sk, attributes FROM app
WHERE pk = 'USER#' || :u AND partitioning.begins_with(sk, 'ORDER#')
ORDER BY sk DESC LIMIT 10;

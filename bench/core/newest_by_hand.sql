\set u random(10000000, 9999999 + :users)
SELECT sk, item FROM hand_written
WHERE pk = 'USER#' || :u AND sk >= 'ORDER#' AND sk < 'ORDER$'
ORDER BY sk DESC LIMIT 10;

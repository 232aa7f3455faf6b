\set u random(10000000, 9999999 + :users)
\set d random(11, 28)
\set ms 100 + :u % 900
SELECT item FROM hand_written WHERE pk = 'USER#' || :u AND sk = 'ORDER#2024-03-' || :d || 'T09:30:00.' || :ms || 'Z';

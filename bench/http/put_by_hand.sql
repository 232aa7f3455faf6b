\set u random(10000000, 9999999 + :users)
\set d random(11, 28)
\set ms 100 + :u % 900
INSERT INTO hand_written VALUES ('USER#' || :u, 'ORDER#2024-03-' || :d || 'T09:30:00.' || :ms || 'Z',
    :body)
ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item;

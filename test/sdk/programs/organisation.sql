-- The index is as the table makes it, and SQL reads it.
SELECT count(*) FROM verify_index('sdk-organisation', 'GSI1');
SELECT query('sdk-organisation', 'GSI1PK = :u', '{":u": "USER#ada"}', 'GSI1');

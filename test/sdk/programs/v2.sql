SELECT query('sdk-v2', 'Artist = :a', '{":a": "Acme Band"}');
SELECT query('sdk-v2', 'Artist = :a', '{":a": "New"}');

-- A tour of the extension: psql -f tour.sql, after CREATE EXTENSION.
SELECT extname, extversion FROM pg_extension WHERE extname = 'partitioning';

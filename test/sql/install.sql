-- The extension installs into its own schema.
CREATE EXTENSION partitioning;
SELECT extversion, extnamespace::regnamespace, extrelocatable
FROM pg_extension WHERE extname = 'partitioning';

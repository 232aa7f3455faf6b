\echo Use "CREATE EXTENSION partitioning" to load this file. \quit

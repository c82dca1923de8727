"""The AWS endpoint: moto with the local stack's changes, Athena on DuckDB, and the limits of AWS."""

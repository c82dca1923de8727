"""The AWS endpoint: moto with the local stack's changes, items in SQLite, Athena on DuckDB, and the limits of AWS."""

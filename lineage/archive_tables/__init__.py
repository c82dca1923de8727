"""The archive as tables: what they are called, where they lie, what is in them, and what is asked of them in SQL.

Compaction writes them as Parquet (`jobs/`), the stack registers them (`infra/`), Athena, Spark and DuckDB read them.
Everything here is plain data: whoever imports it loads nothing else.
"""

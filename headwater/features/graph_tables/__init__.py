"""The graph of jobs, runs and datasets as tables for SQL, a snapshot a day."""

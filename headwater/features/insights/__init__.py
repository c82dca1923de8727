"""News of all jobs and datasets, jobs that fail, and the coverage of lineage."""

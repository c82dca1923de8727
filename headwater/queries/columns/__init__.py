"""Column lineage, now, as of a time and of a version: what a column is made of, and what is made of it."""

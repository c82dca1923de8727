"""Queries of columns: column lineage, operations on fields, reports over a time range."""

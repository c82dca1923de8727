"""Comparisons with others: Marquez, OpenLineage's integration with Spark, and sqlglot on TPC-DS and TPC-H."""

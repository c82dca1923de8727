"""Comparisons with others: OpenLineage's integration with Spark, and sqlglot on the queries of TPC-DS and TPC-H."""

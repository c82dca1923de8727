"""Comparisons with others: OpenLineage's integration with Spark, and the TPC-H benchmark."""

"""Datasets that plans read and write, under OpenLineage's names."""

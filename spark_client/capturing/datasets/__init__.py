"""Datasets that plans read and write, under the names that OpenLineage gives them."""

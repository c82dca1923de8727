"""Erasure: all data of a root, a namespace, a dataset or a job is removed for good, and kept out."""

"""CDAP's dialect of field lineage, as the designs of its storage and of its API have it."""

"""CDAP's dialect of lineage: as the designs of its storage and of its API have it, and as CDAP itself does."""

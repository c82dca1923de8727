"""CDAP's dialect of lineage: by the designs of its storage and of its API, and by CDAP's own routes."""

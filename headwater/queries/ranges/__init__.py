"""Queries of fields and datasets over the runs of a time range, in CDAP's terms, and the reports on a field."""

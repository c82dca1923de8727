"""Retention: history of some kinds expires after days of the context, by TTL and lifecycle rules of AWS alone."""

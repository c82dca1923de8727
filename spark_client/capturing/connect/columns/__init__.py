"""Columns of Spark Connect's plans, read into the same nodes as the driver's own plans."""

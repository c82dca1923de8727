"""Columns of Spark Connect's plans: read into the nodes that the driver's own plans are read into."""

"""Events that OpenLineage's transports write into buckets, taken as their objects arrive."""

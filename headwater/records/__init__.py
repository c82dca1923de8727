"""Record lineage: requests become records, records become traces, traces become the archive."""

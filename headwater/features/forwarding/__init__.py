"""Forwarding of events from the raw log to another OpenLineage endpoint: at least once, a run's in their order."""

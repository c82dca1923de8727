"""Forwarding of events from the raw log to an OpenLineage endpoint or DataZone: at least once, runs in order."""

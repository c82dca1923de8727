"""Captured writes as OpenLineage events."""

"""Streaming queries: their sinks and their runs."""

"""Streaming queries: what they write into their sinks, and their runs."""

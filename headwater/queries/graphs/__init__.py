"""Graphs of jobs and datasets, and what walks them: around a node, downstream of it, upstream of a version."""

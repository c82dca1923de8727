"""Marquez's dialect: its read routes and deletions, with its names and nulls, over the questions about runs.

Modules of routes (`lineage`, `datasets`, `jobs`, `runs`, `namespaces`, `events`, `search`) ask and answer; `*_views`
print what was found. What differs from Marquez, and why, is listed in docs/compatibility.md.
"""

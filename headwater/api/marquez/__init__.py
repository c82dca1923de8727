"""Marquez's dialect: its read routes and deletions, with its names and nulls, over the queries about runs.

Modules of routes (`lineage`, `datasets`, `jobs`, `runs`, `namespaces`, `events`, `search`) query and respond; `*_views`
make the JSON of what was found, which `types` describes. What differs from Marquez, and why, is listed in
docs/compatibility.md.
"""

"""Marquez's dialect: its read routes and deletions, with its names and nulls, over the queries about runs.

Modules of routes (`lineage`, `datasets`, `jobs`, `runs`) query and respond, and print their own JSON; `*_views` print
JSON of several modules. `types` and `*_types` describe it. The differences from Marquez, with reasons, are in
docs/compatibility.md.
"""

"""Marquez's dialect: its read routes and deletions, with its names and nulls, over the queries about runs.

Modules of routes (`lineage`, `datasets`, `jobs`, `runs`) query and respond, and have the JSON that they alone print;
`*_views` make the JSON that several of them print. `types` and `*_types` describe all of it. What differs from Marquez,
and why, is listed in docs/compatibility.md.
"""

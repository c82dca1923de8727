"""Every query of runs, jobs, datasets and columns; `service` is the only door for the API.

Read from the top: `service` makes a view for each query, the room of the query walks it, and this folder's other
modules load what a view shows: names (`resolve`), nodes and deletions (`loaded_graph`), facets and versions.
"""

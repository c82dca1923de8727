"""Every query of runs, jobs, datasets and columns; `service` is the only door for the API.

Read from the top: `service` makes a view for each query, and the room of the query walks it. The view (`view`) loads
names, nodes and deletions; this folder's other modules read facets and versions of its datasets.
"""

"""Columns: what each is made of, by which operations, and what depends on it.

`paths` prints a field's path; `operations` are CDAP's reads, transforms and writes, `columns` what any telling
(operations, OpenLineage's `columnLineage` or `lineage` facet) comes to. Questions are asked in `questions`, answered in
the shapes of `found`.
"""

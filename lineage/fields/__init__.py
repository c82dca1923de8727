"""Columns: what each is made of, by which operations, and what depends on it.

The words, which need nothing but the standard library (the Spark client speaks them too):

    paths       a field's path as text              columns     what any telling comes to
    operations  CDAP's reads, transforms, writes    facets      OpenLineage's facets, as columns

Operations, as pure functions: `operation_forms` reads and prints them, `checks` names what is wrong, `ordered` and
`mutations` give those that were told in their order (S3's form) their origins; `operation_set` is what they say (with
`reach`), `walks`, `detail` and `ways` follow one field through them, `as_operations` tells columns as operations.

Questions are asked in `questions`, answered from the facts in `answers`, in the shapes of `found`. How facts hold what
was told is in `lineage.runs.facts` (`tellings`, `windows`).
"""

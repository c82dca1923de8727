"""Capture of every write of a Spark session as OpenLineage events. `from spark_client import capture`.

Data flows one way: Spark's listener (`java/`, compiled on the driver by Spark's own compiler) -> `jvm` reads executions
-> `extract` finds the writes, with `plans` and `datasets` -> `session` merges them -> `events` renders them -> a
transport. Parts for some programs alone are folders, listed in `parts.PARTS` and named nowhere else: `connect`,
`databases`, `glue`, `streams`. The rest of the client does not load this package.
"""

"""Capture of every write of a Spark session as OpenLineage events. `from spark_client import capture`.

Data flows one way: Spark's listener (`java/`, compiled on the driver by Spark's own compiler) -> `jvm` reads executions
-> `extract` finds the writes, with `plans` and `datasets` -> `session` merges them -> `events` renders them -> a
transport. On Spark Connect, `connect` takes the client's commands, resolves their names on the server, and extracts the
writes. The rest of the client does not load this package.
"""

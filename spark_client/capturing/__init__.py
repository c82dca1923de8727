"""Capture: every batch write of a Spark session, told as OpenLineage events. `from spark_client import capture`.

Data flows one way: Spark's listener (`java/`, compiled on the driver by the compiler that Spark itself brings) ->
`jvm` reads executions -> `operators`, `expressions`, `datasets`, `targets` understand them -> `writes` -> `events` -> a
transport. On Spark Connect `connect` hears what the client sends, `connect_reads` and `sql_statements` read it,
`connect_tables` asks the server what its names stand for, and `connect_writes` understands it. Nothing of the rest of
the client loads this package.
"""

"""Capture: every batch write of a Spark session, told as OpenLineage events. `from spark_client import capture`.

Data flows one way: Spark's listener (`java/`, compiled on the driver by the compiler that Spark itself brings) ->
`jvm` reads executions -> `operators`, `expressions`, `datasets`, `targets` understand them -> `writes` -> `events` -> a
transport. Nothing of the rest of the client loads this package.
"""

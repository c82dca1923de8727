"""Spark jobs of the nightly compaction: the day's traces as tables, and the trace of a root of any size.

Each module offers `main(arguments, spark=None)`. They run on AWS Glue (`launch.py` is their script) and in a Spark
process of the local stack. PySpark 3.5 and 4.x.
"""

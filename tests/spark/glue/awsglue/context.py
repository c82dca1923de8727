from __future__ import annotations

from pyspark import SparkContext
from pyspark.sql import SparkSession


class GlueContext:
    def __init__(self, context: SparkContext) -> None:
        self.spark_session = SparkSession(context)

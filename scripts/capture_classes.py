"""Compile capture's Java for the client's wheel, by this environment's Spark: `PYTHON scripts/capture_classes.py`."""

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from local_stack.toolchain import with_java
from spark_client.capturing.jvm.compiled import CLASSES, java_sources, write_classes

os.environ.update(with_java(os.environ))
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
write_classes(spark, CLASSES, java_sources())
spark.stop()

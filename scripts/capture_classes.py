"""Compile capture's Java for the client's wheel, by this environment's Spark: `PYTHON scripts/capture_classes.py`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.capture_session import spark_session
from spark_client.capturing.jvm.compiled import CLASSES, java_sources, write_classes

with spark_session() as (spark, _):
    write_classes(spark, CLASSES, java_sources())

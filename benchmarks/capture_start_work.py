"""Time of a job's wait for `capture(spark)`.

The session has run a job before. A write follows at once, before the listener's classes are compiled, and must be
captured.
"""

from __future__ import annotations

import os
import time

from benchmarks.capture_session import cpu_s, spark_session
from benchmarks.processes import Figures

_FLUSH_S = 60.0


def measure(url: str) -> Figures:
    """Measure seconds of the import and of the call, CPU seconds of the call, and the number of captured writes."""
    os.environ["HEADWATER_URL"] = url
    with spark_session() as (spark, folder):
        spark.range(5).write.parquet(str(folder / "before"))
        began = time.perf_counter()
        from spark_client import capture

        imported, cpu_before_s, called = time.perf_counter(), cpu_s(spark), time.perf_counter()
        captured = capture(spark)
        returned = time.perf_counter()
        spark.range(5).write.parquet(str(folder / "after"))
        captured.flush(_FLUSH_S)
        return {
            "import_s": imported - began,
            "s": returned - called,
            "cpu_s": cpu_s(spark) - cpu_before_s,
            "writes": captured.counts["writes"],
            "sent": captured.counts["sent"],
        }


WORKS = {"start": measure}

"""Time of a job's wait for `capture(spark)`: `python -m benchmarks.capture_start_work URL`.

The session has run a job before. A write follows at once, before the listener's classes are compiled, and must be
captured.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

from benchmarks.capture_session import cpu_s, spark_session
from benchmarks.processes import print_figures

_FLUSH_S = 60.0


def main(arguments: Sequence[str]) -> None:
    """Print seconds of the import and of the call, CPU seconds of the call, and the number of captured writes."""
    (os.environ["HEADWATER_URL"],) = arguments
    with spark_session() as (spark, folder):
        spark.range(5).write.parquet(str(folder / "before"))
        began = time.perf_counter()
        from spark_client import capture

        imported, cpu_before_s, called = time.perf_counter(), cpu_s(spark), time.perf_counter()
        captured = capture(spark)
        returned = time.perf_counter()
        spark.range(5).write.parquet(str(folder / "after"))
        captured.flush(_FLUSH_S)
        print_figures(
            import_s=imported - began,
            s=returned - called,
            cpu_s=cpu_s(spark) - cpu_before_s,
            writes=captured.counts["writes"],
            sent=captured.counts["sent"],
        )


if __name__ == "__main__":
    main(sys.argv[1:])

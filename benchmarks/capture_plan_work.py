"""The cost of capturing one plan: `python -m benchmarks.capture_plan_work PLAN` (see `capture_plans.PLANS`).

The write is done before the measurement, which begins when the plan is read from the JVM and ends with its events.
"""

from __future__ import annotations

import json
import os
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from benchmarks.capture_plans import PLANS, Plan, source
from benchmarks.capture_session import Heap, spark_session
from benchmarks.processes import peak_bytes, print_figures
from spark_client.capturing.datasets.catalogs import read_catalogs
from spark_client.capturing.datasets.session_conf import SessionConf
from spark_client.capturing.events.run_events import Application, write_events
from spark_client.capturing.extract import Extractor
from spark_client.capturing.jvm.executions import Executions
from spark_client.capturing.model import Execution, Tier
from spark_client.current_run import JobRun, RunContext
from spark_client.event_payloads import Event

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TIERS: tuple[Tier, ...] = get_args(Tier)
# Enough for 400 nested expressions: with less, Spark itself fails.
_JAVA_OPTIONS = "-Xss16m"
_WAIT_S = 60.0
_APPLICATION = Application(RunContext(JobRun("benchmark", "plans", str(uuid.uuid4()))))


def measure(plan: Plan) -> dict[str, float]:
    """Measure seconds and bytes of capturing the write of a plan; add the index of its tier in `TIERS`."""
    with spark_session(java_options=_JAVA_OPTIONS) as (spark, folder):
        rows = source(spark, folder)
        executions, extractor = Executions(spark), Extractor(read_catalogs(SessionConf(spark), os.environ))
        _write(rows, folder)
        _capture_next(executions, extractor)
        began = time.perf_counter()
        _write(plan(rows), folder)
        write_s = time.perf_counter() - began
        executions.drain(_WAIT_S)
        heap, peak, began = Heap(spark), peak_bytes(), time.perf_counter()
        execution, events = _capture_next(executions, extractor)
        return {
            "s": time.perf_counter() - began,
            "write_s": write_s,
            "heap": heap.growth,
            "python": peak_bytes() - peak,
            "tier": TIERS.index(execution.tier),
            "event": max(len(json.dumps(event)) for event in events),
            "columns": len(_columns_in(events[-1])),
        }


def _write(frame: DataFrame, folder: Path) -> None:
    frame.write.mode("overwrite").parquet(str(folder / "written"))


def _capture_next(executions: Executions, extractor: Extractor) -> tuple[Execution, list[Event]]:
    """Return the next execution and the events of its write."""
    execution = executions.next(_WAIT_S)
    if not isinstance(execution, Execution):
        raise TypeError(f"{execution!r}: must be an execution")
    (write,) = extractor.read_write(execution)
    return execution, write_events(write, _APPLICATION, "plans.written")


def _columns_in(event: Mapping[str, Any]) -> Mapping[str, Any]:
    (output,) = event["outputs"]
    columns: Mapping[str, Any] = output["facets"].get("columnLineage", {}).get("fields", {})
    return columns


def main(arguments: Sequence[str]) -> None:
    """Print the figures of a plan."""
    (name,) = arguments
    print_figures(**measure(PLANS[name]))


if __name__ == "__main__":
    main(sys.argv[1:])

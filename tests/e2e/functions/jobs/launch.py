"""A job of Spark that does as it is told: `--do` says what, `--seen` is the file in which it says what it saw."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path


def main(arguments, spark):
    told = dict(zip(arguments[::2], arguments[1::2], strict=True))
    return _DO[told.get("--do", "count")](told, spark)


def _count(told, spark):
    """How many rows Spark makes; what of the bucket is in the folder; and a file for the bucket."""
    archive = Path(told["--archive"])
    found = sorted(file.relative_to(archive).as_posix() for file in archive.rglob("*") if file.is_file())
    saw = {
        "arguments": {name: value for name, value in told.items() if name != "--archive"},
        "rows": spark.range(1000).count(),
        "found": found,
        "pid": os.getpid(),
        "scratch": tempfile.gettempdir(),
        "endpoint": os.environ["AWS_ENDPOINT_URL"],
        "today": datetime.now(timezone.utc).date().isoformat(),
    }
    Path(told["--seen"]).write_text(json.dumps(saw))
    day = told["--day"]
    spark.range(1).write.mode("overwrite").parquet(str(archive / f"tables/records/day={day}/attempt=a"))
    manifest = archive / f"tables/manifests/day={day}/a.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text("{}")
    return 0


def _raise(told, spark):
    (Path(told["--archive"]) / "tables").mkdir()
    (Path(told["--archive"]) / "tables/half").write_text("not to be uploaded")
    raise ValueError("told to")


def _raise_in_spark(told, spark):
    spark.sql("SELECT raise_error('in Spark')").collect()


def _stop(told, spark):
    spark.stop()
    return 0


def _sleep(told, spark):
    time.sleep(60)
    return 0


def _wait(told, spark):
    while not Path(told["--until"]).exists():
        time.sleep(0.05)
    return 0


_DO = {
    "count": _count,
    "raise": _raise,
    "raise in spark": _raise_in_spark,
    "exit": lambda told, spark: sys.exit("told to exit"),
    "die": lambda told, spark: os._exit(3),
    "status": lambda told, spark: 4,
    "stop": _stop,
    "sleep": _sleep,
    "wait": _wait,
}

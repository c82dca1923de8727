"""A job of Spark that does as its arguments say: `--do` says what, `--seen` is the file that gets what it saw."""

import json
import os
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path


def main(arguments, spark):
    returned = dict(zip(arguments[::2], arguments[1::2], strict=True))
    return _DO[returned.get("--do", "count")](returned, spark)


def _count(returned, spark):
    """Return the number of rows of Spark and the bucket's files in the folder, and write a file for the bucket."""
    archive = Path(returned["--archive"])
    files = sorted(file.relative_to(archive).as_posix() for file in archive.rglob("*") if file.is_file())
    saw = {
        "arguments": {name: value for name, value in returned.items() if name != "--archive"},
        "rows": spark.range(1000).count(),
        "found": files,
        "pid": os.getpid(),
        "scratch": tempfile.gettempdir(),
        "endpoint": os.environ["AWS_ENDPOINT_URL"],
        "today": datetime.now(timezone.utc).date().isoformat(),
    }
    Path(returned["--seen"]).write_text(json.dumps(saw))
    day = returned["--day"]
    spark.range(1).write.mode("overwrite").parquet(str(archive / f"tables/records/day={day}/attempt=a"))
    manifest = archive / f"tables/manifests/day={day}/a.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text("{}")
    return 0


def _raise(returned, spark):
    (Path(returned["--archive"]) / "tables").mkdir()
    (Path(returned["--archive"]) / "tables/half").write_text("not to be uploaded")
    raise ValueError("told to")


def _raise_in_spark(returned, spark):
    spark.sql("SELECT raise_error('in Spark')").collect()


def _stop(returned, spark):
    spark.stop()
    return 0


def _sleep(returned, spark):
    time.sleep(3_600)
    return 0


def _wait(returned, spark):
    while not Path(returned["--until"]).exists():
        time.sleep(0.05)
    return 0


_DO = {
    "count": _count,
    "raise": _raise,
    "raise in spark": _raise_in_spark,
    "exit": lambda returned, spark: sys.exit("told to exit"),
    "die": lambda returned, spark: os._exit(3),
    "status": lambda returned, spark: 4,
    "stop": _stop,
    "sleep": _sleep,
    "wait": _wait,
}

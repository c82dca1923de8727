"""The script of the Spark jobs on AWS: runs the job that `--job` names with the arguments that are its own.

Glue adds arguments of its own to every run (`--JOB_NAME`, `--TempDir`, `--enable-metrics`, ...); they are passed over.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module

from pyspark.sql import SparkSession

# What a run of each job may be told; values are always there.
JOBS = {
    "compact_archive": ("archive", "day", "attempt"),
    "trace_root": (
        "root-sha",
        "marked-on",
        "day",
        "execution",
        "started-at",
        "graph-table",
        "records-table",
        "archive-bucket",
        "records-dlq-url",
    ),
}


def main(arguments: Sequence[str], spark: SparkSession | None = None) -> int:
    """The status of the job that was run: 0 if it did its work.

    Raises:
        ValueError: `--job` names none.
    """
    told = dict(_pairs(arguments))
    job = told.get("job", "")
    if job not in JOBS:
        raise ValueError(f"--job: must be one of {', '.join(JOBS)}, got {job!r}")
    own = [part for name in JOBS[job] if name in told for part in (f"--{name}", told[name])]
    status: int = import_module(f"jobs.{job}").main(own, spark)
    return status


def _pairs(arguments: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Name and value of each `--name value` and `--name=value`; what has no value is passed over."""
    for argument, after in zip(arguments, [*arguments[1:], "--"]):  # noqa: B905 - nothing follows the last
        name, equals, value = argument[2:].partition("=")
        if not argument.startswith("--"):
            continue
        if equals:
            yield name, value
        elif not after.startswith("--"):
            yield name, after


if __name__ == "__main__":
    # Glue takes any exit, even with status 0, for a failure.
    if failed := main(sys.argv[1:]):
        sys.exit(failed)

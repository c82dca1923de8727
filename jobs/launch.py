"""The script of the Spark jobs on AWS: it runs the job of `--job`, with the job's own arguments.

Glue adds arguments of its own to every run (`--JOB_NAME`, `--TempDir`, `--enable-metrics`, ...); they are ignored.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module

from pyspark.sql import SparkSession

# The arguments of each job; all have values.
JOBS = {
    "compact_archive": ("archive", "day", "attempt"),
    "graph_tables": ("archive", "archive-bucket", "graph-table", "search-database", "attempt", "since"),
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
    """Run the job and return its status: 0 if it succeeded.

    Raises:
        ValueError: `--job` names no job.
    """
    options = dict(_pairs(arguments))
    job = options.get("job", "")
    if job not in JOBS:
        raise ValueError(f"--job: must be one of {', '.join(JOBS)}, got {job!r}")
    own = [part for name in JOBS[job] if name in options for part in (f"--{name}", options[name])]
    status: int = import_module(f"jobs.{job}").main(own, spark)
    return status


def _pairs(arguments: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Yield name and value of each `--name value` and `--name=value`; names without a value are ignored."""
    for argument, after in zip(arguments, [*arguments[1:], "--"]):  # noqa: B905 - nothing follows the last
        name, equals, value = argument[2:].partition("=")
        if not argument.startswith("--"):
            continue
        if equals:
            yield name, value
        elif not after.startswith("--"):
            yield name, after


if __name__ == "__main__":
    # Glue calls any exit, even with status 0, a failure.
    if failed := main(sys.argv[1:]):
        sys.exit(failed)

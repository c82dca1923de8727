"""The script of the Spark jobs on AWS: it runs the job of `--job`, with the job's own arguments.

Glue adds arguments of its own to every run (`--JOB_NAME`, `--TempDir`, `--enable-metrics`, ...); they are ignored.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module

from pyspark.sql import SparkSession

from headwater.features import FEATURES

# The module of each job; its `ARGUMENTS` all have values.
JOBS = {
    "compact_archive": "jobs.compact_archive",
    "trace_root": "jobs.trace_root",
    **{feature.name: feature.job for feature in FEATURES if feature.job},
}


def main(arguments: Sequence[str], spark: SparkSession | None = None) -> int:
    """Run the job and return its status: 0 if it succeeded.

    Raises:
        ValueError: `--job` names no job.
    """
    options = dict(_pairs(arguments))
    job = options.get("job", "")
    if job not in JOBS:
        raise ValueError(f"--job: must be one of {', '.join(sorted(JOBS))}, got {job!r}")
    module = import_module(JOBS[job])
    own = [part for name in module.ARGUMENTS if name in options for part in (f"--{name}", options[name])]
    status: int = module.main(own, spark)
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

"""docs/benchmarks.md: the table of a whole run, and the machine that it was on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.rows import Row

_ABOUT = """# Benchmarks

Written by `make bench`. Each figure is a median; ours and the baseline ran in turns, each run in a process of its own.

| what | ours | baseline | ratio | goal | met |
| --- | --: | --: | --: | --: | --- |"""

_BASELINES = """
The baselines:

- **index, walk, render**: a dict of all records, then for each leaf a walk up its parents and JSON of the whole path;
  the same lines as ours. The root is shaped like the Carbonlake pipeline: 4 single steps, 1,000 splits of the last,
  1,000 results of each split; UUIDs as node ids, S3 locations that hold them. From a list of records, not compressed;
  CPU seconds of the one process.
- **the whole object**: the same compression, hash and file, given the lines rendered before; seconds on the clock,
  since ours compresses beside the rendering where there is a second core that is free.
- **peak memory**: the plain way into the same compression; records arrive one at a time, as from the table. The limit
  is ours alone.
- **load**: `boto3.resource` doing the same parsing, validation, conditional writes and marks, in as many threads; both
  against an endpoint that answers at once, records for a second of the process's CPU. (One write after the other, the
  plain way costs about as little CPU as ours, but waits for each write.)
- **cold start**: a process that makes the same boto3 clients and does nothing else; compiled bytecode, warm disk.

What a thousand records cost in AWS calls and money is in [cost.md](cost.md).

The machine:
"""


def render_results_page(rows: Sequence[Row], machine: Sequence[tuple[str, str]]) -> str:
    """The whole page."""
    return "\n".join((_ABOUT, *_rows(rows), _BASELINES, *(f"- {name}: {value}" for name, value in machine), ""))


def _rows(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        met = "yes" if row.met else "**no**"
        yield f"| {row.what} | {row.ours} | {row.baseline} | {row.ratio} | {row.goal} | {met} |"

"""emit_records: rows a second for a core, into a queue and over HTTP, beside plain programs for each.

A message for each row, ten a call, by boto3 in each task. Rows for a second of CPU, of the JVM and of its Python
workers: computing the rows, checking them, JSON, packing, `SendMessageBatch`, and sending failed entries again. The
queue is a separate process on loopback; it responds like SQS and fails every fiftieth message: no network, no
throttling. A run of as many rows before warms up. *Over HTTP*: `foreachPartition` iterates over the rows in Python and
posts `json.dumps` of as many as a request of ours holds (10,000), in turn, over a kept connection; it checks,
compresses and repeats nothing. A process on loopback accepts at once. Rows for a second by the clock (ours packs the
next requests during a request), and for a second of CPU.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchmarks.processes import Figures, Report, in_turns, instant_endpoint, run
from benchmarks.rows import Row, above, more, records_per_second, without_goal

# Rows of each variant: a few seconds of work.
_TO_QUEUE = {"packed": 1_000_000, "singly": 40_000}
_OVER_HTTP = {"requests": 1_000_000, "plainly": 1_000_000}
_QUICK = {"packed": 2_000, "singly": 200, "requests": 2_000, "plainly": 2_000}
_PER_CPU_S, _MORE, _MORE_OVER_HTTP = 150_000, 10, 2


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure each of ours beside its plain program, in turns."""
    packed, singly = _in_turns("queue", _TO_QUEUE, report, quick=quick)
    requests, plainly = _in_turns("records", _OVER_HTTP, report, quick=quick)
    ours, plain = packed["per_cpu_s"], singly["per_cpu_s"]
    show = records_per_second
    http = "emit_records: over HTTP, beside foreachPartition"
    return [
        above("emit_records: rows of 250 bytes, into a queue", ours, plain, limit=_PER_CPU_S, show=show),
        more("emit_records: beside a message a row", ours, plain, at_least=_MORE, show=show),
        more(http, requests["per_s"], plainly["per_s"], at_least=_MORE_OVER_HTTP, show=show),
        without_goal(f"{http} (CPU)", requests["per_cpu_s"], plainly["per_cpu_s"], show=show),
    ]


def _in_turns(endpoint: str, rows: Mapping[str, int], report: Report, *, quick: bool) -> list[Figures]:
    with instant_endpoint(endpoint) as environment:
        works = {
            variant: partial(run, "emit_records_work", variant, str(count), environment=environment)
            for variant, count in (rows if not quick else {name: _QUICK[name] for name in rows}).items()
        }
        return list(in_turns(1 if quick else 5, works, report).values())

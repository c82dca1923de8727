"""emit_records: rows a second for a core, packed by it, and as a message for each row."""

from __future__ import annotations

from functools import partial

from benchmarks.processes import Report, in_turns, instant_endpoint, run
from benchmarks.rows import Row, above, more, records_per_second

# Rows of each variant: a few seconds of work.
_ROWS = {"packed": 1_000_000, "singly": 40_000}
_QUICK = {"packed": 2_000, "singly": 200}
_PER_CPU_S, _MORE = 150_000, 10


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure both, in turns."""
    with instant_endpoint("queue") as environment:
        works = {
            variant: partial(run, "emit_records_work", variant, str(rows), environment=environment)
            for variant, rows in (_QUICK if quick else _ROWS).items()
        }
        packed, singly = in_turns(1 if quick else 5, works, report).values()
    ours, plain = packed["per_cpu_s"], singly["per_cpu_s"]
    return [
        above("emit_records: rows of 250 bytes, into a queue", ours, plain, limit=_PER_CPU_S, show=records_per_second),
        more("emit_records: beside a message a row", ours, plain, at_least=_MORE, show=records_per_second),
    ]

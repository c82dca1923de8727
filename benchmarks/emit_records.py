"""emit_records: rows a second for a core, packed by it, and each a message of its own."""

from __future__ import annotations

from functools import partial

from benchmarks.processes import Say, in_turns, instant_endpoint, run
from benchmarks.rows import Row, above, more, records_per_second

# Rows of each way: as many as take a few seconds.
_ROWS = {"packed": 1_000_000, "singly": 40_000}
_QUICK = {"packed": 2_000, "singly": 200}
_PER_CPU_S, _MORE = 150_000, 10


def measure(say: Say, *, quick: bool) -> list[Row]:
    """Both ways, in turns."""
    with instant_endpoint("queue") as environment:
        works = {
            way: partial(run, "emit_records_work", way, str(rows), environment=environment)
            for way, rows in (_QUICK if quick else _ROWS).items()
        }
        packed, singly = in_turns(1 if quick else 5, works, say).values()
    ours, plain = packed["per_cpu_s"], singly["per_cpu_s"]
    return [
        above("emit_records: rows of 250 bytes, into a queue", ours, plain, limit=_PER_CPU_S, show=records_per_second),
        more("emit_records: beside a message a row", ours, plain, at_least=_MORE, show=records_per_second),
    ]

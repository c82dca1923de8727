"""The load function: records a second for a core, beside the same work by `boto3.resource`.

`boto3.resource` with the same parsing, validation, conditional writes and marks of dirty roots, in as many threads.
Both run against an endpoint with immediate responses; records for a second of the process's CPU. (With writes in turn,
the plain variant needs about as little CPU as ours, but waits for each write.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from benchmarks.processes import Report, in_turns, instant_endpoint, run
from benchmarks.rows import Row, more, records_per_second
from headwater import settings

_NAMES = {
    "singles": "load: 100 messages of one record",
    "packed": "load: one message of 1,000 records",
}
# Enough batches for about two seconds.
_BATCHES = {"singles": 20, "packed": 2}
_QUICK = {"singles": 1, "packed": 1}


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure both variants with both kinds of batches, in turns."""
    rows, batches = [], _QUICK if quick else _BATCHES
    with _loading() as environment:
        for batch, what in _NAMES.items():
            works = {
                f"{batch}, {variant}": partial(
                    run, "load_work", variant, batch, str(batches[batch]), environment=environment
                )
                for variant in ("ours", "plain")
            }
            ours, plain = in_turns(1 if quick else 7, works, report).values()
            rows.append(more(what, ours["per_cpu_s"], plain["per_cpu_s"], at_least=1.2, show=records_per_second))
    return rows


@contextmanager
def _loading() -> Iterator[Mapping[str, str]]:
    """Yield the variables of the load function for an endpoint with immediate responses."""
    with instant_endpoint() as variables:
        queues = f"{variables['AWS_ENDPOINT_URL']}/123456789012"
        yield {
            **variables,
            "POWERTOOLS_SERVICE_NAME": "load",
            settings.RECORDS_TABLE: "records",
            settings.GRAPH_TABLE: "graph",
            settings.INTAKE_BUCKET: "intake",
            settings.RECORDS_DLQ_URL: f"{queues}/dead",
            settings.RECORDS_QUEUE_URL: f"{queues}/records",
            settings.PACKED_QUEUE_URL: f"{queues}/packed",
            settings.RECORDS_TTL_S: "86400",
        }

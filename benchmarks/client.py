"""The functions' client of DynamoDB, beside boto3's under the same functions, in turns; CPU of the function.

The same functions with boto3's client of DynamoDB instead of `headwater/aws/dynamodb.py`. AWS is a separate process
with immediate responses, without TLS. Seconds of the function's CPU. Further clients are measured in
docs/decisions/0001-own-dynamodb-client.md. Requests have become few, so most of the CPU is the same on both sides.
Measured by itself, on a loaded machine: a request of **events** takes 0.2 ms of CPU, with boto3's client 1.0 ms; the 7
large requests of the hub 6 ms and 19 ms, of 49 ms and 68 ms in all. A client without any cost would reach about 2.5x
for events and 1.6x for the hub: the hub's goal is out of a client's reach. The goals were set against older code, with
boto3's client and many more requests. Against it, in turns of five: events 3.9x, the chain 3.6x, the hub 7.2x (257 and
36 ms), records 4.6x and 5.4x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from benchmarks.client_work import READERS
from benchmarks.processes import Figures, Report, in_turns, instant_endpoint, run
from benchmarks.rows import Row, events_per_second, faster, milliseconds, more, records_per_second
from headwater import settings

_ROUNDS = 7


@dataclass(frozen=True, slots=True)
class Work:
    """A kind of work with a client: its repetitions in a run, the row of its result, and its endpoint."""

    name: str
    what: str
    rounds: int
    row: Callable[[str, Figures, Figures], Row]
    endpoint: tuple[str, ...] = ("table",)


def _events(what: str, ours: Figures, boto3: Figures) -> Row:
    return more(what, ours["per_cpu_s"], boto3["per_cpu_s"], at_least=2.2, show=events_per_second)


def _records(what: str, ours: Figures, boto3: Figures) -> Row:
    return more(what, ours["per_cpu_s"], boto3["per_cpu_s"], at_least=1.8, show=records_per_second)


def _graph(what: str, ours: Figures, boto3: Figures) -> Row:
    return faster(what, 1 / ours["per_cpu_s"], 1 / boto3["per_cpu_s"], at_least=2.5, show=milliseconds)


def _put(what: str, ours: Figures, boto3: Figures) -> Row:
    return faster(what, 1 / ours["per_cpu_s"], 1 / boto3["per_cpu_s"], at_least=2.5, show=_microseconds)


def _microseconds(value: float) -> str:
    return f"{value * 1e6:.0f} µs"


WORKS = (
    Work("events", "events in batches of 100", 4, _events),
    Work("chain", "a graph, a chain of 10, depth 20", 20, _graph),
    Work("hub", f"a graph, a hub of {READERS} readers, depth 20", 10, _graph),
    Work("singles", "100 messages of one record", 20, _records, ()),
    Work("packed", "one message of 1,000 records", 2, _records, ()),
    Work("puts", "a conditional put", 10, _put),
)


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure each work with both clients, in turns."""
    rows = []
    for work in WORKS:
        rounds = 1 if quick else work.rounds
        turns = {f"{work.name}, {client}": partial(_run, client, work, rounds) for client in ("lean", "boto3")}
        ours, boto3 = in_turns(1 if quick else _ROUNDS, turns, report).values()
        rows.append(work.row(f"client: {work.what}; boto3's client", ours, boto3))
    return rows


def _run(client: str, work: Work, rounds: int) -> Figures:
    with function_environment(work.endpoint) as environment:
        return run("client_work", client, work.name, str(rounds), environment=environment)


@contextmanager
def function_environment(endpoint: tuple[str, ...]) -> Iterator[Mapping[str, str]]:
    """Yield the variables of the measured functions; the endpoint responds at once, from a new table if it is named."""
    with instant_endpoint(*endpoint) as variables:
        queues = f"{variables['AWS_ENDPOINT_URL']}/123456789012"
        yield {
            **variables,
            "POWERTOOLS_SERVICE_NAME": "client",
            settings.RECORDS_TABLE: "records",
            settings.GRAPH_TABLE: "graph",
            settings.ARCHIVE_BUCKET: "archive",
            settings.INTAKE_BUCKET: "intake",
            settings.EVENTS_QUEUE_URL: f"{queues}/events",
            settings.CHANGES_QUEUE_URL: f"{queues}/changes",
            settings.RECORDS_DLQ_URL: f"{queues}/dead",
            settings.RECORDS_QUEUE_URL: f"{queues}/records",
            settings.PACKED_QUEUE_URL: f"{queues}/packed",
            settings.RECORDS_TTL_S: "86400",
        }

"""The cost of queries of columns: rounds, requests, items and bytes, counted as DynamoDB would."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.events.event import DatasetUse, Event
from headwater.facts.apply import apply_statements
from headwater.facts.run_facts import run_version_id
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId, JobId, RunKey
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.strategies import stamped
from tests.unit.queries.columns.column_statements import (
    IDENTITY,
    a_schema,
    column_lineage,
    operations,
    read,
    taken,
    transform,
    write,
)

CHAIN = 10
RUNS = 50
LAKE = "s3://lake"


@dataclass(frozen=True)
class Cost:
    """`gets` are BatchGetItems of up to 100 keys, `queries` pages of up to 1 MB."""

    rounds: int
    gets: int
    queries: int
    items: int
    bytes: int

    @property
    def requests(self):
        return self.gets + self.queries


class Counter:
    """A table in memory, and the queries over it."""

    def __init__(self, events):
        self._table = MemoryTable()
        self._queries = LineageQueries(self._table)
        events = list(events)
        for start in range(0, len(events), 200):
            apply_statements(events[start : start + 200], self._table)

    def measure(self, query):
        """Run a query (a function of LineageQueries); return its result and its cost."""
        self._table.dynamo.calls = calls = Calls()
        self._table.calls.clear()
        result = query(self._queries)
        gets, queries = calls.requests["BatchGetItem"], calls.requests["Query"]
        return result, Cost(self._table.rounds, gets, queries, calls.items, calls.item_bytes)


def dataset(number):
    return DatasetId(LAKE, f"d-{number:04}")


def field_node(number, column="a", version=""):
    return f"datasetField:{LAKE}:{dataset(number).name}:{column}{version}"


def run_id(number):
    return f"00000000-0000-4000-8000-{number:012}"


def minute(number):
    """The time of a run; runs start a minute apart."""
    return f"2025-11-{1 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00.000000Z"


def a_run(number, job, source, target, *, by_operations=False, columns=("a", "b"), name=""):
    """A run with a copy of each column from source to target."""
    facets = a_schema(*columns)
    reported = (
        {} if by_operations else column_lineage(**{column: [taken(source, column, IDENTITY)] for column in columns})
    )
    form = {
        "type": "COMPLETE",
        "time": minute(number),
        "run": run_id(number),
        "job": JobId("pipelines", job),
        "inputs": (DatasetUse(source, facets),),
        "outputs": (DatasetUse(target, {**facets, **reported}),),
        "run_facets": copying(source, target, columns, name) if by_operations else {},
    }
    return stamped(Event(kind="RUN", hash="", **form))


def copying(source, target, columns, name=""):
    """Operations with a copy of each column under its name; a different `name` makes a different set."""
    return operations(
        read("read", source, *columns),
        *(transform(f"copy {column}{name}", [f"read.{column}"], column) for column in columns),
        write("write", [f"copy {column}{name}.{column}" for column in columns], target),
    )


def a_chain(length, runs=1, first=0):
    """Yield runs of a chain of jobs: dataset 0 -> 1 -> 2 and so on; every second job reports by operations."""
    for run in range(first, first + runs):
        for place in range(length):
            number = run * length + place
            job, source, target = f"job-{place:04}", dataset(place), dataset(place + 1)
            yield a_run(number, job, source, target, by_operations=place % 2 == 1)


def version_of(number, run):
    """The version of a dataset by a run's number."""
    return run_version_id(dataset(number), RunKey.of(JobId("pipelines", f"job-{number - 1:04}"), run_id(run)))

"""Write units of an event by kind of row: `python -m benchmarks.event_units [EVENTS]`, in batches of 100.

Events have 3 inputs and 2 outputs, each with a schema of two columns, and column lineage. Three situations are counted:
the first run of each job; a further run, its START and COMPLETE in a batch; a further run with other runs between them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from benchmarks.events_work import BATCH, Batch, memory_load
from benchmarks.pipelines import CHAIN, Step, chain, facet, run_events
from benchmarks.tables import render_table
from headwater.aws.items import chunks
from headwater.events.ingest import render_event_message
from tests.fakes.memory_dynamodb import Calls, CountedDynamo

EVENTS = 2_000
_COLUMNS = ("id", "amount")
# On the page, a kind below this number of units an event, in every situation, is part of the rest.
_SHOWN_MIN = 1.95
_SITUATIONS = ("first run", "further run, in one batch", "further run, in two batches")
# Beside the kinds of rows: read units, and requests.
READ, REQUESTS = "read", "requests"
# By situation, the write units of an event by kind of row, its read units and its requests.
Units: TypeAlias = Mapping[str, Mapping[str, float]]


def _kind_of(pk: str, sk: str) -> str:
    """Name a kind of row: `JOB FACTS`, `DATASET NOW`, `WORD NAME`."""
    partition, _, rest = pk.partition("#")
    if partition in {"NAMES", "CREATED", "LATELY"}:
        return partition
    return f"{partition} {(rest if partition == 'WORD' else sk).partition('#')[0]}"


def count_units(events: int = EVENTS) -> Units:
    """Count the units of an event in each situation."""
    # Each job has one first run, then as many further runs as give the number of events.
    steps = [step for number in range(max(events // 2 // CHAIN, 1)) for step in chain(number)]
    table = CountedDynamo(_kind_of)
    load = memory_load(table)
    return {
        situation: _count(table, load, _batches(steps, number, apart=number == 2))
        for number, situation in enumerate(_SITUATIONS)
    }


def _count(table: CountedDynamo, load: Any, batches: Iterator[Batch]) -> Mapping[str, float]:
    table.units.clear()
    table.calls = calls = Calls()
    number = 0
    for batch in batches:
        load(batch)
        number += len(batch)
    counted = {**table.units, READ: calls.read_units, REQUESTS: calls.requests.total()}
    return {kind: units / number for kind, units in counted.items()}


def _batches(steps: Sequence[Step], run: int, *, apart: bool) -> Iterator[Batch]:
    pairs = [list(map(render_event_message, _lean_events(step, run))) for step in steps]
    groups = zip(*pairs, strict=True) if apart else [[message for pair in pairs for message in pair]]
    return (batch for group in groups for batch in chunks(list(group), BATCH))


def _lean_events(step: Step, run: int) -> list[dict[str, Any]]:
    """Build the events of a run without facets but schemas and column lineage."""
    source = {"namespace": "s3://carbonlake", "name": step.inputs[0]}
    fields = {column: {"inputFields": [{**source, "field": column}]} for column in _COLUMNS}
    schema = {"schema": facet("SchemaDataset", fields=[{"name": name, "type": "string"} for name in _COLUMNS])}
    lineage = {"columnLineage": facet("ColumnLineageDataset", fields=fields)}
    facets = {"inputs": schema, "outputs": {**schema, **lineage}}
    return [
        {
            **{name: event[name] for name in ("eventType", "eventTime", "producer", "schemaURL")},
            "run": {"runId": event["run"]["runId"]},
            "job": {"namespace": event["job"]["namespace"], "name": event["job"]["name"]},
            **{
                side: [{"namespace": use["namespace"], "name": use["name"], "facets": of} for use in event[side]]
                for side, of in facets.items()
            },
        }
        for event in run_events(step, run)
    ]


def render_units(units: Units, shown_min: float = _SHOWN_MIN) -> str:
    """Render the table: a row for each kind with so many units, the dearest first."""
    kinds = sorted({kind for of in units.values() for kind in of} - {READ, REQUESTS})
    dearest = {kind: max(of.get(kind, 0.0) for of in units.values()) for kind in kinds}
    shown = sorted((kind for kind in kinds if dearest[kind] >= shown_min), key=lambda kind: -dearest[kind])
    rows = {f"`{kind}`": [kind] for kind in shown}
    rows |= {
        "further rows": [kind for kind in kinds if kind not in shown],
        "**write units**": kinds,
        "read units": [READ],
    }
    lines = [
        (name, *(f"{sum(of.get(kind, 0.0) for kind in several):.1f}" for of in units.values()))
        for name, several in rows.items()
    ]
    return "\n".join(render_table(("", *units), "l" + "r" * len(units), lines))


if __name__ == "__main__":
    print(render_units(count_units(*map(int, sys.argv[1:])), 0))

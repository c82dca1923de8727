"""Events a second for a single job, dataset or root: docs/operations.md has the numbers, the written keys prove them.

A partition of DynamoDB takes 1,000 write units a second, so the busiest partition of a batch is the limit
(developer guide, "Designing partition keys to distribute your workload").
"""

import re
from pathlib import Path

import pytest

from benchmarks.shape import Shape
from headwater.events.event import DatasetUse, Event
from headwater.facts.apply import apply_statements
from headwater.records.table import render_item, render_life
from headwater_model.ids import DatasetId, JobId
from local_stack.aws.item_sizes import item_bytes
from tests.fakes.memory_dynamodb import CountedDynamo
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.strategies import stamped

OPERATIONS = Path("docs/operations.md").read_text()
UNITS_A_SECOND = 1_000
# Messages of a full batch of the events function.
BATCH = 100
STREAM = {"jobType": {"processingType": "STREAMING", "integration": "SPARK"}}


def an_event(
    number, *, job="nightly", run=None, kind="COMPLETE", reads="raw", writes="made", job_facets=None, columns=10
):
    """Make an event at a second of its own, with an input and an output with columns."""
    time = f"2025-11-20T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}.000000Z"
    schema = {"fields": [{"name": f"column_{column}", "type": "string"} for column in range(columns)]}
    uses = [(DatasetUse(DatasetId("s3://lake", name), facets={"schema": schema}),) for name in (reads, writes)]
    return stamped(
        Event(
            kind="RUN",
            time=time,
            hash="",
            type=kind,
            run=f"{number if run is None else run:08}-0000-4000-8000-000000000000",
            job=JobId("airflow", job),
            job_facets=job_facets or {},
            inputs=uses[0],
            outputs=uses[1],
        )
    )


# By the words of the page: an event by its number.
EVENTS = {
    "runs of one job, START and COMPLETE": lambda number: an_event(
        number, run=number // 2, kind=("START", "COMPLETE")[number % 2]
    ),
    "events of one stream": lambda number: an_event(number, run=0, kind="RUNNING", job_facets=STREAM),
    "runs of many jobs that read one dataset": lambda number: an_event(
        number, job=f"reader-{number % BATCH}", writes=f"made-{number % BATCH}"
    ),
    "runs of many jobs that write one dataset": lambda number: an_event(
        number, job=f"writer-{number % BATCH}", reads=f"raw-{number % BATCH}"
    ),
    "first runs of new jobs with new datasets of ten columns": lambda number: an_event(
        number, job=f"job-{number}", reads=f"raw-{number}", writes=f"made-{number}"
    ),
    "first runs of new jobs with new datasets": lambda number: an_event(
        number, job=f"job-{number}", reads=f"raw-{number}", writes=f"made-{number}", columns=0
    ),
}


def events_a_second(make):
    """Compute the most events a second for the busiest partition, in full batches, once all is known."""
    dynamo = CountedDynamo(lambda pk, _: pk)
    table = MemoryTable(dynamo)
    for batch in range(3):
        dynamo.units.clear()
        apply_statements([make(number) for number in range(batch * BATCH, (batch + 1) * BATCH)], table)
    return UNITS_A_SECOND * BATCH / max(dynamo.units.values())


def stated(what):
    """Read the figure of the page."""
    (figure,) = re.findall(rf"^\| {re.escape(what)} \| ([\d,]+) \|", OPERATIONS, re.MULTILINE)
    return int(figure.replace(",", ""))


@pytest.mark.parametrize("what", EVENTS)
def test_the_page_says_how_many_events_one_partition_takes(what):
    assert stated(what) == pytest.approx(events_a_second(EVENTS[what]), rel=0.1)


def test_the_page_says_how_many_records_one_root_takes():
    records = list(Shape(50, 4).records())
    items = (
        {**render_item(record), **render_life(record, ttl_s=86_400, loaded_at=1_763_640_000)} for record in records
    )
    units = sum(-(-item_bytes(item) // 1024) for item in items)
    assert stated("records of one root") == pytest.approx(UNITS_A_SECOND * len(records) / units, rel=0.1)

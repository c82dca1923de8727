"""The index rows that growing facts add are those that the old facts lack, whatever grew."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import DatasetUse, Event
from headwater.facts import index_rows, run_reports
from headwater.facts.added_rows import added_rows
from headwater.facts.apply import apply_statements
from headwater.facts.delta import delta_of
from headwater.facts.facts import RunFacts, join
from headwater_model.ids import DatasetId
from tests.examples import examples
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.strategies import DATASETS, JOBS, RUNS, stamped, streams
from tests.unit.queries.columns.strategies import streams as streams_of_columns

STREAMING = {"jobType": {"processingType": "STREAMING", "integration": "SPARK"}}


@pytest.mark.parametrize("exact_max", [0, 3, 45])
@examples(100)
@given(statements=st.one_of(streams(8), streams_of_columns(8)), data=st.data())
def test_rows_are_added_that_the_old_facts_lack(exact_max, statements, data):
    known = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_reports, "EXACT_MAX", exact_max)
        for statement in data.draw(st.permutations(statements)):
            for run, facts in delta_of([statement]).facts[RunFacts].items():
                old = known.get(run, RunFacts())
                known[run] = new = join(old, facts)
                check(run, old, new)


def check(run, old, new):
    before, after = index_rows.rows_of(run, old), index_rows.rows_of(run, new)
    added = {row.key: row for row in added_rows(run, old, new)}
    assert {key: row for key, row in after.items() if before.get(key) != row}.items() <= added.items()
    assert added.items() <= after.items()


def test_an_event_after_the_end_that_first_named_an_output_of_a_stream_adds_a_row_of_it(monkeypatch):
    # As of a run with more datasets than a transaction takes.
    monkeypatch.setattr(run_reports, "EXACT_MAX", 0)
    known = RunFacts()
    for number, kind, outputs in ((0, "RUNNING", []), (1, "COMPLETE", [DATASETS[0]]), (2, "RUNNING", [])):
        event = an_event(number, 0, STREAMING)
        stated = stamped(replace(event, type=kind, outputs=tuple(map(DatasetUse, outputs))))
        ((run, facts),) = delta_of([stated]).facts[RunFacts].items()
        old, known = known, join(known, facts)
        check(run, old, known)


def an_event(number, datasets, job_facets):
    """Return an event that names twenty new datasets."""
    uses = [DatasetUse(DatasetId("s3://lake", f"part-{number:05}-{part}")) for part in range(datasets)]
    time = f"2025-11-20T12:{number // 60:02}:{number % 60:02}.000000Z"
    event = Event(kind="RUN", time=time, hash="", type="RUNNING", run=RUNS[0], job=JOBS[0], job_facets=job_facets)
    half = datasets // 2
    return stamped(replace(event, inputs=tuple(uses[:half]), outputs=tuple(uses[half:])))


@pytest.mark.parametrize("job_facets", [{}, STREAMING], ids=["batch", "stream"])
def test_an_event_of_a_long_run_reads_and_writes_little_more_than_one_of_a_short_run(job_facets):
    """But for a row of each output of a stream, by which its versions count at its last event."""
    table, spent = MemoryTable(), {}
    for number in range(100):
        table.dynamo.calls = calls = Calls()
        apply_statements([an_event(number, 20, job_facets)], table)
        spent[number] = calls
    requests = {number: calls.requests for number, calls in spent.items()}
    active = 10 * 100 / 25 if job_facets else 0
    # An event whose names make the catalogue move some removes these from where they were.
    assert requests[99]["BatchWriteItem"] <= requests[9]["BatchWriteItem"] + active + 2
    # Of ten events each: names are in more or fewer partitions of the catalogue and of counts.
    for operation in ("BatchGetItem", "Query", "TransactWriteItems", "BatchExecuteStatement"):
        early, late = (sum(requests[first + number][operation] for number in range(10)) for first in (0, 90))
        assert late <= early + 20

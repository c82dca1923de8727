"""A stream of a month has a bounded number of rows; an event of it costs as much as its facts."""

from collections import Counter
from datetime import datetime, timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from headwater.events.event import DatasetUse, Event
from headwater.facts.apply import apply_statements
from headwater.facts.facts import RunFacts
from headwater.facts.stream_rows import coarse_bounds, coarse_highs, stream_positions
from headwater.times import just_after
from headwater_model.ids import DatasetId, JobId
from headwater_model.times import normalize
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.strategies import RUNS, stamped
from tests.unit.queries.columns.column_statements import IDENTITY, column_lineage, taken

_BEGAN = datetime.fromisoformat("2025-11-20T12:00:00+00:00")
# A stream's minutes in its first hour, days in its first 31, and both ends.
ROWS_MAX = 60 + 32
# Facts, edges, names and words, however long the stream lives.
OTHER_ROWS_MAX = 100
_VERSIONS = ("VERSION", "VERSION_RUN")
_times = st.integers(0, 40 * 86_400).map(lambda second: normalize(_BEGAN + timedelta(seconds=second)))


@given(_times, _times)
@example("2025-11-20T12:00:00.000000Z", "2025-11-20T12:59:59.999999Z")
def test_a_row_of_an_event_is_at_its_time_or_later_and_in_every_scan_that_must_find_it(first, time):
    first, time = sorted((first, time))
    ((prefix, place),) = stream_positions("ACTIVE", RunFacts(first=first, streaming=first), [time])
    key, high = f"{prefix}#{place}#run", dict(coarse_highs("ACTIVE", just_after(time)))[prefix]
    assert place > time
    assert key <= f"{prefix}#{high}"
    assert any(low <= key <= high for low, high in coarse_bounds("ACTIVE", time, just_after(time)))


def an_event(second, *outputs):
    """Make an event of a stream with an input, and with a reported column of each output."""
    source = DatasetId("kafka://hub", "flights")
    reported = column_lineage(carrier=[taken(source, "carrier", IDENTITY)])
    event = Event(
        kind="RUN",
        time=normalize(_BEGAN + timedelta(seconds=second)),
        hash="",
        type="RUNNING",
        run=RUNS[0],
        job=JobId("ns", "stream"),
        job_facets={"jobType": {"processingType": "STREAMING"}},
        inputs=(DatasetUse(source),),
        outputs=tuple(DatasetUse(DatasetId("s3://lake", name), reported) for name in outputs),
    )
    return stamped(event)


def keys_of(table):
    return {(item["pk"]["S"], item["sk"]["S"]) for item in table.dynamo.items()}


def rows_of_runs(table):
    """Count the index rows of the stream by prefix, rows of all buckets together."""
    counts = Counter(sk.partition("#")[0] for pk, sk in keys_of(table) if pk.startswith(("JOB#", "DATASET#")))
    sizes = ("", "_MINUTE", "_DAY", "_MONTH")
    return {
        kind: sum(counts[f"{kind}{size}"] for size in sizes) for kind in ("WITH_IO", "COLUMNS", "ACTIVE", *_VERSIONS)
    }


def test_a_stream_of_a_month_has_as_many_rows_as_its_first_hour_and_its_days_need():
    table = MemoryTable()
    seconds = [*range(0, 3_600, 20), *range(3_600, 31 * 86_400, 1_800)]
    for start in range(0, len(seconds), 50):
        apply_statements([an_event(second, "a", "b") for second in seconds[start : start + 50]], table)
    counts = rows_of_runs(table)
    # The job has a version, and so has each output.
    assert {kind: counts[kind] for kind in _VERSIONS} == {"VERSION": 1 + 2, "VERSION_RUN": 1}
    assert counts["WITH_IO"] <= ROWS_MAX
    assert counts["COLUMNS"] <= 2 * ROWS_MAX
    assert counts["ACTIVE"] <= 2 * ROWS_MAX
    assert len(keys_of(table)) <= 5 * ROWS_MAX + OTHER_ROWS_MAX


def test_an_event_on_a_day_that_has_one_adds_no_row_and_writes_facts_alone():
    table = MemoryTable()
    apply_statements([an_event(second, "a", "b") for second in (0, 7_200)], table)
    before = keys_of(table)
    table.dynamo.calls = calls = Calls()
    apply_statements([an_event(10_800, "a", "b")], table)
    assert keys_of(table) == before
    assert calls.requests["BatchWriteItem"] == 0
    # The facts of the run, its job, three datasets and three namespaces; the job's node.
    assert calls.write_units <= 10


def test_a_stream_that_names_a_new_output_with_each_event_adds_as_many_rows_each_time():
    table, added = MemoryTable(), []
    for number in range(60):
        before = sum(rows_of_runs(table).values())
        apply_statements([an_event(number, f"part-{number:02}")], table)
        added.append(sum(rows_of_runs(table).values()) - before)
    assert max(added[10:]) <= max(added[:10])

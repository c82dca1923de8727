"""A stream of a month has a bounded number of the rows by which its outputs' versions are found."""

from datetime import datetime, timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.memory_table import MemoryTable
from lineage.graph.apply import apply_changes
from lineage.graph.facts import RunFacts
from lineage.graph.stream_rows import coarse_bounds, coarse_highs, stream_positions
from lineage.openlineage.event import DatasetUse, Event
from lineage.times import just_after, normalize
from lineage_model.ids import DatasetId, JobId
from tests.unit.graph.strategies import RUNS, stamped

_BEGAN = datetime.fromisoformat("2025-11-20T12:00:00+00:00")
# A stream's minutes in its first hour, days in its first 31, and both ends.
ROWS_MAX = 60 + 32
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


def an_event(second):
    outputs = tuple(DatasetUse(DatasetId("s3://lake", name)) for name in ("a", "b"))
    facets = {"jobType": {"processingType": "STREAMING"}}
    time = normalize(_BEGAN + timedelta(seconds=second))
    job = JobId("ns", "stream")
    event = Event(kind="RUN", time=time, hash="", type="RUNNING", run=RUNS[0], job=job, outputs=outputs)
    return stamped(Event(**{**{name: getattr(event, name) for name in Event.__slots__}, "job_facets": facets}))


def test_a_stream_of_a_month_has_as_many_active_rows_as_its_first_hour_and_its_days_need():
    table = MemoryTable()
    seconds = [*range(0, 3_600, 20), *range(3_600, 31 * 86_400, 1_800)]
    for start in range(0, len(seconds), 50):
        apply_changes([an_event(second) for second in seconds[start : start + 50]], table)
    rows = [item for item in table.dynamo.items() if item["sk"]["S"].startswith("ACTIVE")]
    assert len(rows) <= 2 * ROWS_MAX

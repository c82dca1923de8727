"""The rows of the graph's tables say what the API says of the same day's end, whatever events came in what order."""

from dataclasses import replace
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import DatasetUse, Event
from headwater.features.graph_tables.rows import end_of_day, named_ever, rows_of_columns, rows_of_datasets, rows_of_jobs
from headwater.features.graph_tables.tables import TABLES
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId, JobId
from tests.examples import examples
from tests.features.graph_tables.lookups import ApiLookups, Tables
from tests.unit.facts.strategies import arrivals, declared_streams, linked_streams, moved, stamped, streams
from tests.unit.queries.columns.strategies import streams as column_streams
from tests.unit.queries.every_query import loaded

DAY = "2025-11-20"
RAW, CLEAN, LOAD = DatasetId("s3://lake", "raw"), DatasetId("s3://lake", "clean"), JobId("etl", "load")
# In place of the six seconds of the strategies: a second of the day before, three of the day, two of later days.
_ACROSS_DAYS = tuple(
    f"2025-11-{time}.000000Z"
    for time in ("19T23:59:59", "20T00:00:00", "20T12:00:00", "20T23:59:59", "21T00:00:00", "23T08:00:00")
)


def rows_of(table, day=DAY):
    jobs, datasets = named_ever(table)
    rows = (rows_of_datasets(datasets, table, day), rows_of_columns(datasets, table, day))
    return Tables([*rows_of_jobs(jobs, table, day), *chain.from_iterable(rows)])


def wrong(table, day=DAY, before=None):
    """Return the lookups whose results differ, a few only: those of the tables and of the API."""
    tables, queries = rows_of(table, day), LineageQueries(table)
    lookups = ApiLookups(queries, table, day, before).results()
    different = [lookup for lookup, result in lookups.items() if tables.find(lookup) != result]
    return {lookup: (tables.find(lookup), lookups[lookup]) for lookup in different[:3]}


@examples(400)
@given(st.data())
def test_the_tables_are_the_apis_results_at_the_end_of_the_day(data):
    statements = data.draw(st.one_of(streams(), declared_streams(), linked_streams(), column_streams()))
    table = loaded(*data.draw(arrivals(statements)))
    assert wrong(table) == {}


@examples(400)
@given(st.data())
def test_what_happened_after_the_day_is_not_in_its_tables(data):
    statements = moved(data.draw(streams()), _ACROSS_DAYS)
    table = loaded(*data.draw(arrivals(statements)))
    for day in ("2025-11-19", DAY):
        before = LineageQueries(loaded([statement for statement in statements if statement.time < end_of_day(day)]))
        assert wrong(table, day, before) == {}


@examples(40)
@given(streams())
def test_every_row_has_the_columns_of_its_table(statements):
    columns = {table.name: {column.name for column in table.columns} for table in TABLES}
    of_spark = {"first_time", "last_time", "is_current"}
    for name, row in rows_of(loaded(statements)).rows:
        assert row.keys() - of_spark == columns[name] - of_spark


def test_runs_of_earlier_days_cost_a_night_nothing():
    units = []
    for runs in (1, 40):
        table = loaded([a_run(number) for number in range(runs)])
        rows_of(table, "2025-11-22")
        table.dynamo.calls.read_units = 0
        rows_of(table, "2025-11-22")
        units.append(table.dynamo.calls.read_units)
    assert units[1] <= units[0] + 4, "a page of the last runs"


def a_run(number, **changes):
    event = Event(
        kind="RUN",
        time=f"2025-11-20T12:00:{number:02}.000000Z",
        hash="",
        type="COMPLETE",
        run=f"00000000-0000-4000-8000-0000000000{number:02}",
        job=LOAD,
        inputs=(DatasetUse(RAW),),
        outputs=(DatasetUse(CLEAN),),
    )
    return stamped(replace(event, **changes))

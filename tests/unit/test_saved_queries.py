"""The SQL that the stack saves in Athena, run by DuckDB on Parquet: two days of the archive."""

import re

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from infra.saved_queries import (
    ACTIONS_BY_DAY,
    NAMED_QUERIES,
    PATH_OF_A_RECORD,
    RECORDS_OF_AN_ACTION,
    TOUCHED_BY_A_LOCATION,
)

FIRST, SECOND = "2026-11-20", "2026-11-21"
# node: parent, action, location, recorded at
UPLOAD = {
    "raw": ("upload", "READ", "s3://lake/raw/a.csv", 10),
    "fuel": ("raw", "FILTER", "s3://lake/fuel/a", 20),
    "power": ("raw", "FILTER", "s3://lake/power/a", 20),
    "total": ("fuel", "SUM", "s3://lake/total/a", 30),
}
REPORT = {**UPLOAD, "report": ("total", "REPORT", "s3://public/report.pdf", 40)}
OTHER = {"raw": ("other", "READ", "s3://lake/raw/b.csv", 15)}
STEP = pa.struct(
    [
        *((name, pa.string()) for name in ("node_id", "parent_id", "action_taken")),
        ("recorded_at", pa.int64()),
        ("storage_location", pa.string()),
        ("run_id", pa.string()),
        ("metadata", pa.map_(pa.string(), pa.string())),
    ]
)
TRACES = pa.schema(
    [
        ("root_id", pa.string()),
        ("record_id", pa.string()),
        ("complete", pa.bool_()),
        ("missing", pa.list_(pa.string())),
        ("cycle", pa.list_(pa.string())),
        ("lineage", pa.list_(STEP)),
    ]
)
RECORDS = pa.schema([("root_id", pa.string()), *((field.name, field.type) for field in STEP)])


def a_record(nodes, node_id):
    parent_id, action_taken, storage_location, recorded_at = nodes[node_id]
    return {
        "node_id": node_id,
        "parent_id": parent_id,
        "action_taken": action_taken,
        "recorded_at": recorded_at,
        "storage_location": storage_location,
        "run_id": None,
        "metadata": None,
    }


def a_trace(root_id, nodes, *path, **parts):
    compaction = {**a_record({path[-1]: (path[-1], "DATA_COMPACTION", "s3://archive/t", 99)}, path[-1])}
    lineage = [*(a_record(nodes, node_id) for node_id in path), compaction]
    whole = {"root_id": root_id, "record_id": path[-1], "complete": True, "missing": None, "cycle": None}
    return {**whole, "lineage": lineage, **parts}


@pytest.fixture(scope="module")
def run_query(tmp_path_factory):
    """The root `upload` is traced on two days: on the second its leaf `total` has become a step."""
    folder = tmp_path_factory.mktemp("tables")
    traces = {
        FIRST: [
            a_trace("other", OTHER, "raw"),
            a_trace("upload", UPLOAD, "raw", "fuel", "total"),
            a_trace("upload", UPLOAD, "raw", "power"),
        ],
        SECOND: [
            a_trace("upload", REPORT, "raw", "fuel", "total", "report"),
            a_trace("upload", REPORT, "raw", "power"),
        ],
    }
    records = {
        FIRST: [{"root_id": "other", **a_record(OTHER, "raw")}]
        + [{"root_id": "upload", **a_record(UPLOAD, node_id)} for node_id in UPLOAD],
        SECOND: [{"root_id": "upload", **a_record(REPORT, "report")}],
    }
    database = duckdb.connect()
    for name, days, schema in (("traces", traces, TRACES), ("records", records, RECORDS)):
        for day, rows in days.items():
            place = folder / name / f"day={day}"
            place.mkdir(parents=True)
            pq.write_table(pa.Table.from_pylist(rows, schema=schema), place / "part-0.parquet")
        files = f"{folder}/{name}/*/*.parquet"
        database.sql(
            f"CREATE VIEW {name} AS SELECT * FROM "
            f"read_parquet('{files}', hive_partitioning = true, hive_types = {{'day': 'VARCHAR'}})"
        )

    def run(query, *values):
        assert len(values) == len(query.parameters)
        return database.execute(query.sql, list(values)).fetchall()

    return run


def test_a_records_path_is_that_of_the_newest_trace_up_to_the_record(run_query):
    path = [
        (1, "raw", "upload", "READ", "s3://lake/raw/a.csv", 10, None),
        (2, "fuel", "raw", "FILTER", "s3://lake/fuel/a", 20, None),
        (3, "total", "fuel", "SUM", "s3://lake/total/a", 30, None),
    ]
    assert run_query(PATH_OF_A_RECORD, "upload", "total") == path
    report = (4, "report", "total", "REPORT", "s3://public/report.pdf", 40, None)
    assert run_query(PATH_OF_A_RECORD, "upload", "report") == [*path, report]


@pytest.mark.parametrize(("root_id", "node_id"), [("upload", "gone"), ("nowhere", "raw"), ("' OR 1=1 --", "raw")])
def test_a_record_that_was_not_archived_has_no_path(run_query, root_id, node_id):
    assert run_query(PATH_OF_A_RECORD, root_id, node_id) == []


def test_a_location_touched_what_lies_there_and_what_was_made_from_it_each_once(run_query):
    assert run_query(TOUCHED_BY_A_LOCATION, FIRST, SECOND, "s3://lake/fuel/") == [
        ("upload", "fuel", "raw", "FILTER", "s3://lake/fuel/a", 20),
        ("upload", "total", "fuel", "SUM", "s3://lake/total/a", 30),
        ("upload", "report", "total", "REPORT", "s3://public/report.pdf", 40),
    ]


def test_a_location_is_requested_in_a_range_of_days(run_query):
    assert run_query(TOUCHED_BY_A_LOCATION, FIRST, FIRST, "s3://lake/fuel/") == [
        ("upload", "fuel", "raw", "FILTER", "s3://lake/fuel/a", 20),
        ("upload", "total", "fuel", "SUM", "s3://lake/total/a", 30),
    ]
    assert [row[:2] for row in run_query(TOUCHED_BY_A_LOCATION, FIRST, FIRST, "s3://lake/raw/b")] == [("other", "raw")]


@pytest.mark.parametrize("location", ["s3://lake/f_el", "s3://lake/%", "s3://archive"])
def test_the_beginning_of_a_location_is_no_pattern_and_the_compactions_step_is_no_record(run_query, location):
    assert run_query(TOUCHED_BY_A_LOCATION, FIRST, SECOND, location) == []


def test_actions_are_counted_by_the_day_that_archived_their_records_first(run_query):
    assert run_query(ACTIONS_BY_DAY, FIRST, SECOND) == [
        (FIRST, "FILTER", 2, 1),
        (FIRST, "READ", 2, 2),
        (FIRST, "SUM", 1, 1),
        (SECOND, "REPORT", 1, 1),
    ]
    assert run_query(ACTIONS_BY_DAY, SECOND, SECOND) == [(SECOND, "REPORT", 1, 1)]


def test_an_actions_records_are_shown_root_by_root(run_query):
    assert run_query(RECORDS_OF_AN_ACTION, "READ", FIRST, SECOND) == [
        ("other", "raw", "other", "s3://lake/raw/b.csv", 15, None, FIRST),
        ("upload", "raw", "upload", "s3://lake/raw/a.csv", 10, None, FIRST),
    ]


@pytest.mark.parametrize("query", NAMED_QUERIES, ids=lambda query: query.name)
def test_a_query_requests_as_many_values_as_it_names(query):
    assert query.sql.count("?") == len(query.parameters)


def test_queries_are_called_by_different_names_and_fit_into_athena():
    """Athena's own bounds: https://docs.aws.amazon.com/athena/latest/APIReference/API_NamedQuery.html."""
    names = [query.name for query in NAMED_QUERIES]
    assert sorted(set(names)) == sorted(names)
    assert all(re.fullmatch(r"[a-z-]{1,128}", name) for name in names)
    assert all(len(query.sql.encode()) <= 262_144 for query in NAMED_QUERIES)

"""The SQL about the graph's tables, that of the stack and that of the guide, run by DuckDB."""

import re
from pathlib import Path

import duckdb
import pytest

from headwater.features.graph_tables.queries import (
    DATASETS_NOBODY_READS,
    EDGES_THAT_WENT,
    FAILED_JOBS,
    TAGGED_COLUMNS,
)
from headwater.features.graph_tables.tables import TABLES
from headwater_model.archive_tables import DAY

FOLDER = Path(__file__).parents[3] / "headwater" / "features" / "graph_tables"
GUIDE = (FOLDER / "README.md").read_text(encoding="utf-8")
OF_THE_GUIDE = re.findall(r"```sql\n(.*?)```", GUIDE, re.DOTALL)
LAST = "2026-10-31"
_TYPES = {"string": "VARCHAR", "boolean": "BOOLEAN", "array<string>": "VARCHAR[]"}


def a_row(table, **values):
    return {**{column.name: None for column in table.columns}, **values}


def an_edge(source, job, target, last_time="2026-11-01T00:00:00.000000Z", **values):
    ends = {"source_name": source, "job_name": job, "target_name": target}
    spaces = {name.replace("_name", "_namespace"): value and "s3://lake" for name, value in ends.items()}
    return {
        **ends,
        **spaces,
        "first_time": "2026-09-01T08:00:00.000000Z",
        "last_time": last_time,
        "is_current": True,
    } | values


def a_dataset(name, **values):
    known = {"namespace": "s3://lake", "name": name, "owners": ["team"], "tags": [], "is_deleted": False}
    return {**known, "is_temporary": False, "last_seen": "2026-10-30T08:00:00.000000Z", **values}


def a_run(number, state, day="30", job="load"):
    ended = None if state == "RUNNING" else f"2026-10-{day}T09:00:00.000000Z"
    return {"run_id": f"r{number}", "job_namespace": "etl", "job_name": job, "state": state, "ended_at": ended}


ROWS = {
    "table_edges": [
        an_edge("raw", "load", "clean"),
        an_edge("raw", "load", "report"),
        an_edge("old", "load", "clean", "2026-10-03T00:00:00.000000Z", is_current=False),
        an_edge("older", "load", "clean", "2026-09-03T00:00:00.000000Z", is_current=False),
        an_edge("clean", "read", None),
        an_edge("report", "gone", None, "2026-10-02T00:00:00.000000Z", is_current=False),
    ],
    "datasets": [
        a_dataset("raw"),
        a_dataset("clean", tags=["PII"]),
        a_dataset("report", tags=["PII"], owners=["b", "a"]),
    ],
    "runs": [
        a_run(1, "FAILED"),
        a_run(2, "FAILED"),
        a_run(3, "COMPLETED"),
        a_run(4, "COMPLETED", job="ok"),
        a_run(5, "RUNNING"),
    ],
    "columns": [
        {"dataset_namespace": "s3://lake", "dataset_name": name, "name": column, "type": "string", "tags": tags}
        for name, column, tags in (("raw", "mail", ["PII"]), ("raw", "amount", []), ("clean", "amount", ["team"]))
    ],
    "column_edges": [
        {
            "source_namespace": "s3://lake",
            "source_name": "raw",
            "source_column": "amount",
            "job_name": "load",
            "target_name": "clean",
            "target_column": column,
            "transformation_type": "DIRECT",
            "is_current": current,
        }
        for column, current in (("amount", True), ("other", True), ("amount", False))
    ],
}


@pytest.fixture(scope="module")
def database():
    """The tables, with rows of one day; the runs are of the day before."""
    connection = duckdb.connect()
    for table in TABLES:
        columns = (*table.columns, DAY)
        connection.execute(
            f"CREATE TABLE {table.name} ({', '.join(f'{column.name} {_TYPES[column.type]}' for column in columns)})"
        )
        for row in ROWS.get(table.name, []):
            values = [*a_row(table, **row).values(), "2026-10-30" if table.name == "runs" else LAST]
            connection.execute(f"INSERT INTO {table.name} VALUES ({', '.join('?' * len(values))})", values)
    return connection


def run_query(database, query, *values):
    assert len(values) == len(query.parameters) == query.sql.count("?")
    return database.execute(query.sql, list(values)).fetchall()


def test_edges_that_went_are_those_of_the_range_of_days(database):
    rows = run_query(database, EDGES_THAT_WENT, LAST, "2026-10-01")
    assert [(row[1], row[3], row[5], row[7]) for row in rows] == [
        ("report", "gone", None, "2026-10-02T00:00:00.000000Z"),
        ("old", "load", "clean", "2026-10-03T00:00:00.000000Z"),
    ]


def test_a_dataset_that_is_written_and_not_read_is_read_by_nobody(database):
    assert run_query(database, DATASETS_NOBODY_READS, LAST) == [
        ("s3://lake", "report", ["b", "a"], "2026-10-30T08:00:00.000000Z")
    ]


def test_a_column_has_the_tags_of_its_dataset_too(database):
    assert run_query(database, TAGGED_COLUMNS, "PII", LAST) == [
        ("team", "s3://lake", "clean", "amount", "string"),
        ("team", "s3://lake", "raw", "mail", "string"),
    ]


def test_failed_runs_are_counted_by_job(database):
    assert run_query(database, FAILED_JOBS, "2026-10-25", LAST) == [("etl", "load", 2, 3)]


def test_the_programs_of_the_guide_run(database):
    went, tagged, sources, failed = (database.execute(sql).fetchall() for sql in OF_THE_GUIDE)
    assert [row[1] for row in went] == ["report", "old"]
    assert tagged == [("team", "s3://lake", "clean", "amount"), ("team", "s3://lake", "raw", "mail")]
    assert sources == [("s3://lake", "raw", "amount", "DIRECT", None, "load")]
    assert failed == [("etl", "load", 2)]


def test_the_tables_of_the_guide_are_those_of_the_code():
    for table in TABLES:
        (columns,) = re.findall(rf"^\| `{table.name}` \| .* \| (.*) \|$", GUIDE, re.MULTILINE)
        assert re.findall(r"`(\w+)`", columns) == [column.name for column in table.columns]

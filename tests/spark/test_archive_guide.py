"""The guide to the archive's tables: its tables are those of the code, its programs run on two published days."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from headwater.records.record import LineageRecord
from headwater_model.archive_tables import DAY as DAY_COLUMN
from headwater_model.archive_tables import TABLES
from jobs.compact_archive import compact
from tests.spark.archive_folder import DAY, NEXT_DAY, ArchiveFolder, rows_of

GUIDE = Path(__file__).parents[2] / "docs" / "archive.md"
TEXT = GUIDE.read_text(encoding="utf-8")
(PYTHON,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
ATHENA, DUCKDB = re.findall(r"```sql\n(.*?)```", TEXT, re.DOTALL)

_ROOT = "s3://flights/2013-01-01.csv"
_READ = LineageRecord(_ROOT, "read", _ROOT, "READ", "s3://raw/flights.parquet", 1_763_640_000)
_CHECKED = LineageRecord(_ROOT, "checked", "read", "CHECK", "s3://checked/flights.parquet", 1_763_640_060)


@pytest.fixture(scope="module")
def archive(spark, tmp_path_factory) -> ArchiveFolder:
    """Return a record on the first day, one made of it on the second; an attempt of each day that does not count."""
    folder = ArchiveFolder(tmp_path_factory.mktemp("archive"))
    folder.trace(DAY, _READ)
    folder.trace(NEXT_DAY, _READ, _CHECKED)
    for day in (DAY, NEXT_DAY):
        folder.seal(day)
        folder.publish(compact(spark, str(folder.folder), day, f"nightly-{day}"))
        compact(spark, str(folder.folder), day, "by-hand")
    return folder


def test_the_tables_of_the_guide_are_those_of_the_code():
    for table in TABLES:
        (columns,) = re.findall(rf"^\| `{table.name}` \| .* \| (.*) \|$", TEXT, re.MULTILINE)
        assert re.findall(r"`(\w+)`", columns) == [column.name for column in (*table.columns, DAY_COLUMN)]


def test_the_program_on_spark_runs(spark, archive, capsys):
    program = PYTHON.replace("s3://the-archive-bucket", str(archive.folder))
    names = {"spark": spark}
    exec(compile(program, str(GUIDE), "exec"), names)
    assert rows_of(names["actions"].collect()) == [
        {"day": DAY, "action_taken": "READ", "count": 1},
        {"day": NEXT_DAY, "action_taken": "CHECK", "count": 1},
    ]
    assert rows_of(names["ways"].collect()) == [
        {
            "root_id": _ROOT,
            "record_id": "checked",
            "actions": ["READ", "CHECK", "DATA_COMPACTION"],
            "complete": True,
        }
    ]


def test_the_query_of_a_copy_counts_what_is_published(archive, monkeypatch):
    duckdb = pytest.importorskip("duckdb", reason="not there for Spark 3.5")
    monkeypatch.chdir(archive.folder)
    assert duckdb.sql(DUCKDB).fetchall() == [(DAY, "READ", 1), (NEXT_DAY, "CHECK", 1)]


def test_the_query_for_athena_runs_where_the_stack_has_it_run(archive):
    """DuckDB has the functions that the saved queries use, under the names that Athena has."""
    duckdb = pytest.importorskip("duckdb", reason="not there for Spark 3.5")
    files = f"'{archive.folder}/tables/records/*/attempt=nightly-*/*.parquet'"
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW records AS FROM read_parquet({files}, hive_types_autocast = false)")
    rows = [(_ROOT, "checked", "s3://checked/flights.parquet", 1_763_640_060)]
    assert connection.execute(ATHENA).fetchall() == rows

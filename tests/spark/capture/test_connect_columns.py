"""The driver's cases over Spark Connect: exact lineage stays exact, lesser lineage says so, and none is wrong.

The names below are of the cases without exact lineage.
"""

from __future__ import annotations

import collections
import difflib
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.sql import SparkSession

from spark_client.capturing.model import CHANGES_WITHOUT_ROWS
from tests.spark.capture.conftest import Hearing, Watch
from tests.spark.capture.specification import Case, expected, lines_of
from tests.spark.capture.test_connect import assert_same_datasets

_MODULES = (
    "aggregates",
    "corners",
    "frame_steps",
    "made_structs",
    "nested_fields",
    "projections",
    "python_functions",
    "relations",
    "sql_collections",
    "sql_shapes",
    "statements",
    "subqueries",
    "writes",
)
# Cases for a driver alone (a cache is the server's), or without support in PySpark's client for Spark Connect.
_NOT_OVER_CONNECT = frozenset(
    {
        "CACHE LAZY TABLE only_kept AS SELECT * FROM writes nothing",
        "a frame of pandas on Spark without an index of its own",
        "a function of pandas over a window",
    }
)
# Cases whose columns are known in less detail, and reported so: unknown, without a kind, or the column of a field.
_LESS = frozenset(
    {
        "a field set in an array's structs",
        "a frame in another schema",
        "a function that SQL defines is its expression",
        "a pivot by two columns",
        "a struct that is cast has the names of the cast",
        "a view that stays, with names of its own, and a view of it",
        "an index is no part of what it finds",
        "structs are inserted by their fields",
        "structs are inserted by the places of their fields",
        "texts into types of a length are the same texts",
        "values of a text",
    }
)
# Cases whose columns are not read.
_TABLES = frozenset(
    {
        "a function of a table in parts",
        "a function that gives a table is its query",
        "a recursive CTE is of its start and its steps",
        "a recursive CTE whose columns change places",
        "a script is a step that nobody knows",
        "rows of a variant",
    }
)


def _cases() -> list[Any]:
    cases: list[tuple[Any, Case]] = []
    for name in _MODULES:
        module = importlib.import_module(f"tests.spark.capture.test_{name}")
        lists = [value for value in vars(module).values() if isinstance(value, tuple)]
        cases += [(module, case) for each in lists for case in each if isinstance(case, Case)]
    return [pytest.param(module, case, id=case.name) for module, case in cases if pyspark.__version__ >= case.since]


@pytest.fixture
def drop_new_tables(spark: SparkSession) -> Iterator[None]:
    """Drop the tables of a test: the driver's cases make tables of the same names in the same catalog."""

    def tables() -> set[str]:
        views = {row.viewName for row in spark.sql("SHOW VIEWS").collect()}
        return {row.tableName for row in spark.sql("SHOW TABLES").collect()} - views

    before = tables()
    yield
    for name in tables() - before:
        spark.sql(f"DROP TABLE `{name}`")


@pytest.mark.usefixtures("drop_new_tables")
@pytest.mark.parametrize(("module", "case"), _cases())
def test_columns_over_spark_connect(
    module: Any, case: Case, remote: Any, hearing: Hearing, watch: Watch, tmp_path: Path, monkeypatch: Any
) -> None:
    if case.name in _NOT_OVER_CONNECT:
        pytest.skip("not over Spark Connect")
    with_functions_of_connect(module, monkeypatch)
    for statement in case.before:
        remote.sql(statement)
    hearing.writes()
    out = str(tmp_path / "out")
    if case.make is not None:
        writes = hearing.writes_of_frame(case.make(remote), out)
    else:
        by_driver = watch.writes_of(lambda: case.act(remote, out))
        writes = hearing.writes()
        assert_same_datasets(writes, by_driver, with_schema=not case.name.endswith("directory"))
    for write in writes:
        assert (write.tier_reason is not None) == (write.tier == "tables" and write.change not in CHANGES_WITHOUT_ROWS)
    lines, expected_lines = lines_of(writes), expected(case.lineage)
    kind = "tables" if case.name in _TABLES else "less" if case.name in _LESS else "exact"
    if kind == "tables":
        assert "tables" in {write.tier for write in writes}
    elif kind == "less":
        assert _wrong(lines, expected_lines) == []
        assert lines != expected_lines, "it is exact now: leave it out of the names above"
    elif lines != expected_lines:
        pytest.fail("\n".join(difflib.ndiff(expected_lines, lines)), pytrace=False)


@pytest.mark.parametrize("has_clones", [True, False])
def test_columns_of_a_table_of_many_columns_are_read_whole(
    has_clones: bool, remote: Any, hearing: Hearing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_clones:  # as before Spark 4.1
        monkeypatch.delattr(type(remote.client), "clone")
    remote.sql("DROP TABLE IF EXISTS wide")
    remote.sql("DROP TABLE IF EXISTS copy")
    remote.range(1).selectExpr(*(f"id AS c{number}" for number in range(60))).write.saveAsTable("wide")
    remote.conf.set("spark.sql.debug.maxToStringFields", 30)
    hearing.writes()
    remote.sql("CREATE TABLE copy USING parquet AS SELECT * FROM wide WHERE c1 > 0")
    remote.table("wide").where("c1 > 0").write.parquet(f"{tmp_path}/copy")
    for write in hearing.writes():
        assert write.tier == "full"
        assert [column for (column,) in write.columns.fields] == [f"c{number}" for number in range(60)]
    assert remote.conf.get("spark.sql.debug.maxToStringFields") == "30"


def test_each_folder_of_a_frame_has_its_columns(remote: Any, hearing: Hearing, datasets: Path, tmp_path: Path) -> None:
    read, planes, flights = remote.read.parquet, f"{datasets}/planes", f"{datasets}/flights"
    frame = read(flights).select("tailnum").union(read(planes).select("tailnum")).join(read(planes), "tailnum")
    writes = hearing.writes_of_frame(frame.select("tailnum", "seats"), f"{tmp_path}/out")
    assert lines_of(writes) == expected(
        "tailnum <- flights.tailnum IDENTITY, planes.tailnum IDENTITY; seats <- planes.seats IDENTITY;"
        "* <- flights.tailnum JOIN, planes.tailnum JOIN"
    )


def with_functions_of_connect(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a module of cases make columns for a remote session; PySpark has two kinds of columns in a process."""
    from pyspark.sql.connect import functions
    from pyspark.sql.connect.window import Window

    for name, of_connect in (("sf", functions), ("Window", Window)):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, of_connect)


def _wrong(lines: list[str], expected_lines: list[str]) -> list[str]:
    """List the known columns with wrong sources; a column with `unknown` may lack any.

    With an unknown column, the sources of all rows (`*`) may lack any, too.
    """
    ours, theirs = _by_column(lines), _by_column(expected_lines)
    if any(map(_is_unknown, ours.values())):
        ours["*"] = ours["*"] | theirs.get("*", set()) if ours["*"] <= theirs.get("*", set()) else ours["*"]
    return [
        column
        for column, sources in ours.items()
        if not _is_unknown(sources) and _sources_of(sources) != _sources_of(theirs.get(column, set()))
    ]


def _by_column(lines: list[str]) -> dict[str, set[str]]:
    """Group the sources by column, together with the sources of its inner fields."""
    columns: dict[str, set[str]] = collections.defaultdict(set)
    for line in lines:
        column, arrow, sources = line.partition(" <- ")
        if arrow:
            columns[column.split(".")[0]] |= set(re.split(r",\s*(?![^(]*\))", sources)) - {"nothing"}
    return columns


def _is_unknown(sources: set[str]) -> bool:
    return any(source == "unknown" or " UNKNOWN" in source for source in sources)


def _sources_of(sources: set[str]) -> set[str]:
    """List the columns of datasets, without inner fields and without transformations."""
    return {".".join(source.split(" ")[0].split(".")[:2]) for source in sources}

"""Tables of different columns that are read as one (`mergeSchema`): each has its own columns, and no other."""

from __future__ import annotations

import shutil
from collections.abc import Mapping

import pytest

from tests.spark.capture.specification import expected, lines_of

# The tables' rows, the query over them, and the expected lineage.
CASES = {
    "columns of one and of both": (
        {"t1": "1 AS a, 2 AS b, 3 AS c", "t3": "1 AS a, 4 AS d"},
        """
        a <- t1.a, t3.a
        b <- t1.b
        c <- t1.c
        d <- t3.d
        """,
        {"t1": ["a", "b", "c"], "t3": ["a", "d"]},
    ),
    "three, one of them without any that the others have": (
        {"t1": "1 AS a", "t2": "1 AS a, 2 AS b", "t3": "3 AS c"},
        "a <- t1.a IDENTITY, t2.a IDENTITY; b <- t2.b IDENTITY; c <- t3.c IDENTITY",
        {"t1": ["a"], "t2": ["a", "b"], "t3": ["c"]},
    ),
    "fields of structs": (
        {"t1": "1 AS a, named_struct('x', 1, 'y', 2) AS s", "t2": "named_struct('x', 1, 'z', 3) AS s"},
        """
        a <- t1.a
        s.x <- t1.s.x, t2.s.x
        s.y <- t1.s.y
        s.z <- t2.s.z
        """,
        {"t1": ["a", "s"], "t2": ["s"]},
    ),
}


def _write_tables(spark, folder, tables: Mapping[str, str], form: str = "parquet") -> list[str]:
    for name, columns in tables.items():
        spark.sql(f"SELECT {columns}").write.mode("append").format(form).save(f"{folder}/{name}")
    return [f"{folder}/{name}" for name in tables]


def _merged(spark, paths, form: str = "parquet"):
    return spark.read.option("mergeSchema", "true").format(form).load(paths)


@pytest.mark.parametrize("form", ["parquet", "orc"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_column_is_of_the_tables_that_have_it(case, form, spark, watch, tmp_path) -> None:
    tables, columns, schemas = case
    frame = _merged(spark, _write_tables(spark, tmp_path, tables, form), form)

    (write,) = watch.writes_of(lambda: frame.write.parquet(f"{tmp_path}/out"))

    assert lines_of([write]) == expected(columns)
    assert {
        dataset.id.name.rsplit("/", 1)[-1]: [column.name for column in dataset.schema] for dataset in write.inputs
    } == schemas


def test_a_table_of_several_writes_has_the_columns_of_all(spark, watch, tmp_path) -> None:
    _write_tables(spark, tmp_path, {"t1": "1 AS a", "t2": "3 AS c"})
    _write_tables(spark, tmp_path, {"t1": "2 AS b"})
    frame = _merged(spark, [f"{tmp_path}/t1", f"{tmp_path}/t2"])

    (write,) = watch.writes_of(lambda: frame.write.parquet(f"{tmp_path}/out"))

    assert lines_of([write]) == expected("a <- t1.a IDENTITY; b <- t1.b IDENTITY; c <- t2.c IDENTITY")


def test_what_a_table_has_is_unknown_where_its_files_are_gone(spark, watch, tmp_path) -> None:
    """Columns may be the other table's as well; those are known."""
    frame = _merged(spark, _write_tables(spark, tmp_path, {"t1": "1 AS a, 2 AS b", "t3": "4 AS d"}))

    def act() -> None:
        frame.where("false").write.parquet(f"{tmp_path}/out")
        shutil.rmtree(tmp_path / "t3")

    (write,) = watch.writes_of(act)

    assert lines_of([write]) == expected(
        """
        a <- t1.a, unknown
        b <- t1.b, unknown
        d <- unknown
        inputs: t1, t3
        """
    )
    assert [(dataset.id.name.rsplit("/", 1)[-1], len(dataset.schema)) for dataset in write.inputs] == [
        ("t1", 2),
        ("t3", 0),
    ]


def test_settings_of_the_session_merge_too(spark, watch, tmp_path) -> None:
    paths = _write_tables(spark, tmp_path, {"t1": "1 AS a", "t3": "4 AS d"})
    spark.conf.set("spark.sql.parquet.mergeSchema", "true")
    try:
        frame = spark.read.parquet(*paths)
        (write,) = watch.writes_of(lambda: frame.write.parquet(f"{tmp_path}/out"))
    finally:
        spark.conf.unset("spark.sql.parquet.mergeSchema")

    assert lines_of([write]) == expected("a <- t1.a IDENTITY; d <- t3.d IDENTITY")

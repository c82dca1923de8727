"""Tables of different columns that are read as one (`mergeSchema`): each has its own columns, and no other."""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping, Sequence

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


@pytest.mark.parametrize("seed", range(3))
def test_random_tables_are_emitted_by_the_columns_that_each_has(seed, spark, watch, tmp_path) -> None:
    dice = random.Random(seed)
    fields = {f"t{number}": _some_fields(dice) for number in range(dice.choice((2, 3)))}
    frame = _merged(spark, _write_tables(spark, tmp_path, {name: _listed(names) for name, names in fields.items()}))

    (write,) = watch.writes_of(lambda: frame.write.parquet(f"{tmp_path}/out"))

    paths = _as_reported(fields)
    columns = sorted(set().union(*paths.values()))
    sources_by_column = {
        column: ", ".join(f"{name}.{column} IDENTITY" for name, names in paths.items() if column in names)
        for column in columns
    }
    assert lines_of([write]) == expected(
        "\n".join(f"{column} <- {sources}" for column, sources in sources_by_column.items())
    )
    schemas = {
        dataset.id.name.rsplit("/", 1)[-1]: {column.name for column in dataset.schema} for dataset in write.inputs
    }
    assert schemas == {name: {field.partition(".")[0] for field in names} for name, names in fields.items()}


def _some_fields(dice: random.Random) -> list[str]:
    """Some columns, and fields of a struct."""
    return sorted(dice.sample(["a", "b", "c", "d", "s.x", "s.y", "s.z"], dice.randint(1, 5)))


def _as_reported(fields: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return a struct as one column where all tables that have it have the same fields of it."""
    structs = {tuple(field for field in names if "." in field) for names in fields.values()} - {()}
    if len(structs) != 1:
        return dict(fields)
    return {name: list(dict.fromkeys(field.partition(".")[0] for field in names)) for name, names in fields.items()}


def _listed(fields: Sequence[str]) -> str:
    columns = [f"1 AS {field}" for field in fields if "." not in field]
    inside = [f"'{field.partition('.')[2]}', 1" for field in fields if "." in field]
    return ", ".join([*columns, *([f"named_struct({', '.join(inside)}) AS s"] if inside else [])])


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

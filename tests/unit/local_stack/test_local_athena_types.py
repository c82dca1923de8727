"""Hive's types as DuckDB has them, DuckDB's values as Athena prints them, parameters as Athena takes them."""

from __future__ import annotations

from datetime import date, datetime, timezone
from decimal import Decimal

import duckdb
import pytest

from local_stack.aws.athena_parameters import parse_parameters
from local_stack.aws.athena_types import duckdb_type, print_value


@pytest.mark.parametrize(
    ("hive", "duck"),
    [
        ("string", "VARCHAR"),
        ("int", "INTEGER"),
        ("decimal(10, 2)", "DECIMAL(10, 2)"),
        ("varchar(20)", "VARCHAR"),
        ("array<array<bigint>>", "BIGINT[][]"),
        ("map<string,array<decimal(4,1)>>", "MAP(VARCHAR, DECIMAL(4,1)[])"),
        ("struct<order:int, b:map<string,string>>", 'STRUCT("order" INTEGER, "b" MAP(VARCHAR, VARCHAR))'),
    ],
)
def test_a_type_of_hive_is_one_of_duckdb(hive, duck):
    assert duckdb_type(hive) == duck
    duckdb.sql(f"SELECT CAST(NULL AS {duck})")


@pytest.mark.parametrize("hive", ["", "text", "array<>", "uniontype<int,string>", "decimal", "struct<a>"])
def test_a_type_that_duckdb_lacks_is_refused(hive):
    with pytest.raises(ValueError, match="type: DuckDB has none for"):
        duckdb_type(hive)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a, b", "a, b"),
        (12, "12"),
        (False, "false"),
        (2.0, "2.0"),
        (1234567.5, "1234567.5"),
        (123456789.0, "1.23456789E8"),
        (-0.0005, "-5.0E-4"),
        (float("nan"), "NaN"),
        (Decimal("1E+3"), "1000"),
        (date(2026, 11, 20), "2026-11-20"),
        (datetime.fromisoformat("2026-11-20T01:02:03.004567"), "2026-11-20 01:02:03.004"),
        (datetime(2026, 11, 20, tzinfo=timezone.utc), "2026-11-20 00:00:00.000 UTC"),
        (b"\x01\xff", "01 ff"),
        ([], "[]"),
        ({"k": None, "l": [1, {"m": True}]}, "{k=null, l=[1, {m=true}]}"),
    ],
)
def test_a_value_is_printed_as_athena_prints_it(value, text):
    assert print_value(value) == text


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("''", ""),
        ("'it''s'", "it's"),
        ("'a\nb'", "a\nb"),
        (" 12 ", 12),
        ("+3", 3),
        (".5", Decimal("0.5")),
        ("null", None),
        ("timestamp '2026-11-20 01:02:03'", datetime.fromisoformat("2026-11-20T01:02:03")),
    ],
)
def test_a_parameter_is_a_literal(given, value):
    assert parse_parameters([given]) == [value]


@pytest.mark.parametrize(
    "given", ["a", "", "'a", "a'b'", "'a'b'", "1; DROP", "'a' || 'b'", "1 + 1", "(SELECT 1)", "1e5"]
)
def test_a_parameter_that_is_no_literal_is_refused(given):
    with pytest.raises(ValueError, match="parameter 2: must be a literal"):
        parse_parameters(["1", given])

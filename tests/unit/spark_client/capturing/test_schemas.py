"""Schemas out of Spark's JSON."""

from __future__ import annotations

import json
from functools import reduce
from typing import Any

import pytest

from spark_client.capturing.datasets.schemas import parse_schema, renamed
from spark_client.capturing.model import SchemaField


def struct(**fields: Any) -> dict[str, Any]:
    return {
        "type": "struct",
        "fields": [{"name": name, "type": kind, "nullable": True} for name, kind in fields.items()],
    }


def array(of: Any) -> dict[str, Any]:
    return {"type": "array", "elementType": of, "containsNull": True}


def pairs(key: Any, value: Any) -> dict[str, Any]:
    return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}


LAT, LON = SchemaField("lat", "double"), SchemaField("lon", "double")
TYPES = [
    ("decimal(10,2)", "decimal(10,2)", ()),
    ("timestamp_ntz", "timestamp_ntz", ()),
    (struct(lat="double", lon="double"), "struct", (LAT, LON)),
    (array("long"), "array<long>", ()),
    (array(array(struct(lat="double"))), "array<array<struct>>", (LAT,)),
    (pairs("string", "long"), "map<string,long>", ()),
    (pairs("string", struct(lat="double", of=array("long"))), "map<string,struct<lat:double,of:array<long>>>", ()),
    ({"type": "udt", "class": "VectorUDT", "sqlType": struct(lat="double")}, "struct", (LAT,)),
]


@pytest.mark.parametrize(("text", "kind", "fields"), TYPES)
def test_a_type_is_in_openlineages_words_with_the_fields_inside(text, kind, fields):
    assert parse_schema(json.dumps(struct(x=text))) == (SchemaField("x", kind, fields),)


@pytest.mark.parametrize("text", [None, "", "{", "[" * 100_000, '"long"', "[]", "{}"])
def test_what_is_no_schema_has_no_columns(text):
    assert parse_schema(text) == ()


def test_a_schema_deeper_than_anyone_reads_ends_somewhere():
    deep = reduce(lambda inside, _: struct(x=array(inside)), range(60), "long")

    columns, depth = parse_schema(json.dumps(deep)), 0
    while columns:
        columns, depth = columns[0].fields, depth + 1
    assert 5 < depth < 50


def test_columns_are_renamed_in_order_or_not_at_all():
    assert [column.name for column in renamed((LAT, LON), ("x", "y"))] == ["x", "y"]
    assert renamed((LAT, LON), ("x",)) == (LAT, LON)


def test_a_schema_too_long_to_be_kept_is_parsed_as_any_other():
    names = [f"a_rather_long_name_of_a_column_{number}" for number in range(500)]
    text = json.dumps(struct(**dict.fromkeys(names, "long")))

    assert parse_schema(text) == tuple(SchemaField(name, "long") for name in names)
    assert parse_schema(text) is not parse_schema(text)

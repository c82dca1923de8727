"""Schemas as Spark's JSON tells them (`StructType.json`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from spark_client.capturing.model import SchemaField

# Fields deeper than this are told as a part of the type above them.
_DEPTH_MAX = 20


def parse_schema(told: str | None) -> tuple[SchemaField, ...]:
    """The columns; none where nothing was told, or what was told was cut.

    Types are the words of OpenLineage's own listener: Spark's names of types, not of SQL (`long`, not `bigint`).

    >>> parse_schema('{"type":"struct","fields":[{"name":"tags","type":{"type":"array","elementType":"string"}}]}')
    (SchemaField(name='tags', type='array<string>', fields=()),)
    """
    try:
        form = json.loads(told) if told else None
    except (ValueError, RecursionError):
        return ()
    return _fields(form, _DEPTH_MAX)


def renamed(schema: Sequence[SchemaField], names: Sequence[str]) -> tuple[SchemaField, ...]:
    """The same columns under other names, in order; as they are if these are not as many."""
    if len(names) != len(schema):
        return tuple(schema)
    return tuple(SchemaField(name, column.type, column.fields) for name, column in zip(names, schema, strict=True))


def united(schemas: Sequence[Sequence[SchemaField]]) -> tuple[SchemaField, ...]:
    """Return the columns of all of these, each once, with all fields that are inside it; names are equal in any case.

    >>> [one.name for one in united([[SchemaField("a", "long")], [SchemaField("A", "long"), SchemaField("b", "long")]])]
    ['a', 'b']
    """
    same: dict[str, list[SchemaField]] = {}
    for column in (column for schema in schemas for column in schema):
        same.setdefault(column.name.lower(), []).append(column)
    return tuple(
        SchemaField(each[0].name, each[0].type, united([one.fields for one in each])) for each in same.values()
    )


def find_field(schema: Sequence[SchemaField], path: Sequence[str]) -> SchemaField | None:
    """Return the field at a path, by names in any case."""
    found = None
    for name in path:
        found = next((column for column in schema if column.name.lower() == name.lower()), None)
        if found is None:
            return None
        schema = found.fields
    return found


def _fields(form: Any, depth: int) -> tuple[SchemaField, ...]:
    """The fields of a struct, or of an array's structs."""
    while depth and isinstance(form, dict) and form.get("type") in ("array", "udt"):
        form, depth = form.get("elementType", form.get("sqlType")), depth - 1
    if not depth or not isinstance(form, dict) or form.get("type") != "struct":
        return ()
    return tuple(
        SchemaField(field["name"], _type(field["type"], depth), _fields(field["type"], depth - 1))
        for field in form.get("fields", ())
    )


def _type(form: Any, depth: int) -> str:
    if isinstance(form, str):
        return form
    kind = form.get("type")
    if not depth:
        return str(kind)
    if kind == "array":
        return f"array<{_type(form['elementType'], depth - 1)}>"
    if kind == "map":
        return f"map<{_type(form['keyType'], depth - 1)},{_inside(form['valueType'], depth - 1)}>"
    if kind == "udt":
        return _type(form.get("sqlType") or "udt", depth - 1)
    return str(kind)


def _inside(form: Any, depth: int) -> str:
    """As `_type`, with the fields of structs: they are told nowhere else."""
    if not depth or not isinstance(form, dict) or form.get("type") != "struct":
        return _type(form, depth)
    inside = (f"{field['name']}:{_inside(field['type'], depth - 1)}" for field in form["fields"])
    return f"struct<{','.join(inside)}>"

"""Schemas in Spark's JSON (`StructType.json`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from spark_client.capturing.model import SchemaField

# Deeper fields are a part of the type above.
_DEPTH_MAX = 20
# Each write repeats the schemas of its tables. Longer schemas are parsed each time, to save memory.
_KEPT, _KEPT_CHARS = 128, 10_000


def parse_schema(text: str | None) -> tuple[SchemaField, ...]:
    """Parse the columns; none without a text, or of a cut text.

    Types are the words of OpenLineage's own listener: Spark's names of types, not SQL's (`long`, not `bigint`).

    >>> parse_schema('{"type":"struct","fields":[{"name":"tags","type":{"type":"array","elementType":"string"}}]}')
    (SchemaField(name='tags', type='array<string>', fields=()),)
    """
    if not text:
        return ()
    return _parse_and_keep(text) if len(text) <= _KEPT_CHARS else _parse(text)


def _parse(text: str) -> tuple[SchemaField, ...]:
    try:
        form = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return _fields(form, _DEPTH_MAX)


_parse_and_keep = lru_cache(_KEPT)(_parse)


def renamed(schema: Sequence[SchemaField], names: Sequence[str]) -> tuple[SchemaField, ...]:
    """Rename the columns in order; unchanged if the counts differ."""
    if len(names) != len(schema):
        return tuple(schema)
    return tuple(SchemaField(name, column.type, column.fields) for name, column in zip(names, schema, strict=True))


def merge_schemas(schemas: Sequence[Sequence[SchemaField]]) -> tuple[SchemaField, ...]:
    """Merge the columns of all schemas, each once, with the merged fields inside; names are equal in any case.

    >>> a, upper_a, b = (SchemaField(name, "long") for name in ("a", "A", "b"))
    >>> [field.name for field in merge_schemas([[a], [upper_a, b]])]
    ['a', 'b']
    """
    same: dict[str, list[SchemaField]] = {}
    for column in (column for schema in schemas for column in schema):
        same.setdefault(column.name.lower(), []).append(column)
    return tuple(
        SchemaField(each[0].name, each[0].type, merge_schemas([field.fields for field in each]))
        for each in same.values()
    )


def find_field(schema: Sequence[SchemaField], path: Sequence[str]) -> SchemaField | None:
    """Find the field at a path, by names in any case."""
    field = None
    for name in path:
        field = next((column for column in schema if column.name.lower() == name.lower()), None)
        if field is None:
            return None
        schema = field.fields
    return field


def _fields(form: Any, depth: int) -> tuple[SchemaField, ...]:
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
    """Render a type like `_type`, with the fields of structs: a map's fields have no place of their own."""
    if not depth or not isinstance(form, dict) or form.get("type") != "struct":
        return _type(form, depth)
    inside = (f"{field['name']}:{_inside(field['type'], depth - 1)}" for field in form["fields"])
    return f"struct<{','.join(inside)}>"

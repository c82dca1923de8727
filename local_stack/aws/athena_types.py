"""Types and values: Hive's types in DuckDB's words, and DuckDB's values as Athena prints them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from duckdb import DuckDBPyConnection

_PLAIN = {
    "bigint": "BIGINT",
    "binary": "BLOB",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "double": "DOUBLE",
    "float": "FLOAT",
    "int": "INTEGER",
    "smallint": "SMALLINT",
    "string": "VARCHAR",
    "timestamp": "TIMESTAMP",
    "tinyint": "TINYINT",
}
_SIZED = re.compile(r"(decimal|char|varchar)\(([\d, ]+)\)")
_NESTED = re.compile(r"(array|map|struct)<(.*)>", re.DOTALL)
# DuckDB's names unlike Athena's. A sum of integers is a HUGEINT in DuckDB and a bigint in Trino.
_ATHENA = {
    "blob": "varbinary",
    "hugeint": "bigint",
    "list": "array",
    "struct": "row",
    "timestamp_ns": "timestamp",
    "timestamp with time zone": "timestamp with time zone",
    "uhugeint": "bigint",
}
_PRECISION = {"bigint": 19, "boolean": 0, "double": 17, "float": 17, "integer": 10, "varchar": 2147483647}


def duckdb_type(hive: str) -> str:
    """Translate a type of Hive for DuckDB.

    Raises:
        ValueError: DuckDB has no such type.

    >>> duckdb_type("array<struct<node_id:string,tags:map<string,bigint>>>")
    'STRUCT("node_id" VARCHAR, "tags" MAP(VARCHAR, BIGINT))[]'
    """
    hive = hive.strip()
    if hive in _PLAIN:
        return _PLAIN[hive]
    if sized := _SIZED.fullmatch(hive):
        return f"DECIMAL({sized[2]})" if sized[1] == "decimal" else "VARCHAR"
    if nested := _NESTED.fullmatch(hive):
        return _nest(nested[1], list(_split(nested[2])))
    raise ValueError(f"type: DuckDB has none for {hive!r}")


def _nest(kind: str, parts: list[str]) -> str:
    if kind == "array":
        return f"{duckdb_type(','.join(parts))}[]"
    if kind == "map":
        return f"MAP({', '.join(map(duckdb_type, parts))})"
    named = (part.partition(":") for part in parts)
    return f"STRUCT({', '.join(f'{quote(name.strip())} {duckdb_type(of)}' for name, _, of in named)})"


def _split(text: str) -> Iterator[str]:
    """Yield the parts between commas outside brackets."""
    depth, start = 0, 0
    for index, character in enumerate(text):
        depth += (character in "<(") - (character in ">)")
        if character == "," and not depth:
            yield text[start:index]
            start = index + 1
    yield text[start:]


def quote(name: str) -> str:
    """Quote a name as an SQL identifier.

    >>> quote('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def column_info(connection: DuckDBPyConnection) -> list[dict[str, Any]]:
    """Describe the columns of the last query as in GetQueryResults."""
    return [_column(name, type_) for name, type_, *_ in connection.description or ()]


def _column(name: str, type_: Any) -> dict[str, Any]:
    kind = "json" if str(type_) == "JSON" else _ATHENA.get(type_.id, type_.id)
    sizes = dict(type_.children) if kind == "decimal" else {}
    return {
        "CatalogName": "hive",
        "SchemaName": "",
        "TableName": "",
        "Name": name,
        "Label": name,
        "Type": kind,
        "Precision": sizes.get("precision", _PRECISION.get(kind, 0)),
        "Scale": sizes.get("scale", 0),
        "Nullable": "UNKNOWN",
        "CaseSensitive": kind == "varchar",
    }


def print_value(value: object) -> str:
    """Print a nested value as Athena does: `[a, null]`, `{key=value}` for a map and a row alike.

    >>> print_value([{"node_id": "a", "parent_id": None}, True, 1.5e10])
    '[{node_id=a, parent_id=null}, true, 1.5E10]'
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return _print_float(value)
        case Decimal():
            return f"{value:f}"
        case list() | tuple():
            return f"[{', '.join(map(print_value, value))}]"
        case Mapping():
            return f"{{{', '.join(f'{print_value(key)}={print_value(item)}' for key, item in value.items())}}}"
        case _:
            return _print_scalar(value)


def _print_scalar(value: object) -> str:
    match value:
        case datetime():
            zone = "" if value.tzinfo is None else " UTC"
            return f"{value:%Y-%m-%d %H:%M:%S}.{value.microsecond // 1000:03}{zone}"
        case date():
            return value.isoformat()
        case bytes():
            return value.hex(" ")
        case _:
            return str(value)


def _print_float(value: float) -> str:
    """Print a float as Java prints a double: with an exponent from 10 million on, and below a thousandth.

    >>> [_print_float(value) for value in (1.0, 1e7, 0.00012, -2.5e-9, float("inf"))]
    ['1.0', '1.0E7', '1.2E-4', '-2.5E-9', 'Infinity']
    """
    if value in (float("inf"), float("-inf")) or value != value:
        return str(value).replace("inf", "Infinity").replace("nan", "NaN")
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    mantissa, exponent = f"{Decimal(repr(value)):e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{int(exponent)}"

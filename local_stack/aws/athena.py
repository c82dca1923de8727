"""Athena: SELECTs, run by DuckDB over the Parquet files of the Glue catalog.

The SQL is not translated: it must be valid for both Trino and DuckDB. Names are as in Athena:
`records`, `"database"."records"`, `"awsdatacatalog"."database"."records"`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import duckdb

from local_stack.aws.athena_parameters import parse_parameters
from local_stack.aws.athena_query import AthenaQuery, AthenaResult, QueryFailed
from local_stack.aws.athena_types import column_info, duckdb_type, print_value, quote

_CATALOG = "awsdatacatalog"
_OPTIONS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "memory_limit": "1GB",
    "autoinstall_known_extensions": False,
}
# Trino's names of errors.
_MISTAKES = (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException, duckdb.InvalidInputException)


@dataclass(frozen=True)
class Partition:
    """A partition: the values of its keys, and its Parquet files."""

    values: Sequence[str]
    files: Sequence[str]


@dataclass(frozen=True)
class Table:
    """A table of Glue, with Hive's types of columns and partition keys."""

    database: str
    name: str
    columns: Sequence[tuple[str, str]]
    keys: Sequence[tuple[str, str]]
    partitions: Sequence[Partition]


class Catalog(Protocol):
    """A lookup of tables by name."""

    def tables(self, names: set[str]) -> list[Table]:
        """List the tables of every database with a lower-case name among these words."""


def run_query(query: AthenaQuery, catalog: Catalog) -> AthenaResult:
    """Run the query on a database of its own.

    Raises:
        QueryFailed: It is not a SELECT, or DuckDB does not accept it.
    """
    with duckdb.connect(":memory:", config=_OPTIONS) as connection:
        try:
            values = parse_parameters(query.parameters)
            _refuse_all_but_select(connection, query.sql)
            _make_views(connection, catalog.tables(_words(query.sql)), query.database)
            connection.execute(query.sql, values or None)
            rows = [[None if value is None else print_value(value) for value in row] for row in connection.fetchall()]
            return AthenaResult(column_info(connection), rows, _scanned_bytes(connection))
        except (duckdb.Error, ValueError) as error:
            raise QueryFailed(_reason(error)) from error


def _reason(error: Exception) -> str:
    kind = "SYNTAX_ERROR" if isinstance(error, (*_MISTAKES, ValueError)) else "GENERIC_INTERNAL_ERROR"
    return f"{kind}: {error}"


def _refuse_all_but_select(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    statements = connection.extract_statements(sql)
    if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
        raise ValueError("the local stack runs one SELECT")


def _words(sql: str) -> set[str]:
    """Split the text into words in lower case: the tables' names are among them."""
    return set(re.findall(r"\w+", sql.lower()))


def _make_views(connection: duckdb.DuckDBPyConnection, tables: Sequence[Table], database: str) -> None:
    """Make a view for each table, in a schema for each database; forbid all further reads and writes afterwards."""
    connection.execute(f"ATTACH ':memory:' AS {_CATALOG}")
    for name in {database.lower(), *(table.database for table in tables)}:
        connection.execute(f"CREATE SCHEMA {_CATALOG}.{quote(name)}")
        if duckdb.__version__ < "2":  # as on Python 3.10: its cardinality takes maps alone, Trino's also arrays
            connection.execute(f"CREATE MACRO {_CATALOG}.{quote(name)}.cardinality(list) AS len(list)")
    for table in tables:
        connection.execute(_view(table))
    files = [file for table in tables for partition in table.partitions for file in partition.files]
    connection.execute("SET allowed_paths = $files", {"files": files})
    connection.execute("SET enable_external_access = false")
    connection.execute(f"USE {_CATALOG}.{quote(database.lower())}")
    connection.execute("PRAGMA enable_profiling = 'no_output'")


def _view(table: Table) -> str:
    """Write a view with Glue's columns and types: null for a column missing in files, no columns unknown to Glue."""
    typed = [(quote(name), duckdb_type(hive)) for name, hive in [*table.columns, *table.keys]]
    nothing = ", ".join(f"CAST(NULL AS {type_}) AS {name}" for name, type_ in typed)
    parts = [
        f"SELECT {nothing} WHERE false",
        *(_part(table, partition) for partition in table.partitions if partition.files),
    ]
    columns = ", ".join(f"CAST({name} AS {type_}) AS {name}" for name, type_ in typed)
    name = f"{_CATALOG}.{quote(table.database)}.{quote(table.name)}"
    return f"CREATE VIEW {name} AS SELECT {columns} FROM ({' UNION ALL BY NAME '.join(parts)})"  # noqa: S608 - names are quoted


def _part(table: Table, partition: Partition) -> str:
    keys = [f", {_text(value)} AS {quote(key)}" for (key, _), value in zip(table.keys, partition.values, strict=True)]
    files = ", ".join(map(_text, partition.files))
    return f"SELECT *{''.join(keys)} FROM read_parquet([{files}], union_by_name = true, hive_partitioning = false)"  # noqa: S608 - texts are quoted


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _scanned_bytes(connection: duckdb.DuckDBPyConnection) -> int:
    profile = json.loads(connection.get_profiling_information(format="json"))
    return int(profile.get("io", profile)["total_bytes_read"])  # DuckDB 1 has no "io"

"""Athena: SELECTs, answered by DuckDB from the Parquet files that the Glue catalog says are there.

The SQL is not translated: what is asked must be what Trino and DuckDB both read. Names are as Athena has them:
`records`, `"database"."records"`, `"awsdatacatalog"."database"."records"`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import duckdb

from local.athena_parameters import parse_parameters
from local.athena_questions import Answer, Interrupt, QueryFailed, Question
from local.athena_types import column_info, duckdb_type, printed, quoted

_CATALOG = "awsdatacatalog"
_OPTIONS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "memory_limit": "1GB",
    "autoinstall_known_extensions": False,
}
# Trino's names for what went wrong.
_MISTAKES = (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException, duckdb.InvalidInputException)


@dataclass(frozen=True)
class Partition:
    """The values of the partition keys, and the Parquet files."""

    values: Sequence[str]
    files: Sequence[str]


@dataclass(frozen=True)
class Table:
    """A table of Glue; types are Hive's, of the columns and of the partition keys."""

    database: str
    name: str
    columns: Sequence[tuple[str, str]]
    keys: Sequence[tuple[str, str]]
    partitions: Sequence[Partition]


class Catalog(Protocol):
    """Where tables are looked up."""

    def tables(self, names: set[str]) -> list[Table]:
        """Those of every database whose name, in lower case, is among these words."""


def answer(question: Question, catalog: Catalog, interrupt: Interrupt) -> Answer:
    """Run the query on a database of its own.

    Raises:
        QueryFailed: It is no SELECT, or DuckDB does not take it; also if it was interrupted.
    """
    with duckdb.connect(":memory:", config=_OPTIONS) as connection:
        try:
            values = parse_parameters(question.parameters)
            _refuse_all_but_select(connection, question.sql)
            _make_views(connection, catalog.tables(_words(question.sql)), question.database)
            interrupt.by(connection.interrupt)
            connection.execute(question.sql, values or None)
            rows = [[None if value is None else printed(value) for value in row] for row in connection.fetchall()]
            return Answer(column_info(connection), rows, _scanned_bytes(connection))
        except (duckdb.Error, ValueError) as error:
            raise QueryFailed(_reason(error)) from error
        finally:
            interrupt.by(None)


def _reason(error: Exception) -> str:
    kind = "SYNTAX_ERROR" if isinstance(error, (*_MISTAKES, ValueError)) else "GENERIC_INTERNAL_ERROR"
    return f"{kind}: {error}"


def _refuse_all_but_select(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    statements = connection.extract_statements(sql)
    if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
        raise ValueError("the local stack answers one SELECT")


def _words(sql: str) -> set[str]:
    """Every word of the text, in lower case: the names of the tables are among them."""
    return set(re.findall(r"\w+", sql.lower()))


def _make_views(connection: duckdb.DuckDBPyConnection, tables: Sequence[Table], database: str) -> None:
    """A view for each table, in a schema for each database; nothing else is to be read or written any more."""
    connection.execute(f"ATTACH ':memory:' AS {_CATALOG}")
    for name in {database.lower(), *(table.database for table in tables)}:
        connection.execute(f"CREATE SCHEMA {_CATALOG}.{quoted(name)}")
    for table in tables:
        connection.execute(_view(table))
    files = [file for table in tables for partition in table.partitions for file in partition.files]
    connection.execute("SET allowed_paths = $files", {"files": files})
    connection.execute("SET enable_external_access = false")
    connection.execute(f"USE {_CATALOG}.{quoted(database.lower())}")
    connection.execute("PRAGMA enable_profiling = 'no_output'")


def _view(table: Table) -> str:
    """Columns and types as Glue has them, whatever files have: what they lack is null, what they add is left out."""
    typed = [(quoted(name), duckdb_type(hive)) for name, hive in [*table.columns, *table.keys]]
    nothing = ", ".join(f"CAST(NULL AS {type_}) AS {name}" for name, type_ in typed)
    parts = [f"SELECT {nothing} WHERE false", *(_part(table, one) for one in table.partitions if one.files)]
    columns = ", ".join(f"CAST({name} AS {type_}) AS {name}" for name, type_ in typed)
    name = f"{_CATALOG}.{quoted(table.database)}.{quoted(table.name)}"
    return f"CREATE VIEW {name} AS SELECT {columns} FROM ({' UNION ALL BY NAME '.join(parts)})"  # noqa: S608 - names are quoted


def _part(table: Table, partition: Partition) -> str:
    keys = [f", {_text(value)} AS {quoted(key)}" for (key, _), value in zip(table.keys, partition.values, strict=True)]
    files = ", ".join(map(_text, partition.files))
    return f"SELECT *{''.join(keys)} FROM read_parquet([{files}], union_by_name = true, hive_partitioning = false)"  # noqa: S608 - texts are quoted


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _scanned_bytes(connection: duckdb.DuckDBPyConnection) -> int:
    return int(json.loads(connection.get_profiling_information(format="json"))["io"]["total_bytes_read"])

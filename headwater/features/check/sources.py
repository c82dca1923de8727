"""Sources of a checked job besides files: tables of databases become folders, other sources are refused unread.

The folder of a table has the name of its dataset, `postgres://db:5432/shop.public.orders`: capture names it likewise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from pyspark.sql import SparkSession
from pyspark.sql.readwriter import DataFrameReader, DataFrameWriter, DataFrameWriterV2
from pyspark.sql.streaming.readwriter import DataStreamReader

from spark_client.capturing.databases.jdbc import find_table

_FILES = ("avro", "binaryfile", "csv", "delta", "hive", "iceberg", "json", "orc", "parquet", "text", "xml")
_CREATES = re.compile(r"\s*(?:CREATE|REPLACE)\b.*?\bUSING\s+`?([\w.]+)", re.IGNORECASE | re.DOTALL)


def install() -> None:
    """Replace the reads and writes of databases, and refuse sources that are neither files nor databases."""
    for owner in (DataFrameReader, DataFrameWriter):
        for name in ("format", "option", "options"):
            setattr(owner, name, _noted(getattr(owner, name)))
    _replace(DataFrameReader, "load", _use)
    _replace(DataFrameWriter, "save", _use)
    _replace(DataFrameWriter, "saveAsTable", _use)
    _replace(DataFrameReader, "jdbc", lambda _, reader, url, table, *__, **___: reader.parquet(_folder(url, table)))
    _replace(
        DataFrameWriter,
        "jdbc",
        lambda _, writer, url, table, mode=None, *__, **___: writer.parquet(_folder(url, table), mode),
    )
    _replace(DataFrameWriterV2, "using", _using)
    _replace(SparkSession, "sql", _sql)
    for name in ("csv", "json", "load", "orc", "parquet", "table", "text"):
        _replace(DataStreamReader, name, _refuse_stream)


def _replace(owner: type, name: str, function: Callable[..., Any]) -> None:
    method = getattr(owner, name)
    setattr(owner, name, wraps(method)(lambda *arguments, **options: function(method, *arguments, **options)))


def _noted(method: Callable[..., Any]) -> Callable[..., Any]:
    """Remember the format and the options of a reader or writer, by names in lower case: Spark has no getter."""

    @wraps(method)
    def note(side: Any, *values: Any, **options: Any) -> Any:
        first, second, *_ = (*values, *options.values(), None, None)
        given = {"format": {"format": first}, "option": {first: second}}.get(method.__name__, options)
        _notes(side).update({str(name).lower(): value for name, value in given.items()})
        return method(side, *values, **options)

    return note


def _notes(side: Any) -> dict[str, Any]:
    notes: dict[str, Any] = vars(side).setdefault("_headwater_notes", {})
    return notes


def _use(method: Callable[..., Any], side: Any, *arguments: Any, **options: Any) -> Any:
    """Load or save: of a database's table, the files in its folder."""
    folder, mode = _table_of(side, arguments, options), {name: options[name] for name in ("mode",) if name in options}
    return side.parquet(folder, **mode) if folder else method(side, *arguments, **options)


def _using(using: Callable[..., Any], writer: Any, provider: str) -> Any:
    _check(provider)
    return using(writer, provider)


def _sql(sql: Callable[..., Any], session: Any, text: str, *rest: Any, **options: Any) -> Any:
    if created := _CREATES.match(text):
        _check(created[1])
    return sql(session, text, *rest, **options)


def _refuse_stream(*_: Any, **__: Any) -> Any:
    raise SystemExit("headwater check: readStream: must be a batch read; streams are not checked")


def _table_of(side: Any, arguments: Sequence[Any], options: Mapping[str, Any]) -> str | None:
    """Name the folder of a database's table; None for files. The second argument may be the format."""
    given = {"format": arguments[1]} if len(arguments) > 1 else {}
    notes = {"format": "parquet", **_notes(side), **given, **options}
    if str(notes["format"]).lower() != "jdbc":
        _check(str(notes["format"]))
        return None
    if "query" in notes:
        raise SystemExit("headwater check: query: must be a table (dbtable), to be read empty")
    return _folder(str(notes.get("url")), str(notes.get("dbtable")))


def _check(form: str) -> None:
    if form.lower() not in _FILES:
        raise SystemExit(f"headwater check: format {form}: must be of files or jdbc: others are read from elsewhere")


def _folder(url: str, table: str) -> str:
    if not re.fullmatch(r"[\w.\"`$ -]+", table):
        raise SystemExit(f"headwater check: dbtable: must be a table's name, to be read empty, got {table!r}")
    dataset = find_table(url, table)
    if dataset is None or not urlsplit(dataset.namespace).netloc:
        raise SystemExit("headwater check: url: must be of a database known to capture, to be read empty")
    scheme = urlsplit(dataset.namespace).scheme
    session = SparkSession.getActiveSession()
    if session is not None:
        settings = session.sparkContext._jsc.hadoopConfiguration()
        settings.set(f"fs.{scheme}.impl", "headwater.check.SandboxFiles$Raw")
    return f"{dataset.namespace}/{dataset.name}"

"""Queries of the flights' story, and what reads their plans without a server of Spark Connect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import dedent

from headwater_model.columns import ColumnSource
from headwater_model.ids import DatasetId
from spark_client.capturing.connect.columns.lineage import columns_of
from spark_client.capturing.connect.columns.queries import parse_analyzed, read_query
from spark_client.capturing.connect.columns.query_leaves import PlanReads, QueryLeaves
from spark_client.capturing.connect.literal_risks import risks_of
from spark_client.capturing.connect.reads import Read, TableRead
from spark_client.capturing.connect.snapshots import Column, Snapshot
from spark_client.capturing.model import Dataset, SchemaField, Write
from spark_client.capturing.plans.values import IDENTITY, Dependency, Value
from tests.spark.capture.specification import lines_of

_TEXT, _INT = "string", "integer"
_PHONE = SchemaField("phone", "struct", (SchemaField("home", _TEXT), SchemaField("work", _TEXT)))
TABLES = {
    "flights": [
        *(SchemaField(name, _TEXT) for name in ("carrier", "tailnum", "origin", "dest")),
        *(SchemaField(name, _INT) for name in ("flight", "distance")),
        SchemaField("air_time", "double"),
    ],
    "planes": [SchemaField("tailnum", _TEXT), SchemaField("seats", _INT), SchemaField("model", _TEXT)],
    "crews": [
        SchemaField("flight", _INT),
        SchemaField("contact", "struct", (SchemaField("email", _TEXT), _PHONE)),
        SchemaField("employees", "array<struct>", (SchemaField("name", _TEXT), SchemaField("role", _TEXT))),
        SchemaField("tags", "map<string,string>"),
    ],
}


def a_table(name: str) -> Snapshot:
    """Return a table's columns, as a source has them."""
    dataset = DatasetId("file", f"/lake/{name}")
    columns = tuple(Column(field.name, "", field) for field in TABLES[name])
    sources = (ColumnSource(dataset, (field.name,)) for field in TABLES[name])
    return Snapshot(columns, tuple(Value(frozenset({Dependency(source, IDENTITY)})) for source in sources))


def _lines(snapshot: Snapshot) -> list[str]:
    columns, unknown = columns_of(snapshot, (), "new")
    output = Dataset(DatasetId("file", "/lake/out"))
    inputs = {source.dataset for sources in columns.fields.values() for source in sources}
    inputs |= {source.dataset for source in columns.dataset_level}
    write = Write(0, "", 0, 0, tuple(map(Dataset, inputs)), output=output, columns=columns, unknown=unknown)
    return lines_of([write])


class OfflineTables:
    """Tables and temporary views of a session, by name, without a server."""

    def __init__(self, views: Mapping[str, Snapshot]) -> None:
        self._views = views

    def of_read(self, read: Read, names: Sequence[str]) -> Snapshot:
        """Return a table's columns."""
        del names
        assert isinstance(read, TableRead)
        return a_table(read.name[-1])

    def full_name(self, read: TableRead) -> tuple[str, ...]:
        """Return the name in the only database."""
        return ("spark_catalog", "default", *read.name[-1:])

    def temporary(self, name: tuple[str, ...]) -> Snapshot | None:
        """Return the columns of a view."""
        return self._views.get(name[-1])


def lines_of_text(
    sql: str, analyzed: str, tables: Sequence[str], views: Mapping[str, Snapshot] | None = None
) -> list[str]:
    """Return the lines of a query by its analyzed plan as Spark prints it; `tables` are those in the parsed plan."""
    leaves = QueryLeaves(OfflineTables(views or {}), PlanReads([TableRead((name,)) for name in tables]))
    root = parse_analyzed(f"== Analyzed Logical Plan ==\n{dedent(analyzed).strip()}\n\n== Optimized Logical Plan ==\n")
    return _lines(read_query(root, risks_of(sql), leaves, {}))

"""The names of columns that facts bring along, for the catalogue that searches look through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lineage.graph.catalogue import COLUMNS, change
from lineage.graph.facts import DatasetFacts, IdText, text_of
from lineage.graph.table import Row
from lineage_model.columns import ColumnLineage
from lineage_model.field_paths import parse_dotted, print_dotted
from lineage_model.ids import DatasetId, FieldPath

# Fields within fields that are named: a schema is what its producer sent.
_DEPTH_MAX = 50


def schema_columns(name: IdText, old: DatasetFacts | None, new: DatasetFacts) -> Iterator[Row]:
    """Return the row of the columns in the schemas of a dataset that the old facts did not have."""
    known, told = (_schemas(facts) if facts else {} for facts in (old, new))
    columns = {path for content in told.keys() - known.keys() for path in _paths(told[content])}
    if columns:
        yield _row(name, columns)


def _schemas(facts: DatasetFacts) -> Mapping[str, Mapping[str, Any]]:
    """Return the schemas that were read, written or declared, by content."""
    every = (facts.facets, facts.written_schemas, facts.read_schemas)
    return {content: body for some in every for content, (_, _, body) in some.get("schema", {}).items()}


def reported_column_rows(told: Mapping[DatasetId, ColumnLineage]) -> Iterator[Row]:
    """Return the rows of the columns that column lineage names, those made as well as those that they are made of."""
    found: dict[DatasetId, set[FieldPath]] = {}
    for dataset, columns in told.items():
        found.setdefault(dataset, set()).update(columns.fields)
        every = {id(sources): sources for sources in (columns.dataset_level, *columns.fields.values())}
        for source in (source for sources in every.values() for source in sources if source.field):
            found.setdefault(source.dataset, set()).add(source.field or ())
    return (_row(text_of(dataset), paths) for dataset, paths in sorted(found.items()) if paths)


def _row(name: IdText, paths: Iterable[FieldPath]) -> Row:
    return change(COLUMNS, name, map(print_dotted, paths))


def _paths(schema: Mapping[str, Any]) -> Iterator[FieldPath]:
    """Return every field of a schema facet, nested ones by their path."""
    level: list[tuple[FieldPath, object]] = [((), schema.get("fields"))]
    for _ in range(_DEPTH_MAX):
        level = [inner for outer, fields in level for inner in _fields(outer, fields)]
        yield from (path for path, _ in level)


def _fields(outer: FieldPath, fields: object) -> Iterator[tuple[FieldPath, object]]:
    known: Sequence[object] = fields if isinstance(fields, list) else ()
    for field in known:
        if isinstance(field, dict):
            yield (*outer, *parse_dotted(str(field.get("name")))), field.get("fields")

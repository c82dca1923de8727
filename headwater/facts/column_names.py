"""The names of columns that facts add, for the index that searches read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from headwater.facts.facts import DatasetFacts, IdText, text_of
from headwater.facts.table import Row
from headwater.facts.words import column_rows
from headwater_model.columns import ColumnLineage
from headwater_model.field_paths import parse_dotted, print_dotted
from headwater_model.ids import DatasetId, FieldPath

# Bounds nested fields: a schema is as its producer sent it.
_DEPTH_MAX = 50


def schema_columns(name: IdText, old: DatasetFacts | None, new: DatasetFacts) -> Iterator[Row]:
    """Yield the rows of the columns in schemas of a dataset that the old facts lack."""
    known, added = (_schemas(facts) if facts else {} for facts in (old, new))
    if new.temporary or added.keys() <= known.keys():
        return
    columns = {path for content in added.keys() - known.keys() for path in _paths(added[content])}
    stored = {path for schema in known.values() for path in _paths(schema)}
    yield from column_rows(name, map(print_dotted, columns - stored))


def _schemas(facts: DatasetFacts) -> Mapping[str, Mapping[str, Any]]:
    """Return the schemas that were read, written or declared, by content."""
    histories = (facts.facets, facts.written_schemas, facts.read_schemas)
    return {content: body for facets in histories for content, (_, _, body) in facets.get("schema", {}).items()}


def reported_columns(
    reported: Mapping[DatasetId, ColumnLineage], *, but: Set[DatasetId] = frozenset()
) -> dict[IdText, list[str]]:
    """Return the columns that column lineage names, outputs and sources alike, by dataset; of `but`, none."""
    paths_of: dict[DatasetId, set[FieldPath]] = {}
    for dataset, columns in reported.items():
        paths_of.setdefault(dataset, set()).update(columns.fields)
        distinct = {id(sources): sources for sources in (columns.dataset_level, *columns.fields.values())}
        for source in (source for sources in distinct.values() for source in sources if source.field):
            paths_of.setdefault(source.dataset, set()).add(source.field or ())
    return {
        text_of(dataset): sorted(map(print_dotted, paths))
        for dataset, paths in sorted(paths_of.items())
        if paths and dataset not in but
    }


def _paths(schema: Mapping[str, Any]) -> Iterator[FieldPath]:
    """Yield the path of each field of a schema facet, nested fields included."""
    level: list[tuple[FieldPath, object]] = [((), schema.get("fields"))]
    for _ in range(_DEPTH_MAX):
        level = [inner for outer, fields in level for inner in _fields(outer, fields)]
        yield from (path for path, _ in level)


def _fields(outer: FieldPath, fields: object) -> Iterator[tuple[FieldPath, object]]:
    listed: Sequence[object] = fields if isinstance(fields, list) else ()
    for field in listed:
        if isinstance(field, dict):
            yield (*outer, *parse_dotted(str(field.get("name")))), field.get("fields")

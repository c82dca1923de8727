"""Descriptions of datasets in Marquez's terms, by their facets, now or at a time, with the schema in force.

The schema in force is the latest among existing versions (runs that completed or stream, by their order) and Job- and
DatasetEvents (by their time). Without such a schema, the last schema written by a failed or unfinished run counts,
then the last schema read. A deleted schema (`_deleted`) leaves only read schemas.

A dataset with a single schema ever, as most datasets have, costs no request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypedDict

from headwater.events.event import Facets
from headwater.facts.annotations import annotations_of
from headwater.facts.assertions import count_assertions
from headwater.facts.facts import NO_PARENT, DatasetFacts, facets_of, is_dropped, present, text_of
from headwater.facts.lattice import HISTORY, History, latest
from headwater.facts.run_facts import text_in
from headwater.queries.results.entities import Dataset
from headwater.queries.view.names import ResolvedDataset
from headwater.queries.view.rows import GraphRows
from headwater.queries.view.written_versions import VersionQuery, WrittenVersion, newest_written
from headwater_model.field_paths import parse_dotted
from headwater_model.ids import FieldPath

_STREAMS = frozenset({"TOPIC", "STREAM"})
# Levels of nested fields to read: a producer may send a struct that holds itself.
_DEPTH_MAX = 50
# A path, and the fields inside it.
_Level: TypeAlias = tuple[FieldPath, Sequence[Mapping[str, Any]]]
_SCHEMA = "schema"
# Reads of a dataset's versions, of four rows and then of a hundred, in search of a version with a schema.
_READS_MAX = 3


class Description(TypedDict):
    """The properties of a dataset, or of a version of it, given by facets."""

    type: str
    source_name: str
    fields: Sequence[Mapping[str, Any]]
    description: str | None
    lifecycle: str | None


def describe(facets: Facets) -> Description:
    """Collect the type, source, fields, description and last lifecycle change in the facets."""
    return Description(
        type="STREAM" if facets.get("datasetType", {}).get("datasetType") in _STREAMS else "DB_TABLE",
        source_name=text_in(facets.get("dataSource", {}), "name") or "default",
        fields=fields_of(facets),
        description=text_in(facets.get("documentation", {}), "description"),
        lifecycle=text_in(facets.get("lifecycleStateChange", {}), "lifecycleStateChange"),
    )


def fields_of(facets: Facets) -> Sequence[Mapping[str, Any]]:
    """List the fields of the schema facet, as they were sent."""
    fields = facets.get("schema", {}).get("fields")
    return [field for field in fields if isinstance(field, dict)] if isinstance(fields, list) else []


def is_temporary(facts: DatasetFacts) -> bool:
    """True if the dataset is private storage: by its name (`temporary`), or dropped by its single parent run, too."""
    if facts.temporary:
        return True
    return is_dropped(facts) and len(facts.parent_runs) == 1 and NO_PARENT not in facts.parent_runs


def dataset_of_group(group: ResolvedDataset, facets: Facets, *, hidden: bool = False, **more: Any) -> Dataset:
    """Make the dataset of a group with its current facets; `more` are fields from its versions."""
    described = describe(facets)
    return Dataset(
        id=group.primary,
        created=group.facts.first or group.facts.named_first or "",
        updated=group.facts.last or max(group.facts.named_at, default=""),
        physical_name=group.primary.name,
        **described,
        facets=facets,
        deleted=hidden or is_dropped(group.facts),
        temporary=is_temporary(group.facts),
        annotations=annotations_of(group.facts),
        assertions=count_assertions(group.facts.assertions),
        **more,
    )


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a dataset with their places from 1, and the type of every field in them.

    Not `known` if no facet lists columns.
    """

    columns: Mapping[FieldPath, int]
    types: Mapping[FieldPath, str | None]

    @property
    def known(self) -> bool:
        """True if a facet lists the columns."""
        return bool(self.columns)


NO_SCHEMA = Schema({}, {})


def schema_of(facets: Facets) -> Schema:
    """Parse the schema of a dataset's facets.

    >>> schema_of({"schema": {"fields": [{"name": "plane", "type": "struct", "fields": [{"name": "seats"}]}]}}).types
    {('plane',): 'struct', ('plane', 'seats'): None}
    """
    types: dict[FieldPath, str | None] = {}
    fields = fields_of(facets)
    columns = dict.fromkeys(parse_dotted(str(field.get("name"))) for field in fields)
    level: list[_Level] = [((), fields)]
    for _ in range(_DEPTH_MAX):
        level = [inner for outer, fields in level for inner in _described(outer, fields, types)]
        if not level:
            break
    return Schema({path: place for place, path in enumerate(columns, 1)}, types)


def described_fields(facts: DatasetFacts) -> set[FieldPath]:
    """Collect the fields of the latest hundred schemas of the dataset's writers, and of its declarations."""
    histories = (facts.written_schemas.get(_SCHEMA, {}), facts.facets.get(_SCHEMA, {}))
    bodies = [body for history in histories for _, _, body in history.values()]
    return {path for body in bodies for path in schema_of({_SCHEMA: body}).types}


def descriptions_in(facets: Facets) -> Mapping[FieldPath, str]:
    """Map the fields of the schema facet, nested too, to their descriptions: `{("plane", "seats"): "without crew"}`."""
    descriptions: dict[FieldPath, str] = {}
    level: list[_Level] = [((), fields_of(facets))]
    for _ in range(_DEPTH_MAX):
        for outer, fields in level:
            for field in fields:
                if text := text_in(field, "description"):
                    descriptions.setdefault((*outer, *parse_dotted(str(field.get("name")))), text)
        level = [inner for outer, fields in level for inner in _described(outer, fields, {})]
    return descriptions


def _described(
    outer: FieldPath, fields: Sequence[Mapping[str, Any]], types: dict[FieldPath, str | None]
) -> list[_Level]:
    inner: list[_Level] = []
    for field in fields:
        # In OpenLineage, the name of a nested field is always a path.
        path = (*outer, *parse_dotted(str(field.get("name"))))
        kind = field.get("type")
        types.setdefault(path, kind if isinstance(kind, str) else None)
        nested = field.get("fields")
        if isinstance(nested, list) and nested:
            inner.append((path, [child for child in nested if isinstance(child, dict)]))
    return inner


class _Schema(NamedTuple):
    """A schema facet: the position of its sender among the versions, and its body."""

    position: tuple[str, str]
    body: Any


def _position(schema: _Schema) -> tuple[str, str]:
    return schema.position


def read_facets(groups: Sequence[ResolvedDataset], rows: GraphRows) -> list[Facets]:
    """Read each dataset's facets, `{"schema": ...}`, as of a time; at most nine requests for a dataset."""
    doubtful = [number for number, group in enumerate(groups) if is_doubtful(group.facts)]
    written = _last_written([groups[number] for number in doubtful], rows)
    # The last declared schema, else the last sent by a run with an output.
    schemas = [_declared(group.facts) or _last(group.facts.written_schemas.get(_SCHEMA, {})) for group in groups]
    for number, schema in zip(doubtful, written, strict=True):
        declared = _declared(groups[number].facts)
        schemas[number] = max(filter(None, (schema, declared)), key=_position, default=schemas[number])
    return [_with_schema(group.facts, schema) for group, schema in zip(groups, schemas, strict=True)]


def is_doubtful(facts: DatasetFacts) -> bool:
    """True if runs sent several schemas: versions must be read to choose among them."""
    written = facts.written_schemas.get(_SCHEMA, {})
    declared = _declared(facts)
    return len(written) > 1 or bool(
        written and declared and declared.body not in [body for _, _, body in written.values()]
    )


def _declared(facts: DatasetFacts) -> _Schema | None:
    return _last(facts.facets.get(_SCHEMA, {}))


def _last(history: History) -> _Schema | None:
    entry = latest(history)
    if entry is None:
        return None
    time, _, event = entry[0].partition("#")
    return _Schema((time, event), entry[1])


def _with_schema(facts: DatasetFacts, schema: _Schema | None) -> Facets:
    """Insert the schema into the facets; if it is None or deleted, insert the last read schema."""
    others = {name: history for name, history in facts.facets.items() if name != _SCHEMA}
    sent = facets_of({**facts.read_schemas, **others})
    return present({**sent, **(present({_SCHEMA: schema.body}) if schema else {})})


def _last_written(groups: Sequence[ResolvedDataset], rows: GraphRows) -> list[_Schema | None]:
    """Find the schema of each dataset's last version with a schema; streams count at their last event."""
    queries = [
        VersionQuery(group, prefix, rows.at or "~", accept=lambda version, group=group: _is_decisive(version, group))  # type: ignore[misc]
        for group in groups
        for prefix in ("VERSION", "ACTIVE")
    ]
    versions = newest_written(queries, rows, reads_max=_READS_MAX) if queries else []
    completed, streamed = versions[::2], versions[1::2]
    return [
        max((_schema_of(version, group) for version in (first, second) if version), key=_position, default=None)
        for group, first, second in zip(groups, completed, streamed, strict=True)
    ]


def _is_decisive(version: WrittenVersion, group: ResolvedDataset) -> bool:
    return version.counts and bool(_history(version, group))


def _schema_of(version: WrittenVersion, group: ResolvedDataset) -> _Schema:
    last = _last(_history(version, group))
    return _Schema(version.order, last.body if last else None)


def _history(version: WrittenVersion, group: ResolvedDataset) -> History:
    """Join the schemas sent by a run with its output, under any of the dataset's names."""
    merged: History = {}
    for name in group.names:
        sent = version.facts.written_facets.get(text_of(name), {}).get(_SCHEMA, {})
        merged = HISTORY.join(merged, sent) if merged and sent else merged or sent
    return merged

"""Facets of datasets, now or at a time, with the schema that is in force.

This is the latest schema among existing versions (runs that completed or stream, by their order) and Job- and
DatasetEvents (by their time). Without one, the last schema that a failed or unfinished run wrote counts, then the last
that was read. A deleted schema (`_deleted`) leaves only schemas that were read.

A dataset that always had one schema, as most have, costs no request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from headwater.events.event import Facets
from headwater.facts.facts import DatasetFacts, facets_of, present, text_of
from headwater.facts.lattice import HISTORY, History, latest
from headwater.facts.run_facts import failed
from headwater.queries.resolve import ResolvedDataset
from headwater.queries.view import GraphView
from headwater.queries.written_versions import VersionQuery, WrittenVersion, newest_written

_SCHEMA = "schema"
# Reads of a dataset's versions, of four rows and then of a hundred, in search of a version with a schema.
_READS_MAX = 3


class _Schema(NamedTuple):
    """A schema facet: the position of its sender among the versions, and its body."""

    position: tuple[str, str]
    body: Any


def _position(schema: _Schema) -> tuple[str, str]:
    return schema.position


def read_facets(groups: Sequence[ResolvedDataset], view: GraphView) -> list[Facets]:
    """Return the facets of each dataset, as of a time if its group is; at most nine requests for one."""
    doubtful = [number for number, group in enumerate(groups) if is_doubtful(group.facts)]
    written = _last_written([groups[number] for number in doubtful], view)
    schemas = [_last_sent(group.facts) for group in groups]
    for number, schema in zip(doubtful, written, strict=True):
        declared = _declared(groups[number].facts)
        schemas[number] = max(filter(None, (schema, declared)), key=_position, default=schemas[number])
    return [_with_schema(group.facts, schema) for group, schema in zip(groups, schemas, strict=True)]


def is_doubtful(facts: DatasetFacts) -> bool:
    """True if runs sent several schemas, so that versions must be read to choose one."""
    written = facts.written_schemas.get(_SCHEMA, {})
    declared = _declared(facts)
    return len(written) > 1 or bool(written and declared and declared.body not in _bodies(written))


def _bodies(history: History) -> list[Any]:
    return [body for _, _, body in history.values()]


def _last_sent(facts: DatasetFacts) -> _Schema | None:
    """Return the schema that was declared last, else the last that a run sent with an output."""
    return _declared(facts) or _last(facts.written_schemas.get(_SCHEMA, {}))


def _declared(facts: DatasetFacts) -> _Schema | None:
    return _last(facts.facets.get(_SCHEMA, {}))


def _last(history: History) -> _Schema | None:
    entry = latest(history)
    if entry is None:
        return None
    time, _, event = entry[0].partition("#")
    return _Schema((time, event), entry[1])


def _with_schema(facts: DatasetFacts, schema: _Schema | None) -> Facets:
    """Return the facets with this schema; if it is None or deleted, with the schema that was read last."""
    read = facets_of(facts.read_schemas)
    others = {name: body for name, body in facets_of(facts.facets).items() if name != _SCHEMA}
    return present({**read, **others, **(present({_SCHEMA: schema.body}) if schema else {})})


def _last_written(groups: Sequence[ResolvedDataset], view: GraphView) -> list[_Schema | None]:
    """Return the schema of each dataset's last version that has a schema; streams count at their last event."""
    queries = [
        VersionQuery(group, prefix, view.at or "~", accept=lambda version, group=group: _is_decisive(version, group))  # type: ignore[misc]
        for group in groups
        for prefix in ("VERSION", "ACTIVE")
    ]
    versions = newest_written(queries, view, reads_max=_READS_MAX) if queries else []
    completed, streamed = versions[::2], versions[1::2]
    return [
        max((_schema_of(version, group) for version in (first, second) if version), key=_position, default=None)
        for group, first, second in zip(groups, completed, streamed, strict=True)
    ]


def _is_decisive(version: WrittenVersion, group: ResolvedDataset) -> bool:
    return not failed(version.facts) and bool(_history(version, group))


def _schema_of(version: WrittenVersion, group: ResolvedDataset) -> _Schema:
    entry = latest(_history(version, group))
    return _Schema(version.order, entry[1] if entry else None)


def _history(version: WrittenVersion, group: ResolvedDataset) -> History:
    """Return the schemas that a run sent with its output, under any of the dataset's names."""
    merged: History = {}
    for name in group.names:
        sent = version.facts.written_facets.get(text_of(name), {}).get(_SCHEMA, {})
        merged = HISTORY.join(merged, sent) if merged and sent else merged or sent
    return merged

"""The versions of a dataset: made by runs that wrote it, by DatasetEvents that changed its schema; the initial one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from lineage.graph.entities import DatasetVersion
from lineage.graph.facts import RunFacts, merged_facets, present
from lineage.graph.index_scan import IndexScan, advance, end_of, read_run_facts, time_of
from lineage.graph.job_nodes import summarize_run
from lineage.graph.keys import dataset_pk
from lineage.graph.run_facts import dataset_version_id, failed
from lineage.graph.table import GraphTable, Row
from lineage.openlineage.event import Facets
from lineage.queries.dataset_groups import DatasetGroup
from lineage.queries.descriptions import describe, fields_of
from lineage.queries.written_versions import WrittenVersion, confirmed_version, last_streamed, version_by
from lineage_model.ids import DatasetId, RunKey

# Versions of one dataset that are looked at.
VERSIONS_MAX = 500
# The newest will mostly do. Each page begins with the last row of the one before: all together are `VERSIONS_MAX`.
_PAGES = (1, 8, VERSIONS_MAX - 7)


@dataclass(frozen=True, slots=True)
class KnownVersion:
    """A version: `made_by` is its run (as text), the hash of its DatasetEvent, or empty for the initial one."""

    created: str
    made_by: str
    name: DatasetId
    facets: Facets
    written: WrittenVersion | None = None
    by_event: bool = False

    @property
    def id(self) -> str:
        """Its id."""
        return self.written.version if self.written else dataset_version_id(self.name, self.made_by)

    @property
    def order(self) -> tuple[str, str]:
        """Where it stands among the dataset's versions."""
        return self.created, self.made_by

    @property
    def standing(self) -> tuple[str, str]:
        """Its place among those that may be current."""
        return self.written.standing if self.written else self.order

    @property
    def run(self) -> RunKey | None:
        """The run that made it."""
        return self.written.run if self.written else None

    @property
    def failed(self) -> bool:
        """Whether its run did not complete."""
        return self.written is not None and failed(self.written.facts)


@dataclass(frozen=True, slots=True)
class VersionPage:
    """The newest versions of a dataset, newest first; `cut` if older ones were not looked at."""

    versions: Sequence[KnownVersion]
    cut: bool

    def newest(self, accept: Callable[[KnownVersion], bool]) -> KnownVersion | None:
        """The newest that is accepted."""
        return next(filter(accept, self.versions), None)


class _VersionScan:
    """The versions of a dataset that were made at a time (`end`) or before, as far as their rows were read.

    As they were at another time, if the group is.
    """

    def __init__(self, group: DatasetGroup, end: str, at: str | None = None) -> None:
        self._group, self._end, self._at = group, end, at
        self._scans = [scan for name in group.names for scan in self._scans_of(name)]

    def _scans_of(self, name: DatasetId) -> Iterator[IndexScan[KnownVersion]]:
        pk, high = dataset_pk(name), f"{self._end}#~"
        if self._group.facts.first_written:
            yield from (
                IndexScan(pk, prefix, partial(self._by_run, name), high=high) for prefix in ("VERSION", "FAILED")
            )
        if self._group.facts.first_described:
            yield IndexScan(pk, "EVENT", partial(self._by_event, name), high=high, needs_facts=lambda _: False)

    def _by_run(self, name: DatasetId, row: Row, facts: RunFacts) -> KnownVersion | None:
        one = confirmed_version(row, facts, name, self._group)
        return _of_run(one, self._group) if one and row.sk.startswith("FAILED#") == failed(facts) else None

    def _by_event(self, name: DatasetId, row: Row, _: RunFacts) -> KnownVersion | None:
        if self._at is not None and time_of(row) >= self._at:
            return None
        return KnownVersion(time_of(row), end_of(row), name, present(row.data["facets"]), by_event=True)

    @property
    def unread(self) -> list[IndexScan[KnownVersion]]:
        """The scans of rows that are left to read."""
        return [scan for scan in self._scans if scan.floor]

    def window(self, *, most: bool) -> VersionPage:
        """Return the versions among the rows that were read; `most` says that no more will be."""
        # Where a page was cut, what stands before its last row cannot be told from what was not read.
        floor = max((scan.floor for scan in self._scans), default=())
        # A run that wrote two of the names made one version.
        made = {one.made_by: one for scan in self._scans for one in scan.found.values() if one.order >= floor}
        told = sorted(made.values(), key=lambda one: one.order)
        versions = _newest(self._group, told, most=most) if floor else _all(self._group, told, self._end)
        return VersionPage(versions[::-1], bool(floor))


def read_versions(group: DatasetGroup, table: GraphTable, end: str = "~", at: str | None = None) -> VersionPage:
    """Return the newest versions of a dataset that were made at `end` or before; as of a time, if the group is."""
    scan = _VersionScan(group, end, at)
    advance(scan.unread, table, rows=VERSIONS_MAX, at=at)
    return scan.window(most=True)


def _of_run(one: WrittenVersion, group: DatasetGroup) -> KnownVersion:
    facets = merged_facets(one.facts.written_facets, group.names)
    return KnownVersion(one.created, str(one.run), one.name, facets, one)


def _all(group: DatasetGroup, told: Sequence[KnownVersion], end: str) -> list[KnownVersion]:
    """The versions of a dataset of which all was told by then; the first DatasetEvent describes the initial one."""
    first_made = min((one.created for one in told if not one.by_event), default="~")
    read = group.facts.first_read
    if read is None or read >= first_made or read > end:
        return _changes(told)
    if not told or not told[0].by_event or told[0].created >= first_made:
        return [KnownVersion(read, "", group.primary, {}), *_changes(told)]
    return [KnownVersion(read, "", group.primary, told[0].facets), *_changes(told[1:], told[0])]


def _newest(group: DatasetGroup, told: Sequence[KnownVersion], *, most: bool) -> list[KnownVersion]:
    """The newest versions alone: where nobody knows whether the first DatasetEvent changed the schema, those after it.

    If there is none even of the most that may be looked at, it is taken to have changed nothing since the initial one.
    """
    first = next((one for one in told if not one.failed and _schema(one.facets) is not None), None)
    if first is None or not first.by_event:
        return _changes(told)
    found = _changes(told[told.index(first) + 1 :], first)
    if found or not most or group.facts.first_read is None:
        return found
    return [KnownVersion(group.facts.first_read, "", group.primary, first.facets)]


def _changes(told: Iterable[KnownVersion], before: KnownVersion | None = None) -> list[KnownVersion]:
    """The runs' versions, and those of the DatasetEvents whose schema differs from the one told last before."""
    schema = _schema(before.facets) if before else None
    versions = []
    for one in told:
        fields = _schema(one.facets)
        if not one.by_event or fields not in (None, schema):
            versions.append(one)
        if fields is not None and not one.failed:
            schema = fields
    return versions


def _schema(facets: Facets) -> Sequence[Mapping[str, Any]] | None:
    return fields_of(facets) if "schema" in facets else None


def newest_versions(
    groups: Sequence[DatasetGroup],
    table: GraphTable,
    accepts: Sequence[Callable[[KnownVersion], bool]],
    highs: Sequence[str] | None = None,
) -> list[KnownVersion | None]:
    """The newest version of each that is accepted; `highs`: of those made at these times or before."""
    scans = [_VersionScan(group, end) for group, end in zip(groups, highs or ["~"] * len(groups), strict=True)]
    found: list[KnownVersion | None] = [None] * len(groups)
    left = list(range(len(groups)))
    for rows in _PAGES:
        advance([scan for number in left for scan in scans[number].unread], table, rows=rows)
        for number in left:
            found[number] = scans[number].window(most=rows == _PAGES[-1]).newest(accepts[number])
        left = [number for number in left if scans[number].unread and found[number] is None]
    return found


def current_versions(groups: Sequence[DatasetGroup], table: GraphTable) -> list[KnownVersion | None]:
    """The current version of each: of those that did not fail the last, a stream's by the time of its last event."""
    found = newest_versions(groups, table, [_good] * len(groups))
    for number, stream in enumerate(last_streamed(groups, table) if groups else []):
        newest = found[number]
        # Of runs that do not stream none stands later than the newest version.
        if stream and (newest is None or stream.standing > newest.standing):
            found[number] = _of_run(stream, groups[number])
    return found


def _good(version: KnownVersion) -> bool:
    return not version.failed


def find_version(group: DatasetGroup, version: str, table: GraphTable) -> KnownVersion | None:
    """The version of this id, under any of the dataset's names."""
    if version == dataset_version_id(group.primary, ""):
        return read_versions(group, table).newest(lambda one: not one.made_by)
    rows = table.get((dataset_pk(name), f"VERSION_ID#{version}") for name in group.names)
    runs = {RunKey.parse(row.data["run"]) for row in rows.values()}
    if not runs:
        return read_versions(group, table).newest(lambda one: one.id == version)
    facts = read_run_facts(runs, table)
    made = [version_by(run, told, group) for run, told in facts.items()]
    return next((_of_run(one, group) for one in made if one), None)


def dataset_version_of(group: DatasetGroup, version: KnownVersion) -> DatasetVersion:
    """The version as it is told."""
    return DatasetVersion(
        dataset=group.primary,
        version=version.id,
        created=version.created,
        physical_name=group.primary.name,
        created_by=summarize_run(version.written.run, version.written.facts) if version.written else None,
        **describe(version.facets),
        facets=version.facets,
        failed=version.failed,
    )

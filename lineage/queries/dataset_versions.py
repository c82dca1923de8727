"""The versions of a dataset: made by runs that wrote it, by DatasetEvents that changed its schema; the initial one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lineage.graph.entities import DatasetVersion
from lineage.graph.facts import RunFacts, merged_facets, present
from lineage.graph.job_nodes import summarize_run
from lineage.graph.keys import dataset_pk
from lineage.graph.newest import end_of, read_run_facts, run_of, time_of
from lineage.graph.run_facts import dataset_version_id, failed
from lineage.graph.table import GraphTable, RowPage, RowQuery
from lineage.openlineage.event import Facets
from lineage.queries.dataset_groups import DatasetGroup
from lineage.queries.descriptions import describe, fields_of
from lineage.queries.written_versions import WrittenVersion, confirmed_version, last_streamed, version_by
from lineage_model.ids import DatasetId, RunKey

# Versions of one dataset that are looked at.
VERSIONS_MAX = 500
# The newest will mostly do; each look beyond it reads the runs of as many.
_LOOKS = (1, 8, VERSIONS_MAX)
_PREFIXES = ("VERSION", "FAILED", "EVENT")


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


def read_version_pages(
    groups: Sequence[DatasetGroup],
    table: GraphTable,
    look: int,
    highs: Sequence[str] | None = None,
    at: str | None = None,
) -> list[VersionPage]:
    """The versions of each group, the newest `look` of each kind; `highs`: only those made at these times or before.

    As they were at a time, if the groups are.
    """
    ends = highs or ["~"] * len(groups)
    asked = [(group, name, end) for group, end in zip(groups, ends, strict=True) for name in group.names]
    queries = [
        RowQuery(dataset_pk(name), low=f"{prefix}#", high=f"{prefix}#{end}#~", newest_first=True, limit=look)
        if (group.facts.first_described if prefix == "EVENT" else group.facts.first_written)
        else None
        for group, name, end in asked
        for prefix in _PREFIXES
    ]
    pages = _pages(queries, table)
    facts = read_run_facts(
        {run_of(row) for page in pages for row in page.rows if not row.sk.startswith("EVENT#")}, table, at
    )
    windows, place = [], 0
    for group, end in zip(groups, ends, strict=True):
        each = len(group.names) * len(_PREFIXES)
        some = pages[place : place + each]
        told = _versions_in(group, some, facts, at)
        cut = any(page.more for page in some)
        versions = _newest(group, told, most=look >= VERSIONS_MAX) if cut else _all(group, told, end)
        windows.append(VersionPage(versions[::-1], cut))
        place += each
    return windows


def _pages(queries: Sequence[RowQuery | None], table: GraphTable) -> list[RowPage]:
    """Return what each query finds, in one round; nothing for what is not asked."""
    asked = [query for query in queries if query is not None]
    found = iter(table.query(asked) if asked else ())
    return [RowPage(()) if query is None else next(found) for query in queries]


def _versions_in(
    group: DatasetGroup, pages: Sequence[RowPage], facts: dict[RunKey, RunFacts], at: str | None
) -> list[KnownVersion]:
    """What may be versions, the oldest first: those of runs, and every DatasetEvent."""
    made: dict[RunKey, KnownVersion] = {}
    events: list[KnownVersion] = []
    names = [name for name in group.names for _ in _PREFIXES]
    for name, page in zip(names, pages, strict=True):
        for row in page.rows:
            if row.sk.startswith("EVENT#") and at is not None and time_of(row) >= at:
                continue
            if row.sk.startswith("EVENT#"):
                events.append(KnownVersion(time_of(row), end_of(row), name, present(row.data["facets"]), by_event=True))
            else:
                one = confirmed_version(run_of(row), time_of(row), name, group, facts)
                if one is not None and row.sk.startswith("FAILED#") == failed(one.facts):
                    made[one.run] = _of_run(one, group)
    # Where a page was cut, what stands before its last row cannot be told from what was not read.
    floor = max(((time_of(page.rows[-1]), end_of(page.rows[-1])) for page in pages if page.more), default=("", ""))
    return sorted((one for one in (*made.values(), *events) if one.order >= floor), key=lambda one: one.order)


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
    found: list[KnownVersion | None] = [None] * len(groups)
    left = list(range(len(groups)))
    for look in _LOOKS:
        ends = [highs[number] for number in left] if highs else None
        windows = read_version_pages([groups[number] for number in left], table, look, ends)
        for number, window in zip(left, windows, strict=True):
            found[number] = window.newest(accepts[number])
        left = [number for number, window in zip(left, windows, strict=True) if window.cut and found[number] is None]
        if not left:
            break
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
        window = read_version_pages([group], table, VERSIONS_MAX)[0]
        return window.newest(lambda one: not one.made_by)
    rows = table.get((dataset_pk(name), f"VERSION_ID#{version}") for name in group.names)
    runs = {RunKey.parse(row.data["run"]) for row in rows.values()}
    if not runs:
        return read_version_pages([group], table, VERSIONS_MAX)[0].newest(lambda one: one.id == version)
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

"""Versions of datasets: from their runs, from DatasetEvents with a new schema, and initial versions.

`compare_schemas` lists the changes of the schema between two versions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from headwater.events.event import Facets
from headwater.facts.annotations import annotations_of
from headwater.facts.facts import RunFacts, job_of, merged_facets, present
from headwater.facts.index_scan import IndexScan, Position, advance, end_of, facts_in_rows, run_of, time_of
from headwater.facts.job_nodes import summarize_run
from headwater.facts.keys import RUN_FACTS, dataset_pk
from headwater.facts.run_facts import dataset_version_id, failed, pk_of_version, run_version_id
from headwater.facts.stream_rows import coarse_highs
from headwater.facts.table import Row, RowQuery
from headwater.queries.results.entities import DatasetVersion
from headwater.queries.results.reports import SchemaChange
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.descriptions import Schema, describe, fields_of, schema_of
from headwater.queries.view.written_versions import WrittenVersion, confirmed_version, version_by
from headwater_model.field_paths import print_dotted
from headwater_model.ids import DatasetId, FieldPath, RunKey

# Versions read of a dataset.
VERSIONS_MAX = 500
# Jobs of a run id. If more jobs have used the id of a version's run, the dataset's writers lead to the run.
_JOBS_MAX = 100
# Mostly the newest version is enough. A page begins with the last row of the page before: together `VERSIONS_MAX` rows.
_PAGES = (1, 8, VERSIONS_MAX - 7)
_GOOD_RUNS = ("VERSION",)
_EVERY_RUN = ("VERSION", "FAILED")


@dataclass(frozen=True, slots=True)
class KnownVersion:
    """A version: `made_by` is its run (as text), the hash of its DatasetEvent, or empty for the initial version."""

    created: str
    made_by: str
    name: DatasetId
    facets: Facets
    written: WrittenVersion | None = None
    by_event: bool = False

    @property
    def id(self) -> str:
        """The version's id."""
        return self.written.version if self.written else dataset_version_id(self.name, self.made_by)

    @property
    def schema(self) -> Schema:
        """The columns and types in the version's facets."""
        return schema_of(self.facets)

    @property
    def creation(self) -> tuple[str, str]:
        """The version's sort key among schemas: the schema of a stream holds from its first event on."""
        return self.created, self.made_by

    @property
    def order(self) -> tuple[str, str]:
        """The version's sort key among the dataset's versions: of a stream, the time of its last event."""
        return self.written.order if self.written else self.creation

    @property
    def run(self) -> RunKey | None:
        """The run of the version."""
        return self.written.run if self.written else None

    @property
    def failed(self) -> bool:
        """True if the version's run failed."""
        return self.written is not None and failed(self.written.facts)

    @property
    def counts(self) -> bool:
        """True if it may be the current version: its run did not fail, and wrote no branch of the table."""
        return self.written is None or self.written.counts


# A dataset, the accepted versions, and the time before which they were made.
VersionSearch: TypeAlias = tuple[ResolvedDataset, Callable[[KnownVersion], bool], str]


@dataclass(frozen=True, slots=True)
class VersionPage:
    """The newest versions of a dataset, newest first; `cut` if older versions were not read."""

    versions: Sequence[KnownVersion]
    cut: bool

    def newest(self, accept: Callable[[KnownVersion], bool]) -> KnownVersion | None:
        """Find the newest accepted version."""
        return next(filter(accept, self.versions), None)


class _VersionScan:
    """A scan of the versions of a dataset made before a time; of facts as of the time `at`.

    A stream has the place of its last event before the time. `prefixes` are of runs' versions.
    """

    def __init__(
        self, group: ResolvedDataset, before: str, at: str | None = None, prefixes: Sequence[str] = _EVERY_RUN
    ) -> None:
        self._group, self._before = group, before
        self._scans = [scan for name in group.names for scan in _scans_of(name, group, before, at, prefixes)]

    @property
    def unread(self) -> list[IndexScan[KnownVersion]]:
        """The scans with rows that are not read yet."""
        return [scan for scan in self._scans if scan.watermark]

    def page(self, *, most: bool) -> VersionPage:
        """Sort the versions among the read rows; `most`: no more rows will be read."""
        # Where a page was cut, versions before its last row may have unread rows of other names between them.
        watermark = max((scan.watermark for scan in self._scans), default=())
        # A run that wrote two of the names made a single version.
        by_maker = {
            version.made_by: version
            for scan in self._scans
            for version in scan.results.values()
            if version.order >= watermark
        }
        known = sorted(by_maker.values(), key=lambda version: version.creation)
        versions = (
            _newest(self._group, known, watermark, most=most) if watermark else _all(self._group, known, self._before)
        )
        return VersionPage(sorted(versions, key=lambda version: version.order, reverse=True), bool(watermark))


def _scans_of(
    name: DatasetId, group: ResolvedDataset, before: str, at: str | None, prefixes: Sequence[str]
) -> Iterator[IndexScan[KnownVersion]]:
    """Yield a scan for each existing kind of versions: of runs, of streams and of DatasetEvents."""
    pk = dataset_pk(name)
    if group.facts.first_written:
        by_run = partial(_by_run, name, group, before)
        yield from (IndexScan(pk, prefix, by_run, high=before) for prefix in prefixes)
    if group.facts.first_streamed:
        by_stream, places = partial(_by_stream, group, before), [("ACTIVE", before), *coarse_highs("ACTIVE", before)]
        yield from (IndexScan(pk, prefix, by_stream, high=place) for prefix, place in places)
    if group.facts.first_described:
        yield IndexScan(pk, "EVENT", partial(_by_event, name, at or "~"), high=before, needs_facts=lambda _: False)


def _by_run(name: DatasetId, group: ResolvedDataset, before: str, row: Row, facts: RunFacts) -> KnownVersion | None:
    version = confirmed_version(row, facts, name, group, before)
    return _version_of_run(version, group) if version and row.sk.startswith("FAILED#") == failed(facts) else None


def _by_stream(group: ResolvedDataset, before: str, row: Row, facts: RunFacts) -> KnownVersion | None:
    version = version_by(run_of(row), facts, group, before) if facts.streaming else None
    return _version_of_run(version, group) if version and version.created < before else None


def _by_event(name: DatasetId, at: str, row: Row, _: RunFacts) -> KnownVersion | None:
    version = KnownVersion(time_of(row), end_of(row), name, present(row.data["facets"]), by_event=True)
    return version if version.created < at else None


def read_versions(
    group: ResolvedDataset, view: GraphView, before: str = "~", *, rows: int = VERSIONS_MAX
) -> VersionPage:
    """Read the newest versions of a dataset, as `read_versions_of`."""
    return read_versions_of([group], view, before, rows=rows)[0]


def read_versions_of(
    groups: Sequence[ResolvedDataset], view: GraphView, before: str = "~", *, rows: int = VERSIONS_MAX
) -> list[VersionPage]:
    """Read the newest versions of each dataset, made before a time; as of the view's time: `[VersionPage]`.

    At most `rows` of the index are read, under each name and of each kind of version.
    """
    scans = [_VersionScan(group, before, view.at) for group in groups]
    advance([unread for scan in scans for unread in scan.unread], view, rows=rows, at=view.at)
    return [scan.page(most=True) for scan in scans]


def _version_of_run(version: WrittenVersion, group: ResolvedDataset) -> KnownVersion:
    facets = merged_facets(version.facts.written_facets, group.names)
    return KnownVersion(version.created, str(version.run), version.name, facets, version)


def _all(group: ResolvedDataset, known: Sequence[KnownVersion], before: str) -> list[KnownVersion]:
    """List all versions of a dataset, all rows read; the first DatasetEvent describes the initial version."""
    first_made = min((version.created for version in known if not version.by_event), default="~")
    read = group.facts.first_read
    # Without a read before the first run's version, there is no initial version.
    if read is None or read >= first_made or read >= before:
        return _changes(known)
    if not known or not known[0].by_event or known[0].created >= first_made:
        return [KnownVersion(read, "", group.primary, {}), *_changes(known)]
    return [KnownVersion(read, "", group.primary, known[0].facets), *_changes(known[1:], known[0])]


def _newest(
    group: ResolvedDataset, read: Sequence[KnownVersion], watermark: Position, *, most: bool
) -> list[KnownVersion]:
    """List the newest versions of a dataset with unread rows before `watermark`.

    The first DatasetEvent may have changed the schema or not: only versions after it count. If even the most rows have
    no version after it, the event is taken as a description of the initial version. A stream begun before `watermark`
    is no base of a comparison: schemas between its first event and `watermark` are unread.
    """
    streams = [version for version in read if version.creation < watermark]
    known = [version for version in read if version.creation >= watermark]
    first = next((version for version in known if version.counts and _schema(version.facets) is not None), None)
    if first is None or not first.by_event:
        return [*streams, *_changes(known)]
    later = [version for version in streams if version.order > first.creation]
    versions = [*later, *_changes(known[known.index(first) + 1 :], first)]
    if versions or not most or group.facts.first_read is None:
        return versions
    return [*streams, KnownVersion(group.facts.first_read, "", group.primary, first.facets)]


def _changes(known: Iterable[KnownVersion], before: KnownVersion | None = None) -> list[KnownVersion]:
    """List the runs' versions, and the DatasetEvents with another schema than the schema before."""
    schema = _schema(before.facets) if before else None
    versions = []
    for version in known:
        fields = _schema(version.facets)
        if not version.by_event or fields not in (None, schema):
            versions.append(version)
        if fields is not None and version.counts:
            schema = fields
    return versions


def _schema(facets: Facets) -> Sequence[Mapping[str, Any]] | None:
    return fields_of(facets) if "schema" in facets else None


def newest_versions(
    searches: Sequence[VersionSearch], view: GraphView, *, prefixes: Sequence[str] = _EVERY_RUN
) -> list[KnownVersion | None]:
    """Find the newest accepted version of each search, `(group, accept, "~")`; as of the view's time."""
    scans = [_VersionScan(group, before, view.at, prefixes) for group, _, before in searches]
    newest: list[KnownVersion | None] = [None] * len(searches)
    left = list(range(len(searches)))
    # Each further page is read only for the datasets without an accepted version.
    for rows in _PAGES:
        advance([scan for number in left for scan in scans[number].unread], view, rows=rows, at=view.at)
        for number in left:
            newest[number] = scans[number].page(most=rows == _PAGES[-1]).newest(searches[number][1])
        left = [number for number in left if scans[number].unread and newest[number] is None]
    return newest


def newest_good(searches: Sequence[VersionSearch], view: GraphView) -> list[KnownVersion | None]:
    """Find the newest accepted versions, as `newest_versions`, of searches that accept no failed version.

    Failed versions are read only for a dataset without a good run: they decide about its initial version.
    """
    newest = newest_versions(searches, view, prefixes=_GOOD_RUNS)
    left = [number for number, version in enumerate(newest) if version is None or version.written is None]
    rest = dict(zip(left, newest_versions([searches[number] for number in left], view), strict=True))
    return [rest.get(number, version) for number, version in enumerate(newest)]


def first_pages(group: ResolvedDataset, before: str) -> list[RowQuery]:
    """List the first queries of `newest_good`."""
    return [scan.query(_PAGES[0]) for scan in _VersionScan(group, before, prefixes=_GOOD_RUNS).unread]


def current_versions(groups: Sequence[ResolvedDataset], view: GraphView) -> list[KnownVersion | None]:
    """Find the current version of each group: the last that did not fail, and is on no branch."""
    return newest_good([(group, lambda version: version.counts, "~") for group in groups], view)


def find_listed(group: ResolvedDataset, version: str, view: GraphView) -> KnownVersion | None:
    """Find the version of this id among the newest: a version without a run; such versions are rare."""
    return read_versions(group, view).newest(lambda candidate: candidate.id == version)


def find_version(group: ResolvedDataset, version: str, view: GraphView) -> KnownVersion | None:
    """Find the version of this id, under any of the dataset's names."""
    if version == dataset_version_id(group.primary, ""):
        return find_listed(group, version, view)
    # The id leads to a run; the version of a DatasetEvent is looked up among all versions.
    pk = pk_of_version(version)
    (page,) = view.query([RowQuery(pk, prefix=RUN_FACTS, limit=_JOBS_MAX)])
    facts = facts_in_rows(page.rows)
    if page.more:
        pages = view.query([RowQuery(dataset_pk(name), prefix="EVER#PRODUCER#") for name in group.names])
        writers = {job_of(row.data["job"]) for page in pages for row in page.rows}
        facts = facts_in_rows(view.get((pk, f"{RUN_FACTS}{RunKey.of(job, '').job_hash}") for job in writers).values())
    runs = [run for run in facts if version in {run_version_id(name, run) for name in group.names}]
    if not runs:
        return find_listed(group, version, view)
    candidates = [version_by(run, facts[run], group) for run in runs]
    return next((_version_of_run(candidate, group) for candidate in candidates if candidate), None)


def dataset_version_of(group: ResolvedDataset, version: KnownVersion) -> DatasetVersion:
    """Make the result of a version."""
    return DatasetVersion(
        dataset=group.primary,
        version=version.id,
        created=version.created,
        physical_name=group.primary.name,
        created_by=summarize_run(version.written.run, version.written.facts) if version.written else None,
        **describe(version.facets),
        facets=version.facets,
        failed=version.failed,
        branch=version.written.branch if version.written else None,
        annotations=annotations_of(group.facts),
    )


def compare_schemas(before: Facets, after: Facets) -> SchemaChange | None:
    """Compare the `schema` facets of two states; None if their fields and types are equal.

    >>> before, after = ({"schema": {"fields": [{"name": "co2", "type": kind}]}} for kind in ("INT", "double"))
    >>> compare_schemas(before, after).retyped
    [('co2', 'INT', 'double')]
    """
    old, new = schema_of(before).types, schema_of(after).types
    change = SchemaChange(
        added=[(print_dotted(path), new[path]) for path in sorted(new.keys() - old.keys())],
        dropped=[(print_dotted(path), old[path]) for path in sorted(old.keys() - new.keys())],
        retyped=list(_retyped(old, new)),
    )
    return change if change.added or change.dropped or change.retyped else None


def _retyped(old: Mapping[FieldPath, str | None], new: Mapping[FieldPath, str | None]) -> list[tuple[str, str, str]]:
    """List the fields with two known types that differ in more than case."""
    both = ((path, old[path], new[path]) for path in sorted(old.keys() & new.keys()))
    return [
        (print_dotted(path), before, after)
        for path, before, after in both
        if before and after and before.casefold() != after.casefold()
    ]

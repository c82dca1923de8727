"""Versions of datasets made by runs, from index rows confirmed by their runs' facts, newest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter

from headwater.facts.facts import RunFacts, as_of, merged_facets
from headwater.facts.index_rows import is_of_stream, storage_prefix
from headwater.facts.index_scan import IndexScan, first_of_groups, run_of, time_of
from headwater.facts.keys import dataset_pk
from headwater.facts.run_facts import (
    branch_of,
    effective_time,
    failed,
    run_version_id,
    storage_version,
    version_created,
)
from headwater.facts.stream_rows import coarse_highs
from headwater.facts.table import Key, Row, RowQuery
from headwater.queries.view.names import ResolvedDataset
from headwater.queries.view.rows import GraphRows
from headwater_model.ids import DatasetId, RunKey

_PAGES = (4, 100)


@dataclass(frozen=True, slots=True)
class WrittenVersion:
    """A run's version of a dataset, under a name in the run's events.

    `last`: the version's time in the order of the dataset's versions; of a stream, its end or its last event.
    `branch`: the written branch of the table; None for the table itself.
    """

    created: str
    run: RunKey
    name: DatasetId
    facts: RunFacts
    last: str
    branch: str | None = None

    @property
    def counts(self) -> bool:
        """True if it may be the current version: the run did not fail, and wrote no branch."""
        return self.branch is None and not failed(self.facts)

    @property
    def version(self) -> str:
        """The version's id."""
        return run_version_id(self.name, self.run)

    @property
    def order(self) -> tuple[str, str]:
        """The version's sort key among the dataset's versions."""
        return self.last, str(self.run)

    @property
    def creation(self) -> tuple[str, str]:
        """The version's sort key among the runs' versions of the same storage version."""
        return self.created, str(self.run)


@dataclass(frozen=True, slots=True)
class VersionQuery:
    """A query of a dataset's versions: accepted versions under an index prefix, made at a time or before.

    The prefix `ACTIVE` has the versions of streaming runs, by the time of their last event. `storage` is the storage's
    own version, under its prefix. `before`: of streams, only events before this time count for the order.
    """

    group: ResolvedDataset
    prefix: str
    high: str = "~"
    accept: Callable[[WrittenVersion], bool] = lambda _: True
    storage: str | None = None
    before: str = "~"

    def scans(self) -> list[IndexScan[WrittenVersion]]:
        """List the scans of each name of the dataset; all scans share their results."""
        shared: dict[Key, WrittenVersion] = {}
        # Only datasets named as output have rows, and only datasets written by a stream have `ACTIVE` rows.
        facts = self.group.facts
        names = self.group.names if (facts.first_streamed if self.prefix == "ACTIVE" else facts.first_written) else ()
        places = [(self.prefix, self.high)]
        if self.prefix == "ACTIVE":
            places += coarse_highs("ACTIVE", self.high)
        return [
            IndexScan(
                dataset_pk(name),
                prefix,
                partial(self._confirm, name),
                high=high,
                # The rows of a storage version are sorted by creation: by a stream's last event, the scan ended early.
                order=attrgetter("order" if self.storage is None else "creation"),
                results=shared,
            )
            for name in names
            for prefix, high in places
        ]

    def first_pages(self) -> list[RowQuery]:
        """List the first queries of `newest_written`."""
        return [scan.query(_PAGES[0]) for scan in self.scans()]

    def _confirm(self, name: DatasetId, row: Row, facts: RunFacts) -> WrittenVersion | None:
        version = self._confirmed(name, row, facts)
        return version if version and _under(self.prefix, version) and self.accept(version) else None

    def _confirmed(self, name: DatasetId, row: Row, facts: RunFacts) -> WrittenVersion | None:
        if self.prefix == "ACTIVE":
            # Any row of a stream leads to its version: `order` is its place.
            return version_by(run_of(row), facts, self.group, self.before) if facts.streaming else None
        if self.storage is not None:
            if is_of_stream(row):
                return version_by(run_of(row), facts, self.group) if facts.streaming else None
            if self.storage != storage_version(merged_facets(facts.written_facets, self.group.names)):
                return None
        return confirmed_version(row, facts, name, self.group, self.before)


def by_storage(group: ResolvedDataset, storage: str, accept: Callable[[WrittenVersion], bool]) -> VersionQuery:
    """Query a storage's own version: the last by a run, or any by a stream."""
    return VersionQuery(group, storage_prefix(storage), accept=accept, storage=storage)


def newest_written(
    queries: Sequence[VersionQuery], rows: GraphRows, *, reads_max: int | None = None
) -> list[WrittenVersion | None]:
    """Find the newest confirmed version of each query, or None.

    `reads_max`: rows are read at most this number of times; None may then mean: not yet read.
    """
    return first_of_groups([query.scans() for query in queries], rows, at=rows.at, pages=_PAGES, rounds_max=reads_max)


def newest_of_both(queries: Sequence[VersionQuery], rows: GraphRows) -> list[WrittenVersion | None]:
    """Find the newest confirmed version of each query by creation, or the stream with a later event."""
    streamed = [replace(query, prefix="ACTIVE") for query in queries]
    newest = newest_written([*queries, *streamed], rows)
    pairs = zip(newest[: len(queries)], newest[len(queries) :], strict=True)
    return [max(filter(None, pair), key=attrgetter("order"), default=None) for pair in pairs]


def confirmed_version(
    row: Row, facts: RunFacts, name: DatasetId, group: ResolvedDataset, before: str = "~"
) -> WrittenVersion | None:
    """Find the version behind a row of this name, if its run's facts confirm it."""
    return version_by(run_of(row), facts, group, before) if version_created(facts, name) == time_of(row) else None


def version_by(run: RunKey, facts: RunFacts, group: ResolvedDataset, before: str = "~") -> WrittenVersion | None:
    """Find the single version of a dataset by a run, under the smallest of the written names.

    `before`: of a stream, only the events before this time count for its place among the versions.
    """
    written = [(name, created) for name in group.names if (created := version_created(facts, name))]
    if not written:
        return None
    first = min(created for _, created in written)
    branch = branch_of(merged_facets(facts.output_facets, group.names))
    known = as_of(facts, before) if facts.streaming and before != "~" else facts
    return WrittenVersion(first, run, written[0][0], facts, max(effective_time(known) or "", first), branch)


def _under(prefix: str, version: WrittenVersion) -> bool:
    if prefix == "VERSION":
        return not failed(version.facts)
    return failed(version.facts) if prefix == "FAILED" else True

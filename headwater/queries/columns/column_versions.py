"""Upstream graphs of versions of columns: from a version to its run, to the versions read by the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from headwater.facts.facet_refs import ever_sources, flows_of, is_explicit, reported_columns
from headwater.facts.facts import IdText, RunFacts, dataset_of, merged_facets, text_of
from headwater.facts.index_scan import read_run_facts
from headwater.facts.keys import dataset_pk
from headwater.facts.run_facts import dataset_version_id, owner
from headwater.facts.table import RowQuery
from headwater.queries.columns.column_graph import COLUMNS_MAX, column_inputs, column_node
from headwater.queries.columns.read_versions import with_sources_alone
from headwater.queries.results.columns import ColumnGraph, ColumnInput, ColumnNode, Reporter
from headwater.queries.runs.dataset_versions import read_versions
from headwater.queries.runs.input_versions import InputBudget, InputVersion, reads_of
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.column_reports import (
    ColumnReport,
    DatasetColumns,
    IndexedColumns,
    keys_of,
    read_columns,
    unknown_columns,
)
from headwater.queries.view.descriptions import NO_SCHEMA, Schema, schema_of
from headwater.walk import Walked, walk
from headwater_model.columns import NO_COLUMNS, Column
from headwater_model.ids import DatasetId, RunKey

# A version of a dataset, under the dataset's primary name.
Version: TypeAlias = tuple[DatasetId, str]
_Node: TypeAlias = tuple[Column, str]


@dataclass(slots=True, kw_only=True)
class VersionEntry(DatasetColumns):
    """A version of a dataset: its columns by primary names, their reports, and the versions of its sources.

    `hidden` has the hidden source datasets, by reported name; their columns do not count.
    """

    version: str
    hidden: frozenset[DatasetId] = frozenset()
    reads: Mapping[DatasetId, InputVersion] | None = None

    @property
    def versions(self) -> dict[DatasetId, str]:
        """The version of each source dataset, as read."""
        return {dataset: read.version for dataset, read in (self.reads or {}).items()}


class VersionWalk:
    """A walk in progress over versions of datasets and their columns."""

    def __init__(self, view: GraphView) -> None:
        self.view = view
        self._entries: dict[Version, VersionEntry] = {}
        # The run that made each read version.
        self._producers: dict[Version, RunKey | None] = {}
        # Shared by all columns of a version: the read versions, and the inputs of the whole dataset.
        self._of_all: dict[Version, tuple[dict[DatasetId, str], tuple[ColumnInput, ...]]] = {}
        self._budget = InputBudget()
        self._truncated = False

    def load_versions(self, producers: Mapping[Version, RunKey | None]) -> None:
        """Read the versions, each given with its run."""
        new = {version: run for version, run in producers.items() if version not in self._entries}
        if not new:
            return
        facts = read_run_facts({run for run in new.values() if run}, self.view)
        self.view.load_names(primary for primary, _ in new)
        entries = []
        for version, run in new.items():
            group = self.view.group(version[0])
            reported = list(_reports_of(run, version[1], facts[run], group)) if run in facts and run else []
            entries.append(VersionEntry(group, NO_SCHEMA, reported, version=version[1]))
        sources = {text for of_run in facts.values() for text in ever_sources(of_run) | of_run.inputs.keys()}
        keys = [report.key for entry in entries for report in entry.reports]
        self.view.load_names(map(dataset_of, sources), rows=keys_of(keys).values())
        columns = read_columns(keys, self.view)
        for entry in entries:
            for report in entry.reports:
                report.columns = columns[report.key] if report.key[0] else report.columns
        self.add(entries)

    def add(self, entries: Sequence[VersionEntry], at: str | None = None) -> None:
        """Add versions with read columns: resolve the versions of sources, and read schemas (as of a time)."""
        reporter_runs = {report.reporter.run for entry in entries for report in entry.reports}
        facts = read_run_facts(reporter_runs, self.view)
        reports = [report for entry in entries for report in entry.reports]
        sources = {source for report in reports for source in report.columns.datasets}
        self.view.load_names({*sources, *(entry.group.primary for entry in entries)})
        readers = self._budget.limit_inputs(dict(sorted(with_sources_alone(reports, facts, self.view).items())))
        self._truncated |= bool(self._budget.cut)
        reads = reads_of(readers, self.view)
        for entry in entries:
            entry.known = IndexedColumns(entry.reports, self._names_but(entry.hidden))
            entry.reads = self._reads_of_sources(entry.reports, reads)
            self._entries[entry.group.primary, entry.version] = entry
        then = read_run_facts(reporter_runs, self.view, at) if at else facts
        others = [entry for entry in entries if not entry.schema.known and not _set_schema(entry, then)]
        if at is None:
            self._read_schemas(others)

    def _reads_of_sources(
        self, reports: Sequence[ColumnReport], reads: Mapping[RunKey, Sequence[InputVersion]]
    ) -> dict[DatasetId, InputVersion]:
        """Find the version read of each source, by the last of the source's reporting runs."""
        last: dict[DatasetId, InputVersion] = {}
        for report in sorted(reports, key=lambda report: report.reporter.run):
            sources = {self.view.primary(source) for source in report.columns.datasets}
            read = reads.get(report.reporter.run, ())
            last |= {source.group.primary: source for source in read if source.group.primary in sources}
        return last

    def _names_but(self, hidden: frozenset[DatasetId]) -> Callable[[DatasetId], DatasetId | None]:
        return lambda dataset: None if dataset in hidden else self.view.primary(dataset)

    def _read_schemas(self, entries: Sequence[VersionEntry]) -> None:
        """Read the schemas of versions without a run, from DatasetEvents."""
        described = _described([entry.group for entry in entries], self.view)
        for entry in (entry for entry in entries if entry.group.primary in described):
            # Such versions are rare: each is read by itself.
            page = read_versions(entry.group, self.view)
            version = next((version for version in page.versions if version.id == entry.version), None)
            entry.schema = schema_of(version.facets) if version else entry.schema

    def entry(self, version: Version) -> VersionEntry:
        """Look up a loaded version."""
        return self._entries[version]

    def graph(self, requested: Iterable[_Node], *, depth: int) -> ColumnGraph:
        """Walk upstream from the columns of loaded versions."""
        walked = walk(requested, self._versions_read, into=Walked(COLUMNS_MAX), depth=depth)
        return ColumnGraph(
            tuple(map(self._node, walked.hops)), self._truncated or walked.truncated or self.view.truncated
        )

    def _versions_read(self, nodes: Sequence[_Node], is_last: bool) -> Iterable[_Node]:
        """Load the columns' versions; return their source columns, each in the version read."""
        versions = {(column.dataset, version) for column, version in nodes}
        self.load_versions({version: self._producers.get(version) for version in sorted(versions)})
        opened = () if is_last else filter(self._opens, nodes)
        # Columns of a version share sets of sources: each set is followed once.
        followed = {
            id(sources): (sources, entry)
            for column, version in opened
            for entry in (self._entries[column.dataset, version],)
            for sources in entry.known.sources_of(column.field)
        }
        return {source for sources, entry in followed.values() for source in self._near(sources, entry)}

    def _opens(self, node: _Node) -> bool:
        return self.view.shows(node[0].dataset)

    def _near(self, sources: Iterable[Column], entry: VersionEntry) -> Iterator[_Node]:
        reads = entry.reads or {}
        for source in sources:
            if source.dataset in reads:
                read = reads[source.dataset]
                self._producers[source.dataset, read.version] = read.produced_by
                yield source, read.version

    def _node(self, node: _Node) -> ColumnNode:
        column, version = node
        if not self._opens(node):
            return ColumnNode(column.dataset, column.field, version, outline=True)
        entry = self._entries[column.dataset, version]
        if (column.dataset, version) not in self._of_all:
            versions = entry.versions
            self._of_all[column.dataset, version] = versions, column_inputs(entry.columns.dataset_level, versions)
        versions, dependencies = self._of_all[column.dataset, version]
        inputs = column_inputs(entry.known.inputs_of(column.field), versions)
        return column_node(column, entry, inputs, dependencies, version=version)


def versions_at(entry: DatasetColumns, view: GraphView) -> Iterator[VersionEntry]:
    """Yield the last versions by a dataset's writers, with reports; reports without a version join the latest."""
    by_version: dict[str, list[ColumnReport]] = {}
    for report in entry.reports:
        by_version.setdefault(report.reporter.version or "", []).append(report)
    schemas: dict[str, Schema] = {}
    unversioned = by_version.pop("", [])
    if unversioned or not by_version:
        at = view.at or ""
        page = read_versions(entry.group, view, at)
        versions = [version for version in page.versions if version.created < at]
        last = next((version for version in versions if version.counts), None)
        if versions:
            by_version.setdefault(last.id if last else dataset_version_id(entry.group.primary, ""), []).extend(
                unversioned
            )
        schemas.update({last.id: schema_of(last.facets)} if last else {})
    for version, reports in by_version.items():
        schema = schemas.get(version, NO_SCHEMA)
        sources = {source for report in reports for source in report.columns.datasets}
        hidden = frozenset(source for source in sources if not view.visible_name(source))
        yield VersionEntry(entry.group, schema, reports, version=version, hidden=hidden)


def _reports_of(run: RunKey, version: str, facts: RunFacts, group: ResolvedDataset) -> Iterator[ColumnReport]:
    """Yield a run's reports on its version, one for each name of the dataset."""
    reporter = Reporter(run, owner(facts), version, facts.declared is not None)
    is_unreported = True
    for name in group.names:
        reported = reported_columns(facts, text_of(name))
        if reported is not None:
            is_unreported = False
            yield ColumnReport(reporter, (reported.refs, name))
    if is_unreported:
        unknown = NO_COLUMNS if is_explicit(facts) else unknown_columns(map(dataset_of, _sources_of(facts, group)))
        yield ColumnReport(reporter, ((), group.primary), unknown)


def _sources_of(facts: RunFacts, group: ResolvedDataset) -> Iterable[IdText]:
    """List the inputs behind a run's dataset: all, or the inputs of the dataset's windows."""
    flows = flows_of(facts)
    if flows is None:
        return facts.inputs
    return {source for name in group.names for source in flows.get(text_of(name), ())}


def _set_schema(entry: VersionEntry, facts: Mapping[RunKey, RunFacts]) -> bool:
    """Give a version the schema reported by its run; return True if a run made the version."""
    made_by = next((report.reporter.run for report in entry.reports if report.reporter.version == entry.version), None)
    if made_by is None or made_by not in facts:
        return False
    entry.schema = schema_of(merged_facets(facts[made_by].written_facets, entry.group.names))
    return True


def _described(groups: Sequence[ResolvedDataset], view: GraphView) -> set[DatasetId]:
    """List the datasets with a DatasetEvent."""
    requested = [(group.primary, name) for group in groups for name in group.names]
    pages = view.query([RowQuery(dataset_pk(name), prefix="EVENT#", limit=1) for _, name in requested])
    return {primary for (primary, _), page in zip(requested, pages, strict=True) if page.rows}

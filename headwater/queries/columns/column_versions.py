"""Upstream graphs of versions of columns: from a version to its run, to the versions read by the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from headwater.facts.facet_refs import ever_sources
from headwater.facts.facts import RunFacts, as_of, dataset_of, merged_facets
from headwater.facts.index_scan import read_run_facts
from headwater.facts.run_facts import dataset_version_id
from headwater.queries.columns.column_graph import COLUMNS_MAX, column_inputs, column_node
from headwater.queries.graphs.node_ids import FieldNode, Node
from headwater.queries.results.columns import ColumnGraph, ColumnInput, ColumnNode
from headwater.queries.runs.dataset_versions import find_listed, find_version, read_versions
from headwater.queries.runs.input_versions import InputBudget, InputVersion, sources_read
from headwater.queries.runs.job_versions import entries_of
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.column_reports import (
    ColumnReport,
    DatasetColumns,
    IndexedColumns,
    keys_of,
    read_columns,
    reports_on_version,
)
from headwater.queries.view.descriptions import NO_SCHEMA, Schema, schema_of
from headwater.queries.view.written_versions import version_by
from headwater.walk import Walked, walk
from headwater_model.columns import Column
from headwater_model.ids import DatasetId, FieldPath, JobId, RunKey

# A version of a dataset, under the dataset's primary name.
Version: TypeAlias = tuple[DatasetId, str]
_Node: TypeAlias = tuple[Column, str]
# The run that made each version of a dataset.
_Producers: TypeAlias = Mapping[Version, RunKey | None]


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

    def columns_of_version(self, node: FieldNode | Node, version: str) -> list[_Node] | None:
        """List the columns of a dataset's version, or of the outputs of a job version's last run.

        `VersionWalk(view).columns_of_version(Node(DatasetId("s3://lake", "daily")), "1a2b...")` lists
        `(Column(s3://lake daily, amount), "1a2b...")`; None if the version is unknown.
        """
        if isinstance(node.id, JobId):
            producers = self._made_by_job(node.id, version)
        else:
            group = self.view.named(node.id)
            known = find_version(group, version, self.view)
            producers = {(group.primary, version): known.run} if known else None
        if producers is None:
            return None
        self._load_versions(producers)
        nodes = [
            (column, version_id)
            for dataset, version_id in producers
            for column in self._columns_of(node, self._entries[dataset, version_id])
        ]
        return sorted(nodes) if nodes or not isinstance(node, FieldNode) else None

    def _made_by_job(self, job: JobId, version: str) -> _Producers | None:
        entries = entries_of(job, version, self.view)
        runs = [(entry.run, entry.facts) for entry in entries if not entry.facts.declared]
        if not runs:
            return {} if entries else None
        run, facts = runs[-1]
        outputs = list(map(dataset_of, facts.outputs))
        self.view.load_names(outputs)
        opened = sorted(filter(self.view.opens, set(map(self.view.primary, outputs))))
        versions = [(dataset, version_by(run, facts, self.view.group(dataset))) for dataset in opened]
        return {(dataset, written.version): run for dataset, written in versions if written}

    def _columns_of(self, node: FieldNode | Node, entry: VersionEntry) -> list[Column]:
        """List the columns of a node in a version; without a schema, its dataset's schema counts."""
        primary, view = entry.group.primary, self.view
        known = entry if entry.schema.known else replace(entry, schema=view.schemas([entry.group])[0])
        if isinstance(node, FieldNode):
            there = known.has(node.field) or view.is_used(primary, node.field)
            return [Column(primary, node.field)] if there else []
        return list(dict.fromkeys((*(Column(primary, path) for path in known.paths), *view.used(primary))))

    def columns_at(self, node: FieldNode | Node, present: GraphView) -> list[_Node] | None:
        """List the columns of a node at the time of a view, each in its writers' last versions."""
        datasets = present.find_outputs(node.id) if isinstance(node.id, JobId) else [node.id]
        if datasets is None:
            return None
        present.load_columns(datasets)
        entries = {entry.group.primary: entry for dataset in datasets if (entry := present.columns(dataset))}
        shown = {primary: list(_versions_at(entry, present)) for primary, entry in entries.items()}
        at_last = [version for versions in shown.values() for version in versions]
        facts = read_run_facts({report.reporter.run for version in at_last for report in version.reports}, self.view)
        self._add(at_last, facts)
        for version in at_last:
            made_by = {report.reporter.version: report.reporter.run for report in version.reports}.get(version.version)
            if made_by and made_by in facts and not version.schema.known:
                version.schema = _schema_by(as_of(facts[made_by], present.at or ""), version.group)
        nodes = [
            (Column(primary, path), version.version)
            for primary, versions in shown.items()
            for path in _paths_at(node, entries[primary], versions)
            for version in versions
        ]
        if not nodes and (isinstance(node, FieldNode) or not any(shown.values())):
            return [] if isinstance(node.id, JobId) else None
        return sorted(nodes)

    def _load_versions(self, producers: _Producers) -> None:
        """Read the versions, each given with its run."""
        new = {version: run for version, run in producers.items() if version not in self._entries}
        if not new:
            return
        facts = read_run_facts({run for run in new.values() if run}, self.view)
        self.view.load_names(primary for primary, _ in new)
        entries = []
        for (dataset, version), run in new.items():
            group = self.view.group(dataset)
            if run is None or run not in facts:
                known = find_listed(group, version, self.view) if group.facts.first_described else None
                schema, reported = known.schema if known else NO_SCHEMA, list[ColumnReport]()
            else:
                schema, reported = _schema_by(facts[run], group), reports_on_version(run, version, facts[run], group)
            entries.append(VersionEntry(group, schema, reported, version=version))
        sources = {text for of_run in facts.values() for text in ever_sources(of_run) | of_run.inputs.keys()}
        reports = [report for entry in entries for report in entry.reports]
        self.view.load_names(map(dataset_of, sources), rows=keys_of(report.key for report in reports).values())
        read_columns(reports, self.view)
        self._add(entries, facts)

    def _add(self, entries: Sequence[VersionEntry], facts: Mapping[RunKey, RunFacts]) -> None:
        """Add versions with read columns, by the facts of their reporters: resolve the versions of sources."""
        reports = [report for entry in entries for report in entry.reports]
        sources = {source for report in reports for source in report.columns.datasets}
        self.view.load_names({*sources, *(entry.group.primary for entry in entries)})
        reads = sources_read(reports, facts, self.view, self._budget)
        self._truncated |= bool(self._budget.cut)
        for entry in entries:
            entry.known = IndexedColumns(entry.reports, self._names_but(entry.hidden))
            entry.reads = self._reads_of_sources(entry.reports, reads)
            self._entries[entry.group.primary, entry.version] = entry

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

    def graph(self, requested: Iterable[_Node], *, depth: int) -> ColumnGraph:
        """Walk upstream from the columns of loaded versions."""
        walked = walk(requested, self._versions_read, into=Walked(COLUMNS_MAX), depth=depth)
        return ColumnGraph(
            tuple(map(self._node, walked.hops)), self._truncated or walked.truncated or self.view.truncated
        )

    def _versions_read(self, nodes: Sequence[_Node], is_last: bool) -> Iterable[_Node]:
        """Load the columns' versions; return their source columns, each in the version read."""
        versions = {(column.dataset, version) for column, version in nodes}
        self._load_versions({version: self._producers.get(version) for version in sorted(versions)})
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


def _versions_at(entry: DatasetColumns, view: GraphView) -> Iterator[VersionEntry]:
    """Yield the last versions by a dataset's writers, with reports; reports without a version join the latest."""
    by_version: dict[str, list[ColumnReport]] = {}
    for report in entry.reports:
        by_version.setdefault(report.reporter.version or "", []).append(report)
    schemas: dict[str, Schema] = {}
    unversioned = by_version.pop("", [])
    if unversioned or not by_version:
        page = read_versions(entry.group, view, view.at or "~")
        last = page.newest(lambda version: version.counts)
        if page.versions:
            latest = last.id if last else dataset_version_id(entry.group.primary, "")
            by_version.setdefault(latest, []).extend(unversioned)
        schemas.update({last.id: last.schema} if last else {})
    for version, reports in by_version.items():
        schema = schemas.get(version, NO_SCHEMA)
        sources = {source for report in reports for source in report.columns.datasets}
        hidden = frozenset(source for source in sources if not view.visible_name(source))
        yield VersionEntry(entry.group, schema, reports, version=version, hidden=hidden)


def _paths_at(node: FieldNode | Node, entry: DatasetColumns, shown: Sequence[VersionEntry]) -> list[FieldPath]:
    known = [entry, *shown]
    if isinstance(node, FieldNode):
        return [node.field] if any(columns.has(node.field) for columns in known) else []
    return list(dict.fromkeys((*(path for columns in known for path in columns.schema.columns), *entry.columns.fields)))


def _schema_by(facts: RunFacts, group: ResolvedDataset) -> Schema:
    """Parse the schema reported by a run with its version of a dataset."""
    return schema_of(merged_facets(facts.written_facets, group.names))

"""Columns of datasets, now or as of a time: the last reports of the jobs that write them, with the versions read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from headwater.facts.facet_refs import reported_columns
from headwater.facts.facts import RunFacts, as_of, dataset_of, job_of, text_of
from headwater.facts.index_scan import RunWithFacts, first_of_groups, last_with_columns, place_of, read_run_facts
from headwater.facts.job_nodes import io_of
from headwater.facts.keys import facts_key
from headwater.facts.run_facts import run_version_id
from headwater.queries.columns.column_reports import (
    ColumnReport,
    IndexedColumns,
    columns_in,
    keys_of,
    read_columns,
    renamed,
    unknown_columns,
)
from headwater.queries.descriptions import Schema, read_facets, schema_of
from headwater.queries.loaded_graph import LoadedGraph
from headwater.queries.resolve import ALIASES_MAX, ResolvedDataset, ResolvedDatasets
from headwater.queries.results.columns import Reporter
from headwater.queries.runs.input_versions import InputBudget, reads_of
from headwater.queries.view import GraphView
from headwater.queries.written_versions import version_by
from headwater_model.columns import (
    NO_COLUMNS,
    Column,
    ColumnLineage,
    ColumnSource,
)
from headwater_model.field_paths import RelatedPaths
from headwater_model.ids import DatasetId, FieldPath, JobId, RunKey, name_uuid

# A dataset, by its primary name, and a job that writes it.
_Writer: TypeAlias = tuple[DatasetId, JobId]


@dataclass(slots=True)
class DatasetColumns:
    """A dataset with the report of each writer, and its columns."""

    group: ResolvedDataset
    schema: Schema
    reports: list[ColumnReport]
    known: IndexedColumns = field(default_factory=IndexedColumns)

    @property
    def columns(self) -> ColumnLineage:
        """The columns of all reports, merged."""
        return self.known.columns

    @property
    def paths(self) -> list[FieldPath]:
        """The columns of the schema, then those that were only reported."""
        return list(dict.fromkeys((*self.schema.columns, *sorted(self.columns.fields))))

    def has(self, path: FieldPath) -> bool:
        """True if the path, or a field inside it, is in the schema or was reported."""
        return RelatedPaths(self.schema.types).has(path) or self.known.index.has(path)

    def type_of(self, path: FieldPath) -> str | None:
        """Return a column's type: from operations, else from the schema."""
        return self.columns.types.get(path) or self.schema.types.get(path)

    @property
    def used(self) -> set[Column]:
        """The source columns of all its columns, and those that the whole dataset depends on."""
        source_sets = {id(sources): sources for sources in (self.columns.dataset_level, *self.columns.fields.values())}
        return columns_in(*source_sets.values())


class CurrentColumns:
    """Columns of the datasets that were loaded, as of the time `at`; None for now."""

    def __init__(self, view: GraphView, *, aliases_max: int = ALIASES_MAX) -> None:
        self.view = view
        self._loaded = LoadedGraph(view, users=True, ever=True, aliases_max=aliases_max)
        self.groups, self.nodes = self._loaded.groups, self._loaded.nodes
        self._entries: dict[DatasetId, DatasetColumns] = {}

    def load_columns(self, names: Iterable[DatasetId], *, readers: bool = False, onward: bool = False) -> None:
        """Read the columns of these datasets; with `readers`, also the nodes of the jobs that read them.

        `onward`: the readers of the outputs of these jobs will be read as well.
        """
        requested = set(names)
        # Resolve the names to datasets, with the jobs that write them, and with `readers` those that read them.
        self._loaded.load(requested, readers=readers)
        groups = {self.groups.primary(name): self.groups.group(name) for name in requested}
        # Read the nodes of these jobs, which decide what is visible.
        self._expect_reports(groups.values(), readers, onward)
        self.load_jobs({job for group in groups.values() for job in _jobs_of(group, readers)})
        # Collect the last report of each writer, for datasets that were not read before.
        fresh = [group for primary, group in groups.items() if primary not in self._entries]
        reports = self._last_reports(fresh)
        facets = read_facets(fresh, self.view)
        new = {
            group.primary: self._entry(group, schema_of(dataset_facets), reports)
            for group, dataset_facets in zip(fresh, facets, strict=True)
        }
        # Read the columns of these reports, and index them by path.
        self._name_versions(new.values())
        self._read_columns([report for entry in new.values() for report in entry.reports])
        for entry in new.values():
            entry.known = IndexedColumns(entry.reports, self._visible_name)
        self._entries.update(new)

    def load_jobs(self, jobs: Iterable[JobId]) -> None:
        """Read the nodes of these jobs."""
        self._loaded.load(jobs=sorted(set(jobs) - self.nodes.keys()))

    def entry(self, dataset: DatasetId) -> DatasetColumns | None:
        """Return the columns of a loaded dataset; None if the dataset is unknown or hidden."""
        entry = self._entries.get(self.groups.primary(dataset))
        return entry if entry and self._loaded.dataset(dataset) else None

    def is_visible_job(self, job: JobId) -> bool:
        """True if the job, whose node was read, exists and is not hidden."""
        return self._loaded.job(job) is not None

    def sees(self, dataset: DatasetId) -> bool:
        """True if a reported source dataset exists and is not hidden."""
        return self._visible_name(dataset) is not None

    def _visible_name(self, dataset: DatasetId) -> DatasetId | None:
        group = self._loaded.dataset(dataset)
        return group.primary if group else None

    def made_of(self, group: ResolvedDataset) -> set[DatasetId]:
        """Return the datasets that may have columns derived from this one's: outputs of readers, and declared ones."""
        jobs = [self.nodes[job] for job in group.readers | group.reporters if self.is_visible_job(job)]
        return {output for node in jobs for output in io_of(node)[1]} | group.derived

    def _expect_reports(self, groups: Iterable[ResolvedDataset], readers: bool, onward: bool) -> None:
        """Announce the columns that the jobs of these datasets report, and the datasets that these come from."""
        sources: set[DatasetId] = set()
        outputs: set[DatasetId] = set()
        # With readers, all outputs of a job are announced, whichever dataset led there: once.
        announced: set[JobId] = set()
        for group in groups if self.view.at is None else ():
            # Edges may say what a job reads and writes: then its reports are announced before its node is read.
            new = {job for job in group.near if job not in self.nodes and job not in announced}
            new &= _jobs_of(group, readers)
            announced.update(new if readers else ())
            for job_io in (group.near[job] for job in new):
                written = [name for name in job_io.outputs if readers or name in group.names]
                self.view.expect(keys_of((tuple(job_io.outputs[name]), name) for name in written).values())
                sources.update(job_io.inputs)
                outputs.update(written if readers else ())
        # The outputs are loaded with their readers if the walk goes on from them; sources are only resolved.
        self._loaded.expect(outputs, readers=onward)
        self._loaded.expect(sources - outputs, readers=False)

    def _name_versions(self, entries: Iterable[DatasetColumns]) -> None:
        """Give each report on a dataset with several names the one version that its run made of the dataset."""
        several = [
            (entry.group, report)
            for entry in entries
            for report in entry.reports
            if len(entry.group.names) > 1 and not report.reporter.declared
        ]
        facts = read_run_facts({report.reporter.run for _, report in several}, self.view, self.view.at)
        for group, report in several:
            run = report.reporter.run
            version = version_by(run, facts[run], group) if run in facts else None
            report.reporter = replace(report.reporter, version=version.version if version else None)

    def _read_columns(self, reports: Sequence[ColumnReport]) -> None:
        """Read the reported columns, the names of their source datasets, and deletions of these."""
        columns = read_columns((report.key for report in reports), self.view)
        for report in reports:
            report.columns = columns[report.key] if report.key[0] else report.columns
        self._loaded.load({source for report in reports for source in report.columns.datasets}, readers=False)

    def _last_reports(self, groups: Iterable[ResolvedDataset]) -> dict[_Writer, RunWithFacts]:
        """Return, for datasets with several names, the last run of each writer that reported columns under any name.

        For a dataset with one name, the job's node has the report.
        """
        scans = [
            ((group.primary, job), last_with_columns(job, text_of(name), self.view.at or "~", streamed=is_streamed))
            for group in groups
            if len(group.names) > 1
            for job in sorted(group.producers)
            if self.is_visible_job(job) and io_of(self.nodes[job])[1] & set(group.names)
            for is_streamed in ["streamed" in self.nodes[job]]
            for name in group.names
        ]
        # Of a writer's last runs under each name, the latest counts.
        last: dict[_Writer, RunWithFacts] = {}
        last_runs = first_of_groups([group for _, group in scans], self.view, at=self.view.at)
        for (writer, _), run in zip(scans, last_runs, strict=True):
            if run is not None:
                last[writer] = max(run, last.get(writer, run), key=place_of)
        return last

    def _entry(self, group: ResolvedDataset, schema: Schema, reports: Mapping[_Writer, RunWithFacts]) -> DatasetColumns:
        entry = DatasetColumns(group, schema, [])
        # A writer's report comes from a scan of its runs if the dataset has several names, else from the job's node.
        for job in sorted(group.producers):
            if (group.primary, job) in reports:
                _add_report(entry, job, *reports[group.primary, job])
            elif self.is_visible_job(job):
                self._add_writer(entry, self.nodes[job])
        # The last DatasetEvent that declared columns counts as a report of its own.
        if group.facts.declarations:
            stamp = max(group.facts.declarations)
            declaration = group.facts.declarations[stamp]
            for name in map(dataset_of, declaration["outputs"]):
                run = RunKey.of(name, name_uuid(stamp.partition("#")[2]))
                entry.reports.append(
                    ColumnReport(Reporter(run, None, None, declared=True), ((declaration["ref"],), name))
                )
        return entry

    def _add_writer(self, entry: DatasetColumns, node: Mapping[str, Any]) -> None:
        inputs, outputs = io_of(node)
        job = job_of(node["job"])
        for name in sorted(outputs & set(entry.group.names)):
            reported = node["columns"][text_of(name)]
            run = RunKey.of(job, reported["run"])
            version = run_version_id(name, run) if reported["versioned"] else None
            reporter = Reporter(run, job, version, reported["declared"])
            if self.view.at is None:
                self.view.expect([facts_key(reporter.run)])  # for the versions that it read
            unknown = NO_COLUMNS if reported["refs"] or reported["explicit"] else unknown_columns(inputs)
            entry.reports.append(ColumnReport(reporter, (tuple(reported["refs"]), name), unknown))


def _jobs_of(group: ResolvedDataset, readers: bool) -> set[JobId]:
    return group.producers | group.readers | group.reporters if readers else set(group.producers)


def _add_report(entry: DatasetColumns, job: JobId, run: RunKey, facts: RunFacts) -> None:
    """Add what a run reported of a dataset with several names; `CurrentColumns` names the version that it made."""
    reporter = Reporter(run, job, None, facts.declared is not None)
    for name in entry.group.names:
        reported = reported_columns(facts, text_of(name))
        if reported is not None:
            entry.reports.append(ColumnReport(reporter, (reported.refs, name)))


class ReadVersions:
    """Versions of the sources of current columns, read together, in a fixed number of rounds; as of the time `at`.

    `truncated`: there were more than one result may resolve.
    """

    def __init__(self, entries: Iterable[DatasetColumns], view: GraphView, groups: ResolvedDatasets) -> None:
        self._groups = groups
        reports = [report for entry in entries for report in entry.reports]
        facts = read_run_facts({report.reporter.run for report in reports if report.columns.datasets}, view)
        if view.at:
            # A reporter existed then; a DatasetEvent has no job that could own it.
            facts = {run: as_of(run_facts, view.at) for run, run_facts in facts.items()}
        budget = InputBudget()
        runs = budget.take_runs(with_sources_alone(reports, facts, groups))
        self.truncated = bool(budget.cut)
        self._reads = {
            run: {read.group.primary: read.version for read in reads}
            for run, reads in reads_of(runs, view, groups).items()
        }
        self._named: dict[int, ColumnLineage] = {}
        self._whole: dict[int, Mapping[ColumnSource, str]] = {}

    def of_inputs(self, entry: DatasetColumns, path: FieldPath) -> Mapping[ColumnSource, str]:
        """Return the version of each source of a column, where all reporters read the same version."""
        reports = zip(entry.reports, entry.known.index.reports, strict=True)
        return self._agreed(
            (report, self._columns(report).fields[named_path])
            for report, paths in reports
            for named_path in paths.find(path)
        )

    def of_dependencies(self, entry: DatasetColumns) -> Mapping[ColumnSource, str]:
        """Return the version of each source that the whole dataset depends on, as in `of_inputs`."""
        if id(entry) not in self._whole:
            self._whole[id(entry)] = self._agreed(
                (report, self._columns(report).dataset_level) for report in entry.reports
            )
        return self._whole[id(entry)]

    def _agreed(self, reports: Iterable[tuple[ColumnReport, Iterable[ColumnSource]]]) -> Mapping[ColumnSource, str]:
        versions: dict[ColumnSource, set[str | None]] = {}
        for report, sources in reports:
            read = self._reads.get(report.reporter.run, {})
            for source in sources:
                versions.setdefault(source, set()).add(read.get(source.dataset))
        only = ((source, next(iter(agreed))) for source, agreed in versions.items() if len(agreed) == 1)
        return {source: version for source, version in only if version is not None}

    def _columns(self, report: ColumnReport) -> ColumnLineage:
        if id(report) not in self._named:
            self._named[id(report)] = renamed(report.columns, self._groups.primary)
        return self._named[id(report)]


def with_sources_alone(
    reports: Iterable[ColumnReport], facts: Mapping[RunKey, RunFacts], groups: ResolvedDatasets
) -> dict[RunKey, RunFacts]:
    """Return the facts of the reporters, with the sources in their reports as their only inputs."""
    sources: dict[RunKey, set[DatasetId]] = {run: set() for run in facts}
    for report in reports:
        sources.get(report.reporter.run, set()).update(report.columns.datasets)
    narrowed: dict[RunKey, RunFacts] = {}
    for run, run_sources in sources.items():
        names = {name for source in run_sources for name in groups.group(source).names}
        inputs = {text: time for text, time in facts[run].inputs.items() if dataset_of(text) in names}
        read = {groups.primary(dataset_of(text)) for text in inputs}
        others = (text_of(source) for source in sorted(run_sources) if groups.primary(source) not in read)
        narrowed[run] = replace(facts[run], inputs={**dict.fromkeys(others, facts[run].first or ""), **inputs})
    return narrowed

"""The graph as of a time, for a caller, during a request: every walker, list and report reads by it.

    view = GraphView(table, at="2025-11-20T12:00:00.000000Z", caller=visibility)
    view.load(datasets=names, users="down")     # the datasets, and the jobs to which a walk goes on
    view.load(jobs=jobs)
    view.dataset(name)      # under all its names; None if no event named it, or if it is hidden
    view.job(job)           # with datasets under the names that the job used; None if it is unknown or hidden
    view.load_columns(names)
    view.columns(name)      # the reports of its writers; None as for `dataset`
    view.load_below(names)  # the columns of datasets that may be derived from `names`, by dataset
    view.redacted(job)      # as the caller sees the job: in full, or by its id alone
    view.as_of(at)          # the view of another time; `view.whole`: of a caller who sees everything

A load takes a few rounds, however many names there are. A job or dataset is hidden if it, or its namespace, was deleted
after its last event. A load announces the namespaces, and the next round reads them.

A view loads and bounds: it never walks, and never renders.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import Any, TypeAlias

from headwater.facts.facts import dataset_of, job_of, text_of
from headwater.facts.index_scan import RunWithFacts, first_of_groups, last_with_columns, read_run_facts, run_order
from headwater.facts.job_nodes import io_of, sources_of
from headwater.facts.keys import facts_key
from headwater.facts.run_facts import run_version_id
from headwater.queries.results.columns import Reporter
from headwater.queries.view.column_reports import (
    ColumnReport,
    DatasetColumns,
    IndexedColumns,
    keys_of,
    read_columns,
    reports_by,
    unknown_columns,
)
from headwater.queries.view.descriptions import Schema, describe, read_facets, schema_of
from headwater.queries.view.loaded import LoadedGraph
from headwater.queries.view.names import Near, ResolvedDataset
from headwater.queries.view.written_versions import version_by
from headwater_model.columns import NO_COLUMNS, Column
from headwater_model.field_paths import RelatedPaths
from headwater_model.ids import DatasetId, FieldPath, JobId, RunKey, name_uuid

# A dataset, by its primary name, and a job writing it.
_Writer: TypeAlias = tuple[DatasetId, JobId]


class GraphView(LoadedGraph):
    """A view of jobs, datasets and columns; a view of a view shares its reads."""

    @cached_property
    def _entries(self) -> dict[DatasetId, DatasetColumns]:
        return {}

    def load_columns(self, names: Iterable[DatasetId], *, below: int = 0) -> None:
        """Read the columns of the datasets, unless they were read; with `below`, also the jobs reading the datasets.

        `below`: the levels of readers in the rest of a walk down.
        """
        requested = set(names)
        # Resolve the names to datasets, with their writers; with `below`, with their readers, too.
        self.load(requested, users="ever" if below else "up")
        groups = {group.primary: group for group in map(self.group, requested)}
        # Read the nodes of the jobs: they decide the visibility. The reports come with them by edges, or after them.
        self._expect_reports(groups.values(), below)
        self.load(jobs=sorted({job for group in groups.values() for job in _jobs_of(group, below)} - self.nodes.keys()))
        self._expect_reports(groups.values(), below)
        # Collect the last report of each writer, for new datasets.
        fresh = [group for primary, group in groups.items() if primary not in self._entries]
        reports = self._last_reports(fresh)
        schemas = self.schemas(fresh)
        new = {group.primary: self._entry(group, schema, reports) for group, schema in zip(fresh, schemas, strict=True)}
        # Read the columns of the reports, and the datasets of their sources; index the columns by path.
        self._name_versions(new.values())
        reported = [report for entry in new.values() for report in entry.reports]
        read_columns(reported, self)
        self.load({source for report in reported for source in report.columns.datasets}, users="up")
        name_of = cache(self.visible_name)
        for entry in new.values():
            entry.known = IndexedColumns(entry.reports, name_of)
        self._entries.update(new)

    def load_below(
        self, names: Iterable[DatasetId], *, is_last: bool = True
    ) -> tuple[Sequence[ResolvedDataset], Mapping[DatasetId, DatasetColumns]]:
        """Read the datasets, and the columns of the datasets that may have columns derived from theirs.

        Before the last level of a walk, the readers of the latter are read as well.
        """
        datasets = set(names)
        self.load_columns(datasets, below=1 if is_last else 2)
        groups = [self.group(name) for name in datasets]
        derived = self._made_of(groups)
        if not is_last:
            self.load(derived, users="ever")
        self.load_columns(derived)
        return groups, {entry.group.primary: entry for entry in map(self.columns, derived) if entry}

    def columns(self, dataset: DatasetId) -> DatasetColumns | None:
        """Look up the columns of a loaded dataset; None if the dataset is unknown or hidden."""
        entry = self._entries.get(self.primary(dataset))
        return entry if entry and self.dataset(dataset) else None

    def find_columns(self, dataset: DatasetId) -> DatasetColumns | None:
        """Read the columns of a dataset; None if the dataset is unknown or hidden."""
        self.load_columns([dataset])
        return self.columns(dataset)

    def find_column(self, dataset: DatasetId, path: FieldPath) -> Column | None:
        """Find the column, under its dataset's primary name, in the schema, the reports, or the sources of a column."""
        entry = self.find_columns(dataset)
        if entry is None:
            return None
        there = entry.has(path) or self.is_used(dataset, path)
        return Column(entry.group.primary, path) if there else None

    def list_columns(self, dataset: DatasetId, *, used: bool) -> list[Column]:
        """List the columns of a dataset; with `used`, or without a schema, add columns known as sources alone."""
        entry = self.find_columns(dataset)
        if entry is None:
            return []
        own = [Column(entry.group.primary, path) for path in entry.paths]
        return own if entry.schema.known and not used else list(dict.fromkeys((*own, *self.used(dataset))))

    def is_used(self, dataset: DatasetId, path: FieldPath) -> bool:
        """True if a current column is derived from this column, or from a field inside it."""
        return RelatedPaths({column.field for column in self.used(dataset)}).has(path)

    def used(self, dataset: DatasetId) -> list[Column]:
        """List the columns of a dataset among the sources of current columns."""
        (group,), entries = self.load_below([dataset])
        used = set[Column]().union(*(entry.used for entry in entries.values()))
        return sorted(column for column in used if column.dataset == group.primary)

    def find_outputs(self, job: JobId) -> list[DatasetId] | None:
        """List the outputs of a job shown in full; None if the job is unknown or hidden."""
        self.load(jobs=[job])
        return sorted(filter(self.opens, io_of(self.nodes[job])[1])) if self.has(job) else None

    def schemas(self, groups: Sequence[ResolvedDataset]) -> list[Schema]:
        """Read the current schema of each dataset, hidden or not."""
        return list(map(schema_of, read_facets(groups, self)))

    def live_schemas(self, groups: Iterable[ResolvedDataset]) -> dict[DatasetId, Schema | None]:
        """Read the current schema of each dataset, by its primary name; None if the dataset was deleted or dropped."""
        datasets = list(groups)
        self.load(namespaces=[group.primary.namespace for group in datasets])
        described = zip(datasets, read_facets(datasets, self), strict=True)
        return {
            group.primary: None if self.hides(group) or describe(facets)["lifecycle"] == "DROP" else schema_of(facets)
            for group, facets in described
        }

    def visible_name(self, dataset: DatasetId) -> DatasetId | None:
        """Resolve a reported source dataset to its primary name; None if it does not exist or is hidden."""
        group = self.dataset(dataset)
        return group.primary if group else None

    def _made_of(self, groups: Iterable[ResolvedDataset]) -> set[DatasetId]:
        """List the datasets that may have columns derived from the groups: readers' outputs, and declared datasets."""
        readers = {job for group in groups for job in group.readers | group.reporters}
        outputs = {output for job in readers if self.has(job) for output in io_of(self.nodes[job])[1]}
        return outputs.union(*(group.derived for group in groups))

    def _expect_reports(self, groups: Iterable[ResolvedDataset], below: int) -> None:
        """Announce the columns reported by the jobs of the datasets, and the source datasets of the columns."""
        sources: set[DatasetId] = set()
        outputs: set[DatasetId] = set()
        # With the jobs below, all outputs of a job are announced once, for any of its inputs.
        announced: set[JobId] = set()
        for group in groups if self.at is None else ():
            new = {job: used for job in _jobs_of(group, below) - announced if (used := self._unannounced(job))}
            for job_io in new.values():
                written = [name for name in job_io.outputs if below or name in group.names]
                self.expect(keys_of((tuple(job_io.outputs[name]), name) for name in written).values())
                sources.update(job_io.inputs)
                outputs.update(written if below else ())
            announced.update(new if below else ())
        # The outputs are loaded with their readers if the walk goes on from them; sources are resolved alone.
        self._expect_datasets(outputs, "ever" if below > 1 else "up")
        self._expect_datasets(sources - outputs, "up")

    def _unannounced(self, job: JobId) -> Near | None:
        """Find the datasets of a job by an edge, before its node is read; without an edge, by its node."""
        edge = self.near(job)
        if edge or job not in self.nodes:
            return None if job in self.nodes else edge
        columns = {dataset_of(text): reported["refs"] for text, reported in self.nodes[job]["columns"].items()}
        return Near(sorted(sources_of(self.nodes[job])), columns)

    def _name_versions(self, entries: Iterable[DatasetColumns]) -> None:
        """Give each report on a dataset with several names the version of its run."""
        several = [
            (entry.group, report)
            for entry in entries
            for report in entry.reports
            if len(entry.group.names) > 1 and not report.reporter.declared
        ]
        facts = read_run_facts({report.reporter.run for _, report in several}, self, self.at)
        for group, report in several:
            run = report.reporter.run
            version = version_by(run, facts[run], group) if run in facts else None
            report.reporter = replace(report.reporter, version=version.version if version else None)

    def _last_reports(self, groups: Iterable[ResolvedDataset]) -> dict[_Writer, RunWithFacts]:
        """Find the last run of each writer with columns of a dataset, under any name, if it has several names.

        For a dataset with one name, the job's node has the report.
        """
        scans = [
            ((group.primary, job), last_with_columns(job, text_of(name), self.at or "~", streamed=is_streamed))
            for group in groups
            if len(group.names) > 1
            for job in sorted(group.producers)
            if self.has(job) and io_of(self.nodes[job])[1] & set(group.names)
            for is_streamed in ["streamed" in self.nodes[job]]
            for name in group.names
        ]
        # Of a writer's last runs under each name, the latest counts.
        last: dict[_Writer, RunWithFacts] = {}
        last_runs = first_of_groups([group for _, group in scans], self, at=self.at)
        for (writer, _), run in zip(scans, last_runs, strict=True):
            if run is not None:
                last[writer] = max(run, last.get(writer, run), key=run_order)
        return last

    def _entry(self, group: ResolvedDataset, schema: Schema, reports: Mapping[_Writer, RunWithFacts]) -> DatasetColumns:
        entry = DatasetColumns(group, schema, [])
        # A writer's report comes from a scan of its runs if the dataset has several names, else from the job's node.
        for job in sorted(group.producers):
            if (group.primary, job) in reports:
                run, facts = reports[group.primary, job]
                # `_name_versions` names the version made by the run.
                entry.reports += reports_by(Reporter(run, job, None, facts.declared is not None), facts, group.names)
            elif self.has(job):
                self._add_writer(entry, self.nodes[job])
        # The last DatasetEvent with columns counts as a report of its own.
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
            if self.at is None:
                self.expect([facts_key(reporter.run)])  # for the versions of its inputs
            unknown = NO_COLUMNS if reported["refs"] or reported["explicit"] else unknown_columns(inputs)
            entry.reports.append(ColumnReport(reporter, (tuple(reported["refs"]), name), unknown))


def _jobs_of(group: ResolvedDataset, below: int) -> set[JobId]:
    return group.producers | group.readers | group.reporters if below else set(group.producers)

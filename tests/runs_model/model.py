"""The results of every query about runs, each computed anew from the whole set of statements."""

import re
from copy import copy
from dataclasses import replace
from functools import cache

from headwater.facts.run_facts import Run, UsedVersion
from headwater.facts.visibility import EVERYTHING
from headwater.queries.results.entities import (
    Dataset,
    DatasetVersion,
    Job,
    JobVersion,
    LastWriter,
    Namespace,
    SearchHit,
)
from headwater_model.ids import JobId, normalize_run_id
from tests.runs_model import dataset_versions, graph, job_versions, schemas
from tests.runs_model.annotations import annotations_of
from tests.runs_model.assertions import Tested
from tests.runs_model.catalogues import Catalogues, holds, page
from tests.runs_model.facets import described, job_type, labels_in, merged, text_in, time_in
from tests.runs_model.statements import Statements


class Model(Catalogues, Tested):
    """`headwater.queries.service.LineageQueries` for a whole set of statements; also the facts behind the graphs."""

    visibility = EVERYTHING

    def __init__(self, statements):
        self._load(Statements(statements))

    def _load(self, statements):
        self.statements = statements
        # The statements do not change, so results may be cached.
        for name in ("job_entries", "job_versions", "dataset_versions", "run", "job", "dataset"):
            setattr(self, name, cache(getattr(self, name)))

    def before(self, time):
        """Make the model of the statements before a time."""
        past = Model([])
        past._load(self.statements.before(time))
        return past

    # Namespaces

    def list_namespaces(self, *, limit=100, offset=0):
        return page([self.find_namespace(name) for name in self.statements.namespaces], limit, offset)

    def find_namespace(self, name):
        if name not in self.statements.namespaces:
            return None
        times = self.statements.namespace_times(name)
        described = [
            description.values for description in self.statements.descriptions if description.namespace == name
        ]
        hidden = self.statements.is_namespace_hidden(name)
        return Namespace(name, min(times), max(times), hidden, **(described[-1] if described else {}))

    # Runs

    def seen_by(self, visibility):
        """Make the same model for a caller: run ids are looked up in the visible namespaces alone."""
        seen = copy(self)
        seen.visibility = visibility
        return seen

    def find_run(self, run_id):
        """Find the caller's first visible run of the id, with the jobs of its further runs."""
        if not (runs := self.runs_of_id(run_id)):
            return None
        return replace(self.run(runs[0].key), other_jobs=tuple(sorted(run.job for run in runs[1:])))

    def runs_of_id(self, run_id):
        runs = [run for run in self.statements.runs.values() if run.id == normalize_run_id(run_id)]
        runs = [run for run in runs if self.visibility.sees(run.job)]
        return sorted(runs, key=lambda run: (run.first_mention, run.key))

    def list_runs(self, job, *, limit=100, offset=0):
        return page(self.runs_of(job), limit, offset) if job in self.statements.jobs else None

    def runs_of(self, job):
        """List the runs of the job, newest first; runs known only as parents come last."""
        runs = [run for run in self.statements.runs.values() if run.job == job]
        return [self.run(run.key) for run in sorted(runs, key=lambda run: (run.started or "", run.key), reverse=True)]

    def list_child_runs(self, run_id, *, limit=100, offset=0):
        """List the child runs of `find_run`'s run, newest first."""
        if not (runs := self.runs_of_id(run_id)):
            return None
        parent = runs[0].key
        children = [run for run in self.statements.runs.values() if run.parent and run.parent.key == parent != run.key]
        children = [run for run in children if self.visibility.sees(run.job)]
        children.sort(key=lambda run: (run.started, run.key), reverse=True)
        return page([self.run(run.key) for run in children], limit, offset)

    def run(self, key):
        run = self.statements.runs[key]
        facets = run.facets
        return Run(
            id=run.id,
            job=run.job,
            state=run.state,
            created=run.created,
            updated=run.updated,
            started=run.started,
            ended=run.ended,
            attempt_started=None if run.began == run.started else run.began,
            completed_before=run.completed_before,
            nominal_start=time_in(facets, "nominalTime", "nominalStartTime"),
            nominal_end=time_in(facets, "nominalTime", "nominalEndTime"),
            parent=run.parent,
            job_version=self.job_version_of(run),
            inputs=tuple(self._read(run, dataset) for dataset in self.statements.primaries(run.names("in"))),
            outputs=self._written(run) if run.made else (),
            facets=facets,
            job_facets=run.job_facets,
            incomplete=run.incomplete,
            attempts=run.shown_attempts,
        )

    def run_in_passing(self, key):
        """Make the run as shown in lists and graphs: without details of the run alone."""
        run = self.run(key)
        known = self.statements.runs[key].uses("in") or self.statements.runs[key].uses("out")
        version = run.job_version if known else None
        return replace(run, facets={}, job_facets={}, inputs=(), outputs=(), attempts=(), job_version=version)

    def job_version_of(self, run):
        entries = self.job_entries(run.job)
        mine = [entry for entry in entries if entry.run == run.key]
        return job_versions.resolved(entries, mine[0]).version(run.job) if mine else None

    def _read(self, run, dataset):
        version, resolved_by, _ = dataset_versions.version_read(self.statements, run, dataset)
        return UsedVersion(dataset, version, self._use_facets(run, "in", dataset), resolved_by)

    def _written(self, run):
        """List its outputs once a primary name, with the version id of the least name used."""
        names = {}
        for name in run.names("out"):
            names.setdefault(self.statements.primary(name), name)
        return tuple(
            UsedVersion(dataset, dataset_versions.version_of_run(name, run), self._use_facets(run, "out", dataset))
            for dataset, name in sorted(names.items())
        )

    def _use_facets(self, run, direction, dataset):
        return merged(
            (event, use.use_facets)
            for event, use in run.uses(direction)
            if self.statements.primary(use.dataset) == dataset
        )

    def part_of(self, job, direction, dataset):
        """List the partitions, by dimension, used by the job's last run of a dataset under a single name; else None."""
        known = [entry for entry in self.job_entries(job) if entry.known]
        run = known[-1].run and self.statements.runs[known[-1].run]
        names = known[-1].inputs if direction == "in" else known[-1].outputs
        names = [name for name in names if self.statements.primary(name) == dataset]
        if not run or len(names) != 1:
            return None
        uses = [(event, use) for event, use in run.uses(direction) if use.dataset == names[0]]
        subset = merged((event, use.use_facets) for event, use in uses).get("subset", {})
        condition = subset.get("inputCondition", subset.get("outputCondition", {}))
        return [partition["dimensions"] for partition in condition.get("partitions", ())] or None

    # Jobs

    def list_jobs(self, namespace=None, *, states=(), limit=100, offset=0):
        jobs = [self.listed_job(job) for job in self.statements.jobs if not self.statements.is_hidden(job)]
        return page(
            [
                job
                for job in jobs
                if namespace in (None, job.id.namespace)
                if not states or (job.latest_run and job.latest_run.state in states)
            ],
            limit,
            offset,
        )

    def list_child_jobs(self, parent, *, sort="name", limit=100, offset=0):
        if parent not in self.statements.jobs:
            return None
        children = [self.listed_job(job) for job in self.children_of(parent) if self.visibility.sees(job)]
        if sort == "state":
            ranks = {"FAILED": 0, "ABORTED": 1, "RUNNING": 2}
            children.sort(key=lambda job: ranks.get(job.latest_run and job.latest_run.state, 3))
        return page(children, limit, offset)

    def children_of(self, parent):
        """List the visible jobs with this job as parent, by their last event with a parent, at any time."""
        parents = {job: self._parent_of(job) for job in self.visible_jobs() if job != parent}
        return [job for job, run in parents.items() if run and run.job == parent]

    def find_job(self, job):
        return self.job(job) if job in self.statements.jobs else None

    def listed_job(self, job):
        """Make the job as shown in lists."""
        runs = self.job(job).latest_runs
        return replace(self.job_in_passing(job), latest_runs=tuple(self.run_in_passing(run.key) for run in runs))

    def job_in_passing(self, job):
        """Make the job as shown in graphs."""
        whole = self.job(job)
        latest = whole.latest_run and self.run_in_passing(whole.latest_run.key)
        return replace(whole, latest_run=latest, latest_runs=())

    def job(self, job):
        described = self.statements.descriptions_of_job(job)
        facets = merged(described)
        runs, times = self.runs_of(job), self.statements.job_times(job)
        entries = self.job_entries(job)
        latest = job_versions.resolved(entries, entries[-1]) if entries else None
        inputs, outputs = self.current_io(job)
        return Job(
            id=job,
            type=job_type(facets),
            created=min(times),
            updated=max(times),
            inputs=inputs,
            outputs=outputs,
            flows=self.flows(job),
            incomplete=self._is_incomplete(job),
            location=text_in(facets, "sourceCodeLocation", "url"),
            description=text_in(facets, "documentation", "description"),
            parent=self._parent_of(job),
            latest_run=runs[0] if runs else None,
            latest_runs=tuple(runs[:10]),
            current_version=latest.version(job) if latest else None,
            lineage_unknown=latest.unknown if latest else False,
            labels=labels_in(facets),
            facets=facets,
            hidden=self.statements.is_hidden(job),
            annotations=annotations_of(
                described,
                of_job=True,
                of_runs=[(event, event.run_facets) for event in self.statements.events_of_job(job)],
                taggings=[tagging for tagging in self.statements.taggings if tagging.job == job],
                ownerships=[ownership for ownership in self.statements.ownerships if ownership.job == job],
                documentations=[
                    documentation for documentation in self.statements.documentations if documentation.job == job
                ],
            ),
            assertions=self.counts(job),
        )

    def current_io(self, job):
        """Find the inputs and outputs of the last run or JobEvent with datasets."""
        known = [entry for entry in self.job_entries(job) if entry.known]
        if not known:
            return (), ()
        return self.statements.primaries(known[-1].inputs), self.statements.primaries(known[-1].outputs)

    def job_edges(self):
        """List (upstream job, downstream job, DATA or CONTROL) for each edge reported by a job.

        Its last started run reports control, its last run or JobEvent with datasets or explicit lineage reports data.
        """
        edges = set()
        for job in self.statements.jobs:
            reports = [entry for entry in self.job_entries(job) if entry.known or entry.lineage]
            latest = [self.statements.runs[run.key] for run in self.runs_of(job)[:1]]
            facets = reports[-1].lineage if reports else ()
            edges |= {(source, job, "DATA") for facet in facets for source in job_versions.source_jobs(facet, job)}
            for run in latest:
                control = run.facets.get("jobDependencies", {})
                edges |= {(_job(form), job, "CONTROL") for form in control.get("upstream", [])}
                edges |= {(job, _job(form), "CONTROL") for form in control.get("downstream", [])}
        return {edge for edge in edges if edge[0] != edge[1]}

    def flows(self, job):
        """List the (input, output) pairs stated by the last run or JobEvent with datasets."""
        known = [entry for entry in self.job_entries(job) if entry.known]
        return self._under_primaries(known[-1].flows) if known else None

    def _is_incomplete(self, job):
        known = [entry for entry in self.job_entries(job) if entry.known]
        started = [run.key for run in self.runs_of(job)]
        run = known[-1].run if known else next(iter(started), None)
        return run is not None and self.statements.runs[run].incomplete

    def flows_of_run(self, key):
        """List the (input, output) pairs stated by a run."""
        run = self.statements.runs[key]
        entries = [entry for entry in self.job_entries(run.job) if entry.run == key]
        if entries and run.windows:
            return self._under_primaries({(source, output) for output in run.flows for source in run.flows[output]})
        return self._under_primaries(entries[0].flows) if entries else None

    def _under_primaries(self, flows):
        primary = self.statements.primary
        return (
            flows if flows is None else tuple(sorted({(primary(source), primary(output)) for source, output in flows}))
        )

    def _parent_of(self, job):
        events = self.statements.whole.events_of_job(job)
        return next((event.parent for event in events[::-1] if event.parent), None)

    def job_entries(self, job):
        return job_versions.entries_of(self.statements, job)

    def job_versions(self, job):
        return job_versions.versions_of(self.statements, job)

    def list_job_versions(self, job, *, limit=100, offset=0):
        if job not in self.statements.jobs:
            return None
        return page([self._job_version(job, *group) for group in self.job_versions(job)], limit, offset)

    def find_job_version(self, job, version):
        versions = [self._job_version(job, *group) for group in self.job_versions(job)]
        return next((listed for listed in versions if listed.version == version), None)

    def _job_version(self, job, version, entries):
        last = entries[-1]
        runs = [entry.run for entry in entries if entry.run]
        return JobVersion(
            job=job,
            version=version,
            created=min(entry.created for entry in entries),
            updated=last.position[0],
            inputs=self.statements.primaries(last.inputs),
            outputs=self.statements.primaries(last.outputs),
            location=last.location,
            code_version=last.code,
            latest_run=self.run_in_passing(runs[-1]) if runs else None,
            lineage_unknown=all(entry.unknown for entry in entries),
        )

    # Datasets

    def list_datasets(self, namespace, *, limit=100, offset=0):
        datasets = [
            self.dataset(dataset) for dataset in self.statements.datasets if not self.statements.is_hidden(dataset)
        ]
        return page(
            [dataset for dataset in datasets if namespace in (None, dataset.id.namespace) and not dataset.temporary],
            limit,
            offset,
        )

    def find_dataset(self, name):
        dataset = self.statements.primary(name)
        return self.dataset(dataset) if dataset in self.statements.datasets else None

    def dataset(self, dataset):
        facets, times = schemas.dataset_facets(self.statements, dataset), self.statements.dataset_times(dataset)
        versions = self.dataset_versions(dataset)
        current = dataset_versions.current_of(versions)
        writer = self._last_writer(dataset)
        known = described(dataset, facets)
        return Dataset(
            id=dataset,
            **known,
            created=min(times),
            updated=max(times),
            last_modified=current.created if current and current.maker else None,
            current_version=current.id if current else None,
            facets=facets,
            deleted=self.statements.is_hidden(dataset) or self._is_dropped(dataset),
            temporary=self._is_temporary(dataset),
            stale=writer is not None,
            last_written_by=writer,
            annotations=self._annotations_of(dataset),
            assertions=self.counts(dataset),
        )

    def _annotations_of(self, dataset):
        names = {dataset, *self.statements.names_of(dataset)}
        return annotations_of(
            ((event, use.facets) for event, _, use in self.statements.uses_of(dataset)),
            taggings=[tagging for tagging in self.statements.taggings if tagging.dataset in names],
            ownerships=[ownership for ownership in self.statements.ownerships if ownership.dataset in names],
            documentations=[
                documentation for documentation in self.statements.documentations if documentation.dataset in names
            ],
        )

    def _last_writer(self, dataset):
        """Find the last writer, if possible a run that did not fail; None if a visible job writes the dataset now."""
        written = [version for version in self.dataset_versions(dataset) if version.run]
        if not written or any(dataset in self.current_io(job)[1] for job in self.visible_jobs()):
            return None
        last = max(written, key=lambda version: (not version.failed, version.standing()))
        run = self.statements.runs[last.run]
        return LastWriter(run.job, run.id, run.ended or last.created)

    def _is_temporary(self, dataset):
        uses = self.statements.uses_of(dataset)
        if any(use.temporary for _, _, use in uses):
            return True
        parents = {event.parent.key if event.parent else None for event, *_ in uses if event.kind == "RUN"}
        return self._is_dropped(dataset) and len(parents) == 1 and None not in parents

    def _is_dropped(self, dataset):
        """True if an event dropped the dataset, and all events with further mentions are older."""
        events = {(event.hash, use.dataset): (event.time, []) for event, _, use in self.statements.uses_of(dataset)}
        for event, _, use in self.statements.uses_of(dataset):
            change = text_in(use.facets, "lifecycleStateChange", "lifecycleStateChange")
            events[event.hash, use.dataset][1].append(change)
        drops = [time for time, changes in events.values() if "DROP" in changes]
        uses = [time for time, changes in events.values() if "DROP" not in changes]
        return bool(drops) and max(drops) > max(uses, default="")

    def dataset_versions(self, dataset):
        return dataset_versions.versions_of(self.statements, dataset)

    def list_dataset_versions(self, name, *, limit=100, offset=0):
        dataset = self.statements.primary(name)
        if dataset not in self.statements.datasets:
            return None
        return page(
            [self._dataset_version(dataset, version) for version in self.dataset_versions(dataset)[::-1]], limit, offset
        )

    def find_dataset_version(self, name, version):
        listed = self.list_dataset_versions(name)
        return next((entry for entry in listed.items if entry.version == version), None) if listed else None

    def _dataset_version(self, dataset, version):
        return DatasetVersion(
            dataset=dataset,
            version=version.id,
            created=version.created,
            **described(dataset, version.facets),
            created_by=self.run_in_passing(version.run) if version.run else None,
            facets=version.facets,
            failed=version.failed,
            branch=version.branch,
            annotations=self._annotations_of(dataset),
        )

    # Graphs and search

    def visible_jobs(self):
        return [job for job in self.statements.jobs if not self.statements.is_hidden(job)]

    def find_graph(self, node_id, *, depth, at=None, version=None):
        world = self if at is None else self.before(at)
        node_id, _, named = node_id.partition("#")
        version = version or named or None
        if version is not None:
            return graph.of_versions(world, node_id, version, depth)
        return graph.of_now(world, node_id, depth)

    def find_upstream_runs(self, run_id, *, depth):
        runs = self.runs_of_id(run_id)
        return page(graph.upstream_runs(self, runs[0].key, depth), None) if runs else None

    def search(self, q, *, kind=None, sort="name", limit=10, namespace=None, before=None, after=None):
        jobs = [] if kind == "dataset" else self.list_jobs(limit=None).items
        datasets = (
            []
            if kind == "job"
            else [
                dataset for name in self.statements.namespaces for dataset in self.list_datasets(name, limit=None).items
            ]
        )
        hits = [
            node
            for node in [*datasets, *jobs]
            if holds(q, node.id.namespace, node.id.name)
            if any(holds(word, node.id.name) for word in re.findall("[a-z0-9]+", q.lower()))
            if namespace in (None, node.id.namespace)
            if (after or "") <= node.updated < (before or "~")
        ]
        # Sorting is stable: datasets come before jobs of the same name.
        hits.sort(key=lambda node: (node.id.name, node.id.namespace))
        if sort == "updated_at":
            hits.sort(key=lambda node: node.updated, reverse=True)
        return page([SearchHit(node.id, node.updated) for node in hits], limit)


def _job(dependency):
    return JobId(dependency["job"]["namespace"], dependency["job"]["name"])

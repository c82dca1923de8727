"""Pages of datasets and jobs, and single datasets and jobs by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import starmap
from typing import TypeVar

from headwater.events.event import State
from headwater.facts.facet_refs import restored
from headwater.facts.facts import describing_facets, facets_of, text_of
from headwater.facts.index_scan import facts_of, last_started
from headwater.facts.job_nodes import summarize_run
from headwater.facts.keys import facts_key
from headwater.facts.list_rows import LISTED_STATES
from headwater.facts.result_page import ResultPage
from headwater.facts.run_facts import Run
from headwater.queries.graphs.edges import possible_children
from headwater.queries.graphs.node_ids import result_by_name
from headwater.queries.graphs.short_forms import find_writes, short_datasets
from headwater.queries.lists.name_lists import NameCatalogue, NameList
from headwater.queries.lists.urgent_jobs import last_changed, last_updated, listed_in_states
from headwater.queries.results.entities import ChildSort, Dataset, DatasetVersion, Job, JobVersion, Sort, urgency
from headwater.queries.runs.dataset_times import times_of
from headwater.queries.runs.dataset_versions import (
    KnownVersion,
    current_versions,
    dataset_version_of,
    find_version,
    read_versions,
)
from headwater.queries.runs.job_versions import current_versions_of, find_job_version, versions_of
from headwater.queries.runs.runs import full_runs, list_runs, newest_facts_of
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.descriptions import dataset_of_group, read_facets
from headwater.queries.view.nodes import under_primaries
from headwater_model.ids import DatasetId, JobId

_LATEST_RUNS = 10
# Jobs of a list with their last runs.
WITH_RUNS_MAX = 100
# Jobs read for their times, and for the state of their last runs; datasets read for their times.
JOBS_MAX = 5_000
STATE_JOBS_MAX = 1_000
SORTED_MAX = 5_000


_F = TypeVar("_F", Dataset, DatasetVersion)


def _with_facets(items: Sequence[_F], view: GraphView) -> list[_F]:
    """Restore the items' facets as they were sent."""
    facets = restored([item.facets for item in items], view)
    return [replace(item, facets=sent) for item, sent in zip(items, facets, strict=True)]


class Datasets:
    """Queries of datasets, each under all its names."""

    def __init__(self, view: GraphView) -> None:
        self._view = view

    def list(
        self,
        namespace: str | None,
        *,
        sort: Sort = "name",
        updated_before: str | None = None,
        in_short: bool = False,
        limit: int,
        offset: int,
    ) -> ResultPage[Dataset]:
        """List a page of the datasets of a namespace (None: all), by name or the last updated first.

        With `updated_before`, only datasets without an event at this time or later.
        """
        catalogue = NameCatalogue(self._view)
        names = catalogue.every_dataset(namespace)
        truncated, total = names.truncated, len(names)
        if sort == "updated_at" or updated_before:
            chosen = self._updated(catalogue.page(names, limit=SORTED_MAX, offset=0), sort, updated_before)
            page = chosen[offset : offset + limit]
            truncated |= len(names) > SORTED_MAX
            total = len(chosen) if updated_before else total
        else:
            page = catalogue.page(names, limit=limit, offset=offset)
        datasets = self._short(page) if in_short else self._found(page)
        return ResultPage(datasets, total, truncated or self._view.truncated)

    def _short(self, names: Sequence[DatasetId]) -> Sequence[Dataset]:
        """Read the datasets in short, with their times."""
        datasets = short_datasets(self._view, names)
        times = times_of([self._view.group(name) for name in datasets], self._view)
        return [replace(dataset, times=times[name]) for name, dataset in datasets.items()]

    def _updated(self, names: Sequence[DatasetId], sort: Sort, before: str | None) -> Sequence[DatasetId]:
        """Sort the datasets, without the datasets updated later; their users are not read."""
        self._view.load_names(names)
        last = {name: self._view.group(name).facts.last or "" for name in names}
        chosen = [name for name in names if not before or last[name] < before]
        return sorted(chosen, key=lambda name: last[name], reverse=True) if sort == "updated_at" else chosen

    def find(self, dataset: DatasetId) -> Dataset | None:
        """Find the dataset under any of its names, also if it is hidden."""
        return result_by_name(dataset, lambda name: next(iter(self._found([name])), None), self._view)

    def _found(self, names: Sequence[DatasetId]) -> Sequence[Dataset]:
        groups = self._load(names, details=True)
        currents = current_versions(groups, self._view) if groups else []
        facets = read_facets(groups, self._view)
        writers, _ = find_writes(groups, self._view)
        datasets = []
        for group, current, described in zip(groups, currents, facets, strict=True):
            last = writers.get(group.primary)
            datasets.append(
                dataset_of_group(
                    group,
                    described,
                    hidden=self._view.hides(group),
                    current_version=current.id if current else None,
                    last_modified=current.created if current and current.made_by else None,
                    stale=last is not None,
                    last_written_by=last,
                )
            )
        return _with_facets(datasets, self._view)

    def _load(self, names: Sequence[DatasetId], *, details: bool = False) -> Sequence[ResolvedDataset]:
        self._view.load(names, users="up", details=details)
        groups = {group.primary: group for group in map(self._view.group, names)}
        return [group for group in groups.values() if group.known]

    def list_versions(self, dataset: DatasetId, *, limit: int, offset: int) -> ResultPage[DatasetVersion] | None:
        """List the versions of a dataset under any of its names, newest first."""
        group = result_by_name(dataset, self._known, self._view)
        if group is None:
            return None
        versions = read_versions(group, self._view)
        page = self._shown(group, versions.versions[offset : offset + limit])
        return ResultPage(page, len(versions.versions), versions.cut)

    def find_version(self, dataset: DatasetId, version: str) -> DatasetVersion | None:
        """Find the version of this id, of a dataset under any of its names; None if there is none."""

        def find(name: DatasetId) -> DatasetVersion | None:
            group = self._known(name)
            known = find_version(group, version, self._view) if group else None
            return self._shown(group, [known])[0] if group and known else None

        return result_by_name(dataset, find, self._view)

    def _known(self, name: DatasetId) -> ResolvedDataset | None:
        return next(iter(self._load([name])), None)

    def _shown(self, group: ResolvedDataset, versions: Sequence[KnownVersion]) -> Sequence[DatasetVersion]:
        """Make the results of versions, without the runs of jobs that the caller may not see."""
        shown = _with_facets([dataset_version_of(group, version) for version in versions], self._view)
        return [
            version
            if version.created_by is None or self._view.opens(version.created_by.job)
            else replace(version, created_by=None)
            for version in shown
        ]


class Jobs:
    """Queries of jobs."""

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._catalogue: NameCatalogue | None = None  # of a list

    def list(
        self,
        namespace: str | None,
        *,
        states: Sequence[State] = (),
        sort: Sort = "name",
        updated_before: str | None = None,
        in_short: bool = False,
        limit: int,
        offset: int,
    ) -> ResultPage[Job]:
        """List a page of the jobs of a namespace (None: all), by name or the last updated first.

        `states` filters by the last run's state, `updated_before` by the time of the last event. `in_short`: without
        facets, versions and runs. Otherwise the first `WITH_RUNS_MAX` of the page have their last ten runs, in short.
        """
        catalogue = self._catalogue = NameCatalogue(self._view)
        names = catalogue.every_job(namespace)
        total, cut, by_time = len(names), names.truncated, sort == "updated_at"
        needed = min(offset + limit, total)
        has_rows = by_time and not states and not updated_before and needed < total
        # The catalogue knows names alone: a filter or an order by time needs the jobs, or rows by state or time.
        if not (states or updated_before or by_time):
            page: Sequence[Job] = self._read(catalogue.page(names, limit=limit, offset=offset))
        elif has_rows and (newest := last_updated(needed, namespace, self._view)):
            page = newest[offset:]
        else:
            candidates, cut = self._candidates(states, namespace, catalogue, names)
            chosen = self._chosen(candidates, states, updated_before)
            if by_time:
                chosen = sorted(chosen, key=lambda job: self._view.nodes[job]["last"] or "", reverse=True)
            page = self._read(chosen[offset : offset + limit])
            total = len(chosen) if states or updated_before else total
        shown = page if in_short else self._with_runs(page)
        return ResultPage(shown, total, cut or self._view.truncated)

    def _candidates(
        self, states: Sequence[State], namespace: str | None, catalogue: NameCatalogue, names: NameList[JobId]
    ) -> tuple[Sequence[JobId], bool]:
        """List the jobs that may be in the states (none: all jobs), by name, and true if there may be more."""
        if states and set(LISTED_STATES).issuperset(states):
            return listed_in_states(states, namespace, self._view)
        most = STATE_JOBS_MAX if states else JOBS_MAX
        jobs = catalogue.page(names, limit=most, offset=0)
        if states and len(names) > most:
            # Jobs with the last events are read before jobs by name: a running job has begun of late.
            jobs = sorted(list(dict.fromkeys([*last_changed(namespace, self._view), *jobs]))[:most], key=text_of)
        return jobs, names.truncated or len(names) > most

    def _chosen(self, candidates: Sequence[JobId], states: Sequence[State], before: str | None) -> Sequence[JobId]:
        """Choose the visible jobs whose last run is in the states, without jobs updated later."""
        self._view.load(jobs=candidates)
        nodes = {job: self._view.nodes[job] for job in candidates if self._view.has(job)}
        return [
            job
            for job, node in nodes.items()
            if (not states or (node["latest"] and node["latest"]["state"] in states))
            and (not before or (node["last"] or "") < before)
        ]

    def children(
        self, parent: JobId, *, sort: ChildSort = "name", in_short: bool = False, limit: int, offset: int
    ) -> ResultPage[Job] | None:
        """List the visible children of a job, by namespace and name; None for an unknown job.

        By `state`, failed jobs come first, then aborted, then running jobs.
        """
        if self.find_brief(parent) is None:
            return None
        possible, more = possible_children([parent], self._view)
        jobs = self._read(list(filter(self._view.sees, possible)))
        children = [job for job in jobs if job.parent and job.parent.job == parent and not job.hidden]
        if sort == "state":
            children.sort(key=urgency)
        page = children[offset : offset + limit]
        shown = page if in_short else self._with_runs(page)
        return ResultPage(shown, len(children), more or self._view.truncated)

    def find(self, job: JobId) -> Job | None:
        """Find the job with its last ten runs, also if it is hidden."""
        nodes = self.named(self._read([job]))
        if not nodes or not nodes[0].created:
            return None
        runs = newest_facts_of([job], self._view, _LATEST_RUNS)[job]
        latest_runs = tuple(full_runs(dict(runs), self._view).values())
        return replace(self._detailed(nodes, {job: latest_runs})[0], latest_run=latest_runs[0] if latest_runs else None)

    def _with_runs(self, short: Sequence[Job]) -> Sequence[Job]:
        """Read the jobs in detail, the first of them with their last runs."""
        view, ids = self._view, [job.id for job in short]
        having = ids[:WITH_RUNS_MAX]
        # One round for facts of jobs and index rows of runs; then a round for the runs, and names of datasets.
        view.read_first([last_started(job).query(_LATEST_RUNS) for job in having], map(facts_key, ids))
        jobs = self.named(short)
        runs = newest_facts_of(having, view, _LATEST_RUNS)
        return self._detailed(jobs, {job: tuple(starmap(summarize_run, of)) for job, of in runs.items()})

    def _read(self, jobs: Sequence[JobId]) -> Sequence[Job]:
        """Read the existing jobs, with datasets under the names in the jobs' events."""
        self._view.load(jobs=jobs)
        return list(filter(None, map(self._view.stored_job, jobs)))

    def named(self, jobs: Sequence[Job]) -> Sequence[Job]:
        """Replace the names of the jobs' datasets by primary names."""
        names = [name for job in jobs for name in (*job.inputs, *job.outputs)]
        self._view.load_names(self._catalogue.perhaps_aliases(names) if self._catalogue else names)
        return [under_primaries(job, self._view.primary) for job in jobs]

    def _detailed(self, jobs: Sequence[Job], runs: Mapping[JobId, tuple[Run, ...]]) -> Sequence[Job]:
        """Read the facets and current versions of the jobs with their last runs."""
        facts = facts_of([job.id for job in jobs], self._view)
        versions = current_versions_of([job.id for job in jobs], self._view)
        described = [facets_of(describing_facets(facts[job.id])) if job.id in facts else {} for job in jobs]
        detailed = []
        for job, facets in zip(jobs, restored(described, self._view), strict=True):
            version, unknown = versions.get(job.id, (None, False))
            last = runs.get(job.id, ())
            detailed.append(
                replace(job, facets=facets, current_version=version, lineage_unknown=unknown, latest_runs=last)
            )
        return detailed

    def list_versions(self, job: JobId, *, limit: int, offset: int) -> ResultPage[JobVersion] | None:
        """List the job's versions, the most recently used first."""
        if self.find_brief(job) is None:
            return None
        versions, cut = versions_of(job, self._view)
        return ResultPage(
            [self._under_primaries(version) for version in versions[offset : offset + limit]], len(versions), cut
        )

    def find_version(self, job: JobId, version: str) -> JobVersion | None:
        """Find the version of this id; None if there is none."""
        known = find_job_version(job, version, self._view)
        return self._under_primaries(known) if known else None

    def list_runs(self, job: JobId, *, in_short: bool = False, limit: int, offset: int) -> ResultPage[Run] | None:
        """List a job's runs, the last started first."""
        if self.find_brief(job) is None:
            return None
        return list_runs(job, self._view, in_short=in_short, limit=limit, offset=offset)

    def find_brief(self, job: JobId) -> Job | None:
        """Find the job without its runs."""
        nodes = self.named(self._read([job]))
        return nodes[0] if nodes and nodes[0].created else None

    def _under_primaries(self, version: JobVersion) -> JobVersion:
        self._view.load_names((*version.inputs, *version.outputs))
        inputs, outputs = (
            tuple(sorted(set(map(self._view.primary, side)))) for side in (version.inputs, version.outputs)
        )
        return replace(version, inputs=inputs, outputs=outputs)

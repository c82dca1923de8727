"""The jobs and datasets that a query has loaded, as of its view's time: what exists, and what a deletion hides.

    loaded = LoadedGraph(view)
    loaded.load(datasets=names, jobs=jobs)
    loaded.dataset(name)    # under all its names; None if no event named it, or if it is hidden
    loaded.job(job)         # with datasets under the names that the job used; None if it is unknown or hidden

A load takes a few rounds, however many names there are. A job or dataset is hidden if it, or its namespace, was deleted
after its last event. A load announces the namespaces: the next round reads them, at the latest when one is needed.

The facts have the last outcome of each test. Where that is later than the view's time, rows of earlier events are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from headwater.events.event import ParentRun
from headwater.facts.annotations import annotations_from_json
from headwater.facts.assertions import OUTCOMES, Assertions, count_assertions, rows_query, stamp_of
from headwater.facts.facts import JobFacts, NamespaceFacts, as_of, dataset_of, job_of, last_deleted
from headwater.facts.job_nodes import compute_nodes, flows_in
from headwater.facts.keys import FACTS, current_key, dataset_pk, facts_key, job_pk, namespace_pk
from headwater.facts.run_facts import Run
from headwater.facts.table import GraphReader, Row
from headwater.queries.resolve import ALIASES_MAX, ResolvedDataset, ResolvedDatasets
from headwater.queries.results.entities import Job
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId, JobId

Thing = TypeVar("Thing", DatasetId, JobId)
# Rows of one name's events that are read for its past.
ROWS_MAX = 100


def assertions_then(
    outcomes: Mapping[Thing, Assertions], pks: Mapping[Thing, Sequence[str]], reader: GraphReader, at: str | None
) -> tuple[dict[Thing, Assertions], bool]:
    """Return the outcomes as of a time, without unknown ones; and true if rows beyond `ROWS_MAX` may know more."""
    unknown = {thing: {key for key, (_, rank) in known.items() if rank is None} for thing, known in outcomes.items()}
    queries = {pk: rows_query(pk, ROWS_MAX, at) for thing, keys in unknown.items() if keys for pk in pks[thing]}
    pages = dict(zip(queries, reader.query(list(queries.values())), strict=True)) if queries else {}
    then, cut = dict(outcomes), False
    for thing, keys in unknown.items():
        if keys:
            earlier = _last_in(row for pk in pks[thing] for row in pages[pk].rows)
            known = {key: value for key, value in outcomes[thing].items() if key not in keys}
            then[thing] = {**known, **{key: earlier[key] for key in keys & earlier.keys()}}
            cut |= not keys <= earlier.keys() and any(pages[pk].more for pk in pks[thing])
    return then, cut


def _last_in(rows: Iterable[Row]) -> dict[str, Sequence[Any]]:
    last: dict[str, tuple[str, int]] = {}
    for row in rows:
        for result in row.data["results"]:
            value = stamp_of(row), OUTCOMES.index(result["outcome"])
            last[result["key"]] = max(last.get(result["key"], value), value)
    return {key: list(value) for key, value in last.items()}


def resolve_assertions(groups: Sequence[ResolvedDataset], view: GraphView) -> bool:
    """Give the groups the outcomes as of the view's time; return true if some may be missing."""
    outcomes = {group.primary: group.facts.assertions for group in groups}
    then, cut = assertions_then(outcomes, {group.primary: pks_of(group) for group in groups}, view, view.at)
    for group in groups:
        if then[group.primary] is not outcomes[group.primary]:
            group.facts = replace(group.facts, assertions=then[group.primary])
    return cut


def resolve_jobs(
    jobs: Mapping[JobId, JobFacts], reader: GraphReader, at: str | None
) -> tuple[dict[JobId, JobFacts], bool]:
    """Return the facts of jobs with the outcomes as of a time; and true if some may be missing."""
    then, cut = assertions_then(
        {job: facts.assertions for job, facts in jobs.items()}, {job: [job_pk(job)] for job in jobs}, reader, at
    )
    return {job: replace(facts, assertions=then[job]) for job, facts in jobs.items()}, cut


def pks_of(group: ResolvedDataset) -> list[str]:
    """Return the partitions of a dataset under all its names."""
    return [dataset_pk(name) for name in group.names]


def nodes_of(jobs: Sequence[JobId], view: GraphView) -> Mapping[JobId, Mapping[str, Any]]:
    """Return the nodes of the known jobs, now or as of a time, in the given order.

    A node of a time has no outcome of a test that more than `ROWS_MAX` later events report again.
    """
    if not jobs:
        return {}
    if view.at is None:
        rows = view.get(current_key(job) for job in jobs)
        return {job: rows[current_key(job)].data for job in jobs if current_key(job) in rows}
    rows = view.get(facts_key(job) for job in jobs)
    known = {job: JobFacts(**rows[facts_key(job)].data["facts"]) for job in jobs if facts_key(job) in rows}
    there = [job for job, facts in known.items() if facts.first and facts.first < view.at]
    then, _ = resolve_jobs({job: as_of(known[job], view.at) for job in there}, view, view.at)
    return compute_nodes(then, view, view.at)


def job_of_node(node: Mapping[str, Any], namespace_deleted: str = "") -> Job:
    """Return the job of a node; names of datasets are as they were written."""
    latest = node["latest"]
    return Job(
        id=job_of(node["job"]),
        type=node["type"],
        created=node["first"] or "",
        updated=node["last"] or "",
        inputs=tuple(map(dataset_of, node["inputs"])),
        outputs=tuple(map(dataset_of, node["outputs"])),
        flows=flows_in(node),
        incomplete="incomplete" in node,
        location=node["location"],
        description=node["description"],
        parent=_parent_of(node["parent"]),
        latest_run=_run_of(latest) if latest else None,
        labels=tuple(node["labels"]),
        # Without a mention it was only tagged, or deleted.
        hidden=node["first"] is None or max(node["deleted"], namespace_deleted) > (node["last"] or ""),
        annotations=annotations_from_json(node.get("annotations")),
        assertions=count_assertions(node.get("assertions", {})),
    )


def under_primaries(job: Job, primary: Callable[[DatasetId], DatasetId]) -> Job:
    """Return the job with its datasets under the names that `primary` returns."""
    flows = job.flows and tuple(sorted({(primary(source), primary(output)) for source, output in job.flows}))
    inputs, outputs = (tuple(sorted(set(map(primary, side)))) for side in (job.inputs, job.outputs))
    return replace(job, inputs=inputs, outputs=outputs, flows=flows)


def _parent_of(document: Mapping[str, str] | None) -> ParentRun | None:
    return None if document is None else ParentRun(document["run"], job_of(document["job"]))


def _run_of(document: Mapping[str, Any]) -> Run:
    return Run(
        **{
            **document,
            "job": job_of(document["job"]),
            "parent": _parent_of(document["parent"]),
        }
    )


class LoadedGraph:
    """Jobs and datasets during one query; `users`: the datasets have the jobs that use them.

    `groups` are the loaded datasets and `nodes` the loaded jobs as they are stored, hidden ones too. `ever` and
    `aliases_max` are those of `ResolvedDatasets`.
    """

    def __init__(
        self, view: GraphView, *, users: bool = False, ever: bool = False, aliases_max: int = ALIASES_MAX
    ) -> None:
        self.view = view
        self.groups = ResolvedDatasets(view, edges=users, ever=ever, aliases_max=aliases_max)
        self.nodes: dict[JobId, Mapping[str, Any]] = {}
        self._deleted: dict[str, str] = {}

    def load(
        self,
        datasets: Iterable[DatasetId] = (),
        jobs: Iterable[JobId] = (),
        *,
        namespaces: Iterable[str] = (),
        readers: bool = True,
        onward: bool = True,
    ) -> None:
        """Read these datasets and jobs, unless they were read; announce their namespaces, and the given ones.

        `readers` and `onward` are those of `ResolvedDatasets`.
        """
        names, job_ids = list(datasets), list(jobs)
        # Mostly a name and its dataset have the same namespace.
        self._expect_deletions({*namespaces, *(thing.namespace for thing in (*names, *job_ids))})
        if names:
            self.groups.load_names(names, readers=readers, onward=onward)
            self._expect_deletions({self.groups.primary(name).namespace for name in names})
        self.nodes.update(nodes_of([job for job in job_ids if job not in self.nodes], self.view))

    def expect(
        self,
        datasets: Iterable[DatasetId] = (),
        jobs: Iterable[JobId] = (),
        *,
        readers: bool = True,
        onward: bool = True,
    ) -> None:
        """Announce that these will probably be loaded with these options: the next round reads them as well."""
        names, new = list(datasets), [job for job in jobs if job not in self.nodes]
        self.groups.expect(names, readers=readers, onward=onward)
        self.view.expect(map(facts_key if self.view.at else current_key, new))
        self._expect_deletions({thing.namespace for thing in (*names, *new)})

    def dataset(self, name: DatasetId) -> ResolvedDataset | None:
        """Return the dataset that a loaded name resolves to; None if no event named it, or if it is hidden."""
        group = self.groups.group(name)
        return group if group.named and not self.hides(group) else None

    def datasets(self, names: Iterable[DatasetId]) -> list[ResolvedDataset]:
        """Return the datasets of these loaded names that are named and not hidden, each once, by primary name."""
        primaries = sorted({self.groups.primary(name) for name in names})
        return [group for primary in primaries if (group := self.dataset(primary))]

    def job(self, job: JobId) -> Job | None:
        """Return a loaded job, with datasets under the names that it used; None if it is unknown or hidden."""
        stored = self.stored_job(job)
        return None if stored is None or stored.hidden else stored

    def jobs(self, jobs: Iterable[JobId]) -> list[Job]:
        """Return those of these loaded jobs that exist and are not hidden, in the given order."""
        return [current for job in jobs if (current := self.job(job))]

    def stored_job(self, job: JobId) -> Job | None:
        """Return a loaded job, also if it is hidden; None if it is unknown."""
        node = self.nodes.get(job)
        return job_of_node(node, self.deleted(job.namespace)) if node else None

    def hides(self, group: ResolvedDataset) -> bool:
        """True if a loaded dataset is hidden."""
        last = group.facts.last or max(group.facts.named_at, default="")
        return max(last_deleted(group.facts), self.deleted(group.primary.namespace)) > last

    def deleted(self, namespace: str) -> str:
        """Return the time of a loaded namespace's last deletion; empty if it was never deleted."""
        if namespace not in self._deleted:
            rows = self.view.get([(namespace_pk(namespace), FACTS)])
            facts = next((NamespaceFacts(**row.data["facts"]) for row in rows.values()), NamespaceFacts())
            self._deleted[namespace] = last_deleted(as_of(facts, self.view.at) if self.view.at else facts)
        return self._deleted[namespace]

    def _expect_deletions(self, namespaces: set[str]) -> None:
        self.view.expect((namespace_pk(namespace), FACTS) for namespace in namespaces - self._deleted.keys())

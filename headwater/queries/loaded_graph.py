"""The jobs and datasets that a query has loaded, as of its view's time: what exists, and what a deletion hides.

    loaded = LoadedGraph(view)
    loaded.load(datasets=names, jobs=jobs)
    loaded.dataset(name)    # under all its names; None if no event named it, or if it is hidden
    loaded.job(job)         # with datasets under the names that the job used; None if it is unknown or hidden

A load takes a few rounds, however many names there are. A job or dataset is hidden if it, or its namespace, was deleted
after its last event. A load announces the namespaces: the next round reads them, at the latest when one is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from headwater.facts.facts import NamespaceFacts, as_of, last_deleted
from headwater.facts.keys import FACTS, current_key, facts_key, namespace_pk
from headwater.queries.current_jobs import job_of_node, nodes_of
from headwater.queries.resolve import ALIASES_MAX, ResolvedDataset, ResolvedDatasets
from headwater.queries.results.entities import Job
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId, JobId


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

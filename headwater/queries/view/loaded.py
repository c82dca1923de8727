"""The loaded jobs and datasets of a view: hidden, redacted and under all their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from typing_extensions import Self

from headwater.facts.facet_refs import ref_of
from headwater.facts.facts import NamespaceFacts, RunFacts, as_of, facets_of, last_deleted
from headwater.facts.keys import FACTS, facet_key, facts_key, namespace_pk
from headwater.facts.table import GraphReader, Key
from headwater.facts.visibility import EVERYTHING, Visibility
from headwater.queries.results.entities import Job, redacted_job
from headwater.queries.view.names import ALIASES_MAX, Near, ResolvedDataset, ResolvedDatasets, Users
from headwater.queries.view.nodes import is_hidden, job_of_node, node_key, nodes_of
from headwater.queries.view.rows import GraphRows
from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId, JobId, RunKey

# Datasets, and the jobs to read with them.
WithUsers: TypeAlias = tuple[Sequence[DatasetId], Users]
Thing = TypeVar("Thing", bound=DatasetId | JobId)


class LoadedGraph(GraphRows):
    """The loaded jobs and datasets of a request, as of a time and for a caller: a view without columns.

    A view of a view shares its reads. `nodes` are the loaded jobs as they are stored, hidden ones too. History before
    `oldest` may have expired.
    """

    def __init__(
        self,
        reader: GraphReader,
        at: str | None = None,
        caller: Visibility = EVERYTHING,
        *,
        trim_partitions: bool = True,
        aliases_max: int = ALIASES_MAX,
        oldest: str = "",
    ) -> None:
        super().__init__(reader, at, caller)
        self.trim_partitions = trim_partitions
        self.oldest, self.history_cut = oldest, False
        # Not of the view itself: a cycle of megabytes would wait for the garbage collector, and stop it for long.
        self._names = ResolvedDatasets(GraphRows(self, at, caller), aliases_max=aliases_max)
        self.nodes: dict[JobId, Mapping[str, Any]] = {}
        self._deleted: dict[str, str] = {}

    @property
    def whole(self) -> Self:
        """The view of a caller who sees everything, at the same time."""
        return self if self.caller is EVERYTHING else self._seen_by(EVERYTHING, self.at)

    def as_of(self, at: str | None, name: str = "lineageAt") -> Self:
        """Make the same caller's view as of a time (`name`); raise `Invalid` if the history has expired."""
        if at is not None and at < self.oldest:
            raise Invalid.because(name, at, f"must be {self.oldest} or later: older history has expired")
        return self if at == self.at else self._seen_by(self.caller, at)

    def _seen_by(self, caller: Visibility, at: str | None) -> Self:
        return type(self)(self.reader, at, caller, trim_partitions=self.trim_partitions, oldest=self.oldest)

    def load(
        self,
        datasets: Iterable[DatasetId] = (),
        jobs: Iterable[JobId] = (),
        *,
        users: Users | None = None,
        namespaces: Iterable[str] = (),
        rows: Iterable[Key] = (),
        neighbours: Iterable[WithUsers] = (),
        details: bool = False,
    ) -> None:
        """Read datasets with their users, and jobs, unless they were read.

        All namespaces, the `rows` and the datasets `beyond` the jobs come with the same rounds. With `details`, the
        next round reads the rest of a dataset's page.
        """
        names, job_ids = list(datasets), list(jobs)
        self.expect(rows)
        for others, their_users in neighbours:
            self._expect_datasets(others, their_users)
        # Mostly a name and its dataset have the same namespace.
        self._expect_deletions({*namespaces, *(thing.namespace for thing in (*names, *job_ids))})
        if names:
            self._names.load_names(names, users)
            self._expect_deletions({self.primary(name).namespace for name in names})
        if details:
            self._expect_details([self.group(name) for name in names])
        self.nodes.update(nodes_of([job for job in job_ids if job not in self.nodes], self))

    def load_names(self, names: Iterable[DatasetId], *, rows: Iterable[Key] = ()) -> None:
        """Read the datasets of names alone, with more rows: `group` returns each, hidden or not."""
        self.expect(rows)
        self._names.load_names(names)

    def named(self, name: DatasetId) -> ResolvedDataset:
        """Read the dataset of a name, known or not, hidden or not, without its users."""
        self.load_names([name])
        return self.group(name)

    def stored_facts(self, things: Iterable[Thing]) -> dict[Thing, Mapping[str, Any]]:
        """Read the stored facts of jobs and datasets, each under its own name.

        The round serves a load of them, too.
        """
        keys = {thing: facts_key(thing) for thing in things}
        self._expect_datasets([name for name in keys if isinstance(name, DatasetId)])
        self.expect(node_key(job, self.at) for job in keys if isinstance(job, JobId) and job not in self.nodes)
        self._expect_deletions({thing.namespace for thing in keys})
        rows = self.get(keys.values())
        return {thing: rows[key].data["facts"] for thing, key in keys.items() if key in rows}

    def _expect_datasets(self, names: Iterable[DatasetId], users: Users | None = None) -> None:
        """Announce a probable load of datasets."""
        unread = list(names)
        self._names.expect(unread, users)
        self._expect_deletions({name.namespace for name in unread})

    def _expect_details(self, groups: Iterable[ResolvedDataset]) -> None:
        """Announce the nodes of the producers, and the facets stored by content."""
        for group in groups:
            self.expect(node_key(job, self.at) for job in group.producers)
            self._expect_deletions({job.namespace for job in group.producers})
            refs = map(ref_of, facets_of(group.facts.facets).values())
            self.expect(facet_key(ref) for ref in refs if ref)

    def _expect_deletions(self, namespaces: set[str]) -> None:
        self.expect((namespace_pk(namespace), FACTS) for namespace in namespaces - self._deleted.keys())

    @property
    def truncated(self) -> bool:
        """True if datasets had more other names than a query reads, or a version may have expired (`history_cut`)."""
        return self._names.truncated or self.history_cut

    def primary(self, name: DatasetId) -> DatasetId:
        """Resolve a loaded name to the primary name of its dataset."""
        return self._names.primary(name)

    def group(self, name: DatasetId) -> ResolvedDataset:
        """Look up the dataset of a loaded name, known or not, hidden or not."""
        return self._names.group(name)

    def dataset(self, name: DatasetId) -> ResolvedDataset | None:
        """Look up the dataset of a loaded name; None if no event named it, or if it is hidden."""
        group = self.group(name)
        return group if group.named and not self.hides(group) else None

    def datasets(self, names: Iterable[DatasetId]) -> list[ResolvedDataset]:
        """List the visible datasets of loaded names, each once, by primary name."""
        primaries = sorted({self.primary(name) for name in names})
        return [group for primary in primaries if (group := self.dataset(primary))]

    def near(self, job: JobId) -> Near | None:
        """Look up the datasets of a job by an edge of a loaded dataset; None without such an edge."""
        return self._names.near.get(job)

    def job(self, job: JobId) -> Job | None:
        """Look up a loaded job, with datasets under the names in its events; None if it is unknown or hidden."""
        return self.stored_job(job) if self.has(job) else None

    def has(self, job: JobId) -> bool:
        """True if a loaded job is known and not hidden."""
        return job in self.nodes and not is_hidden(self.nodes[job], self.deleted(job.namespace))

    def jobs(self, jobs: Iterable[JobId]) -> list[Job]:
        """List the visible among the loaded jobs, in the given order."""
        return [current for job in jobs if (current := self.job(job))]

    def stored_job(self, job: JobId) -> Job | None:
        """Look up a loaded job, also if it is hidden; None if it is unknown."""
        node = self.nodes.get(job)
        return job_of_node(node, self.deleted(job.namespace)) if node else None

    def hides(self, group: ResolvedDataset) -> bool:
        """True if a loaded dataset is hidden."""
        last = group.facts.last or max(group.facts.named_at, default="")
        return max(last_deleted(group.facts), self.deleted(group.primary.namespace)) > last

    def deleted(self, namespace: str) -> str:
        """Find the time of a namespace's last deletion; empty if it was never deleted."""
        if namespace not in self._deleted:
            rows = self.get([(namespace_pk(namespace), FACTS)])
            facts = next((NamespaceFacts(**row.data["facts"]) for row in rows.values()), NamespaceFacts())
            self._deleted[namespace] = last_deleted(as_of(facts, self.at) if self.at else facts)
        return self._deleted[namespace]

    def shows(self, name: DatasetId) -> bool:
        """True if the dataset of a loaded name is shown in full, and the graph behind it."""
        return not self.caller.strict or self.opens(*self.group(name).names)

    def redacted(self, job: Job) -> Job:
        """Show the job as the caller may see it: in full, or by its id alone."""
        return job if self.opens(job.id) else redacted_job(job.id, job.version)

    def opened_runs(self, runs: Mapping[RunKey, RunFacts]) -> dict[RunKey, RunFacts]:
        """Drop the runs of jobs that the caller may not see in full."""
        return {run: facts for run, facts in runs.items() if not facts.job_id or self.opens(facts.job_id)}

"""Every question about runs that a dialect may ask; answers are shapes of `found`, None where the thing is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from typing_extensions import Unpack

from lineage.names import DatasetId, JobId
from lineage.runs.answers import names, runs, search
from lineage.runs.answers.graph import Walk
from lineage.runs.answers.listing import Datasets, Jobs
from lineage.runs.answers.node_ids import Node, find_node
from lineage.runs.answers.selectors import selected_version
from lineage.runs.answers.version_graph import Upstream, from_job_version
from lineage.runs.facts.table import GraphTable
from lineage.runs.found import (
    FoundDataset,
    FoundDatasetVersion,
    FoundJob,
    FoundJobVersion,
    FoundNamespace,
    FoundRun,
    Graph,
    Hit,
    Listed,
    SearchOptions,
    State,
    UpstreamRun,
)
from lineage.runs.visibility import EVERYTHING, Visibility


class Questions:
    """The questions that a graph table answers; nothing is remembered from one question to the next.

    `visibility` bounds lists, node ids and runs, and what is shown of neighbours. What a question names by namespace is
    for who asks to check.
    """

    def __init__(self, table: GraphTable, visibility: Visibility = EVERYTHING) -> None:
        self._table, self._visibility = table, visibility

    def seen_by(self, visibility: Visibility) -> Questions:
        """Return the same questions as a caller may ask them."""
        return Questions(self._table, visibility)

    def list_namespaces(self, *, limit: int, offset: int) -> Listed[FoundNamespace]:
        """The namespaces, by name."""
        return names.list_namespaces(self._table, limit=limit, offset=offset, visibility=self._visibility)

    def find_namespace(self, name: str) -> FoundNamespace | None:
        """One namespace."""
        return names.find_namespace(name, self._table)

    def list_datasets(self, namespace: str, *, limit: int, offset: int) -> Listed[FoundDataset]:
        """A namespace's datasets, by name."""
        return Datasets(self._table).list(namespace, limit=limit, offset=offset)

    def find_dataset(self, dataset: DatasetId) -> FoundDataset | None:
        """A dataset, under any of its names."""
        return Datasets(self._table).find(dataset)

    def list_dataset_versions(
        self, dataset: DatasetId, *, limit: int, offset: int
    ) -> Listed[FoundDatasetVersion] | None:
        """A dataset's versions, newest first."""
        listed = Datasets(self._table).list_versions(dataset, limit=limit, offset=offset)
        return None if listed is None else replace(listed, items=list(map(self._outlined, listed.items)))

    def find_dataset_version(self, dataset: DatasetId, version: str) -> FoundDatasetVersion | None:
        """One version of a dataset."""
        found = Datasets(self._table).find_version(dataset, version)
        return None if found is None else self._outlined(found)

    def _outlined(self, version: FoundDatasetVersion) -> FoundDatasetVersion:
        """Return the version without the run that made it, where that is not the caller's to see."""
        run = version.created_by
        return version if run is None or self._visibility.opens(run.job) else replace(version, created_by=None)

    def list_jobs(
        self, namespace: str | None, *, states: Sequence[State] = (), limit: int, offset: int
    ) -> Listed[FoundJob]:
        """A namespace's jobs, or all, by name; of which the last run is in one of the states, if any is given."""
        return Jobs(self._table, self._visibility).list(namespace, states=states, limit=limit, offset=offset)

    def find_job(self, job: JobId) -> FoundJob | None:
        """A job with its last ten runs."""
        return Jobs(self._table).find(job)

    def list_job_versions(self, job: JobId, *, limit: int, offset: int) -> Listed[FoundJobVersion] | None:
        """A job's versions, the one in use last first."""
        return Jobs(self._table).list_versions(job, limit=limit, offset=offset)

    def find_job_version(self, job: JobId, version: str) -> FoundJobVersion | None:
        """One version of a job."""
        return Jobs(self._table).find_version(job, version)

    def list_runs(self, job: JobId, *, limit: int, offset: int) -> Listed[FoundRun] | None:
        """A job's runs, the one that started last first."""
        if Jobs(self._table).find_brief(job) is None:
            return None
        return runs.list_runs(job, self._table, limit=limit, offset=offset)

    def find_run(self, run: str) -> FoundRun | None:
        """Return a run by its id, as sent or as Marquez prints it: of several, the earliest that the caller sees."""
        return runs.find_run(run, self._table, self._visibility)

    def find_upstream_runs(self, run: str, *, depth: int) -> Listed[UpstreamRun] | None:
        """Return the run (see `find_run`) and those upstream of it, nearest first."""
        return runs.find_upstream(run, self._table, depth=depth, visibility=self._visibility)

    def find_graph(
        self, node_id: str, *, depth: int, at: str | None = None, version: str | None = None
    ) -> Graph | None:
        """The graph around a node: current, as of a time (`at`), or upstream of a version (`#` or `version`).

        Raises:
            Invalid: the node id cannot be read, or selectors disagree.
        """
        node = find_node(node_id, self._table, self._visibility)
        if node is None:
            return None
        wanted = selected_version(node.version, version, at, of_job=isinstance(node.id, JobId))
        if wanted:
            return self._graph_of_version(node, wanted, depth)
        walk = Walk(self._table, at, self._visibility)
        if isinstance(node.id, JobId):
            return walk.from_job(node.id, depth)
        return walk.from_dataset(node.id, depth)

    def _graph_of_version(self, node: Node, version: str, depth: int) -> Graph | None:
        if isinstance(node.id, DatasetId):
            return Upstream(self._table, self._visibility).from_dataset(node.id, version, depth)
        found = self.find_job_version(node.id, version)
        return from_job_version(found, self._table, depth, self._visibility) if found else None

    def search(
        self, text: str, *, kind: Literal["job", "dataset"] | None, **options: Unpack[SearchOptions]
    ) -> Listed[Hit]:
        """Return the jobs and datasets whose names hold the text."""
        return search.search(text, self._table, kind=kind, visibility=self._visibility, **options)

"""Queries of datasets: lists, a dataset by any of its names, its versions, and results of tests, of jobs too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from typing_extensions import Unpack

from headwater.facts.result_page import ResultPage
from headwater.queries.lists import assertions
from headwater.queries.lists.listings import Datasets
from headwater.queries.renamed import renamed, result_by_name, untrimmed
from headwater.queries.results.entities import AssertionResult, Dataset, DatasetVersion, ListOptions
from headwater.queries.view import GraphView, Queries
from headwater_model.ids import DatasetId, JobId

_T = TypeVar("_T")


class DatasetQueries(Queries):
    """Queries of datasets over a graph table, as a caller sees it; by names unknown to events, too (`renamed`)."""

    def list_datasets(self, namespace: str | None, **options: Unpack[ListOptions]) -> ResultPage[Dataset]:
        """List the datasets of a namespace (None: of all), by name or the last updated first."""
        return Datasets(self.view() if namespace is None else self.view().whole).list(namespace, **options)

    def find_dataset(self, dataset: DatasetId) -> Dataset | None:
        """Find a dataset under any of its names."""
        view = self.view()
        return result_by_name(dataset, Datasets(view).find, view)

    def names_by_rules(self, dataset: DatasetId) -> Sequence[DatasetId]:
        """Rename a dataset by the rules; empty if they keep its name."""
        return renamed(dataset, self.view())

    def find_name_by_rules(self, dataset: DatasetId) -> DatasetId | None:
        """Find the name by the rules, with partitions; None if it stays or the caller may not see it."""
        view = self.view()
        name = untrimmed(dataset, view)
        return name if name != dataset and view.sees(name) else None

    def find_trimmed(self, dataset: DatasetId) -> DatasetId | None:
        """Find the dataset of a partition's name; None if the name is of no partition."""
        view = self.view()
        name = untrimmed(dataset, view)
        return next((other for other in renamed(name, view) if other != name), None)

    def list_dataset_versions(
        self, dataset: DatasetId, *, limit: int, offset: int
    ) -> ResultPage[DatasetVersion] | None:
        """List a dataset's versions, newest first."""
        view = self.view()
        datasets = Datasets(view)
        listed = result_by_name(dataset, lambda name: datasets.list_versions(name, limit=limit, offset=offset), view)
        return None if listed is None else replace(listed, items=list(map(self._outlined, listed.items)))

    def find_dataset_version(self, dataset: DatasetId, version: str) -> DatasetVersion | None:
        """Find a version of a dataset."""
        view = self.view()
        dataset_version = result_by_name(dataset, lambda name: Datasets(view).find_version(name, version), view)
        return None if dataset_version is None else self._outlined(dataset_version)

    def _outlined(self, version: DatasetVersion) -> DatasetVersion:
        """Remove the version's run if the caller may not see the run's job."""
        run = version.created_by
        return version if run is None or self._caller.opens(run.job) else replace(version, created_by=None)

    def list_assertions(self, thing: DatasetId | JobId, *, at: str | None = None) -> ResultPage[AssertionResult] | None:
        """List the last result of each test of a dataset or a job, the worst first."""
        view = self.view().as_of(at)
        return self._about(thing, lambda name: assertions.list_assertions(name, view), view)

    def list_assertion_history(
        self, thing: DatasetId | JobId, *, limit: int, at: str | None = None
    ) -> ResultPage[AssertionResult] | None:
        """List the results of tests of a dataset or a job, the last first."""
        view = self.view().as_of(at)
        return self._about(thing, lambda name: assertions.list_assertion_history(name, view, limit=limit), view)

    def _about(
        self, thing: DatasetId | JobId, query: Callable[[DatasetId | JobId], _T | None], view: GraphView
    ) -> _T | None:
        """Query a job, or a dataset by the rules of names."""
        return result_by_name(thing, query, view) if isinstance(thing, DatasetId) else query(thing)

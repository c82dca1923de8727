"""Every query used by the API's dialects, a line each; a result of None means: the node, run or version is unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from typing_extensions import Unpack

from headwater.facts.result_page import ResultPage
from headwater.queries import graph_queries
from headwater.queries.columns import column_graph, column_impact, origins, selection
from headwater.queries.graphs import short_forms
from headwater.queries.lists import assertions, column_search, name_lists, name_search, sources, statistics, tags
from headwater.queries.lists.listings import Datasets, Jobs
from headwater.queries.ranges import accesses, field_operations, mappings, near_fields, operation_paths, reports
from headwater.queries.renamed import of_dataset, of_field, renamed, result_by_name, untrimmed
from headwater.queries.results.entities import AssertionResult, Dataset, DatasetVersion, ListOptions
from headwater.queries.runs import runs
from headwater.queries.view import GraphView, Queries, of_reader, of_view
from headwater_model.ids import DatasetId, JobId

_T = TypeVar("_T")


class LineageQueries(Queries):
    """Queries over a graph table; no state is remembered from one query to the next.

    `caller` bounds lists, searches, node ids and runs, and the shown details of neighbours. The code that calls a query
    checks its namespaces.
    """

    list_namespaces = of_view(name_lists.list_namespaces)
    find_namespace = of_view(name_lists.find_namespace)
    count_events = of_view(statistics.count_events)
    count_things = of_view(statistics.count_things)
    list_sources = of_view(sources.list_sources)
    find_source = of_view(sources.find_source)
    list_tags = of_view(tags.list_tags)
    find_tag = of_view(tags.find_tag)

    search = of_view(name_search.search)
    search_columns = of_view(column_search.search_columns)
    search_tagged = of_view(tags.search_tagged)
    search_owned = of_view(tags.search_owned)
    search_failing = of_view(assertions.search_failing)

    list_jobs = of_reader(Jobs, Jobs.list)
    find_job = of_reader(Jobs, Jobs.find)
    list_child_jobs = of_reader(Jobs, Jobs.children)
    list_job_versions = of_reader(Jobs, Jobs.list_versions)
    find_job_version = of_reader(Jobs, Jobs.find_version)
    short_jobs = of_view(short_forms.short_jobs)
    short_datasets = of_view(short_forms.short_datasets)

    list_runs = of_reader(Jobs, Jobs.list_runs)
    list_child_runs = of_view(runs.list_child_runs)
    find_run = of_view(runs.find_run)
    find_run_key = of_view(runs.find_run_key)
    find_upstream_runs = of_view(runs.find_upstream)
    find_downstream_runs = of_view(runs.find_downstream)

    find_graph = of_view(graph_queries.find_graph)
    report_impact = of_view(graph_queries.report_impact)
    report_history = of_view(graph_queries.report_history)
    list_neighbours = of_view(graph_queries.list_neighbours)

    find_columns = of_view(selection.find_columns)
    find_field = of_view(selection.find_field)
    find_origins = of_view(origins.find_origins)
    columns_of = of_view(column_graph.columns_of)
    report_column_impact = of_view(column_impact.report_column_impact)

    # Of a time range: an unknown dataset or field has an empty result.
    find_mappings = of_dataset(mappings.find_mappings)
    find_accesses = of_dataset(accesses.find_accesses)
    list_fields = of_dataset(near_fields.list_fields)
    summarize_dataset = of_dataset(near_fields.summarize_dataset)
    summarize_field = of_field(near_fields.summarize_field)
    find_operations = of_field(field_operations.find_operations)
    find_detail = of_field(operation_paths.find_detail)
    find_paths = of_field(operation_paths.find_paths)
    report_usage = of_view(reports.report_usage)
    report_provenance = of_view(reports.report_provenance)
    report_tag = of_view(reports.report_tag)

    # Datasets, by names unknown to events, too (`renamed`).

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
        return self._about(thing, lambda name: assertions.list_assertions(view, name), view)

    def list_assertion_history(
        self, thing: DatasetId | JobId, *, limit: int, at: str | None = None
    ) -> ResultPage[AssertionResult] | None:
        """List the results of tests of a dataset or a job, the last first."""
        view = self.view().as_of(at)
        return self._about(thing, lambda name: assertions.list_assertion_history(view, name, limit=limit), view)

    def list_failures(
        self, namespace: str | None = None, *, at: str | None = None, limit: int, offset: int
    ) -> ResultPage[AssertionResult]:
        """List the failed tests of a namespace (None: of all): the worst first, then the latest."""
        return assertions.list_failures(self.view().as_of(at), namespace=namespace, limit=limit, offset=offset)

    def _about(
        self, thing: DatasetId | JobId, query: Callable[[DatasetId | JobId], _T | None], view: GraphView
    ) -> _T | None:
        """Query a job, or a dataset by the rules of names."""
        return result_by_name(thing, query, view) if isinstance(thing, DatasetId) else query(thing)

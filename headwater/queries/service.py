"""Every query used by the API's dialects, a line each; a result of None means: the node, run or version is unknown."""

from __future__ import annotations

from typing_extensions import Unpack

from headwater.facts.result_page import ResultPage
from headwater.queries import graph_queries
from headwater.queries.columns import column_graph, column_impact, selection
from headwater.queries.graphs import node_ids, short_forms
from headwater.queries.graphs.node_ids import of_dataset, of_field
from headwater.queries.lists import assertions, column_search, name_lists, name_search, sources, statistics, tags
from headwater.queries.lists.listings import Datasets, Jobs
from headwater.queries.ranges import accesses, field_operations, mappings, near_fields, operation_paths, reports
from headwater.queries.results.entities import Dataset, ListOptions
from headwater.queries.runs import runs
from headwater.queries.view import Queries, of_reader, of_view


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
    list_failures = of_view(assertions.list_failures)
    list_assertions = of_view(assertions.list_assertions)
    list_assertion_history = of_view(assertions.list_assertion_history)

    list_jobs = of_reader(Jobs, Jobs.list)
    find_job = of_reader(Jobs, Jobs.find)
    list_child_jobs = of_reader(Jobs, Jobs.children)
    list_job_versions = of_reader(Jobs, Jobs.list_versions)
    find_job_version = of_reader(Jobs, Jobs.find_version)
    find_dataset = of_reader(Datasets, Datasets.find)
    list_dataset_versions = of_reader(Datasets, Datasets.list_versions)
    find_dataset_version = of_reader(Datasets, Datasets.find_version)
    names_by_rules = of_view(node_ids.renamed)
    find_name_by_rules = of_view(node_ids.find_name_by_rules)
    find_trimmed = of_view(node_ids.find_trimmed)
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
    find_origins = of_view(selection.find_origins)
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

    def list_datasets(self, namespace: str | None, **options: Unpack[ListOptions]) -> ResultPage[Dataset]:
        """List the datasets of a namespace (None: of all), by name or the last updated first."""
        return Datasets(self.view() if namespace is None else self.view().whole).list(namespace, **options)

"""Every query used by the API's dialects; a result of None means: the node, run or version is unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Literal

from typing_extensions import Unpack

from headwater.facts.annotations import KnownTag
from headwater.facts.created import Created
from headwater.facts.result_page import ResultPage
from headwater.facts.run_facts import Run
from headwater.facts.visibility import Visibility
from headwater.queries.columns.column_graph import SOURCES_MAX, reported_graph
from headwater.queries.columns.column_impact import ImpactWalk
from headwater.queries.columns.current_columns import ColumnView
from headwater.queries.columns.origins import find_origins
from headwater.queries.columns.selection import find_column_graph
from headwater.queries.dataset_queries import DatasetQueries
from headwater.queries.graph_queries import GraphQueries
from headwater.queries.graphs.node_ids import (
    Node,
    field_candidates,
    nodes_named,
    selected_version,
)
from headwater.queries.graphs.short_forms import short_datasets, short_jobs
from headwater.queries.lists import assertions, name_lists, name_search, sources, statistics, tags
from headwater.queries.lists.column_search import search_columns
from headwater.queries.lists.listings import Jobs
from headwater.queries.results.columns import ColumnGraph, ColumnHit, Origins
from headwater.queries.results.entities import (
    AssertionResult,
    ChildSort,
    Dataset,
    Failure,
    Interval,
    Job,
    JobListOptions,
    JobVersion,
    Namespace,
    Period,
    SearchHit,
    SearchOptions,
    Source,
)
from headwater.queries.results.graphs import UpstreamRun
from headwater.queries.results.reports import ColumnImpact
from headwater.queries.runs import runs
from headwater.queries.time_range_queries import TimeRangeQueries
from headwater_model.columns import Column
from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId, JobId, RunKey
from headwater_model.partitions import trim_partitions


class LineageQueries(DatasetQueries, GraphQueries, TimeRangeQueries):
    """Queries over a graph table; no state is remembered from one query to the next.

    `caller` bounds lists, searches, node ids and runs, and the shown details of neighbours. The code that calls a query
    checks its namespaces.
    """

    def seen_by(self, visibility: Visibility) -> LineageQueries:
        """Bound the same queries by a caller's visibility."""
        return LineageQueries(self._reader, visibility, trim_partitions=self._trim_partitions)

    def list_namespaces(self, *, limit: int, offset: int) -> ResultPage[Namespace]:
        """List the namespaces, by name."""
        return name_lists.list_namespaces(self.view(), limit=limit, offset=offset)

    def find_namespace(self, name: str) -> Namespace | None:
        """Find a namespace; None if it is unknown."""
        return name_lists.find_namespace(name, self.view())

    def count_events(self, period: Period, *, now_s: int, zone: tzinfo) -> list[Interval]:
        """Count run events by type, by the hour or the day."""
        return statistics.count_events(self.view(), statistics.intervals_of(period, now_s, zone))

    def count_things(self, kind: Created, period: Period, *, now_s: int, zone: tzinfo) -> list[Interval]:
        """Count the jobs, datasets or sources at the end of each hour or day."""
        return statistics.count_things(self.view(), kind, statistics.intervals_of(period, now_s, zone))

    def list_sources(self, *, limit: int, offset: int) -> ResultPage[Source]:
        """List the sources of datasets, by name."""
        return sources.list_sources(self.view(), limit=limit, offset=offset)

    def find_source(self, name: str) -> Source | None:
        """Find a source of datasets; None if it is unknown."""
        return sources.find_source(name, self.view())

    def list_jobs(self, namespace: str | None, **options: Unpack[JobListOptions]) -> ResultPage[Job]:
        """List the jobs of a namespace (None: of all), by name or the last updated first.

        The first hundred have their last ten runs, unless `in_short`.
        """
        return Jobs(self.view()).list(namespace, **options)

    def find_job(self, job: JobId) -> Job | None:
        """Find a job with its last ten runs."""
        return Jobs(self.view()).find(job)

    def list_child_jobs(
        self, parent: JobId, *, sort: ChildSort = "name", in_short: bool = False, limit: int, offset: int
    ) -> ResultPage[Job] | None:
        """List the children of a job, by namespace and name or the most urgent state first; None for an unknown job."""
        return Jobs(self.view()).children(parent, sort=sort, in_short=in_short, limit=limit, offset=offset)

    def list_job_versions(self, job: JobId, *, limit: int, offset: int) -> ResultPage[JobVersion] | None:
        """List a job's versions, the most recently used first."""
        return Jobs(self.view()).list_versions(job, limit=limit, offset=offset)

    def find_job_version(self, job: JobId, version: str) -> JobVersion | None:
        """Find a version of a job."""
        return Jobs(self.view()).find_version(job, version)

    def list_runs(self, job: JobId, *, in_short: bool = False, limit: int, offset: int) -> ResultPage[Run] | None:
        """List a job's runs, the last started first."""
        if Jobs(self.view()).find_brief(job) is None:
            return None
        return runs.list_runs(job, self.view(), in_short=in_short, limit=limit, offset=offset)

    def list_child_runs(self, run: str, *, in_short: bool = False, limit: int, offset: int) -> ResultPage[Run] | None:
        """List the children of a run (see `find_run`), the last started first; None if the run is unknown."""
        return runs.list_child_runs(run, self.view(), in_short=in_short, limit=limit, offset=offset)

    def find_run(self, run: str) -> Run | None:
        """Find a run by its id, as sent or as Marquez prints it; of several, the earliest visible to the caller."""
        return runs.find_run(run, self.view())

    def find_run_key(self, run: str) -> RunKey | None:
        """Find the key of a run (see `find_run`)."""
        return runs.find_run_key(run, self.view())

    def find_upstream_runs(self, run: str, *, depth: int) -> ResultPage[UpstreamRun] | None:
        """List the run (see `find_run`) and its upstream runs, nearest first."""
        return runs.find_upstream(run, self.view(), depth=depth)

    def find_downstream_runs(self, run: str, *, depth: int) -> ResultPage[UpstreamRun] | None:
        """List the run (see `find_run`) and its downstream runs, nearest first."""
        return runs.find_downstream(run, self.view(), depth=depth)

    def search(
        self, text: str, *, kind: Literal["job", "dataset"] | None, **options: Unpack[SearchOptions]
    ) -> ResultPage[SearchHit]:
        """Search the jobs and datasets with the words of the text in their names (see `words`).

        If there are none, the text may be a dataset's name with partitions that were trimmed.
        """
        view = self.view()
        hits = name_search.search(text, view, kind=kind, **options)
        if hits.total or kind == "job" or not view.trim_partitions or (trimmed := trim_partitions(text)) == text:
            return hits
        return name_search.search(trimmed, view, kind="dataset", **options)

    def short_jobs(self, jobs: Sequence[JobId]) -> Mapping[JobId, Job]:
        """Read the existing jobs in short: with their last run, without facets and versions."""
        return short_jobs(jobs, self.view())

    def short_datasets(self, datasets: Sequence[DatasetId]) -> Mapping[DatasetId, Dataset]:
        """Read the known datasets in short: without versions, and without facets that report columns."""
        return short_datasets(datasets, self.view())

    def list_tags(self, *, limit: int, offset: int) -> ResultPage[KnownTag]:
        """List the described tags, and the tags ever used in a visible namespace, by name."""
        return tags.list_tags(self.view(), limit=limit, offset=offset)

    def find_tag(self, name: str) -> KnownTag | None:
        """Find the tag as the API last described it; None if it did not."""
        return tags.find_tag(name, self.view())

    def search_tagged(
        self,
        tag: str,
        text: str = "",
        *,
        kind: tags.Kind | None,
        owner: str | None = None,
        **options: Unpack[SearchOptions],
    ) -> ResultPage[SearchHit | ColumnHit]:
        """Search the jobs, datasets and columns with the tag and the owner, and with the words of the text."""
        return tags.search_tagged(tag, text, self.view(), kind=kind, owner=owner, **options)

    def search_failing(
        self,
        outcome: Failure,
        text: str = "",
        *,
        kind: Literal["job", "dataset"] | None,
        **options: Unpack[SearchOptions],
    ) -> ResultPage[SearchHit | ColumnHit]:
        """Search the jobs and datasets with a test of this outcome, and with the words of the text."""
        return assertions.search_failing(outcome, text, self.view(), kind=kind, **options)

    def list_failures(
        self, namespace: str | None = None, *, at: str | None = None, limit: int, offset: int
    ) -> ResultPage[AssertionResult]:
        """List the failed tests of a namespace (None: of all): the worst first, then the latest."""
        return assertions.list_failures(self.view().as_of(at), namespace=namespace, limit=limit, offset=offset)

    def search_owned(
        self, owner: str, text: str = "", *, kind: Literal["job", "dataset"] | None, **options: Unpack[SearchOptions]
    ) -> ResultPage[SearchHit | ColumnHit]:
        """Search the jobs and datasets of the owner, with the words of the text."""
        return tags.search_owned(owner, text, self.view(), kind=kind, **options)

    def find_columns(
        self,
        node_id: str,
        *,
        depth: int,
        downstream: bool = False,
        at: str | None = None,
        version: str | None = None,
    ) -> ColumnGraph | None:
        """Find the graph of columns around a dataset, a field or a job: now, as of a time, or upstream of a version.

        Depth 0 is the requested columns with their sources; each further level adds the sources as nodes, and with
        `downstream` the derived columns. As of a time, the graph has versions; with `downstream` it is the graph
        current at the time. None if the node is unknown.

        Raises:
            Invalid: the node id cannot be read, or selectors disagree (a version with `downstream`, ...).
        """
        view = self.view()
        for node in nodes_named(node_id, view):
            of_job = isinstance(node, Node) and isinstance(node.id, JobId)
            selected = selected_version(node.version, version, at, of_job=of_job, downstream=downstream)
            graph = find_column_graph(node, view.as_of(at), selected, depth=depth, downstream=downstream)
            if graph is not None:
                return graph
        return None

    def find_field(self, node_id: str) -> Column | None:
        """Find the column of an id (`datasetField:...`), under its dataset's primary name; None if it is unknown now.

        Raises:
            Invalid: the id cannot be read as a field's.
        """
        view = ColumnView.of(self.view())
        candidates = field_candidates(node_id, view)
        return next((column for node in candidates if (column := view.find_column(node.dataset, node.field))), None)

    def report_column_impact(self, node_id: str, *, depth: int) -> ColumnImpact | None:
        """Report everything derived from a field (`datasetField:...`) now, up to `depth` jobs away; None if unknown.

        Raises:
            Invalid: the id cannot be read as a field's, or names a version.
        """
        view = ColumnView.of(self.view())
        for node in field_candidates(node_id, view):
            column = view.find_column(node.dataset, node.field)
            if column and node.version:
                raise Invalid.because("nodeId", node_id, "must name no version: what is downstream is known of now")
            if column:
                return ImpactWalk(view, column, depth).report()
        return None

    def search_columns(self, text: str, **options: Unpack[SearchOptions]) -> ResultPage[ColumnHit]:
        """Search the columns with the words of the text in their names (see `words`)."""
        return search_columns(text, self.view(), **options)

    def columns_of(self, datasets: Sequence[DatasetId]) -> Mapping[DatasetId, ColumnGraph]:
        """Read each dataset's derived columns with their current inputs; the input limit counts for all together."""
        view = ColumnView.of(self.view())
        view.load_columns(datasets)
        budget = SOURCES_MAX
        graphs = {}
        for dataset in datasets:
            entry = view.columns(dataset)
            columns = reported_graph(entry, budget) if entry else ColumnGraph(())
            budget -= sum(len(column.inputs) for column in columns.columns)
            graphs[dataset] = columns
        return graphs

    def find_origins(self, node_id: str) -> Origins | None:
        """Find the runs and record roots of a field (`datasetField:...`, with `#` of a version); None if unknown."""
        return find_origins(node_id, self.view())

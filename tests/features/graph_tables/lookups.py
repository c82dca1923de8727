"""Lookups in the graph at the end of a day: by the API's queries, and in the rows of the graph's tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from headwater.features.graph_tables.rows import end_of_day, named_ever
from headwater.queries.service import LineageQueries
from headwater.queries.view.descriptions import schema_of
from headwater_model.field_paths import parse_dotted, print_dotted

_JOBS_OWN = ("type", "description", "location", "owners", "tags", "parent_namespace", "parent_name", "first_seen")
_JOB = (*_JOBS_OWN, "last_seen", "latest_run_id", "latest_run_state")
_DATASET = (
    "type",
    "source_name",
    "description",
    "owners",
    "tags",
    "first_seen",
    "last_seen",
    "lifecycle",
    "is_deleted",
    "is_temporary",
)
_RUN = ("state", "started_at", "ended_at", "updated_at", "nominal_start", "nominal_end", "is_incomplete")
# Nominal times and `is_incomplete` are left out as of a time: later events may have changed a run's facets.
_RUN_BEFORE = _RUN[:4]
_COLUMN_EDGE = (
    "target_column",
    "source_namespace",
    "source_name",
    "source_column",
    "transformation_type",
    "transformation_subtype",
    "is_masking",
)
_RUNS_MAX = 10_000


class Tables:
    """The rows of a day's tables, as (table, row) pairs, and their results of lookups."""

    def __init__(self, rows):
        self.rows = rows
        self._of = {name: [row for table, row in rows if table == name] for name in ("jobs", "datasets")}
        self._runs = [row for table, row in rows if table == "runs"]
        self._fields = [row for table, row in rows if table == "columns"]
        self._column_edges = [row for table, row in rows if table == "column_edges" and row.get("is_current", True)]
        self._edges = [row for table, row in rows if table == "table_edges" and row.get("is_current", True)]

    def find(self, lookup):
        """Compute the result of a lookup of `ApiLookups`."""
        kind, of = lookup
        if kind == "gone":
            rows = [row for row in self._of["datasets"] if (row["namespace"], row["name"]) == (of.namespace, of.name)]
            return all(row["is_deleted"] for row in rows)
        if kind in ("jobs", "datasets"):
            rows = [row for row in self._of[kind] if (row["namespace"], row["name"]) == (of.namespace, of.name)]
            assert len(rows) <= 1
            if not rows or (kind == "jobs" and rows[0]["is_deleted"]):
                return None
            return tuple(_plain(rows[0][column]) for column in (_JOB if kind == "jobs" else _DATASET))
        if kind in ("runs", "runs before"):
            columns = _RUN if kind == "runs" else _RUN_BEFORE
            mine = [row for row in self._runs if (row["job_namespace"], row["job_name"]) == (of.namespace, of.name)]
            return sorted((row["run_id"], *(row[column] for column in columns)) for row in mine)
        if kind in ("columns", "sources of columns"):
            return self._columns(of) if kind == "columns" else self._sources(*of)
        side = {"read by": ("source", "job"), "written by": ("target", "job"), "reads": ("job", "source")}
        mine, other = {**side, "writes": ("job", "target"), "declared": ("source", "target")}[kind]
        declared = kind == "declared"
        named = [row for row in self._edges if _end(row, mine) == (of.namespace, of.name)]
        shown = [row for row in named if (row["job_name"] is None) == declared]
        return sorted({_end(row, other) for row in shown} - {(None, None)})

    def _columns(self, of):
        mine = [row for row in self._fields if _end(row, "dataset") == (of.namespace, of.name)]
        return sorted((row["name"], row["type"] or "", *row["tags"]) for row in mine)

    def _sources(self, of, columns):
        mine = [row for row in self._column_edges if _end(row, "target") == (of.namespace, of.name)]
        edges = {tuple(row[name] or "" for name in _COLUMN_EDGE) for row in mine}
        return sorted(edge for edge in edges if edge[0] in columns)


def _end(row, side):
    return row[f"{side}_namespace"], row[f"{side}_name"]


def _plain(value):
    return tuple(value) if isinstance(value, list) else value


@dataclass
class ApiLookups:
    """The API's results; `before` are queries over the events of the day and before it, if there are later ones."""

    queries: LineageQueries
    table: object
    day: str
    before: LineageQueries | None = None

    def results(self):
        """Compute all lookups: lookup -> result."""
        jobs, datasets = named_ever(self.table)
        results = {}
        for job in jobs:
            graph = self._graph(job)
            shown = next((node for node in graph.jobs if node.id == job), None) if graph else None
            results["jobs", job] = _of_job(shown) if shown else None
            results["runs before" if self.before else "runs", job] = self._runs_of(job)
            neighbours = _near(graph, job)
            results["reads", job], results["writes", job] = neighbours["dataset", "to"], neighbours["dataset", "from"]
        for dataset in datasets:
            graph, known = self._graph(dataset), (self.before or self.queries).find_dataset(dataset)
            shown = next((node for node in graph.datasets if node.id == dataset), None) if graph and known else None
            if graph is None:
                results["gone", dataset] = True
            else:
                results["datasets", dataset] = _of_dataset(shown) if shown else None
                results["columns", dataset] = _fields_of(shown) if shown else []
            columns, sources = self._sources_of(dataset)
            results["sources of columns", (dataset, columns)] = sources
            neighbours = _near(graph, dataset)
            results["read by", dataset], results["written by", dataset] = (
                neighbours["job", "from"],
                neighbours["job", "to"],
            )
            results["declared", dataset] = neighbours["dataset", "from"]
        return results

    def _graph(self, node):
        return self.queries.find_graph(node.node_id, depth=0, at=end_of_day(self.day))

    def _sources_of(self, dataset):
        """List the dataset's columns, the edges to each, and the edges from a named column to all of them.

        Columns inside a struct, and their structs, are left out: the API adds the reports of related columns.
        """
        graph = self.queries.find_columns(dataset.node_id, depth=0, at=end_of_day(self.day), downstream=True)
        nodes = [column for column in graph.columns if column.dataset == dataset] if graph else []
        count, edges = Counter(node.field[0] for node in nodes), set()
        flat = [node for node in nodes if count[node.field[0]] == 1 and len(node.field) == 1]
        for node in flat:
            for source in node.inputs:
                edges |= _edges_from(print_dotted(node.field), source)
            for source in node.dependencies:
                edges |= _edges_from("", source) if source.field else set()
        return frozenset([print_dotted(node.field) for node in flat] + ([""] if flat else [])), sorted(edges)

    def _runs_of(self, job):
        page = (self.before or self.queries).list_runs(job, in_short=True, limit=_RUNS_MAX, offset=0)
        runs = page.items if page else ()
        on_day = [run for run in runs if self.day in ((run.started or "")[:10], (run.ended or "")[:10])]
        rows = map(_of_run, on_day)
        return sorted(row[: len(_RUN_BEFORE) + 1] for row in rows) if self.before else sorted(rows)


def _near(graph, of):
    """Group the neighbours of a node by kind and side, as (namespace, name)."""
    neighbours = {(kind, side): set() for kind in ("job", "dataset") for side in ("from", "to")}
    ids = {node.id.node_id: node.id for node in (*graph.jobs, *graph.datasets)} if graph else {}
    for start, end in graph.edges if graph else ():
        for mine, other, side in ((start, end, "from"), (end, start, "to")):
            if mine == of.node_id:
                neighbours[other.partition(":")[0], side].add((ids[other].namespace, ids[other].name))
    return {key: sorted(names) for key, names in neighbours.items()}


def _edges_from(column, source):
    ends = (column, source.dataset.namespace, source.dataset.name, print_dotted(source.field) if source.field else "")
    hows = [(how.type, how.subtype or "", how.masking or "") for how in source.transformations]
    return {(*ends, *how) for how in hows or [("", "", "")]}


def _fields_of(dataset):
    tags = {}
    for tag in dataset.annotations.tags:
        tags.setdefault(tag.field and parse_dotted(tag.field), []).append(tag.name)
    types = schema_of(dataset.facets).types
    return sorted((print_dotted(path), kind or "", *tags.get(path, [])) for path, kind in types.items())


def _annotated(node):
    return node.annotations.text_of(None) or node.description, _owners(node), node.annotations.names


def _owners(node):
    return tuple(owner.name for owner in node.annotations.owners)


def _of_job(job):
    description, owners, tags = _annotated(job)
    parent = job.parent.job if job.parent else None
    own = (job.type, description, job.location, owners, tags, parent and parent.namespace, parent and parent.name)
    latest = job.latest_run
    return (*own, job.created, job.updated, latest and latest.id, latest and latest.state)


def _of_dataset(dataset):
    own = (dataset.type, dataset.source_name, *_annotated(dataset), dataset.created, dataset.updated)
    return (*own, dataset.lifecycle, dataset.deleted, dataset.temporary)


def _of_run(run):
    times = (run.state, run.started, run.ended, run.updated, run.nominal_start, run.nominal_end)
    return (run.id, *times, run.incomplete)

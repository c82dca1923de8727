"""The history of the graph around a node: the times of its changes, with nodes, edges and columns added and removed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from headwater.facts.index_scan import read_run_facts, run_of
from headwater.facts.keys import job_pk
from headwater.facts.stream_rows import first_position
from headwater.facts.table import RowQuery
from headwater.queries.graphs.graph_changes import LaterRun, LaterRuns, Types, WatchedReader, io_of_nodes
from headwater.queries.graphs.job_graph import JobGraphWalk
from headwater.queries.results.graphs import Cause, Graph, GraphDirection, History, HistoryStep, SchemaColumn
from headwater.queries.view import GraphView
from headwater.queries.view.descriptions import schema_of
from headwater.times import just_after
from headwater_model.errors import TooLarge
from headwater_model.field_paths import print_dotted
from headwater_model.ids import DatasetId, FieldPath, JobId, RunKey

# Changes in a response; and jobs and datasets read for all its graphs together.
CHANGES_MAX = 100
_READ_MAX = 10_000

_Column: TypeAlias = tuple[DatasetId, FieldPath]


@dataclass(frozen=True, slots=True)
class _State:
    """The graph as of a time, and the schema of each dataset in it."""

    nodes: frozenset[str] = frozenset()
    edges: frozenset[tuple[str, str]] = frozenset()
    schemas: Mapping[DatasetId, Types] = field(default_factory=dict)

    @property
    def columns(self) -> dict[_Column, str | None]:
        """The type of every column."""
        return {(dataset, path): kind for dataset, types in self.schemas.items() for path, kind in types.items()}


class HistoryWalk:
    """The graphs around a node, time after time: at each time of a possible change."""

    def __init__(
        self, view: GraphView, node: JobId | DatasetId, depth: int, *, direction: GraphDirection = "both"
    ) -> None:
        self._watched = WatchedReader(view)
        self._view, self._node, self._depth = GraphView(self._watched, caller=view.caller), node, depth
        self._direction = direction
        self._then, self._walk = self._view, JobGraphWalk(self._view)
        self._left = _READ_MAX

    def between(self, start: str, end: str) -> History:
        """List the changes by events from `start` on and before `end`.

        Raises:
                    TooLarge: more is connected than a graph holds.
        """
        later = LaterRuns(self._view, start, end, end)
        state = self._state(start)
        time = self._next(later, state, start)
        changes: list[HistoryStep] = []
        while time is not None:
            # If the graph changes at this time, the runs are among the causes.
            runs = {later_run.run for later_run in self._unexpected(later, state) if later_run.time == time}
            known = self._walk.nodes.keys()
            try:
                after = self._state(just_after(time))
            except TooLarge:
                # The response ends before this time; a request from this time on fails.
                if time == start:
                    raise
                break
            if after != state:
                runs |= self._first_runs(time, self._walk.nodes.keys() - known)
                changes.append(_change(time, self._causes(runs), state, after))
            # Later runs are compared with the new state, and rows of new nodes are read from this time on.
            state, later.start = after, just_after(time)
            time = self._next(later, state, later.start)
            if len(changes) == CHANGES_MAX or self._left <= 0:
                break
        return History(time or later.complete_to, changes)

    def _state(self, at: str) -> _State:
        self._then = self._view.as_of(at)
        self._walk = JobGraphWalk(self._then, direction=self._direction, job_edges=())
        if isinstance(self._node, JobId):
            graph = self._walk.from_job(self._node, self._depth)
        else:
            graph = self._walk.from_dataset(self._node, self._depth)
        self._left -= len(self._walk.nodes) + (len(graph.datasets) if graph else 0)
        if graph is not None and graph.truncated:
            raise TooLarge("depth: more is connected than one graph holds; a smaller depth, or one direction, has less")
        return _state_of(graph) if graph else _State()

    def _next(self, later: LaterRuns, state: _State, earliest: str) -> str | None:
        """Find the next time in the range at which the graph may change, `earliest` included."""
        later.read(io_of_nodes(self._walk.nodes), self._watched.doubtful)
        times = (*self._watched.changes(), *(later_run.time for later_run in self._unexpected(later, state)))
        return min((time for time in times if earliest <= time < later.complete_to), default=None)

    def _unexpected(self, later: LaterRuns, state: _State) -> Iterator[LaterRun]:
        """Yield the runs that may change the graph: their `expected` differs from the present state."""
        for job, io in io_of_nodes(self._walk.nodes).items():
            yield from (later_run for later_run in later.of_jobs[job] if later_run.expected != io)
        for name, runs in later.of_datasets.items():
            schema = state.schemas.get(self._then.primary(name))
            yield from (later_run for later_run in runs if schema is not None and later_run.expected != schema)

    def _first_runs(self, time: str, jobs: Collection[JobId]) -> set[RunKey]:
        """Find the first runs, at this time, of the jobs without an earlier event."""
        new = [job for job in jobs if self._walk.nodes[job]["first"] == time]
        queries = [RowQuery(job_pk(job), prefix=f"WITH_IO#{time}#") for job in new]
        # The first row of a stream names a minute; the run's facts have the exact time.
        streamed = [job for job in new if "streamed" in self._walk.nodes[job]]
        coarse = [RowQuery(job_pk(job), prefix=first_position("WITH_IO", time)) for job in streamed]
        pages = self._view.query([*queries, *coarse])
        runs = {run_of(row) for page in pages[: len(queries)] for row in page.rows}
        streams = {run_of(row) for page in pages[len(queries) :] for row in page.rows}
        facts = read_run_facts(streams, self._view)
        return runs | {run for run, of_run in facts.items() if of_run.first == time}

    def _causes(self, runs: Collection[RunKey]) -> tuple[Cause, ...]:
        """List the jobs of the runs, shown in full to the caller, each with its run."""
        causes = set[Cause]()
        for run, facts in read_run_facts(runs, self._view).items():
            job = facts.job_id
            if job and self._view.opens(job):
                causes.add((job, None if facts.declared else run.id))
        return tuple(sorted(causes, key=lambda cause: (cause[0], cause[1] or "")))


def _state_of(graph: Graph) -> _State:
    ids = [node.id for node in graph.nodes]
    return _State(
        frozenset(node.node_id for node in ids),
        frozenset(graph.edges),
        {dataset.id: schema_of(dataset.facets).types for dataset in graph.datasets},
    )


def _change(time: str, causes: tuple[Cause, ...], before: _State, after: _State) -> HistoryStep:
    old, new = before.columns, after.columns
    kept = sorted(old.keys() & new.keys())
    return HistoryStep(
        time=time,
        causes=causes,
        added_nodes=tuple(sorted(after.nodes - before.nodes)),
        removed_nodes=tuple(sorted(before.nodes - after.nodes)),
        added_edges=tuple(sorted(after.edges - before.edges)),
        removed_edges=tuple(sorted(before.edges - after.edges)),
        added_columns=tuple(_column(column, new[column]) for column in sorted(new.keys() - old.keys())),
        removed_columns=tuple(_column(column, old[column]) for column in sorted(old.keys() - new.keys())),
        retyped_columns=tuple(
            _column(column, new[column], old[column]) for column in kept if new[column] != old[column]
        ),
    )


def _column(column: _Column, kind: str | None, before: str | None = None) -> SchemaColumn:
    return SchemaColumn(column[0], print_dotted(column[1]), kind, before)

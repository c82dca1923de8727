"""Changes of the graph table: facts grow and the current graph is computed from them, in whatever order events come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

import orjson

from headwater.attempts import attempts
from headwater.events.event import Statement
from headwater.facts.catalogue import CHANGES_MAX, compact
from headwater.facts.delta import delta_of
from headwater.facts.facts import JobFacts, RunFacts, text_of
from headwater.facts.index_scan import facts_of
from headwater.facts.job_nodes import compute_nodes, follow_last_runs, io_of, sources_of
from headwater.facts.keys import current_key, dataset_pk, sortable
from headwater.facts.list_rows import state_rows
from headwater.facts.merge import ROUND_WAIT_MAX_S, Merged, merge
from headwater.facts.table import SIDES_MAX, GraphTable, Key, Row, Swap
from headwater.features import FEATURES
from headwater_model.errors import Unavailable
from headwater_model.ids import JobId

_ROUNDS_MAX = 100
# A larger document names the job alone: a hub has thousands of edges, and each would repeat the document.
_HINT_BYTES_MAX = 1_000


def refresh_nodes(jobs: Iterable[JobId], table: GraphTable, merged: Merged) -> None:
    """Compute the nodes of these jobs from the facts, and swap them; `merged` saves reads of nodes and later facts.

    Raises `Unavailable` if other loaders swapped the nodes in each of 100 rounds.
    """
    read, known = merged.nodes, merged.facts
    pending = sorted(set(jobs))
    put: dict[JobId, set[Key]] = {job: set() for job in pending}
    # A round reads the nodes before the facts and swaps them after: the last writer has seen all facts.
    for _ in attempts(_ROUNDS_MAX, table.sleep, longest_s=ROUND_WAIT_MAX_S):
        nodes = read or table.get(map(current_key, pending))
        of_jobs = {job: of for job, of in known.get(JobFacts, {}).items() if job in pending}
        facts = dict.fromkeys(pending, JobFacts()) | facts_of(set(pending) - of_jobs.keys(), table) | of_jobs
        by_job = {job: nodes.get(current_key(job)) for job in pending if known}
        last = follow_last_runs(by_job, known.get(RunFacts, {}), table)
        # A rival's node means later facts: the next round reads them.
        read, known = {}, {}
        rewrites = [
            _rewrite_of(job, nodes.get(current_key(job)), node, put[job])
            for job, node in compute_nodes(facts, table, last=last).items()
        ]
        # Edges come before their node: readers skip surplus edges.
        table.put(edge for rewrite in rewrites for edge in rewrite.missing)
        for rewrite in rewrites:
            put[rewrite.job].update(edge.key for edge in rewrite.missing)
        # A job is done when its node is swapped and no surplus edge is left. Lost swaps go into the next round.
        written = table.swap([rewrite.swap() for rewrite in rewrites])
        done = {
            rewrite.job
            for rewrite, swapped in zip(rewrites, written, strict=True)
            if swapped and _delete_surplus_edges(rewrite, table)
        }
        pending = [job for job in pending if job not in done]
        if not pending:
            return
    raise Unavailable(f"the nodes of {len(pending)} jobs were swapped by other loaders too often")


@dataclass(slots=True)
class _NodeRewrite:
    """The rewrite of a stored node to the node of its facts: `missing` edges to write, `surplus` edges to delete."""

    job: JobId
    node: Mapping[str, Any]
    version: int
    missing: Sequence[Row]
    # The rows of states, which move with the node.
    states: Sequence[Row]
    surplus: Sequence[Key]

    def swap(self) -> Swap:
        """Make the swap to the node of the facts; surplus edges that do not fit stay listed as `extra`."""
        free = SIDES_MAX - len(self.states)
        deletes, extra = self.surplus[:free], self.surplus[free:]
        row = Row(*current_key(self.job), {**self.node, "extra": extra} if extra else self.node, self.version)
        swap = Swap(row, puts=tuple(self.states), deletes=tuple(deletes))
        self.version, self.states, self.surplus = self.version + 1, [], extra
        return swap


def _rewrite_of(job: JobId, old: Row | None, node: Mapping[str, Any], put: Iterable[Key]) -> _NodeRewrite:
    """Compare the stored node of a job, and the edges put in earlier rounds, to the node of its facts."""
    stored = old.data if old else {**node, "inputs": [], "outputs": [], "columns": {}, "listed": None}
    before, after = edges_of(job, stored), edges_of(job, node)
    missing = [edge for key, edge in after.items() if before.get(key) != edge]
    moving = [edge for edge in missing if edge.pk.startswith("STATE#")]
    extra = ((pk, sk) for pk, sk in stored.get("extra", ()))
    surplus = [key for key in dict.fromkeys((*before, *extra, *put)) if key not in after]
    edges = [edge for edge in missing if edge not in moving]
    return _NodeRewrite(job, node, old.version if old else 0, edges, moving, surplus)


def _delete_surplus_edges(rewrite: _NodeRewrite, table: GraphTable) -> bool:
    """Delete the edges left by the swap; False if another loader swapped the node meanwhile."""
    while rewrite.surplus:
        if not table.swap([rewrite.swap()])[0]:
            return False
    return True


def edges_of(job: JobId, node: Mapping[str, Any] | None) -> dict[Key, Row]:
    """Make the rows from a node's datasets to its job, their reader or producer, and the row of its state."""
    if node is None:
        return {}
    suffix = f"{sortable(f'{job.namespace}:{job.name}')}#{job.digest[:16]}"
    data = _edge_data(job, node)
    inputs, outputs = io_of(node)
    rows = [Row(dataset_pk(dataset), f"NOW#READER#{suffix}", data) for dataset in inputs]
    rows += [Row(dataset_pk(dataset), f"NOW#PRODUCER#{suffix}", data) for dataset in outputs]
    rows += [Row(dataset_pk(dataset), f"NOW#SOURCE_OF#{suffix}", data) for dataset in sources_of(node) - inputs]
    rows += state_rows(job, node)
    return {row.key: row for row in rows}


def _edge_data(job: JobId, node: Mapping[str, Any]) -> dict[str, Any]:
    """Make the document of a job's edges: the job and, if they are few, its inputs, outputs and their facet refs.

    With this hint a reader reads the next datasets in the same round as the node; the node alone counts.
    """
    refs = {output: node["columns"].get(output, {}).get("refs", []) for output in node["outputs"]}
    hint = {"job": text_of(job), "inputs": node["inputs"], "outputs": refs}
    return hint if len(orjson.dumps(hint)) <= _HINT_BYTES_MAX else {"job": text_of(job)}


T = TypeVar("T")


def apply_statements(statements: Sequence[Statement], table: GraphTable, *, changes_max: int = CHANGES_MAX) -> None:
    """Merge the statements into the facts, refresh the current graph, and compact the catalogue.

    If the loader dies halfway, the same statements, applied again, complete the work. The next addition to a
    catalogue's partition of more than `changes_max` changes compacts it. Raises `Unavailable` if the table refuses,
    or if other loaders keep swapping the same rows.
    """
    delta = delta_of(statements)
    merged = merge(delta, table)
    refresh_nodes(delta.jobs, table, merged)
    compact(merged.names, table, changes_max=changes_max)
    if table.kept:
        for module in (feature.merged for feature in FEATURES if feature.merged):
            import_module(module).on_merged(delta, table)


def apply_isolating_failures(
    things: Sequence[T], act: Callable[[Sequence[T]], None], *, may_go_on: Callable[[], bool] = lambda: True
) -> Iterator[tuple[T, Exception]]:
    """Act on all things together; halve failing groups until faulty things are alone. Yield these with their errors.

    A single fault among a hundred costs fifteen acts. Where all fail, halving would take two acts for each thing: once
    `may_go_on` is false, the rest is yielded without acts.
    """
    pending = [things] if things else []
    error: Exception | None = None
    while pending:
        group = pending.pop()
        if error is not None and not may_go_on():
            yield from ((thing, error) for thing in group)
            continue
        try:
            act(group)
        except Exception as failure:  # noqa: BLE001 - a fault of our code in one event must not stop the rest
            error = failure
            if len(group) == 1:
                yield group[0], failure
            else:
                middle = len(group) // 2
                pending += [group[middle:], group[:middle]]

"""Bringing the current graph up to the facts.

A job's node is worked out anew from facts that were read *after* the node, and swapped even if nothing changed. So the
last one to swap has read all that anyone before wrote: the node is what the facts say, whoever raced or died. The edges
of a node move with it in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lineage.errors import Unavailable
from lineage.names import JobId
from lineage.runs.facts.current import io_of, sources_of
from lineage.runs.facts.growing import JobFacts, text_of
from lineage.runs.facts.job_nodes import work_out
from lineage.runs.facts.keys import current_key, dataset_pk, facts_key, sortable
from lineage.runs.facts.table import SIDES_MAX, GraphTable, Key, Row, Swap

_ROUNDS_MAX = 100


def settle(jobs: Iterable[JobId], table: GraphTable) -> None:
    """Bring the nodes of these jobs up to the facts; `Unavailable` if others kept getting in between."""
    pending = sorted(set(jobs))
    for _ in range(_ROUNDS_MAX):
        if not pending:
            return
        nodes = table.get(current_key(job) for job in pending)
        rows = table.get(facts_key(job) for job in pending)
        facts = {
            job: JobFacts(**rows[facts_key(job)].data["facts"]) if facts_key(job) in rows else JobFacts()
            for job in pending
        }
        steps = [_step(job, nodes.get(current_key(job)), node) for job, node in work_out(facts, table).items()]
        written = table.swap([swap for swap, _ in steps])
        done = [swapped and last for swapped, (_, last) in zip(written, steps, strict=True)]
        pending = [job for job, ready in zip(pending, done, strict=True) if not ready]
    raise Unavailable(f"the nodes of {len(pending)} jobs kept being swapped by others")


def _step(job: JobId, old: Row | None, node: Mapping[str, Any]) -> tuple[Swap, bool]:
    """The next swap towards the node, and whether it is the last.

    One transaction moves a node and all its edges, unless more than 99 of them change: then the node tells in `extra`
    which edges are there besides those that it lists, so that rows and node never disagree.
    """
    version = old.version if old else 0
    before = {**edges_of(job, old.data if old else None), **_extra(old)}
    after = edges_of(job, node)
    missing = [edge for key, edge in after.items() if key not in before]
    if len(missing) > SIDES_MAX:
        some = missing[:SIDES_MAX]
        listed = old.data if old else {**node, "inputs": [], "outputs": [], "columns": {}}
        extra = [*_extra(old), *(edge.key for edge in some)]
        return Swap(Row(*current_key(job), {**listed, "extra": extra}, version), puts=tuple(some)), False
    surplus = [key for key in before if key not in after]
    room = SIDES_MAX - len(missing)
    row = Row(*current_key(job), {**node, "extra": surplus[room:]} if surplus[room:] else node, version)
    return Swap(row, puts=tuple(missing), deletes=tuple(surplus[:room])), not surplus[room:]


def _extra(node: Row | None) -> dict[Key, Row]:
    keys = node.data.get("extra", ()) if node else ()
    return {(pk, sk): Row(pk, sk) for pk, sk in keys}


def edges_of(job: JobId, node: Mapping[str, Any] | None) -> dict[Key, Row]:
    """The rows by which the datasets of a node know its job as their reader or writer."""
    if node is None:
        return {}
    place = f"{sortable(f'{job.namespace}:{job.name}')}#{job.key[:16]}"
    told = {"job": text_of(job)}
    inputs, outputs = io_of(node)
    rows = [Row(dataset_pk(one), f"A#R#{place}", told) for one in inputs]
    rows += [Row(dataset_pk(one), f"A#P#{place}", told) for one in outputs]
    rows += [Row(dataset_pk(one), f"A#S#{place}", told) for one in sources_of(node) - inputs]
    return {row.key: row for row in rows}

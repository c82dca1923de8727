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
from lineage.runs.facts.current import io_of, job_node
from lineage.runs.facts.growing import JobFacts, text_of
from lineage.runs.facts.keys import current_key, dataset_pk, facts_key, sortable
from lineage.runs.facts.newest import last_known, last_started, newest
from lineage.runs.facts.table import SIDES_MAX, GraphTable, Key, Row, Swap

_ROUNDS_MAX = 100


def settle(jobs: Iterable[JobId], table: GraphTable) -> None:
    """Bring the nodes of these jobs up to the facts; `Unavailable` if others kept getting in between."""
    pending = sorted(set(jobs))
    for _ in range(_ROUNDS_MAX):
        if not pending:
            return
        nodes = table.get(current_key(job) for job in pending)
        runs = newest([ask for job in pending for ask in (last_known(job), last_started(job))], table)
        facts = table.get(facts_key(job) for job in pending)
        steps = []
        for job, known, latest in zip(pending, runs[::2], runs[1::2], strict=True):
            row = facts.get(facts_key(job))
            told = JobFacts(**row.data["facts"]) if row else JobFacts()
            node = job_node(job, told, known, latest)
            steps.append(_step(job, nodes.get(current_key(job)), node))
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
        listed = old.data if old else {**node, "inputs": [], "outputs": []}
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
    return {row.key: row for row in rows}

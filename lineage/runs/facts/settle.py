"""Bringing the current graph up to the facts.

A job's node is worked out anew from facts that were read *after* the node, and swapped even if nothing changed. So the
last one to swap has read all that anyone before wrote: the node is what the facts say, whoever raced or died. The edges
of a node move with it in one transaction; of a wide node, with more changes than fit, some may be there too many.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
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
        moves = [_move(job, nodes.get(current_key(job)), node) for job, node in work_out(facts, table).items()]
        ready = [move for move in moves if _prepare(move, table)]
        written = table.swap([move.swap() for move in ready])
        done = {move.job for move, swapped in zip(ready, written, strict=True) if swapped and _clear(move, table)}
        pending = [job for job in pending if job not in done]
    raise Unavailable(f"the nodes of {len(pending)} jobs kept being swapped by others")


@dataclass(slots=True)
class _Move:
    """A job's node on its way to what the facts say: edges that it lacks, and those that it has too many.

    `listed` is the node as it is, whose `extra` are the edges that may be there besides those that it lists.
    """

    job: JobId
    node: Mapping[str, Any]
    listed: Mapping[str, Any]
    version: int
    missing: list[Row]
    surplus: list[Key]

    def announcement(self) -> Swap | None:
        """The node as it is, with all missing edges as `extra`; None if they are that already."""
        extra = _extra(self.listed)
        if all(edge.key in extra for edge in self.missing):
            return None
        extra.update(dict.fromkeys(edge.key for edge in self.missing))
        return Swap(Row(*current_key(self.job), {**self.listed, "extra": list(extra)}, self.version))

    def swap(self) -> Swap:
        """The node as the facts say, with its missing edges, and without as many others as there is room for."""
        room = SIDES_MAX - len(self.missing)
        deletes, extra = self.surplus[:room], self.surplus[room:]
        row = Row(*current_key(self.job), {**self.node, "extra": extra} if extra else self.node, self.version)
        swap = Swap(row, puts=tuple(self.missing), deletes=tuple(deletes))
        self.version, self.missing, self.surplus = self.version + 1, [], extra
        return swap


def _move(job: JobId, old: Row | None, node: Mapping[str, Any]) -> _Move:
    listed = old.data if old else {**node, "inputs": [], "outputs": [], "columns": {}}
    before, after = edges_of(job, listed), edges_of(job, node)
    missing = [edge for key, edge in after.items() if key not in before]
    surplus = [key for key in {**before, **_extra(listed)} if key not in after]
    return _Move(job, node, listed, old.version if old else 0, missing, surplus)


def _extra(node: Mapping[str, Any]) -> dict[Key, None]:
    return {(pk, sk): None for pk, sk in node.get("extra", ())}  # noqa: C420 - lists are no keys


def _prepare(move: _Move, table: GraphTable) -> bool:
    """Write the missing edges of a wide node ahead of it; False if another loader swapped the node.

    They are announced first: whoever finds the node then writes those that it needs again, for their writer may have
    died, and deletes the others. A late write leaves an edge too many, which readers find the node not to list.
    """
    if len(move.missing) <= SIDES_MAX:
        return True
    announcement = move.announcement()
    if announcement is not None:
        if not table.swap([announcement])[0]:
            return False
        move.version += 1
    table.put(move.missing)
    move.missing = []
    return True


def _clear(move: _Move, table: GraphTable) -> bool:
    """Delete the edges that the swap had no room for; False if another loader swapped the node meanwhile."""
    while move.surplus:
        if not table.swap([move.swap()])[0]:
            return False
    return True


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

"""One write, that Spark runs as several executions: a CTAS and its insert. Each knows a part of it.

They are one where they have a root in common, one ran inside the other, and they write the same dataset, or the outer
one is a command that lets another one write, knows a name alone, and has the same query. Two appends in one micro-batch
(they have its root in common, too) ran one after the other, and stay two. INSERTs that share a FROM may be several
outer writes of one execution: what ran inside it belongs to the one that writes the same dataset.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import groupby
from typing import Protocol

from lineage_model.columns import Columns, unite
from lineage_model.ids import DatasetId, FieldPath
from spark_client.capturing.datasets.targets import WRAPPERS
from spark_client.capturing.model import Dataset, Symlink, Tier, Write, Written

# Of roots that have not ended, more than this many of their writes are not kept waiting, nor longer than that.
_HELD_MAX = 1_000
_HELD_S = 60.0
_DETAIL: dict[Tier, int] = {"tables": 0, "sources": 1, "full": 2}


@dataclass(slots=True)
class _Held:
    """Writes of a root that has not ended."""

    since_s: float
    writes: list[Write] = field(default_factory=list)


class Part(Protocol):
    """What ended: an execution, or what its root is (`executions.Execution`)."""

    @property
    def id(self) -> int:
        """Its own."""

    @property
    def root_id(self) -> int:
        """The outermost one that it is a part of."""


class Joining:
    """Takes the writes of executions in the order in which they ended, and gives each write once it is whole."""

    def __init__(
        self, *, held_max: int = _HELD_MAX, held_s: float = _HELD_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._held_max = held_max
        self._held_s = held_s
        self._clock = clock
        self._roots: OrderedDict[int, _Held] = OrderedDict()
        self._count = 0

    def add(self, execution: Part, writes: Iterable[Write]) -> list[Write]:
        """What is whole now that this execution ended: its root's writes, if it is one, and what waited too long."""
        own = [replace(write, execution_id=execution.id) for write in writes]
        if execution.id == execution.root_id:
            return [*self.overdue(), *_joined([*self._take(execution.root_id), *own])]
        if own:
            held = self._roots.setdefault(execution.root_id, _Held(self._clock()))
            held.writes += own
            self._count += len(own)
        return self.overdue()

    def over(self, root_id: int) -> list[Write]:
        """A root that wrote nothing itself ended: the writes that were parts of it are whole."""
        return _joined(self._take(root_id))

    def overdue(self) -> list[Write]:
        """What has waited too long for its root, and what there is too much of, oldest first."""
        too_old = self._clock() - self._held_s
        released: list[Write] = []
        while self._roots:
            root_id, oldest = next(iter(self._roots.items()))
            if oldest.since_s > too_old and self._count <= self._held_max:
                break
            released += _joined(self._take(root_id))
        return released

    def release(self) -> list[Write]:
        """All that waits."""
        return [write for root_id in list(self._roots) for write in _joined(self._take(root_id))]

    def _take(self, root_id: int) -> list[Write]:
        held = self._roots.pop(root_id, None)
        writes = held.writes if held else []
        self._count -= len(writes)
        return writes


def _joined(writes: Sequence[Write]) -> list[Write]:
    """Join the writes of one root, in the order in which they ended: the outer ones after what ran inside them.

    A command that lets another one write, and ended well without, found its table there, and wrote nothing.
    """
    whole: list[Write] = []
    for _, siblings in groupby(writes, key=lambda write: write.execution_id):
        outers = list(siblings)
        parts = _parts(outers, [write for write in whole if _ran_inside(write, outers[0])])
        whole = [write for write in whole if not any(write is part for inside in parts for part in inside)]
        for outer, inside in zip(outers, parts, strict=True):
            if inside or outer.failure or outer.command not in WRAPPERS:
                whole.append(reduce(_both, inside, outer))
    return whole


def _ran_inside(inner: Write, outer: Write) -> bool:
    return (
        inner.execution_id > outer.execution_id
        and outer.started_ms <= inner.started_ms
        and inner.ended_ms <= outer.ended_ms
    )


def _parts(outers: Sequence[Write], inside: Sequence[Write]) -> list[list[Write]]:
    """Return for each write of one execution what ran inside it and is a part of it.

    Outer writes of the same dataset take the inner writes of it in turn, for Spark runs both in the same order; those
    that let another one write come first. What is left is a part of such a command that knows its table's name alone,
    if it may have the same query.
    """
    parts: list[list[Write]] = [[] for _ in outers]
    left: list[Write] = []
    for inner in inside:
        same = [place for place, outer in enumerate(outers) if _same_dataset(inner, outer)]
        of_others = [place for place in same if outers[place].command in WRAPPERS] or same
        (min((parts[place] for place in of_others), key=len) if of_others else left).append(inner)
    for part, outer in zip(parts, outers, strict=True):
        if not part and outer.command in WRAPPERS:
            part += [inner for inner in left if _may_have_query(inner, outer)]
    return parts


def _same_dataset(one: Write, other: Write) -> bool:
    return not _names(one.output).isdisjoint(_names(other.output))


def _may_have_query(inner: Write, outer: Write) -> bool:
    """True if the inner write reads nothing that the outer's query does not, and writes columns of the same names.

    It may read less: Spark runs the inner one after its optimizer, which leaves out what has no rows.
    """
    columns = [{column.name.lower() for column in write.output.schema} for write in (inner, outer)]
    same_columns = columns[0] == columns[1] or not all(columns)
    return same_columns and {one.id for one in inner.inputs} <= {one.id for one in outer.inputs}


def _names(dataset: Dataset) -> set[DatasetId]:
    return {dataset.id, *(DatasetId(link.namespace, link.name) for link in dataset.symlinks)}


def _both(outer: Write, inner: Write) -> Write:
    """What both know: the outer one of the table, the statement and how it went; the inner one of the numbers."""
    columns, unknown, tier = _columns(outer, inner)
    return replace(
        outer,
        output=_output(outer, inner),
        inputs=tuple(_inputs([*outer.inputs, *inner.inputs])),
        columns=columns,
        unknown=unknown,
        tier=tier,
        # A CTAS tells its insert to overwrite what it has just made.
        change=outer.change if outer.command in WRAPPERS else outer.change or inner.change,
        written=_written(inner.written, outer.written),
        sql=outer.sql or inner.sql,
        # The inner plan is the outer one after the optimizer: it tells no more.
        unknown_inputs=_in_more_detail(outer, inner).unknown_inputs,
    )


def _columns(outer: Write, inner: Write) -> tuple[Columns, dict[FieldPath, str], Tier]:
    """What is known of the columns: of the one that was read in more detail, or of both."""
    if outer.tier != inner.tier:
        better = _in_more_detail(outer, inner)
        return better.columns, dict(better.unknown), better.tier
    unknown = {
        path: reason
        for one, other in ((outer, inner), (inner, outer))
        for path, reason in one.unknown.items()
        if path in other.unknown or path not in other.columns.fields
    }
    return unite([outer.columns, inner.columns]), unknown, outer.tier


def _in_more_detail(outer: Write, inner: Write) -> Write:
    """Return the write whose plan was read in more detail; the outer one if there is none."""
    return max(outer, inner, key=lambda write: _DETAIL[write.tier])


def _output(outer: Write, inner: Write) -> Dataset:
    """The dataset by the outer one's name; by the inner one's, if only that knows where the table lies."""
    if outer.command not in WRAPPERS or outer.output.id == inner.output.id:
        return _dataset(outer.output, inner.output)
    by_name = Symlink(outer.output.id.namespace, outer.output.id.name)
    symlinks = dict.fromkeys([by_name, *outer.output.symlinks])
    return _dataset(replace(outer.output, id=inner.output.id, symlinks=tuple(symlinks)), inner.output)


def _dataset(one: Dataset, other: Dataset) -> Dataset:
    """One dataset as both tell it, by the first one's name; a name that only the other has is a symlink already."""
    return replace(
        one,
        schema=one.schema or other.schema,
        symlinks=tuple(dict.fromkeys([*one.symlinks, *other.symlinks])),
        version=one.version or other.version,
    )


def _inputs(datasets: Iterable[Dataset]) -> Iterator[Dataset]:
    by_id: dict[DatasetId, Dataset] = {}
    for dataset in datasets:
        known = by_id.get(dataset.id)
        by_id[dataset.id] = _dataset(known, dataset) if known else dataset
    yield from by_id.values()


def _written(one: Written, other: Written) -> Written:
    return Written(
        rows=other.rows if one.rows is None else one.rows,
        size_bytes=other.size_bytes if one.size_bytes is None else one.size_bytes,
        files=other.files if one.files is None else one.files,
    )

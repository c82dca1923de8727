"""Merging of writes with several executions, as of a CTAS and its insert. Each execution knows a part.

    execution 3, root 3    a wrapper: CREATE TABLE trips AS ...    the name `trips`, the statement
    execution 4, root 3    its insert                              the path `s3://lake/trips`, rows, bytes

An inner write is a part of an outer write with the same root if it ran inside, and both write the same dataset; or if
the outer command is a wrapper without such a part, and their queries match. Appends in a micro-batch have the same
root, but ran in turn, and stay apart. INSERTs with a common FROM are several outer writes of an execution.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import groupby
from typing import Protocol

from headwater_model.columns import ColumnLineage, merge_columns
from headwater_model.ids import DatasetId, FieldPath
from spark_client.capturing.datasets.targets import MAY_WRITE_ALONE, STATEMENTS, WRAPPERS
from spark_client.capturing.model import Dataset, Symlink, Tier, Write
from spark_client.capturing.parts import FOLDERS, SINKS
from spark_client.capturing.session.met_tables import MetTables

# Bounds on the number of pending writes, and on their wait for their roots' ends.
_PENDING_MAX = 1_000
_PENDING_S = 60.0
# Commands with their data in the writes of inner executions.
_WRAPPERS = WRAPPERS | SINKS
_DETAIL: dict[Tier, int] = {"tables": 0, "sources": 1, "full": 2}


@dataclass(slots=True)
class _Pending:
    """Writes of a root before its end."""

    since_s: float
    writes: list[Write] = field(default_factory=list)


class Part(Protocol):
    """Ended execution, with its root (`executions.Execution`)."""

    @property
    def id(self) -> int:
        """Execution's own id."""

    @property
    def root_id(self) -> int:
        """Id of the outermost execution around it."""


class WriteMerger:
    """Merger of executions' writes, taken in the order of their ends; returns each write once it is complete."""

    def __init__(
        self,
        *,
        pending_max: int = _PENDING_MAX,
        pending_s: float = _PENDING_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pending_max = pending_max
        self._pending_s = pending_s
        self._clock = clock
        self._roots: OrderedDict[int, _Pending] = OrderedDict()
        self._count = 0
        self._tables = MetTables()

    def add(self, execution: Part, writes: Iterable[Write]) -> list[Write]:
        """Take an execution's writes; return overdue writes and, of a root, its complete writes."""
        own = [replace(write, execution_id=execution.id) for write in writes]
        if execution.id == execution.root_id:
            return [*self.overdue(), *self._tables.with_places(_merged([*self._take(execution.root_id), *own]))]
        if own:
            pending = self._roots.setdefault(execution.root_id, _Pending(self._clock()))
            pending.writes += own
            self._count += len(own)
        return self.overdue()

    def over(self, root_id: int) -> list[Write]:
        """Complete the inner writes of an ended root without writes of its own."""
        return self._tables.with_places(_merged(self._take(root_id)))

    def overdue(self) -> list[Write]:
        """Release writes with too long a wait for their roots, or above the bound, oldest first."""
        too_old = self._clock() - self._pending_s
        released: list[Write] = []
        while self._roots:
            root_id, oldest = next(iter(self._roots.items()))
            if oldest.since_s > too_old and self._count <= self._pending_max:
                break
            released += self._tables.with_places(_merged(self._take(root_id)))
        return released

    def release(self) -> list[Write]:
        """Release all pending writes."""
        return [
            write for root_id in list(self._roots) for write in self._tables.with_places(_merged(self._take(root_id)))
        ]

    def _take(self, root_id: int) -> list[Write]:
        pending = self._roots.pop(root_id, None)
        writes = pending.writes if pending else []
        self._count -= len(writes)
        return writes


def _merged(writes: Sequence[Write]) -> list[Write]:
    """Merge the writes of a root, in the order of their ends: outer writes after their inner writes.

    A wrapper without inner writes and without a failure met an existing table, as in `CREATE TABLE IF NOT EXISTS`.
    """
    whole: list[Write] = []
    for _, siblings in groupby(writes, key=lambda write: write.execution_id):
        outers = list(siblings)
        parts = _parts(outers, [write for write in whole if _ran_inside(write, outers[0])])
        whole = [write for write in whole if not any(write is part for inside in parts for part in inside)]
        for outer, inside in zip(outers, parts, strict=True):
            if inside or outer.failure or outer.command not in WRAPPERS - MAY_WRITE_ALONE:
                whole.append(reduce(_merge_pair, inside, outer))
    return list(_without_repeated_maintenance(whole))


def _without_repeated_maintenance(writes: Iterable[Write]) -> Iterator[Write]:
    """Yield the writes; of a statement's maintenance of a table, in groups of files, the first."""
    maintained: set[DatasetId] = set()
    for write in writes:
        if write.change != "MAINTENANCE":
            yield write
        elif write.output.id not in maintained:
            maintained.add(write.output.id)
            yield write


def _ran_inside(inner: Write, outer: Write) -> bool:
    return (
        inner.execution_id > outer.execution_id
        and outer.started_ms <= inner.started_ms
        and inner.ended_ms <= outer.ended_ms
    )


def _parts(outers: Sequence[Write], inside: Sequence[Write]) -> list[list[Write]]:
    """Share the inner writes among the outer writes of an execution: a list of parts for each.

    Outer writes of the same dataset take its inner writes in turn, since Spark runs both in the same order; wrappers
    come first. Inner writes of further datasets are parts of a wrapper without parts, if their queries may match.
    """
    parts: list[list[Write]] = [[] for _ in outers]
    left: list[Write] = []
    for inner in inside:
        same = [place for place, outer in enumerate(outers) if _same_dataset(inner, outer) or _in_folder(inner, outer)]
        of_others = [place for place in same if outers[place].command in _WRAPPERS] or same
        (min((parts[place] for place in of_others), key=len) if of_others else left).append(inner)
    for part, outer in zip(parts, outers, strict=True):
        if not part and outer.command in _WRAPPERS:
            part += [inner for inner in left if _may_have_query(inner, outer)]
    return parts


def _in_folder(inner: Write, outer: Write) -> bool:
    folder, file = outer.output.id, inner.output.id
    return outer.command in FOLDERS and file.namespace == folder.namespace and file.name.startswith(f"{folder.name}/")


def _same_dataset(first: Write, second: Write) -> bool:
    return not _names(first.output).isdisjoint(_names(second.output))


def _may_have_query(inner: Write, outer: Write) -> bool:
    """True if the inner write reads only inputs of the outer query, and writes columns of the same names.

    It may read less: Spark optimizes the inner query, and leaves out inputs without rows.
    """
    columns = [{column.name.lower() for column in write.output.schema} for write in (inner, outer)]
    same_columns = columns[0] == columns[1] or not all(columns)
    return same_columns and {dataset.id for dataset in inner.inputs} <= {dataset.id for dataset in outer.inputs}


def _names(dataset: Dataset) -> set[DatasetId]:
    return {dataset.id, *(DatasetId(link.namespace, link.name) for link in dataset.symlinks)}


def _merge_pair(outer: Write, inner: Write) -> Write:
    """Join the outer write's table, statement and outcome with the inner write's numbers."""
    if outer.command in FOLDERS:
        return outer
    # Of a statement of Hudi's, the inner writes know the counts alone.
    if outer.command in STATEMENTS:
        scanned = {**inner.scanned, **outer.scanned}
        return replace(outer, written=outer.written.otherwise(inner.written), scanned=scanned)
    columns, unknown = _columns(outer, inner)
    detailed = _in_more_detail(outer, inner)
    return replace(
        outer,
        output=_output(outer, inner),
        inputs=tuple(_inputs([*outer.inputs, *inner.inputs])),
        columns=columns,
        unknown=unknown,
        tier=detailed.tier,
        tier_reason=detailed.tier_reason,
        # The insert of a CTAS overwrites the CTAS's new table.
        change=outer.change if outer.command in WRAPPERS else outer.change or inner.change,
        written=inner.written.otherwise(outer.written),
        scanned={**inner.scanned, **outer.scanned},
        sql=outer.sql or inner.sql,
        # The inner plan is the outer plan after the optimizer: it has no more detail.
        unknown_inputs=detailed.unknown_inputs,
    )


def _columns(outer: Write, inner: Write) -> tuple[ColumnLineage, dict[FieldPath, str]]:
    """Take the columns of the write read in more detail; of equal detail, merge both."""
    if outer.tier != inner.tier:
        better = _in_more_detail(outer, inner)
        return better.columns, dict(better.unknown)
    unknown = {
        path: reason
        for write, other in ((outer, inner), (inner, outer))
        for path, reason in write.unknown.items()
        if path in other.unknown or path not in other.columns.fields
    }
    return merge_columns([outer.columns, inner.columns]), unknown


def _in_more_detail(outer: Write, inner: Write) -> Write:
    """Choose the write with a plan read in more detail; of equal detail the outer write."""
    return max(outer, inner, key=lambda write: _DETAIL[write.tier])


def _output(outer: Write, inner: Write) -> Dataset:
    """Name the dataset by the outer write; by the inner write, if it alone has the table's location."""
    if outer.command not in _WRAPPERS or inner.output.id in _names(outer.output):
        return _merge_datasets(outer.output, inner.output)
    by_name = Symlink(outer.output.id.namespace, outer.output.id.name)
    symlinks = dict.fromkeys([by_name, *outer.output.symlinks])
    return _merge_datasets(replace(outer.output, id=inner.output.id, symlinks=tuple(symlinks)), inner.output)


def _merge_datasets(first: Dataset, second: Dataset) -> Dataset:
    """Merge two descriptions of a dataset, by the first name; the second name is a symlink already."""
    return replace(
        first,
        schema=first.schema or second.schema,
        symlinks=tuple(dict.fromkeys([*first.symlinks, *second.symlinks])),
        version=first.version or second.version,
        branch=first.branch or second.branch,
        rows=first.rows or second.rows,
    )


def _inputs(datasets: Iterable[Dataset]) -> Iterator[Dataset]:
    by_id: dict[DatasetId, Dataset] = {}
    for dataset in datasets:
        known = by_id.get(dataset.id)
        by_id[dataset.id] = _merge_datasets(known, dataset) if known else dataset
    yield from by_id.values()

"""Columns' ways through a time range: how far, whether directly, whether masked throughout, and how certainly.

Down, a dataset whose writers reported no columns is a node without a field, and what is made of any of its columns may
be made of it (see `perhaps`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from lineage.fields.answers.alike import ROOTS_MAX, Runs
from lineage.fields.answers.perhaps import How, Perhaps
from lineage.fields.answers.span import BACKWARD, FORWARD, RunTold, Side, Span
from lineage.fields.columns import Column, Source, Transformation
from lineage.fields.found import Step
from lineage.names import DatasetId, JobId

# Columns that one journey reaches, and steps between them.
COLUMNS_MAX = 5_000
STEPS_MAX = 20_000


@dataclass(slots=True)
class _Leg:
    """A step under way: who told of it, and how; `direct` or `certain` if anyone told so, `masks` if all did."""

    transformations: set[Transformation] = field(default_factory=set)
    direct: bool = False
    masks: bool = True
    certain: bool = False
    failed: bool = True
    jobs: set[JobId] = field(default_factory=set)
    roots: dict[str, tuple[str, str]] = field(default_factory=dict)

    def add(self, how: How, runs: Runs, *, certain: bool) -> None:
        """Count runs that told of it; where they did not tell how, the step may be direct, and mask nothing."""
        self.failed &= runs.failed
        self.certain |= certain
        self.transformations |= how
        self.direct |= not how or any(one.type == "DIRECT" for one in how)
        self.masks &= bool(how) and all(one.masking for one in how)
        for root, newest in runs.roots.items():
            self.roots[root] = max(newest, self.roots.get(root, newest))
        if runs.job:
            self.jobs.add(runs.job)

    @property
    def runs(self) -> tuple[str, ...]:
        """The root runs of those that told of it, the newest first."""
        return tuple(sorted(self.roots, key=lambda root: self.roots[root], reverse=True)[:ROOTS_MAX])


# From which column to which, and how.
_Step: TypeAlias = tuple[Column, Column, How]
# The same, of nodes, and whether it is certain.
_Way: TypeAlias = tuple[Source, Source, How, bool]
# Whether every step so far was direct, whether any masked, whether every one was certain, and whether any failed.
_State: TypeAlias = tuple[bool, bool, bool, bool]
_START: _State = (True, False, True, False)


@dataclass(frozen=True, slots=True)
class Reached:
    """A column (down, perhaps any of a dataset) that a journey came to; `direct` on some way, `masked` on all."""

    column: Source
    hops: int
    direct: bool
    masked: bool
    certain: bool
    failed: bool


class Journey:
    """From a column on, down (what is made of it) or up (what it is made of), breadth first."""

    def __init__(self, span: Span, start: Column, way: Side) -> None:
        self.span, self._start, self._way = span, Source(start.dataset, start.field), way
        self.legs: dict[tuple[Source, Source], _Leg] = {}
        self.truncated = False
        self._hops: dict[Source, int] = {self._start: 0}
        self._states: dict[Source, set[_State]] = {self._start: {_START}}

    def travel(self) -> list[Reached]:
        """Every column reached, nearest first, the start left out."""
        frontier = [self._start]
        while frontier:
            self.span.load((column.dataset, self._way) for column in frontier)
            near = self._nexts(frontier)
            every = {one for some in near.values() for one in some}
            new = [one for one in sorted(every, key=lambda one: one.order) if one not in self._hops]
            room = max(COLUMNS_MAX - len(self._hops), 0)
            self.truncated |= len(new) > room
            hop = self._hops[frontier[0]] + 1
            self._hops.update(dict.fromkeys(new[:room], hop))
            frontier = new[:room]
        self._spread()
        self.truncated |= self.span.truncated
        return [
            _reached(column, hops, states)
            for column, hops in self._hops.items()
            if column != self._start and (states := self._states[column])
        ]

    def steps(self) -> list[Step]:
        """Every step between columns that were reached."""
        return [
            Step(
                column_of(ends[0]),
                column_of(ends[1]),
                transformations=tuple(sorted(leg.transformations, key=str)),
                operations=operations_in(leg.transformations),
                jobs=tuple(sorted(leg.jobs)),
                runs=leg.runs,
            )
            for ends, leg in sorted(self.legs.items(), key=lambda item: [end.order for end in item[0]])
            if ends[0] in self._hops and ends[1] in self._hops
        ]

    def jobs_into(self) -> dict[Source, tuple[JobId, ...]]:
        """By column, the jobs that told of a step to it."""
        jobs: dict[Source, set[JobId]] = {}
        for (_, destination), leg in self.legs.items():
            jobs.setdefault(destination, set()).update(leg.jobs)
        return {column: tuple(sorted(some)) for column, some in jobs.items()}

    def _nexts(self, columns: Sequence[Source]) -> Mapping[Source, set[Source]]:
        near: dict[Source, set[Source]] = {column: set() for column in columns}
        by_dataset: dict[DatasetId, list[Source]] = {}
        for column in columns:
            by_dataset.setdefault(column.dataset, []).append(column)
        for dataset, some in by_dataset.items():
            known: dict[tuple[tuple[str, ...], DatasetId], list[_Way]] = {}
            for runs, told in self._tellings(dataset):
                place = (told.tellings, told.name)
                if place not in known:
                    known[place] = list(self._ways(told, some))
                for source, destination, how, certain in known[place]:
                    self._add_leg(source, destination, how, runs, certain=certain)
                    here, there = (source, destination) if self._way == FORWARD else (destination, source)
                    near[here].add(there)
        return near

    def _ways(self, told: RunTold, nodes: Sequence[Source]) -> Iterator[_Way]:
        """Yield the steps that a run told of to or from nodes of one dataset, and down those that it may have taken."""
        for column in (column_of(node) for node in nodes if node.field is not None):
            for source, destination, how in steps_of(told, column, self._way):
                yield Source(source.dataset, source.field), Source(destination.dataset, destination.field), how, True
        perhaps = Perhaps(told.dataset, told.columns, nodes[0].dataset)
        for node in nodes if self._way == FORWARD else ():
            for made, how in perhaps.of(node):
                yield node, made, how, False

    def _tellings(self, dataset: DatasetId) -> Iterator[tuple[Runs, RunTold]]:
        if self._way == BACKWARD:
            yield from ((runs, one) for runs, told in self.span.written_alike(dataset) for one in told)
            return
        for runs, readings in self.span.read_alike(dataset):
            yield from ((runs, one) for reading in readings for one in reading.made)

    def _add_leg(self, source: Source, destination: Source, how: How, runs: Runs, *, certain: bool) -> None:
        ends = (source, destination)
        if ends not in self.legs and len(self.legs) >= STEPS_MAX:
            self.truncated = True
            return
        self.legs.setdefault(ends, _Leg()).add(how, runs, certain=certain)

    def _spread(self) -> None:
        """In which states each column is reached, along all steps."""
        near: dict[Source, list[tuple[Source, _Leg]]] = {}
        for (source, destination), leg in self.legs.items():
            here, there = (source, destination) if self._way == FORWARD else (destination, source)
            near.setdefault(here, []).append((there, leg))
        pending = [(self._start, state) for state in self._states[self._start]]
        while pending:
            column, (direct, masked, certain, failed) = pending.pop()
            for there, leg in near.get(column, ()):
                state = (
                    direct and leg.direct,
                    masked or leg.masks,
                    certain and leg.certain,
                    failed or leg.failed,
                )
                states = self._states.setdefault(there, set())
                if there in self._hops and state not in states:
                    states.add(state)
                    pending.append((there, state))


def column_of(node: Source) -> Column:
    """Return the column that a node with a field is."""
    return Column(node.dataset, node.field or ())


def _reached(column: Source, hops: int, states: Iterable[_State]) -> Reached:
    direct, masked, certain, failed = zip(*states, strict=True)
    way = {"direct": any(direct), "masked": all(masked), "certain": any(certain), "failed": all(failed)}
    return Reached(column, hops, **way)


def steps_of(told: RunTold, column: Column, way: Side) -> Iterator[_Step]:
    """The steps that a run told of, to or from a column; those by which all of a dataset depends on it are apart."""
    columns = told.columns
    if way == BACKWARD:
        for sources in (columns.fields.get(column.field, {}), columns.whole):
            for one, how in sources.items():
                if one.field is not None:
                    yield Column(one.dataset, one.field), column, how
        return
    source = Source(column.dataset, column.field)
    for path, own in columns.fields.items():
        for sources in (own, columns.whole):
            if source in sources:
                yield column, Column(told.dataset, path), sources[source]


def operations_in(transformations: Iterable[Transformation]) -> tuple[str, ...]:
    """What transformations are called: their description, where they have one, else their subtype or type."""
    return tuple(sorted({one.description or one.subtype or one.type for one in transformations}))

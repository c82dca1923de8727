"""Columns' ways through a time range: how far, whether directly, and whether masked throughout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from lineage.fields.answers.span import BACKWARD, FORWARD, RunThen, RunTold, Side, Span
from lineage.fields.columns import Column, Source, Transformation
from lineage.fields.found import Step
from lineage.names import DatasetId, JobId

# Columns that one journey reaches, and the runs that are named of each step, the newest.
COLUMNS_MAX = 5_000
STEPS_MAX = 20_000
RUNS_MAX = 100


@dataclass(slots=True)
class _Leg:
    """A step under way: who told of it, and how; `direct` if anyone told so, `masks` if all did."""

    transformations: set[Transformation] = field(default_factory=set)
    direct: bool = False
    masks: bool = True
    jobs: set[JobId] = field(default_factory=set)
    runs: dict[str, None] = field(default_factory=dict)

    def add(self, how: frozenset[Transformation], run: RunThen) -> None:
        """A run told of it; where it did not tell how, the step may be direct, and mask nothing."""
        self.transformations |= how
        self.direct |= not how or any(one.type == "DIRECT" for one in how)
        self.masks &= bool(how) and all(one.masking for one in how)
        self.runs.setdefault(run.root)
        if run.job:
            self.jobs.add(run.job)


# From which column to which, and how.
_Step: TypeAlias = tuple[Column, Column, frozenset[Transformation]]
# Whether every step so far was direct, and whether any masked.
_State: TypeAlias = tuple[bool, bool]


@dataclass(frozen=True, slots=True)
class Reached:
    """A column that a journey came to; `direct` on some way, `masked` on all."""

    column: Column
    hops: int
    direct: bool
    masked: bool


class Journey:
    """From a column on, down (what is made of it) or up (what it is made of), breadth first."""

    def __init__(self, span: Span, start: Column, way: Side) -> None:
        self.span, self._start, self._way = span, start, way
        self.legs: dict[tuple[Column, Column], _Leg] = {}
        self.truncated = False
        self._hops: dict[Column, int] = {start: 0}
        self._states: dict[Column, set[_State]] = {start: {(True, False)}}

    def travel(self) -> list[Reached]:
        """Every column reached, nearest first, the start left out."""
        frontier = [self._start]
        while frontier:
            self.span.load((column.dataset, self._way) for column in frontier)
            near = self._nexts(frontier)
            new = [
                column for column in sorted({one for some in near.values() for one in some}) if column not in self._hops
            ]
            room = max(COLUMNS_MAX - len(self._hops), 0)
            self.truncated |= len(new) > room
            hop = self._hops[frontier[0]] + 1
            self._hops.update(dict.fromkeys(new[:room], hop))
            frontier = new[:room]
        self._spread()
        self.truncated |= self.span.truncated
        return [
            Reached(column, hops, any(direct for direct, _ in states), all(masked for _, masked in states))
            for column, hops in self._hops.items()
            if column != self._start and (states := self._states[column])
        ]

    def steps(self) -> list[Step]:
        """Every step between columns that were reached."""
        return [
            Step(
                *ends,
                transformations=tuple(sorted(leg.transformations, key=str)),
                operations=operations_in(leg.transformations),
                jobs=tuple(sorted(leg.jobs)),
                runs=tuple(leg.runs)[:RUNS_MAX],
            )
            for ends, leg in sorted(self.legs.items())
            if ends[0] in self._hops and ends[1] in self._hops
        ]

    def jobs_into(self) -> dict[Column, tuple[JobId, ...]]:
        """By column, the jobs that told of a step to it."""
        jobs: dict[Column, set[JobId]] = {}
        for (_, destination), leg in self.legs.items():
            jobs.setdefault(destination, set()).update(leg.jobs)
        return {column: tuple(sorted(some)) for column, some in jobs.items()}

    def _nexts(self, columns: Sequence[Column]) -> Mapping[Column, set[Column]]:
        near: dict[Column, set[Column]] = {column: set() for column in columns}
        by_dataset: dict[DatasetId, list[Column]] = {}
        for column in columns:
            by_dataset.setdefault(column.dataset, []).append(column)
        for dataset, some in by_dataset.items():
            known: dict[tuple[tuple[str, ...], DatasetId], list[_Step]] = {}
            for told in (one for one in self._tellings(dataset) if one.known):
                place = (told.tellings, told.name)
                if place not in known:
                    known[place] = [step for column in some for step in steps_of(told, column, self._way)]
                for source, destination, how in known[place]:
                    self._add_leg(source, destination, how, told)
                    here, there = (source, destination) if self._way == FORWARD else (destination, source)
                    near[here].add(there)
        return near

    def _tellings(self, dataset: DatasetId) -> Iterable[RunTold]:
        if self._way == BACKWARD:
            return self.span.written(dataset)
        return [told for reading in self.span.read(dataset) for told in reading.made]

    def _add_leg(self, source: Column, destination: Column, how: frozenset[Transformation], told: RunTold) -> None:
        ends = (source, destination)
        if ends not in self.legs and len(self.legs) >= STEPS_MAX:
            self.truncated = True
            return
        self.legs.setdefault(ends, _Leg()).add(how, told.run)

    def _spread(self) -> None:
        """In which states each column is reached, along all steps."""
        near: dict[Column, list[tuple[Column, _Leg]]] = {}
        for (source, destination), leg in self.legs.items():
            here, there = (source, destination) if self._way == FORWARD else (destination, source)
            near.setdefault(here, []).append((there, leg))
        pending = [(self._start, state) for state in self._states[self._start]]
        while pending:
            column, (direct, masked) = pending.pop()
            for there, leg in near.get(column, ()):
                state = (direct and leg.direct, masked or leg.masks)
                states = self._states.setdefault(there, set())
                if there in self._hops and state not in states:
                    states.add(state)
                    pending.append((there, state))


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

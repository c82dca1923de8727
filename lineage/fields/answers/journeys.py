"""Columns' ways through a time range: how far, whether directly, and whether masked throughout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from lineage.fields.answers.span import BACKWARD, FORWARD, RunTold, Side, Span
from lineage.fields.columns import Column, Source, Transformation
from lineage.fields.found import Step
from lineage.names import DatasetId, JobId

# Columns that one journey reaches, and the runs that are named of each step, the newest.
COLUMNS_MAX = 5_000
STEPS_MAX = 20_000
RUNS_MAX = 100


@dataclass(slots=True)
class _Leg:
    """A step under way: who told of it, and how."""

    transformations: set[Transformation] = field(default_factory=set)
    jobs: set[JobId] = field(default_factory=set)
    runs: dict[str, None] = field(default_factory=dict)

    @property
    def direct(self) -> bool:
        return not self.transformations or any(one.type == "DIRECT" for one in self.transformations)

    @property
    def masks(self) -> bool:
        return bool(self.transformations) and all(one.masking for one in self.transformations)


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
                    known[place] = [step for column in some for step in _steps(told, column, self._way)]
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
        leg = self.legs.setdefault(ends, _Leg())
        leg.transformations |= how
        leg.runs.setdefault(told.run.root)
        if told.run.job:
            leg.jobs.add(told.run.job)

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


def _steps(told: RunTold, column: Column, way: Side) -> Iterator[_Step]:
    """The steps that a run told of, to or from a column."""
    columns = told.columns
    if way == BACKWARD:
        every = (columns.fields.get(column.field, {}), columns.whole)
        for sources in every:
            for one, how in sources.items():
                if one.field is not None:
                    yield Column(one.dataset, one.field), column, how
        return
    source = Source(column.dataset, column.field)
    for path, sources in columns.fields.items():
        if source in sources or source in columns.whole:
            how = sources.get(source, frozenset()) | columns.whole.get(source, frozenset())
            yield column, Column(told.dataset, path), how


def operations_in(transformations: Iterable[Transformation]) -> tuple[str, ...]:
    """What transformations are called: their description, where they have one, else their subtype or type."""
    return tuple(sorted({one.description or one.subtype or one.type for one in transformations}))

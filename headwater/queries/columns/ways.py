"""Ways along steps between columns: the reports of a step joined, and the ways to a column joined.

ways = paths_along({start}, steps)      # `steps`: a ReportedStep by (from, to)
Way.of_all(ways[column]).masked        # True if every way to the column masks
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from headwater_model.columns import Transformation
from headwater_model.ids import JobId

T = TypeVar("T")


@dataclass(slots=True)
class ReportedStep:
    """A step with all its reports: `direct` or `certain` if any has it so, `masks` or `failed` if all do."""

    direct: bool = False
    masks: bool = True
    certain: bool = False
    failed: bool = True
    jobs: set[JobId] = field(default_factory=set)

    def count(
        self, how: Collection[Transformation], job: JobId | None, *, certain: bool = True, failed: bool = False
    ) -> None:
        """Count a report; without transformations the step is taken as direct and unmasked."""
        self.direct |= not how or any(transformation.type == "DIRECT" for transformation in how)
        self.masks &= bool(how) and all(transformation.masking for transformation in how)
        self.certain |= certain
        self.failed &= failed
        self.jobs.update([job] if job else [])


class Way(NamedTuple):
    """A way: every step is direct, some step masks, every step is certain, some step was reported by failed runs only.

    No step is the way to where a walk begins.
    """

    direct: bool = True
    masked: bool = False
    certain: bool = True
    failed: bool = False

    def beyond(self, step: ReportedStep) -> Way:
        """Append a step to the way."""
        return Way(
            self.direct and step.direct,
            self.masked or step.masks,
            self.certain and step.certain,
            self.failed or step.failed,
        )

    @classmethod
    def of_all(cls, ways: Iterable[Way]) -> Way:
        """Join several ways: direct or certain if any is, masked or failed if all are."""
        direct, masked, certain, failed = zip(*ways, strict=True)
        return cls(any(direct), all(masked), any(certain), all(failed))


def paths_along(starts: Iterable[T], steps: Mapping[tuple[T, T], ReportedStep]) -> dict[T, set[Way]]:
    """Find the different ways to each column; a column without a step to it is left out."""
    beyond: dict[T, list[tuple[T, ReportedStep]]] = {}
    for (here, there), step in steps.items():
        beyond.setdefault(here, []).append((there, step))
    ways: dict[T, set[Way]] = {start: {Way()} for start in starts}
    pending = [(start, Way()) for start in ways]
    while pending:
        column, way = pending.pop()
        for there, step in beyond.get(column, ()):
            longer = way.beyond(step)
            if longer not in ways.setdefault(there, set()):
                ways[there].add(longer)
                pending.append((there, longer))
    return ways

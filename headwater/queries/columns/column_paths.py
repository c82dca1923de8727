"""Paths along steps between columns: the reports of a step joined, and the paths to a column joined.

paths = paths_along({start}, steps)      # `steps`: a ReportedStep by (from, to)
ColumnPath.of_all(paths[column]).masked        # True if every path to the column masks
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


class ColumnPath(NamedTuple):
    """A path: every step is direct, some step masks, every step is certain, some step was reported by failed runs only.

    The path to the start of a walk has no step.
    """

    direct: bool = True
    masked: bool = False
    certain: bool = True
    failed: bool = False

    def following(self, step: ReportedStep) -> ColumnPath:
        """Append a step to the path."""
        return ColumnPath(
            self.direct and step.direct,
            self.masked or step.masks,
            self.certain and step.certain,
            self.failed or step.failed,
        )

    @classmethod
    def of_all(cls, paths: Iterable[ColumnPath]) -> ColumnPath:
        """Join several paths: direct or certain if any is, masked or failed if all are."""
        direct, masked, certain, failed = zip(*paths, strict=True)
        return cls(any(direct), all(masked), any(certain), all(failed))


def paths_along(starts: Iterable[T], steps: Mapping[tuple[T, T], ReportedStep]) -> dict[T, set[ColumnPath]]:
    """Find the different paths to each column; a column without a step to it is left out."""
    following: dict[T, list[tuple[T, ReportedStep]]] = {}
    for (here, there), step in steps.items():
        following.setdefault(here, []).append((there, step))
    paths: dict[T, set[ColumnPath]] = {start: {ColumnPath()} for start in starts}
    pending = [(start, ColumnPath()) for start in paths]
    while pending:
        column, path = pending.pop()
        for there, step in following.get(column, ()):
            longer = path.following(step)
            if longer not in paths.setdefault(there, set()):
                paths[there].add(longer)
                pending.append((there, longer))
    return paths

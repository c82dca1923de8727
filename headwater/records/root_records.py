"""All records of a root: the table's rows (expired ones too), the staged images, the last archive."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from headwater.records.archive import Archive
from headwater.records.expired import Staged
from headwater.records.forest import Forest
from headwater.records.lines import Compaction, render_lines
from headwater.records.pointers import LastArchive, Pointers
from headwater.records.record import LineageRecord, keep_first
from headwater.records.table import RecordsTable, parse_item
from headwater_model.errors import TooLarge, print_value

_CHECK_EVERY = 4096
# Lines repeat the path to each leaf. A comb, with a leaf below every record of a chain, has quadratic many steps:
# 20,000 records make 8.7 GB. No pipeline makes lines of more than a hundred steps.
_STEPS_FREE = 20_000_000
_STEPS_OF_RECORD_MAX = 100


class TooManySteps(TooLarge):
    """A root with a trace out of proportion to its records: no tracer makes it."""


def check_steps(root_id: str, steps: int, records: int, steps_max: float = math.inf) -> None:
    """Check the steps of all lines of a root together, before a line is made.

    Raises:
        TooManySteps: there are more than 20 million, and more than 100 for each record.
        TooLarge: there are more than `steps_max`.
    """
    most = max(_STEPS_FREE, _STEPS_OF_RECORD_MAX * records)
    if steps > most:
        raise TooManySteps(f"root {print_value(root_id)} has {steps} steps in its lines, at most {most} are archived")
    if steps > steps_max:
        raise TooLarge(f"root {print_value(root_id)} has {steps} steps in its lines, more than {steps_max:.0f}")


@dataclass(frozen=True, slots=True)
class RecordSources:
    """The stores that may hold a root's records."""

    table: RecordsTable
    staged: Staged
    pointers: Pointers
    archive: Archive


class Gathered(Protocol):
    """All records of a root, a single record for each node.

    `displaced` lost to an earlier record of their node; `staged` are the sort keys of the staged images; `pointer` is
    the root's archive, if it has one.
    """

    @property
    def pointer(self) -> LastArchive | None: ...  # noqa: D102 - the class describes it
    @property
    def displaced(self) -> Sequence[LineageRecord]: ...  # noqa: D102 - the class describes it
    @property
    def staged(self) -> Sequence[str]: ...  # noqa: D102 - the class describes it
    @property
    def count(self) -> int:
        """The number of records."""

    def lines(self, compaction: Compaction) -> Iterator[bytes]:
        """Yield the trace lines, in blocks of whole lines, in the order of `render_lines`."""


@dataclass(slots=True)
class RootRecords:
    """The records of a root in a function's memory; `check` is called now and then, and may raise.

    `steps_max` bounds the steps of all lines together.
    """

    root_id: str
    pointer: LastArchive | None
    check: Callable[[], None] = lambda: None
    steps_max: float = math.inf
    records: dict[str, LineageRecord] = field(default_factory=dict)
    displaced: list[LineageRecord] = field(default_factory=list)
    staged: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """The number of records."""
        return len(self.records)

    def lines(self, compaction: Compaction | None) -> Iterator[bytes]:
        """Render the trace lines, in blocks of whole lines; a live trace has no compaction step.

        Raises:
            TooLarge: see `check_steps`.
        """
        forest = self.forest()
        if len(forest.inner) * self.count > min(_STEPS_FREE, self.steps_max):
            check_steps(self.root_id, forest.count_steps(), self.count, self.steps_max)
        return render_lines(forest, compaction, self.check)

    def add_all(self, records: Iterable[LineageRecord]) -> None:
        """Add records in any order; the first record of a node by `keep_first` stays."""
        set_default = self.records.setdefault
        for record in records:
            known = set_default(record.node_id, record)
            if known is not record and known != record:
                self.records[record.node_id], displaced = keep_first(record, known)
                self.displaced += displaced

    def forest(self) -> Forest:
        """Build the forest of the records."""
        return Forest(self.root_id, self.records.values())


def read_root(
    root_id: str,
    sources: RecordSources,
    *,
    records_max: int,
    check: Callable[[], None],
    steps_max: float = math.inf,
) -> RootRecords:
    """Read all records of the root, the pointer first: a later commit has read more.

    `check` is called now and then and may raise. Raises `TooLarge` above `records_max` records.
    """
    findings = RootRecords(root_id, sources.pointers.find(root_id), check, steps_max)

    def check_bound(records: Iterable[LineageRecord]) -> Iterator[LineageRecord]:
        for number, record in enumerate(records, 1):
            yield record
            if findings.count > records_max:
                raise TooLarge(f"root {root_id!r} has more than {records_max} records")
            if number % _CHECK_EVERY == 0:
                check()

    def staged() -> Iterator[LineageRecord]:
        for place, record in sources.staged.read(root_id):
            findings.staged.append(place)
            yield record

    findings.add_all(check_bound(map(parse_item, sources.table.read_root(root_id))))
    findings.add_all(check_bound(staged()))
    if findings.pointer is not None:
        findings.add_all(check_bound(sources.archive.records(findings.pointer.object.key)))
    return findings

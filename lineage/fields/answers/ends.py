"""Why the way up from a column ends: what nobody wrote, what its writers did not report, or wrote before the range."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Literal, TypeAlias

from lineage.fields.answers.span import RunThen, RunTold, Span
from lineage.fields.columns import Column, Columns, Sources, unite
from lineage.fields.found import Reason
from lineage.names import DatasetId, JobId

# Runs that are named of one end, the newest, and datasets that these read.
RUNS_MAX = 10
READS_MAX = 1_000

# How a run leaves a column's origin open; one that reported other columns alone leaves it out.
_Kind: TypeAlias = Literal["generated", "unreported", "left out"]
_REASONS: Mapping[_Kind, Reason] = {"generated": "generated", "unreported": "unreported", "left out": "unreported"}
# A run that wrote a dataset, and what it told of it, if anything, under all the dataset's names.
_Writing: TypeAlias = tuple[RunThen, "Columns | None"]


@dataclass(slots=True)
class End:
    """A reason why the way ends at a column, the runs that are the reason, and the datasets that they read.

    `readers` are those of the runs of which all that they read counts.
    """

    reason: Reason
    jobs: set[JobId] = field(default_factory=set)
    runs: list[str] = field(default_factory=list)
    readers: list[str] = field(default_factory=list)
    reads: set[DatasetId] = field(default_factory=set)

    def add(self, run: RunThen, unnamed: Iterable[DatasetId] | None = ()) -> None:
        """Count a run, older than those before, that read datasets of unnamed columns; None: whatever it read."""
        self.jobs.update([] if run.job is None else [run.job])
        if len(self.runs) < RUNS_MAX:
            self.runs.append(run.id)
            self.readers += [run.id] if unnamed is None else []
            self.reads.update(unnamed or ())


def find_ends(columns: Iterable[Column], span: Span) -> dict[Column, list[End]]:
    """Return the reasons why the way ends at each column; none where runs reported all of what it is made of.

    The way may go on from an end: what a run wrote without a report may have another origin than others reported.
    """
    found: dict[Column, list[End]] = {}
    outside: list[Column] = []
    for dataset, some in groupby(sorted(columns), key=lambda column: column.dataset):
        writings = list(_writings(dataset, span))
        for column in some:
            found[column] = _ends(column, writings)
            if not (found[column] or _is_reported(column, writings)):
                outside.append(column)
    before = span.last_written_before({column.dataset for column in outside})
    for column in outside:
        found[column] = [_end_outside(before.get(column.dataset))]
    _add_reads(list(chain(*found.values())), span)
    return found


def _writings(dataset: DatasetId, span: Span) -> Iterator[_Writing]:
    """Yield what each run of the range told, newest first; equal tellings are united once."""
    united: dict[tuple[tuple[tuple[str, ...], DatasetId], ...], Columns] = {}
    for run, told in groupby(span.written(dataset), key=lambda one: one.run):
        known: Sequence[RunTold] = [one for one in told if one.known]
        key = tuple((one.tellings, one.name) for one in known)
        if known and key not in united:
            united[key] = unite(one.columns for one in known)
        yield run, united[key] if known else None


def _ends(column: Column, writings: Sequence[_Writing]) -> list[End]:
    ends = {kind: End(reason) for kind, reason in _REASONS.items()}
    for run, columns in writings:
        kind, unnamed = _kind(column, run, columns)
        if kind is not None:
            ends[kind].add(run, unnamed)
    # A writer of other columns of the dataset leaves nothing open where another run reported this one.
    if ends["unreported"].runs or _is_reported(column, writings):
        del ends["left out"]
    return [end for end in ends.values() if end.runs]


def _kind(column: Column, run: RunThen, columns: Columns | None) -> tuple[_Kind | None, set[DatasetId] | None]:
    """Return how a run that wrote the dataset leaves the column's origin open, if it does.

    With it come the datasets of which it names no column, or None if it reported nothing of the column at all.
    """
    # A DatasetEvent (it has no job) declares columns, and writes none.
    if columns is None or (run.job is not None and not columns.fields):
        return "unreported", None
    own = _own_sources(column, columns)
    if own is None:
        return ("left out" if run.job is not None else None), None
    unnamed = {one.dataset for one in own if one.field is None}
    return ("unreported" if unnamed else "generated" if not own else None), unnamed


def _own_sources(column: Column, columns: Columns) -> Sources | None:
    """Return what the column itself was reported to be made of; None if nothing was reported of it."""
    return columns.fields.get(column.field)


def _is_reported(column: Column, writings: Iterable[_Writing]) -> bool:
    return any(columns is not None and _own_sources(column, columns) is not None for _, columns in writings)


def _end_outside(writer: RunThen | None) -> End:
    """Return the end of a column that no run of the range wrote."""
    end = End("raw" if writer is None else "before")
    if writer is not None:
        end.add(writer)
    return end


def _add_reads(ends: Sequence[End], span: Span) -> None:
    inputs = span.inputs_of({run for end in ends for run in end.readers})
    for end in ends:
        end.reads.update(*(inputs[run] for run in end.readers if run in inputs))


def reads_of(end: End) -> tuple[DatasetId, ...]:
    """Return what the runs read, in order, as far as a report shows it."""
    return tuple(sorted(end.reads)[:READS_MAX])


def is_cut(ends: Mapping[Column, Sequence[End]]) -> bool:
    """True if the runs of some end read more than a report shows."""
    return any(len(end.reads) > READS_MAX for some in ends.values() for end in some)

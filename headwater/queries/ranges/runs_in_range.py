"""Runs of a time range with their reports: the writers and the readers of each loaded dataset.

A level of datasets is read in two rounds: a query for each name and direction, and a batch of reports. Aliases revealed
by the batch cost two more rounds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias, TypeVar

import orjson

from headwater.facts.facet_refs import OPERATIONS_KIND
from headwater.facts.facts import IdText, dataset_of, job_of, text_of
from headwater.facts.index_scan import read_run_facts, run_of, time_of
from headwater.facts.keys import dataset_pk, facet_key
from headwater.facts.run_reports import ROW_KINDS, query_reports
from headwater.facts.table import Row, RowPage, RowQuery
from headwater.queries.ranges.confirmed_rows import RunsOf, confirm_rows
from headwater.queries.ranges.similar_runs import RangeRun, Runs
from headwater.queries.results.columns import TimeRange
from headwater.queries.results.graphs import DOWN, UP, Side
from headwater.queries.view import GraphView
from headwater.queries.view.column_reports import ColumnKey, keys_of, renamed, reported_in, unknown_columns
from headwater_model.columns import ColumnLineage
from headwater_model.ids import DatasetId, RunKey
from headwater_model.operation_set import OperationSet
from headwater_model.operations import parse_operations

# The refs of a report and the name of its dataset; most runs share both with earlier runs.
Place: TypeAlias = tuple[tuple[str, ...], DatasetId]
# Runs read of a dataset, the newest, unless the caller sets fewer.
RUNS_MAX = 10_000
# Rows read in search of a row confirmed by its run's facts.
_FIRST_LOOK = 3
_NEXT_LOOK = 100
_LOOKS_MAX = 20
# Runs read for the inputs in a report.
_INPUTS_MAX = 1_000


@dataclass(frozen=True, slots=True)
class RunColumns:
    """A run's report on a dataset, by primary names; not `known` if the run reported no columns.

    `refs` and `name` (the reported name of the dataset) identify the report: most runs repeat the report before.
    """

    run: RangeRun
    dataset: DatasetId
    columns: ColumnLineage
    known: bool
    refs: tuple[str, ...]
    name: DatasetId

    @property
    def place(self) -> Place:
        """The key shared by runs with the same report on a dataset."""
        return self.refs, self.name


@dataclass(frozen=True, slots=True)
class RunRead:
    """A run's read of a dataset; `operations` are the refs with the read, `derived` the columns derived from it."""

    run: RangeRun
    operations: tuple[str, ...]
    derived: tuple[RunColumns, ...]

    @property
    def place(self) -> Hashable:
        """The key shared by reads with equal reports."""
        return self.operations, tuple(report.place for report in self.derived)


_Report = TypeVar("_Report", RunColumns, RunRead)


def distinct(reports: Iterable[_Report]) -> list[_Report]:
    """List the first of equal reports, or reads: of the newest run."""
    by_place: dict[Hashable, _Report] = {}
    for report in reports:
        by_place.setdefault(report.place, report)
    return list(by_place.values())


class RunsInRange:
    """A time range of a graph table, as far as it was read: the newest `runs_max` runs of each dataset and direction.

    All together are at most `rows_max` rows, shared equally by the datasets of a level; None: no bound.
    """

    def __init__(
        self, view: GraphView, time_range: TimeRange, runs_max: int = RUNS_MAX, rows_max: int | None = None
    ) -> None:
        self.view, self._time_range, self._runs_max, self._rows_left = view, time_range, runs_max, rows_max
        self.truncated = time_range.start < view.oldest
        self._rows: dict[tuple[DatasetId, Side], Sequence[Row]] = {}
        self._columns: dict[ColumnKey, ColumnLineage] = {}
        self._renamed: dict[ColumnKey, ColumnLineage] = {}
        self._unknown: dict[tuple[IdText, ...], ColumnLineage] = {}
        self._sets: dict[str, OperationSet] = {}
        self._named_sets: dict[str, OperationSet] = {}

    def load_datasets(
        self, datasets: Iterable[tuple[DatasetId, Side]], *, operations: bool = False, columns: bool = True
    ) -> None:
        """Read the datasets, each in one direction, under all their names; with `operations`, also operation sets.

        After a load without `columns`, call `runs_at` alone.
        """
        requested = set(datasets)
        # The facts of a dataset may reveal other names of it, with rows of their own.
        while new := sorted(requested - self._rows.keys()):
            queries = self._queries_of(new)
            pages = self.view.query(queries)
            self._add_rows(new, pages)
            self._read_reports(new, operations=operations, columns=columns)
            # The facts of the datasets came with the reports.
            with_running = query_reports(queries, self.view)
            if with_running != pages:
                self._add_rows(new, with_running)
                self._read_reports(new, operations=operations, columns=columns)
            if self._rows_left is not None:
                self._rows_left -= sum(len(page.rows) for page in with_running)
            requested |= {(other, side) for name, side in new for other in self.view.group(name).names}
        self.truncated |= self.view.truncated
        # The rows may reveal that two names belong to the same dataset.
        self._renamed.clear()
        self._unknown.clear()
        self._named_sets.clear()

    def written(self, dataset: DatasetId) -> list[RunColumns]:
        """List the reports of a dataset's writers, newest first; the dataset is loaded upwards."""
        return [self._written(name, row) for name, row in self._of(dataset, UP)]

    def runs_at(self, dataset: DatasetId, side: Side) -> list[RangeRun]:
        """List the writers (UP) or readers of a dataset, newest first; it is loaded on this side."""
        return [_run(row) for _, row in self._of(dataset, side)]

    def written_alike(self, dataset: DatasetId) -> list[tuple[Runs, list[RunColumns]]]:
        """Group a dataset's writers with equal reports under each of its names, newest first.

        The dataset is loaded upwards.
        """
        alike = self._alike(dataset, UP)
        return [(runs, [self._written(name, row) for name, row in rows]) for runs, rows in alike]

    def read(self, dataset: DatasetId) -> list[RunRead]:
        """List the reads of a dataset, newest first; the dataset is loaded downwards."""
        return [self._read(name, row) for name, row in self._of(dataset, DOWN)]

    def read_alike(self, dataset: DatasetId) -> list[tuple[Runs, list[RunRead]]]:
        """Group a dataset's readers with equal reads under each of its names; it is loaded downwards."""
        alike = self._alike(dataset, DOWN)
        return [(runs, [self._read(name, row) for name, row in rows]) for runs, rows in alike]

    def _written(self, name: DatasetId, row: Row) -> RunColumns:
        return self._run_columns(row, tuple(row.data["refs"]), name, row.data["sources"])

    def _read(self, name: DatasetId, row: Row) -> RunRead:
        into: Mapping[str, Sequence[str]] = row.data["outputs"]
        derived = (
            self._run_columns(row, tuple(into[text]), dataset_of(text), [text_of(name)]) for text in sorted(into)
        )
        return RunRead(_run(row), tuple(row.data["reads"]), tuple(derived))

    def _alike(self, dataset: DatasetId, side: Side) -> list[tuple[Runs, list[tuple[DatasetId, Row]]]]:
        """Group the runs with equal rows, each group with the rows of its newest run."""
        alike: dict[Hashable, tuple[Runs, list[tuple[DatasetId, Row]]]] = {}
        # A run has a row under each name in its events: the rows belong together.
        for _, run_rows in groupby(self._of(dataset, side), key=lambda named_row: named_row[1].sk):
            rows = list(run_rows)
            run = _run(rows[0][1])
            key = tuple((name, _content(row)) for name, row in rows)
            alike.setdefault(key, (Runs(run.job), rows))[0].add(run)
        return list(alike.values())

    def operations(self, ref: str) -> OperationSet:
        """Look up the operations of a ref, with datasets under primary names."""
        if ref not in self._named_sets:
            operations = self._sets[ref]
            self._named_sets[ref] = operations.rename(
                {dataset: self.primary(dataset) for dataset in operations.sources | operations.destinations}
            )
        return self._named_sets[ref]

    def last_written_before(self, datasets: Iterable[DatasetId]) -> dict[DatasetId, RangeRun]:
        """Find the last run (or JobEvent) before the range with a write of each dataset, if any."""
        highs = {
            (name, dataset): f"{ROW_KINDS[UP]}#{self._time_range.start}"
            for dataset in datasets
            for name in self.view.group(dataset).names
        }
        candidates: dict[DatasetId, list[RangeRun]] = {}
        # The newest row of a name is mostly confirmed: look at few rows first, and at more where none was.
        limit = _FIRST_LOOK
        for _ in range(_LOOKS_MAX):
            queries = [
                RowQuery(dataset_pk(name), low=f"{ROW_KINDS[UP]}#", high=high, newest_first=True, limit=limit)
                for (name, _), high in highs.items()
            ]
            pages = dict(zip(highs, query_reports(queries, self.view), strict=True))
            rows = self._confirmed({(name, UP): page.rows for (name, _), page in pages.items()})
            # A DatasetEvent declares the sources of a dataset, and writes nothing.
            runs = {pair: [run for run in map(_run, rows[pair[0], UP]) if run.job is not None] for pair in highs}
            for (_, dataset), name_runs in runs.items():
                candidates.setdefault(dataset, []).extend(name_runs[:1])
            # Names without a run are searched on, below the last row of the page.
            highs = {pair: page.rows[-1].sk for pair, page in pages.items() if page.more and not runs[pair]}
            limit = _NEXT_LOOK
            if not highs:
                break
        self.truncated |= bool(highs)
        # Of the writers of a dataset under its names, the newest is the last writer.
        newest = {
            dataset: max(dataset_runs, key=lambda run: (run.started, run.key), default=None)
            for dataset, dataset_runs in candidates.items()
        }
        return {dataset: run for dataset, run in newest.items() if run is not None}

    def inputs_of(self, runs: Iterable[RunKey]) -> dict[RunKey, set[DatasetId]]:
        """Find the inputs of each run, under primary names; by id, of the first `_INPUTS_MAX` runs only."""
        requested = sorted(set(runs))
        self.truncated |= len(requested) > _INPUTS_MAX
        facts = read_run_facts(requested[:_INPUTS_MAX], self.view)
        inputs = {run: set(map(dataset_of, run_facts.inputs)) for run, run_facts in facts.items()}
        names = {name for run_inputs in inputs.values() for name in run_inputs}
        if names:
            self.view.load_names(names)
        return {run: set(map(self.primary, run_inputs)) for run, run_inputs in inputs.items()}

    def primary(self, name: DatasetId) -> DatasetId:
        """Resolve a dataset's name to its primary name."""
        return self.view.primary(name)

    def _of(self, dataset: DatasetId, side: Side) -> list[tuple[DatasetId, Row]]:
        names = self.view.group(dataset).names
        rows = [(name, row) for name in names for row in self._rows.get((name, side), ())]
        return sorted(rows, key=lambda named_row: named_row[1].sk, reverse=True)

    def _run_columns(self, row: Row, refs: tuple[str, ...], name: DatasetId, sources: Iterable[IdText]) -> RunColumns:
        column_key = (refs, name)
        if not refs:
            columns = self._unknown_columns(tuple(sources))
        else:
            if column_key not in self._renamed:
                self._renamed[column_key] = renamed(self._columns[column_key], self.primary)
            columns = self._renamed[column_key]
        return RunColumns(_run(row), self.primary(name), columns, bool(refs), refs, name)

    def _unknown_columns(self, sources: tuple[IdText, ...]) -> ColumnLineage:
        """Make the columns of a report without columns, from its sources: the datasets of a wide run share them."""
        if sources not in self._unknown:
            self._unknown[sources] = renamed(unknown_columns(map(dataset_of, sources)), self.primary)
        return self._unknown[sources]

    def _queries_of(self, new: Sequence[RunsOf]) -> list[RowQuery]:
        time_range, limit = self._time_range, self._runs_max
        # The datasets of a level share the remaining rows.
        if self._rows_left is not None:
            limit = min(limit, max(self._rows_left // len(new), 1))
        return [
            RowQuery(
                dataset_pk(name),
                low=f"{ROW_KINDS[side]}#{time_range.start}",
                high=f"{ROW_KINDS[side]}#{time_range.end}",
                newest_first=True,
                limit=limit,
            )
            for name, side in new
        ]

    def _add_rows(self, new: Sequence[RunsOf], pages: Sequence[RowPage]) -> None:
        self.truncated |= any(page.more for page in pages)
        self._rows.update(
            self._confirmed({dataset_side: page.rows for dataset_side, page in zip(new, pages, strict=True)})
        )

    def _confirmed(self, rows: Mapping[RunsOf, Sequence[Row]]) -> dict[RunsOf, Sequence[Row]]:
        confirmed, cut = confirm_rows(rows, self.view)
        self.truncated |= cut
        return confirmed

    def _read_reports(self, new: Sequence[tuple[DatasetId, Side]], *, operations: bool, columns: bool) -> None:
        """Read the reports of the rows, and the facts of every dataset in them."""
        rows = [row for dataset_side in new for row in self._rows[dataset_side]]
        column_keys = (
            {key for dataset_side in new for key in _keys_of(dataset_side[0], self._rows[dataset_side])}
            if columns
            else set()
        )
        # Reports of earlier levels are at hand.
        column_keys -= self._columns.keys()
        refs = {ref for row in rows for ref in _operations(row)} - self._sets.keys() if operations else set()
        # Reports, facts of datasets, and operation sets come in one batch.
        keys = [*keys_of(column_keys).values(), *map(facet_key, refs)]
        self.view.load_names({name for name, _ in new} | _named(rows), rows=keys)
        fetched = self.view.get(keys)
        self._columns.update(reported_in(column_keys, fetched))
        for ref in refs:
            self._sets[ref] = OperationSet(parse_operations(fetched[facet_key(ref)].data["operations"]))


def _run(row: Row) -> RangeRun:
    job = row.data["job"]
    root = RunKey.parse(row.data["root"])
    return RangeRun(run_of(row), time_of(row), root, job_of(job) if job else None, row.data["state"])


def _content(row: Row) -> bytes:
    """Hash the content shared by runs with equal reports: a row may name thousands of datasets."""
    shared = {name: value for name, value in row.data.items() if name not in {"root", "state"}}
    return hashlib.sha256(orjson.dumps(shared, option=orjson.OPT_SORT_KEYS)).digest()


def _keys_of(name: DatasetId, rows: Sequence[Row]) -> Iterable[ColumnKey]:
    output_maps = {id(row.data["outputs"]): row.data["outputs"] for row in rows if "outputs" in row.data}
    for outputs in output_maps.values():
        yield from ((tuple(refs), dataset_of(text)) for text, refs in outputs.items() if refs)
    yield from ((tuple(row.data["refs"]), name) for row in rows if row.data.get("refs"))


def _operations(row: Row) -> list[str]:
    refs = [*row.data.get("reads", ()), *row.data.get("refs", ())]
    return [ref for ref in refs if ref.startswith(OPERATIONS_KIND)]


def _named(rows: Iterable[Row]) -> set[DatasetId]:
    """Collect the datasets at the other side of the rows; rows of one wide run share their names."""
    sides = (row.data["outputs"] if "outputs" in row.data else row.data["sources"] for row in rows)
    texts = {text for names in {id(names): names for names in sides}.values() for text in names}
    return set(map(dataset_of, texts))

"""Runs of a time range with their reports: the runs that wrote each loaded dataset, and those that read it.

A level of datasets is read in two rounds: one query for each name and direction, and one batch of reports. Aliases that
only this batch reveals cost two more rounds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import orjson

from headwater.facts.facet_refs import OPERATIONS_KIND
from headwater.facts.facts import IdText, dataset_of, job_of, text_of
from headwater.facts.index_scan import read_run_facts, run_of, time_of
from headwater.facts.keys import dataset_pk, facet_key, facts_key
from headwater.facts.table import Row, RowQuery
from headwater.queries.columns.confirmed_rows import RunsOf, Side, confirm_rows
from headwater.queries.columns.current_columns import ColumnKey, keys_of, renamed, reported_in, unknown_columns
from headwater.queries.columns.results import Direction, TimeRange
from headwater.queries.columns.similar_runs import RangeRun, Runs
from headwater.queries.resolve import ResolvedDatasets
from headwater.queries.view import GraphView
from headwater_model.columns import ColumnLineage
from headwater_model.ids import DatasetId, RunKey
from headwater_model.operation_set import OperationSet
from headwater_model.operations import parse_operations

BACKWARD: Side = "BACKWARD"
FORWARD: Side = "FORWARD"
SIDES: Mapping[Direction, tuple[Side, ...]] = {
    "backward": (BACKWARD,),
    "forward": (FORWARD,),
    "both": (BACKWARD, FORWARD),
}
# Runs of one dataset that are read, the newest, unless the caller sets fewer.
RUNS_MAX = 10_000
# Rows that are read to find a row that its run's facts confirm.
_FIRST_LOOK = 3
_NEXT_LOOK = 100
_LOOKS_MAX = 20
# Runs whose facts one report reads.
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


@dataclass(frozen=True, slots=True)
class RunRead:
    """A run's read of a dataset; `operations` are the refs that read it, `made` the columns derived from it."""

    run: RangeRun
    operations: tuple[str, ...]
    made: tuple[RunColumns, ...]


class RunRange:
    """A time range of a graph table, as far as it was read: the newest `runs_max` runs of each dataset and direction.

    All together are at most `rows_max` rows, which the datasets of a level share equally; None: no bound.
    """

    def __init__(
        self, view: GraphView, window: TimeRange, runs_max: int = RUNS_MAX, rows_max: int | None = None
    ) -> None:
        self._view, self._window, self._runs_max, self._rows_left = view, window, runs_max, rows_max
        self.groups = ResolvedDatasets(view)
        self.truncated = False
        self._rows: dict[tuple[DatasetId, Side], Sequence[Row]] = {}
        self._columns: dict[ColumnKey, ColumnLineage] = {}
        self._renamed: dict[ColumnKey, ColumnLineage] = {}
        self._unknown: dict[tuple[IdText, ...], ColumnLineage] = {}
        self._sets: dict[str, OperationSet] = {}
        self._named_sets: dict[str, OperationSet] = {}

    def load(self, wanted: Iterable[tuple[DatasetId, Side]], *, operations: bool = False, columns: bool = True) -> None:
        """Read these datasets, each in one direction, under all their names; with `operations`, also operation sets.

        Without `columns`, only `runs_at` may be called for them.
        """
        requested = set(wanted)
        while new := sorted(requested - self._rows.keys()):
            self._read_rows(new)
            self._read_reports(new, operations=operations, columns=columns)
            requested |= {(other, way) for name, way in new for other in self.groups.group(name).names}
        self.truncated |= self.groups.truncated
        # The rows may reveal that two names are one dataset's.
        self._renamed.clear()
        self._unknown.clear()
        self._named_sets.clear()

    def written(self, dataset: DatasetId) -> list[RunColumns]:
        """Return the reports of the runs that wrote a dataset, newest first; the dataset is loaded backward."""
        return [self._written(name, row) for name, row in self._of(dataset, BACKWARD)]

    def runs_at(self, dataset: DatasetId, way: Side) -> list[RangeRun]:
        """Return the runs that wrote (BACKWARD) or read a dataset, newest first; it is loaded in this direction."""
        return [_run(row) for _, row in self._of(dataset, way)]

    def written_alike(self, dataset: DatasetId) -> list[tuple[Runs, list[RunColumns]]]:
        """Return the reports on a dataset under each of its names, with the runs that share each report, newest first.

        The dataset is loaded backward.
        """
        alike = self._alike(dataset, BACKWARD)
        return [(runs, [self._written(name, row) for name, row in rows]) for runs, rows in alike]

    def read(self, dataset: DatasetId) -> list[RunRead]:
        """Return the reads of a dataset, newest first; the dataset is loaded forward."""
        return [self._read(name, row) for name, row in self._of(dataset, FORWARD)]

    def read_alike(self, dataset: DatasetId) -> list[tuple[Runs, list[RunRead]]]:
        """Return the reads of a dataset under each of its names, with the runs that share each; loaded forward."""
        alike = self._alike(dataset, FORWARD)
        return [(runs, [self._read(name, row) for name, row in rows]) for runs, rows in alike]

    def _written(self, name: DatasetId, row: Row) -> RunColumns:
        return self._run_columns(row, tuple(row.data["refs"]), name, row.data["sources"])

    def _read(self, name: DatasetId, row: Row) -> RunRead:
        into: Mapping[str, Sequence[str]] = row.data["outputs"]
        made = (self._run_columns(row, tuple(into[text]), dataset_of(text), [text_of(name)]) for text in sorted(into))
        return RunRead(_run(row), tuple(row.data["reads"]), tuple(made))

    def _alike(self, dataset: DatasetId, way: Side) -> list[tuple[Runs, list[tuple[DatasetId, Row]]]]:
        """Return groups of runs with equal rows, each with the rows of its newest run."""
        found: dict[Hashable, tuple[Runs, list[tuple[DatasetId, Row]]]] = {}
        for _, some in groupby(self._of(dataset, way), key=lambda one: one[1].sk):
            rows = list(some)
            run = _run(rows[0][1])
            key = tuple((name, _content(row)) for name, row in rows)
            found.setdefault(key, (Runs(run.job), rows))[0].add(run)
        return list(found.values())

    def operations(self, ref: str) -> OperationSet:
        """Return the operations of a ref, with datasets under primary names."""
        if ref not in self._named_sets:
            operations = self._sets[ref]
            self._named_sets[ref] = operations.renamed(
                {one: self.primary(one) for one in operations.sources | operations.destinations}
            )
        return self._named_sets[ref]

    def last_written_before(self, datasets: Iterable[DatasetId]) -> dict[DatasetId, RangeRun]:
        """Return the last run (or JobEvent) that wrote each dataset and started before the range, if any."""
        highs = {(name, one): f"{BACKWARD}#{self._window.start}" for one in datasets for name in self._names(one)}
        found: dict[DatasetId, list[RangeRun]] = {}
        limit = _FIRST_LOOK
        for _ in range(_LOOKS_MAX):
            queries = [
                RowQuery(dataset_pk(name), low=f"{BACKWARD}#", high=high, newest_first=True, limit=limit)
                for (name, _), high in highs.items()
            ]
            pages = dict(zip(highs, self._view.query(queries), strict=True))
            rows = self._confirmed({(name, BACKWARD): page.rows for (name, _), page in pages.items()})
            # A DatasetEvent declares the sources of a dataset, and writes nothing.
            runs = {one: [run for run in map(_run, rows[one[0], BACKWARD]) if run.job is not None] for one in highs}
            for (_, dataset), some in runs.items():
                found.setdefault(dataset, []).extend(some[:1])
            highs = {one: page.rows[-1].sk for one, page in pages.items() if page.more and not runs[one]}
            limit = _NEXT_LOOK
            if not highs:
                break
        self.truncated |= bool(highs)
        newest = {one: max(some, key=lambda run: (run.started, run.key), default=None) for one, some in found.items()}
        return {one: run for one, run in newest.items() if run is not None}

    def inputs_of(self, runs: Iterable[RunKey]) -> dict[RunKey, set[DatasetId]]:
        """Return the inputs of each run, under primary names; by id, of the first `_INPUTS_MAX` runs only."""
        wanted = sorted(set(runs))
        self.truncated |= len(wanted) > _INPUTS_MAX
        facts = read_run_facts(wanted[:_INPUTS_MAX], self._view) if wanted else {}
        inputs = {run: set(map(dataset_of, some.inputs)) for run, some in facts.items()}
        names = {name for some in inputs.values() for name in some}
        if names:
            self.groups.load(names)
        return {run: set(map(self.primary, some)) for run, some in inputs.items()}

    def _names(self, dataset: DatasetId) -> list[DatasetId]:
        return self.groups.group(dataset).names

    def primary(self, name: DatasetId) -> DatasetId:
        """Return a dataset's primary name."""
        return self.groups.primary(name)

    def _of(self, dataset: DatasetId, way: Side) -> list[tuple[DatasetId, Row]]:
        names = self.groups.group(dataset).names
        rows = [(name, row) for name in names for row in self._rows.get((name, way), ())]
        return sorted(rows, key=lambda one: one[1].sk, reverse=True)

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
        """Return what a report without columns depends on: the datasets of a wide run share it."""
        if sources not in self._unknown:
            self._unknown[sources] = renamed(unknown_columns(map(dataset_of, sources)), self.primary)
        return self._unknown[sources]

    def _read_rows(self, new: Sequence[tuple[DatasetId, Side]]) -> None:
        window, limit = self._window, self._runs_max
        if self._rows_left is not None:
            limit = min(limit, max(self._rows_left // len(new), 1))
        pages = self._view.query(
            [
                RowQuery(
                    dataset_pk(name),
                    low=f"{way}#{window.start}",
                    high=f"{way}#{window.end}",
                    newest_first=True,
                    limit=limit,
                )
                for name, way in new
            ]
        )
        if self._rows_left is not None:
            self._rows_left -= sum(len(page.rows) for page in pages)
        self.truncated |= any(page.more for page in pages)
        self._rows.update(self._confirmed({one: page.rows for one, page in zip(new, pages, strict=True)}))

    def _confirmed(self, rows: Mapping[RunsOf, Sequence[Row]]) -> dict[RunsOf, Sequence[Row]]:
        confirmed, cut = confirm_rows(rows, self._view)
        self.truncated |= cut
        return confirmed

    def _read_reports(self, new: Sequence[tuple[DatasetId, Side]], *, operations: bool, columns: bool) -> None:
        """Read the reports of these rows, and the facts of every dataset that they name."""
        rows = [row for one in new for row in self._rows[one]]
        column_keys = {key for one in new for key in _keys_of(one[0], self._rows[one])} if columns else set()
        column_keys -= self._columns.keys()
        refs = {ref for row in rows for ref in _operations(row)} - self._sets.keys() if operations else set()
        names = {name for name, _ in new} | _named(rows)
        facts = {name: facts_key(name) for name in names}
        keys = [*keys_of(column_keys).values(), *facts.values(), *map(facet_key, refs)]
        found = self._view.get(keys)
        self.groups.take({name: found.get(key) for name, key in facts.items()})
        self.groups.load(names)
        self._columns.update(reported_in(column_keys, found))
        for ref in refs:
            self._sets[ref] = OperationSet(parse_operations(found[facet_key(ref)].data["operations"]))


def _run(row: Row) -> RangeRun:
    job = row.data["job"]
    root = RunKey.parse(row.data["root"])
    return RangeRun(run_of(row), time_of(row), root, job_of(job) if job else None, row.data["state"])


def _content(row: Row) -> bytes:
    """Return the hash of what runs with equal reports share of a row, which may name thousands of datasets."""
    shared = {name: value for name, value in row.data.items() if name not in {"root", "state"}}
    return hashlib.sha256(orjson.dumps(shared, option=orjson.OPT_SORT_KEYS)).digest()


def _keys_of(name: DatasetId, rows: Sequence[Row]) -> Iterable[ColumnKey]:
    made = {id(row.data["outputs"]): row.data["outputs"] for row in rows if "outputs" in row.data}
    for outputs in made.values():
        yield from ((tuple(refs), dataset_of(text)) for text, refs in outputs.items() if refs)
    yield from ((tuple(row.data["refs"]), name) for row in rows if row.data.get("refs"))


def _operations(row: Row) -> list[str]:
    refs = [*row.data.get("reads", ()), *row.data.get("refs", ())]
    return [ref for ref in refs if ref.startswith(OPERATIONS_KIND)]


def _named(rows: Iterable[Row]) -> set[DatasetId]:
    """Return the datasets at the other side of these rows; rows of one wide run share their names."""
    sides = (row.data["outputs"] if "outputs" in row.data else row.data["sources"] for row in rows)
    texts = {text for names in {id(names): names for names in sides}.values() for text in names}
    return set(map(dataset_of, texts))

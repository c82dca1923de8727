"""The reports of runs on their datasets, as rows for queries over a time range (see `keys`).

    DATASET#<dataset>  BACKWARD#<start>#<run>    {"refs": [...], "sources": [...]}      a run wrote the dataset
    DATASET#<dataset>  FORWARD#<start>#<run>     {"outputs": {...}, "reads": [...]}     a run read the dataset

Each row also has the run's `job`, `root`, `state`, and `declared` for a JobEvent. After a START alone, the rows are in
the facts of the datasets (`uses`), which each event changes anyway.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from typing import Any, Literal, TypeAlias

from headwater.facts.facet_refs import flows_of, is_explicit, read_by, reported_by_dataset
from headwater.facts.facts import IdText, RunFacts, dataset_of, text_of
from headwater.facts.keys import DATASET_FACTS, dataset_pk
from headwater.facts.run_facts import root_run, state
from headwater.facts.table import GraphReader, Key, Row, RowPage, RowQuery
from headwater_model.ids import RunKey

# Rows of a dataset, by the start of the run: BACKWARD for its writers, FORWARD for its readers.
RowKind: TypeAlias = Literal["BACKWARD", "FORWARD"]
# Up from a dataset are its writers, down from it its readers.
ROW_KINDS: Mapping[Literal["up", "down"], RowKind] = {"up": "BACKWARD", "down": "FORWARD"}
# In place of a report: readers check the row against the facts of its run.
UNVERIFIED: Mapping[str, Any] = {"unverified": True}


def unverified_row(pk: str, use: str, time: str) -> Row:
    """Make the unverified row of a use in a dataset's facts, `FORWARD#<run>`; an older row of the key may say more."""
    kind, _, run = use.partition("#")
    return Row(pk, f"{kind}#{time}#{run}", UNVERIFIED, once=True)


def is_unverified(row: Row) -> bool:
    """True for a row to check against the facts of its run: `{"unverified": True}`."""
    return "unverified" in row.data


def query_reports(queries: Sequence[RowQuery], table: GraphReader) -> list[RowPage]:
    """Query rows `FORWARD#<start>#<run>`, or BACKWARD, with unverified rows of the runs in the datasets' facts."""
    facts, pages = table.read([(query.pk, DATASET_FACTS) for query in queries], queries)
    return [
        _with_uses(query, page, facts.get((query.pk, DATASET_FACTS)))
        for query, page in zip(queries, pages, strict=True)
    ]


def _with_uses(query: RowQuery, page: RowPage, facts: Row | None) -> RowPage:
    uses = facts.data["facts"].get("uses", {}) if facts else {}
    running = [unverified_row(query.pk, use, time) for use, (time, has_gone_on) in uses.items() if not has_gone_on]
    if not running:
        return page
    # Of a cut page, the last row is the bound.
    low, high = query.low, query.high
    if page.more:
        low, high = (page.rows[-1].sk, high) if query.newest_first else (low, page.rows[-1].sk)
    within = {row.sk: row for row in (*running, *page.rows) if low <= row.sk <= high}
    in_order = [within[sk] for sk in sorted(within, reverse=query.newest_first)]
    return RowPage(in_order[: query.limit], page.more or len(in_order) > query.limit)


class RunReports:
    """The reports of a run on its datasets, as rows: BACKWARD of each written dataset, FORWARD of each read dataset.

    Outputs without columns depend on all inputs, or on the inputs of their windows. Rows share these names, so all
    rows take space for each name once.
    """

    def __init__(self, run: RunKey, facts: RunFacts) -> None:
        self._facts, self._suffix = facts, f"{facts.first}#{run}"
        self._reported = reported_by_dataset(facts)
        unreported = [] if is_explicit(facts) else sorted(facts.outputs.keys() - self._reported.keys())
        self._unreported: Mapping[IdText, list[str]] = {text: [] for text in unreported}
        self._inputs = [] if is_explicit(facts) else sorted(facts.inputs)
        self._flows = None if is_explicit(facts) else flows_of(facts)
        self._operations = read_by(facts)
        self._made: dict[IdText, dict[IdText, list[str]]] = {}
        for text, columns in self._reported.items():
            for source in columns.sources:
                self._made.setdefault(source, {})[text] = list(columns.refs)
        job = facts.job_id
        self._shared = {
            "job": text_of(job) if job else None,
            "root": str(root_run(run, facts)),
            "declared": bool(facts.declared),
            "state": None if facts.declared else state(facts),
        }

    @property
    def written(self) -> Set[IdText]:
        """The datasets with a BACKWARD row."""
        return self._facts.outputs.keys() | self._reported.keys()

    @property
    def read(self) -> Set[IdText]:
        """The datasets with a FORWARD row: inputs, sources of columns, and reads of operations."""
        return self._facts.inputs.keys() | self._made.keys() | self._operations.keys()

    @cached_property
    def keys(self) -> Mapping[Key, tuple[RowKind, IdText]]:
        """The keys of all rows, in order, with the kind and the dataset of each row; none before the run began."""
        if not self._facts.first:
            return {}
        rows: list[tuple[RowKind, IdText]] = [("BACKWARD", text) for text in self.written]
        rows += [("FORWARD", text) for text in self.read]
        return dict(sorted((self._key(*row), row) for row in rows))

    def row(self, kind: RowKind, text: IdText) -> Row:
        """Make a row of the run."""
        report = self._report_on(text) if kind == "BACKWARD" else self._use_of(text)
        return Row(*self._key(kind, text), {**self._shared, **report})

    def find(self, kind: RowKind, text: IdText) -> Row | None:
        """Make a row of the run; None if the run has no such row."""
        return self.row(kind, text) if text in (self.written if kind == "BACKWARD" else self.read) else None

    def _key(self, kind: RowKind, text: IdText) -> Key:
        return dataset_pk(dataset_of(text)), f"{kind}#{self._suffix}"

    def _report_on(self, text: IdText) -> Mapping[str, Any]:
        """List the refs and sources of an output; without refs, the run's inputs."""
        columns = self._reported.get(text)
        if columns is None:
            return {"refs": [], "sources": sorted(self._flows[text]) if self._flows else self._inputs}
        return {"refs": list(columns.refs), "sources": list(columns.sources)}

    def _use_of(self, text: IdText) -> Mapping[str, Any]:
        """List the outputs made of a dataset, and the operations with it as an input."""
        outputs: Mapping[IdText, list[str]] = self._made.get(text, {})
        if text in self._facts.inputs:
            unreported = self._unreported
            if self._flows:
                unreported = {output: refs for output, refs in unreported.items() if text in self._flows[output]}
            outputs = {**unreported, **outputs} if outputs else unreported
        return {"outputs": outputs, "reads": self._operations.get(text, [])}

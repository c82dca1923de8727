"""The reports of runs on their datasets, as rows for queries over a time range (see `keys`).

    DATASET#<dataset>  BACKWARD#<start>#<run>    {"refs": [...], "sources": [...]}      a run wrote the dataset
    DATASET#<dataset>  FORWARD#<start>#<run>     {"outputs": {...}, "reads": [...]}     a run read the dataset

Each row also has the run's `job`, `root`, `state`, and `declared` for a JobEvent. After a START alone, the rows are in
the facts of the datasets (`uses`), which each event changes anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import orjson

from headwater.facts.facet_refs import flows_of, is_explicit, read_by, reported_by_dataset
from headwater.facts.facts import DatasetFacts, IdText, RunFacts, dataset_of, text_of
from headwater.facts.keys import DATASET_FACTS, dataset_pk, facts_key
from headwater.facts.lattice import CONTENTS_MAX
from headwater.facts.run_facts import effective_time, root_run, state
from headwater.facts.table import GraphReader, Key, Row, RowPage, RowQuery
from headwater_model.ids import DatasetId, RunKey

# Rows of a dataset, by the start of the run: BACKWARD for its writers, FORWARD for its readers.
RowKind: TypeAlias = Literal["BACKWARD", "FORWARD"]
# Up from a dataset are its writers, down from it its readers.
ROW_KINDS: Mapping[Literal["up", "down"], RowKind] = {"up": "BACKWARD", "down": "FORWARD"}
# In place of a report: readers check the row against the facts of its run.
UNVERIFIED: Mapping[str, Any] = {"unverified": True}
# A transaction of 99 rows deletes and writes up to so many each, with room for further rows.
EXACT_MAX = 45
# Of the 4 MB of a transaction: the facts, in the bucket from 300 KB on, and counters take the rest.
EXACT_BYTES_MAX = 1_000_000


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


def transactional_rows(run: RunKey, facts: RunFacts) -> dict[Key, Row]:
    """Make the reports `BACKWARD#...`, `FORWARD#...`: all of a run that counts, if they fit, or none.

    The end of a run that goes on changes all rows again. In a wide run each row would repeat the names of the run's
    other side, so rows of wide runs leave the names to the facts.
    """
    if not effective_time(facts) or _is_wide(facts):
        return {}
    reports = RunReports(run, facts)
    if len(reports.keys) > EXACT_MAX:
        return {}
    rows = {key: reports.row(*key_of) for key, key_of in reports.keys.items()}
    return rows if sum(len(orjson.dumps(row.data)) for row in rows.values()) <= EXACT_BYTES_MAX else {}


def late_reports(run: RunKey, old: RunFacts, new: RunFacts, delta: RunFacts) -> Iterator[Row]:
    """Yield the reports of a run that counts for the first time, or with repeated events: a loader may have died.

    A row without a predecessor has version 1, a row in place of an unverified row version 2.
    """
    counted = transactional_rows(run, old)
    forgotten = min(old.times) if len(old.times) >= CONTENTS_MAX else ""
    if counted and not any(time in old.times or time < forgotten for time in delta.times):
        return
    running = () if counted else running_rows(run, old)
    for key, row in transactional_rows(run, new).items():
        yield replace(row, version=2 if key in running else 1)


def changed_reports(run: RunKey, old: RunFacts, new: RunFacts) -> Iterator[Row]:
    """Yield the changed reports of a run that counted before, and unverified rows in place of lost reports.

    The version keeps late rows of a slower loader away.
    """
    before = transactional_rows(run, old)
    if not before:
        return
    stay = RunReports(run, new).keys
    lost = {key: row for key, row in unverified_rows(run, old).items() if key not in stay}
    for key, row in {**transactional_rows(run, new), **lost}.items():
        if before.get(key) != row:
            yield replace(row, version=1)


def _is_wide(facts: RunFacts) -> bool:
    """True if the run has more rows than a transaction holds: a row for each input and output."""
    return len(facts.inputs) + len(facts.outputs) > EXACT_MAX


def unverified_rows(run: RunKey, facts: RunFacts) -> dict[Key, Row]:
    """Make the rows for a run whose rows do not move with the facts: readers check them against the facts."""
    return {key: Row(*key, UNVERIFIED) for key in RunReports(run, facts).keys}


def running_rows(run: RunKey, facts: RunFacts) -> dict[Key, Row]:
    """Make the unverified rows of a run that goes on, without the rows in the facts of its datasets (`uses`)."""
    in_facts = {"BACKWARD": facts.outputs, "FORWARD": facts.inputs} if has_begun_alone(facts) else {}
    keys = RunReports(run, facts).keys
    return {key: Row(*key, UNVERIFIED) for key, (kind, text) in keys.items() if text not in in_facts.get(kind, ())}


def has_begun_alone(facts: RunFacts) -> bool:
    """True for a run with a START alone, unless it is wide: the facts of its datasets have its start."""
    return list(facts.times) == [facts.first] and not (facts.first_other or facts.streaming or _is_wide(facts))


def begun_uses(run: RunKey, facts: RunFacts) -> Iterator[tuple[Key, str, Row]]:
    """Yield the uses of datasets by a run with a START alone: the key of the facts, the name in `uses`, and the row."""
    for kind, texts in (("BACKWARD", facts.outputs), ("FORWARD", facts.inputs)) if has_begun_alone(facts) else ():
        for dataset in map(dataset_of, texts):
            use = f"{kind}#{run}"
            yield facts_key(dataset), use, unverified_row(dataset_pk(dataset), use, facts.first or "")


def left_out_rows(dataset: DatasetId, old: DatasetFacts, new: DatasetFacts, delta: DatasetFacts) -> Iterator[Row]:
    """Yield the unverified rows of runs with a START alone without room in the new facts: of old runs and new runs."""
    for key, (time, has_gone_on) in (*old.uses.items(), *delta.uses.items()):
        if not has_gone_on and key not in new.uses:
            yield unverified_row(dataset_pk(dataset), key, time)

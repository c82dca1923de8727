"""Growth of the facts: stored facts are read, joined with the delta, and swapped; a lost race is joined again.

The first reads of facts may miss the last writes: the swap of an older row is lost, too. Facts of runs are read
strongly, after the jobs that count them.

Index rows go first. If a loader dies after them, readers skip the rows: no fact confirms them. The loader's message
comes again and completes the work.

A job's row counts its runs: a swap adds new runs and notes their ids, then the facts of the runs follow. So a run that
comes again after the death of a loader is counted once. A later swap drops the noted runs that have facts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

from headwater.attempts import attempts
from headwater.facts.catalogue import PARTITIONS
from headwater.facts.facts import DatasetFacts, Facts, IdText, JobFacts, RunFacts, dataset_of, join, to_json
from headwater.facts.facts_delta import FactsDelta
from headwater.facts.growth import KINDS, Kind, Senders
from headwater.facts.index_rows import ever_rows
from headwater.facts.keys import current_key, facts_key, job_pk
from headwater.facts.run_reports import begun_uses
from headwater.facts.table import GraphTable, Key, Row, Swap
from headwater.facts.words import column_rows, columns_key, columns_of_schemas, reported_columns
from headwater_model.errors import Unavailable
from headwater_model.ids import JobId, RunKey

_ROUNDS_MAX = 100
# All rounds of a steady loser take less than half of its function's time.
ROUND_WAIT_MAX_S = 0.5


class Merged(NamedTuple):
    """The changes of catalogues by partition, the jobs' nodes before all writes, and later facts by class and thing."""

    names: Mapping[str, Sequence[Row]]
    nodes: Mapping[Key, Row | None]
    facts: Mapping[type[Facts], Mapping[Any, Any]]


def merge(delta: FactsDelta, table: GraphTable) -> Merged:
    """Merge the delta into the facts; raise `Unavailable` if other loaders swapped them in each of 100 rounds."""
    pending = [_Subject.of(thing, facts) for kind in KINDS for thing, facts in delta.facts[kind].items()]
    # Nodes are read before the facts are swapped.
    node_keys = [current_key(job) for job in delta.jobs]
    rows = _read(pending, table, (*delta.refs, *node_keys), eventually=True)
    nodes = {key: rows.get(key) for key in node_keys}
    writer = _Writer(table, delta.senders, _stored(delta.jobs, nodes))
    further = [*delta.rows, *_write_facets(delta, rows, table)]
    facts: dict[type[Facts], dict[Any, Any]] = {kind: {} for kind in KINDS}
    # Facets and index rows are written with the first round. Lost swaps are read, joined and swapped again.
    for number in attempts(_ROUNDS_MAX, table.sleep, longest_s=ROUND_WAIT_MAX_S):
        if number:
            rows, further = _read(pending, table), []
        changes = _changes(pending, rows)
        pending = writer.write(changes, further)
        for change in changes.values():
            # Facts that did not grow in the first round may be older than the nodes; facts of runs are not.
            if number or change.grows or isinstance(change.new, RunFacts):
                facts[type(change.new)][change.subject.thing] = change.new
        if not pending:
            return Merged(writer.names, nodes, facts)
    raise Unavailable(f"the facts of {len(pending)} runs, jobs and datasets were swapped by other loaders too often")


@dataclass(frozen=True, slots=True)
class _Subject:
    """A thing and its new facts."""

    key: Key
    thing: Any
    facts: Facts

    @classmethod
    def of(cls, thing: Any, facts: Facts) -> _Subject:
        return cls(KINDS[type(facts)].key(thing), thing, facts)


def _read(
    subjects: Sequence[_Subject], table: GraphTable, further: Iterable[Key] = (), *, eventually: bool = False
) -> dict[Key, Row]:
    """Read rows in two rounds, runs last: a run without facts is counted, unless its job's row notes it."""
    runs = {subject.key for subject in subjects if isinstance(subject.thing, RunKey)}
    rows = table.get((*(each.key for each in subjects if each.key not in runs), *further), eventually=eventually)
    jobs = ((each.thing, rows[each.key]) for each in subjects if isinstance(each.thing, JobId) and each.key in rows)
    return rows | table.get((*runs, *(facts_key(RunKey.of(job, run)) for job, row in jobs for run in row.noted)))


@dataclass(frozen=True, slots=True)
class _Change:
    """Growth of the facts of a subject, and the row read before: without a version for a new subject.

    The swap of a job counts `runs`, and notes them beside its `noted` runs without facts.
    """

    subject: _Subject
    row: Row
    old: Facts
    new: Facts
    runs: Sequence[RunKey] = ()
    noted: Sequence[str] = ()

    @property
    def kind(self) -> Kind:
        return KINDS[type(self.new)]

    @property
    def grows(self) -> bool:
        return not self.row.version or self.new != self.old or bool(self.runs)

    @property
    def growth(self) -> tuple[Any, Facts, Facts]:
        return self.subject.thing, self.old, self.new

    def swap(self) -> Swap:
        """Make the swap to the new facts, with the rows and counters that move with them."""
        counted = {"runs": self.row.data.get("runs", 0) + len(self.runs)} if self.runs else {}
        data = {"id": self.kind.text(self.subject.thing), **self.row.data, "facts": to_json(self.new), **counted}
        return Swap(
            replace(self.row, data=data, noted=(*self.noted, *(run.id for run in self.runs))),
            puts=tuple(self.kind.moving(*self.growth)),
            adds=tuple(self.kind.counted(*self.growth)),
        )


@dataclass(slots=True)
class _Writer:
    """The writes of a merge: index rows without the `stored` rows, then swaps; notes changes of catalogues."""

    table: GraphTable
    senders: Senders
    stored: Set[Key]
    names: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))

    def write(self, changes: Mapping[Key, _Change], rows: Iterable[Row]) -> list[_Subject]:
        """Write the rows and the changes' index rows, swap the facts, write late rows; list the next round's subjects.

        A run follows the job that counts it.
        """
        grown = [change for change in changes.values() if change.grows]
        added = (row for change in grown for row in change.kind.new_rows(*change.growth, self.senders))
        # An event may add a hundred thousand rows: they are written as they are made.
        self.table.put(self._noted(row) for row in chain(rows, added, _left_out(changes)) if row.key not in self.stored)
        lost = set[Key]()
        for of_runs in (False, True):
            group = [each for each in grown if (type(each.new) is RunFacts) is of_runs and each.subject.key not in lost]
            written = self.table.swap([change.swap() for change in group]) if group else []
            failed = [change for change, done in zip(group, written, strict=True) if not done]
            lost |= {key for change in failed for key in (change.subject.key, *map(facts_key, change.runs))}
        kept = (change for key, change in changes.items() if key not in lost)
        late = [row for change in kept for row in change.kind.late(*change.growth, change.subject.facts)]
        self.table.put_late([row for row in map(self._noted, late) if row.version])
        # Facts only grow, so a rival swap keeps them.
        further = (
            other
            for change in changes.values()
            for other in _streamed(change.new, change.subject.facts)
            if (known := changes.get(other.key)) is None or join(known.new, other.facts) != known.new  # type: ignore[type-var]
        )
        return _each_once((*(changes[key].subject for key in changes if key in lost), *further))

    def _noted(self, row: Row) -> Row:
        if row.pk in PARTITIONS:
            self.names[row.pk].append(row)
        return row


def _changes(subjects: Iterable[_Subject], rows: Mapping[Key, Row]) -> dict[Key, _Change]:
    """Join the stored facts of subjects with their new facts, and find the runs that their jobs count."""
    changes: dict[Key, _Change] = {}
    new_runs: dict[Key, list[RunKey]] = defaultdict(list)
    for subject in subjects:
        row, kind = rows.get(subject.key, Row(*subject.key)), type(subject.facts)
        old = kind(**row.data.get("facts", {}))
        new: Facts = join(old, subject.facts)  # type: ignore[type-var]
        changes[subject.key] = _Change(subject, row, old, new)
        if isinstance(new, RunFacts) and not row.version and not new.declared and (job := new.job_id):
            new_runs[facts_key(job)].append(subject.thing)
    for key, change in changes.items():
        known = change.row.noted
        runs = [run for run in new_runs[key] if run.id not in known]
        noted = [run for run in known if facts_key(RunKey.of(change.subject.thing, run)) not in rows]
        changes[key] = replace(change, runs=runs, noted=noted)
    return changes


def _left_out(changes: Mapping[Key, _Change]) -> Iterator[Row]:
    """Yield rows of uses for which the facts of a dataset have no room: by earlier runs, and by the runs of the delta.

    The delta of a dataset joins the uses of a batch, so it has no room for all of them, either.
    """
    for change in changes.values():
        yield from change.kind.left_out(*change.growth, change.subject.facts)
        for key, use, row in begun_uses(change.subject.thing, change.new) if isinstance(change.new, RunFacts) else ():
            facts = changes[key].new if key in changes else None
            if isinstance(facts, DatasetFacts) and use not in facts.uses:
                yield row


def _stored(jobs: Iterable[JobId], nodes: Mapping[Key, Row | None]) -> Set[Key]:
    """Name the rows already written for the datasets and the job version in a node; they are never deleted."""
    listed = [(job, node.data) for job in jobs if (node := nodes[current_key(job)])]
    rows = (ever_rows(job, node["inputs"], node["outputs"]) for job, node in listed)
    versions = {(job_pk(job), f"VERSION#{node['version']}") for job, node in listed if "version" in node}
    return versions | {row.key for group in rows for row in group}


def _write_facets(delta: FactsDelta, rows: Mapping[Key, Row], table: GraphTable) -> list[Row]:
    """Write the facets missing in these rows; list the rows that mark them as complete, to be written afterwards."""
    missing = delta.refs.keys() - rows.keys()
    new = [ref for key, ref in delta.refs.items() if key in missing]
    reports = (reported_columns(ref.columns, but=ref.named).items() for ref in new)
    unknown = ((text, _beyond_schemas(text, paths, delta, rows)) for pairs in reports for text, paths in pairs)
    columns = {columns_key(*pair): pair for pair in unknown if pair[1]}
    # Many facets report the same columns, with different sources.
    indexed = table.get(columns) if columns else {}
    unindexed = columns.keys() - indexed.keys()
    if new:
        named = (columns[key] for key in sorted(unindexed))
        words = (row for text, paths in named for row in column_rows(text, paths, sum(map(len, paths))))
        table.put((*(row for ref in new for row in ref.rows), *words))
    return [Row(*key) for key in sorted({*missing, *unindexed})]


def _beyond_schemas(text: IdText, paths: Sequence[str], delta: FactsDelta, rows: Mapping[Key, Row]) -> Sequence[str]:
    """Leave out the columns in a schema of the dataset, stored or added: its words are written with the schema."""
    dataset = dataset_of(text)
    stored = rows.get(facts_key(dataset))
    facts = DatasetFacts(**stored.data["facts"]) if stored else DatasetFacts()
    known = columns_of_schemas(join(facts, delta.facts[DatasetFacts].get(dataset, DatasetFacts())))
    return [path for path in paths if path not in known]


def _streamed(facts: Facts, delta: Facts) -> Iterator[_Subject]:
    """Yield facts of a streaming run's job and outputs: an event declares the stream for all events of the run.

    The first event to declare the stream marks all outputs, a later event its own: each event of a long stream would
    otherwise read the facts of all outputs.
    """
    if isinstance(facts, RunFacts) and isinstance(delta, RunFacts) and facts.streaming and (job := facts.job_id):
        yield _Subject.of(job, JobFacts(first_streamed=facts.streaming))
        for text in facts.outputs if delta.streaming == facts.streaming else delta.outputs:
            yield _Subject.of(dataset_of(text), DatasetFacts(first_streamed=facts.streaming))


def _each_once(subjects: Iterable[_Subject]) -> list[_Subject]:
    """Join the subjects of a row: a single subject each."""
    by_key: dict[Key, _Subject] = {}
    for subject in subjects:
        same = by_key.get(subject.key)
        facts: Facts = join(same.facts, subject.facts) if same else subject.facts  # type: ignore[type-var]
        by_key[subject.key] = _Subject(subject.key, subject.thing, facts)
    return list(by_key.values())

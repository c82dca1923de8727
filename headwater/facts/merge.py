"""Growth of the facts: stored facts are read, joined with the delta, and swapped; a lost race is joined again.

Index rows go first. A loader that dies in between leaves rows that no fact confirms; readers skip them. Its message
comes again and completes the work.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, NamedTuple

from headwater.attempts import attempts
from headwater.facts.added_rows import added_rows
from headwater.facts.catalogue import PARTITIONS, named
from headwater.facts.created import Created, count_of, counted
from headwater.facts.facts import (
    DatasetFacts,
    Facts,
    IdText,
    JobFacts,
    NamespaceFacts,
    RunFacts,
    SourceFacts,
    TagFacts,
    dataset_of,
    job_of,
    join,
    text_of,
    to_json,
)
from headwater.facts.facts_delta import FactsDelta
from headwater.facts.feed_rows import Sender, added_dataset_rows, added_job_rows
from headwater.facts.index_rows import EXACT_MAX, child_job_rows, ever_rows, is_wide, transactional_rows
from headwater.facts.keys import (
    COUNT,
    FACTS,
    current_key,
    dataset_pk,
    facts_key,
    job_pk,
    namespace_pk,
)
from headwater.facts.list_rows import owner_rows, source_facts_key, source_listing, source_text, tag_facts_key, tag_rows
from headwater.facts.run_facts import owner
from headwater.facts.run_reports import RunReports
from headwater.facts.table import GraphTable, Increment, Key, Row, Swap
from headwater.facts.words import column_rows, columns_key, name_rows, reported_columns, schema_columns
from headwater_model.errors import Unavailable
from headwater_model.ids import JobId, RunKey

_ROUNDS_MAX = 100
# All rounds of a loader that always loses take less than half of its function's time.
ROUND_WAIT_MAX_S = 0.5


@dataclass(frozen=True, slots=True)
class _Subject:
    """An entity and its new facts; `id` as its row holds it."""

    key: Key
    id: str
    facts: Facts

    @property
    def run(self) -> RunKey:
        """The run that the facts describe, if they describe one."""
        return RunKey.parse(self.id)

    def joined_with(self, row: Row | None) -> Facts:
        """Return the facts stored before."""
        kind = type(self.facts)
        return kind() if row is None else kind(**row.data["facts"])


@dataclass(frozen=True, slots=True)
class _Change:
    """Growth of the facts of a subject, and the row that was read; None for a new one."""

    subject: _Subject
    row: Row | None
    old: Facts
    new: Facts

    def new_rows(self, senders: Mapping[str, Sender]) -> Iterator[Row]:
        """Return the index rows that the stored facts lack."""
        return _new_rows(self.subject, self.old if self.row else None, self.new, senders)

    def swap(self) -> Swap:
        """Return the swap to the new facts."""
        return _swap(self.subject, self.row, self.old, self.new)


class Merged(NamedTuple):
    """The changed partitions of catalogues, and the nodes of the delta's jobs, read before anything was merged."""

    partitions: set[str]
    nodes: Mapping[Key, Row | None]


def merge(delta: FactsDelta, table: GraphTable) -> Merged:
    """Merge the delta into the facts; `Unavailable` if other loaders kept swapping them."""
    partitions = set[str]()
    nodes: dict[Key, Row | None] = {}
    stored: Set[Key] = frozenset()
    unread = [current_key(job) for job in delta.jobs]
    pending: Sequence[_Subject] = list(_subjects(delta))
    extra: list[Row] = list(delta.rows)
    complete_keys = set(delta.refs)
    for _ in attempts(_ROUNDS_MAX, table.sleep, longest_s=ROUND_WAIT_MAX_S):
        rows = table.get((*(subject.key for subject in pending), *complete_keys, *unread))
        if unread:
            nodes, unread = {key: rows.get(key) for key in unread}, []
            stored = _stored(delta.jobs, nodes)
        extra += _write_facets(delta, complete_keys - rows.keys(), table)
        complete_keys = set()
        changes: list[_Change] = []
        streamed: list[_Subject] = []
        joined: dict[Key, Facts] = {}
        for subject in pending:
            row = rows.get(subject.key)
            old = subject.joined_with(row)
            joined[subject.key] = new = join(old, subject.facts)  # type: ignore[type-var]
            if isinstance(new, RunFacts):
                streamed += _streamed(new, subject.facts)
            if row is None or new != old:
                changes.append(_Change(subject, row, old, new))
        added = chain.from_iterable(change.new_rows(delta.senders) for change in changes)
        # One event may add a hundred thousand rows: they are written as they are made.
        table.put(_noted(chain(extra, (row for row in added if row.key not in stored)), partitions))
        swaps = [change.swap() for change in changes]
        partitions |= PARTITIONS & {put.pk for swap in swaps for put in swap.puts}
        written = table.swap(swaps) if swaps else []
        lost = [change.subject for change, done in zip(changes, written, strict=True) if not done]
        pending = _each_once((*lost, *(other for other in streamed if _adds(other.facts, joined.get(other.key)))))
        if not pending:
            return Merged(partitions, nodes)
        extra = []
    raise Unavailable(f"the facts of {len(pending)} runs, jobs and datasets were swapped by other loaders too often")


def _noted(rows: Iterable[Row], partitions: set[str]) -> Iterator[Row]:
    """Yield the rows; add the partitions of catalogues among theirs."""
    for row in rows:
        if row.pk in PARTITIONS:
            partitions.add(row.pk)
        yield row


def _stored(jobs: Iterable[JobId], nodes: Mapping[Key, Row | None]) -> Set[Key]:
    """Return the keys of the rows that are stored because a node lists a dataset; they are never deleted."""
    listed = ((job, nodes[current_key(job)]) for job in jobs)
    rows = (ever_rows(job, node.data["inputs"], node.data["outputs"]) for job, node in listed if node)
    return {row.key for group in rows for row in group}


def _write_facets(delta: FactsDelta, missing: set[Key], table: GraphTable) -> list[Row]:
    """Write the facets that are missing; return the rows that mark them as complete, to be written after."""
    new = [ref for key, ref in delta.refs.items() if key in missing]
    reports = (reported_columns(ref.columns, but=ref.named) for ref in new)
    columns = {columns_key(*pair): pair for pairs in reports for pair in pairs.items()}
    # Many facets report the same columns, each in another way.
    indexed = table.get(columns) if columns else {}
    unindexed = columns.keys() - indexed.keys()
    if new:
        words = (row for key in sorted(unindexed) for row in _reported_rows(*columns[key]))
        table.put((*(row for ref in new for row in ref.rows), *words))
    return [Row(*key) for key in sorted({*missing, *unindexed})]


def _reported_rows(dataset: IdText, paths: Sequence[str]) -> Iterator[Row]:
    return column_rows(dataset, paths, sum(map(len, paths)))


def _streamed(facts: RunFacts, delta: Facts) -> Iterator[_Subject]:
    """Yield facts of a streaming run's job and outputs: another of its events may declare that it streams.

    The outputs are those of the delta or, of the event that declared it first, all: every event of a long stream would
    read the facts of all its outputs.
    """
    job = owner(facts)
    if not facts.streaming or not isinstance(delta, RunFacts) or job is None:
        return
    yield _Subject(facts_key(job), text_of(job), JobFacts(first_streamed=facts.streaming))
    for text in facts.outputs if delta.streaming == facts.streaming else delta.outputs:
        yield _Subject(facts_key(dataset_of(text)), text, DatasetFacts(first_streamed=facts.streaming))


def _adds(facts: Facts, known: Facts | None) -> bool:
    """True if the facts add to the known ones; a row that is swapped meanwhile still has those."""
    return known is None or join(known, facts) != known  # type: ignore[type-var]


def _each_once(subjects: Iterable[_Subject]) -> list[_Subject]:
    """Return one subject for each row, with the facts of all that are of the row."""
    by_key: dict[Key, _Subject] = {}
    for subject in subjects:
        same = by_key.get(subject.key)
        facts: Facts = join(same.facts, subject.facts) if same else subject.facts  # type: ignore[type-var]
        by_key[subject.key] = _Subject(subject.key, subject.id, facts)
    return list(by_key.values())


def _subjects(delta: FactsDelta) -> Iterator[_Subject]:
    for run, facts in delta.runs.items():
        yield _Subject(facts_key(run), str(run), facts)
    for job, of_job in delta.jobs.items():
        yield _Subject(facts_key(job), text_of(job), of_job)
    for dataset, of_dataset in delta.datasets.items():
        yield _Subject(facts_key(dataset), text_of(dataset), of_dataset)
    for tag, of_tag in delta.tags.items():
        yield _Subject(tag_facts_key(tag), tag, of_tag)
    for source, of_source in delta.sources.items():
        yield _Subject(source_facts_key(source), source_text(source), of_source)
    for namespace, of_namespace in delta.namespaces.items():
        yield _Subject((namespace_pk(namespace), FACTS), namespace, of_namespace)


def _swap(subject: _Subject, row: Row | None, old: Facts, new: Facts) -> Swap:
    """Return the swap to the new facts, with the rows and counters that move with them."""
    data: dict[str, Any] = {"id": subject.id, "facts": to_json(new)}
    before, after = _moving(subject, old), _moving(subject, new)
    return Swap(
        Row(*subject.key, data, row.version if row else 0),
        puts=tuple(moving for key, moving in after.items() if before.get(key) != moving),
        deletes=tuple(_gone(subject, old, new)),
        adds=(*_counted(old, new), *_created(subject, old, new)),
    )


def _gone(subject: _Subject, old: Facts, new: Facts) -> Iterable[Key]:
    """Return the keys of rows that the old facts have and the new ones lack; of rows beyond a transaction, none."""
    if isinstance(old, RunFacts) and isinstance(new, RunFacts):
        if is_wide(old):
            # None of them moves with the facts: readers check what is left.
            return []
        stay: Container[Key] = RunReports(subject.run, new).keys
        return [key for key in islice(RunReports(subject.run, old).keys, EXACT_MAX) if key not in stay]
    stay = _moving(subject, new)
    return [key for key in _moving(subject, old) if key not in stay]


def _moving(subject: _Subject, facts: Facts) -> dict[Key, Row]:
    """Return the rows that move with the facts."""
    if isinstance(facts, RunFacts):
        return transactional_rows(subject.run, facts)
    listing = _listing(subject, facts)
    return {listing.key: listing} if listing else {}


def _is_listed(facts: Facts) -> bool:
    """True if the catalogue lists it; the listing moves with the facts, in one transaction."""
    if isinstance(facts, TagFacts):
        return False
    return facts.first is not None and not (isinstance(facts, DatasetFacts) and facts.temporary)


def _listing(subject: _Subject, facts: Facts) -> Row | None:
    """Return the row that lists a namespace, a source, a job or a dataset; None for one that is not listed."""
    if not _is_listed(facts):
        return None
    if isinstance(facts, SourceFacts):
        return source_listing(subject.id)
    if isinstance(facts, NamespaceFacts | TagFacts):
        return named("namespaces", subject.id)
    return (
        named("jobs", job_of(subject.id)) if isinstance(facts, JobFacts) else named("datasets", dataset_of(subject.id))
    )


def _doubts(subject: _Subject, facts: Facts) -> Iterator[Row]:
    """Yield the rows that mark what these facts may hide: readers of the lists check the facts of each."""
    if isinstance(facts, NamespaceFacts) and facts.deleted_at:
        yield named("namespaces_to_check", subject.id)
    elif isinstance(facts, JobFacts) and facts.deleted_at:
        yield named("jobs_to_check", job_of(subject.id))
    elif isinstance(facts, DatasetFacts):
        if _is_listed(facts) and (facts.deleted_at or facts.dropped_at or facts.aliases):
            yield named("datasets_to_check", dataset_of(subject.id))
        if facts.deleted_at or facts.dropped_at or facts.temporary:
            # Hiding a name may also hide the datasets that it is another name of.
            yield from (named("datasets_to_check", dataset_of(primary)) for primary in facts.aliases)


def _counted(old: Facts, new: Facts) -> Iterator[Increment]:
    """Count a new run of a job."""
    if not isinstance(old, RunFacts) or not isinstance(new, RunFacts) or new.declared:
        return
    job = owner(new)
    if job and not owner(old):
        yield Increment((job_pk(job), COUNT), "runs", 1)


def _created(subject: _Subject, old: Facts, new: Facts) -> Iterator[Increment]:
    """Keep the counts of new jobs, datasets and sources in step with their first mentions."""
    before, after = _count_of(subject, old), _count_of(subject, new)
    if before != after:
        for key, by in ((before, -1), (after, 1)):
            if key is not None:
                yield counted(key, by)


def _count_of(subject: _Subject, facts: Facts) -> Key | None:
    """Return the key of the count in which the listed thing of these facts is."""
    if isinstance(facts, RunFacts | TagFacts | NamespaceFacts) or not _is_listed(facts) or facts.first is None:
        return None
    return count_of(_CREATED[type(facts)], subject.id, facts.first)


_CREATED: Mapping[type, Created] = {JobFacts: "jobs", DatasetFacts: "datasets", SourceFacts: "sources"}


def _new_rows(subject: _Subject, old: Facts | None, new: Facts, senders: Mapping[str, Sender]) -> Iterator[Row]:
    """Yield the index rows of the new facts that the old ones lack."""
    if isinstance(new, RunFacts):
        before = old if isinstance(old, RunFacts) else RunFacts()
        yield from added_rows(subject.run, before, new)
        yield from added_job_rows(before, new)
        return
    known = {} if old is None else {row.key: row for row in _rows(subject, old)}
    if old is not None and _is_listed(old) and not _is_listed(new):
        # The first event that names a dataset as temporary came late: the catalogue loses no name.
        yield named("datasets_to_check", dataset_of(subject.id))
    if isinstance(new, JobFacts | DatasetFacts) and _is_listed(new) and not (old and _is_listed(old)):
        yield from name_rows(job_of(subject.id) if isinstance(new, JobFacts) else dataset_of(subject.id))
    if isinstance(new, DatasetFacts):
        stored = old if isinstance(old, DatasetFacts) else None
        yield from schema_columns(subject.id, stored, new)
        yield from added_dataset_rows(subject.id, stored or DatasetFacts(), new, senders)
    yield from (row for row in _rows(subject, new) if known.get(row.key) != row)


def _rows(subject: _Subject, facts: Facts) -> Iterator[Row]:
    yield from _doubts(subject, facts)
    if isinstance(facts, JobFacts):
        yield from tag_rows(job_of(subject.id), facts)
        yield from owner_rows(job_of(subject.id), facts)
        yield from child_job_rows(job_of(subject.id), facts)
    if isinstance(facts, DatasetFacts):
        yield from tag_rows(dataset_of(subject.id), facts)
        yield from owner_rows(dataset_of(subject.id), facts)
        # By these rows, a source finds the datasets that DatasetEvents derive from it.
        sk = f"NOW#DERIVED#{dataset_of(subject.id).digest[:32]}"
        for reference in facts.declarations.values():
            for source in reference["outputs"].get(subject.id, ()):
                yield Row(dataset_pk(dataset_of(source)), sk, {"name": subject.id})

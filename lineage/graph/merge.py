"""Growing the facts: what is there is read, joined with what was said, and swapped; a loser of a race joins again.

Index rows go first. Whoever dies in between leaves rows that no fact bears out, which readers skip; the message comes
again, and the rest is done then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lineage.graph.catalogue import CATALOGUES, COLUMNS, named
from lineage.graph.column_names import reported_column_rows, schema_columns
from lineage.graph.delta import FactsDelta
from lineage.graph.facet_refs import datasets_ever_with_columns
from lineage.graph.facts import (
    DatasetFacts,
    Facts,
    JobFacts,
    NamespaceFacts,
    RunFacts,
    dataset_of,
    job_of,
    join,
    text_of,
    to_json,
)
from lineage.graph.index_rows import overflow_rows, rows_of, transactional_rows
from lineage.graph.keys import (
    COUNT,
    FACTS,
    complete_key,
    dataset_pk,
    facts_key,
    job_pk,
    namespace_pk,
)
from lineage.graph.run_facts import owner
from lineage.graph.table import GraphTable, Increment, Key, Row, Swap
from lineage_model.errors import Unavailable
from lineage_model.ids import JobId, RunKey

_ROUNDS_MAX = 100


@dataclass(frozen=True, slots=True)
class _Subject:
    """Something that facts are about: `id` as its row tells it, `facts` those that were said now."""

    key: Key
    id: str
    facts: Facts

    @property
    def run(self) -> RunKey:
        """The run that the facts are of, if they are of a run."""
        return RunKey.parse(self.id)

    def joined_with(self, row: Row | None) -> Facts:
        """What was known before."""
        kind = type(self.facts)
        return kind() if row is None else kind(**row.data["facts"])


class Merged(NamedTuple):
    """The changes: jobs whose nodes may have (those mentioned, that own, or lost, a run), and catalogues."""

    jobs: set[JobId]
    catalogues: set[str]


def merge(said: FactsDelta, table: GraphTable) -> Merged:
    """Make all that was said part of the facts; `Unavailable` if others kept getting in between."""
    jobs, catalogues = set(said.jobs), set[str]()
    pending: Sequence[_Subject] = list(_subjects(said))
    extra: list[Row] = list(said.described)
    wholes = {complete_key(telling) for telling in said.tellings}
    for _ in range(_ROUNDS_MAX):
        if not pending and not extra:
            return Merged(jobs, catalogues)
        rows = table.get((*(subject.key for subject in pending), *wholes))
        extra += _keep(said, wholes - rows.keys(), table)
        catalogues |= {COLUMNS} if wholes - rows.keys() else set()
        wholes = set()
        swaps: list[tuple[_Subject, Swap]] = []
        claimed: list[_Subject] = []
        for subject in pending:
            row = rows.get(subject.key)
            old = subject.joined_with(row)
            new: Facts = join(old, subject.facts)  # type: ignore[type-var]
            if isinstance(new, RunFacts):
                jobs.update(map(job_of, (*new.jobs, *new.named_as_parent)))
                claimed += _mentions_of_others(new)
            if row is None or new != old:
                extra += _new_rows(subject, old if row else None, new)
                swaps.append((subject, _swap(subject, row, old, new)))
        if extra:
            table.put(extra)
        catalogues |= CATALOGUES & {row.pk for row in (*extra, *(put for _, swap in swaps for put in swap.puts))}
        written = table.swap([swap for _, swap in swaps]) if swaps else []
        pending = [subject for (subject, _), done in zip(swaps, written, strict=True) if not done] + claimed
        extra = []
    raise Unavailable(f"the facts of {len(pending)} runs, jobs and datasets kept being swapped by others")


def _keep(said: FactsDelta, missing: set[Key], table: GraphTable) -> list[Row]:
    """Write the tellings that are not there yet; what says that they are has still to be written."""
    new = [telling for telling in said.tellings.values() if complete_key(telling.id) in missing]
    if new:
        table.put(row for telling in new for row in (*telling.rows, *reported_column_rows(telling.told)))
    return [Row(*key) for key in sorted(missing)]


def _mentions_of_others(facts: RunFacts) -> list[_Subject]:
    """What the jobs that claim a run know of its columns: whose event told of them may not be whose the run is."""
    if len(facts.jobs) < 2 or not datasets_ever_with_columns(facts):
        return []
    told = JobFacts(first_columns=facts.first, first_foreign_columns=facts.first)
    return [_Subject(facts_key(job_of(text)), text, told) for text in facts.jobs]


def _subjects(said: FactsDelta) -> Iterator[_Subject]:
    for run, facts in said.runs.items():
        yield _Subject(facts_key(run), str(run), facts)
    for job, of_job in said.jobs.items():
        yield _Subject(facts_key(job), text_of(job), of_job)
    for dataset, of_dataset in said.datasets.items():
        yield _Subject(facts_key(dataset), text_of(dataset), of_dataset)
    for namespace, of_namespace in said.namespaces.items():
        yield _Subject((namespace_pk(namespace), FACTS), namespace, of_namespace)


def _swap(subject: _Subject, row: Row | None, old: Facts, new: Facts) -> Swap:
    data: dict[str, Any] = {"id": subject.id, "facts": to_json(new)}
    before, after = _moving(subject, old), _moving(subject, new)
    stay = after.keys() | (overflow_rows(subject.run, new).keys() if isinstance(new, RunFacts) else set())
    return Swap(
        Row(*subject.key, data, row.version if row else 0),
        puts=tuple(one for key, one in after.items() if before.get(key) != one),
        deletes=tuple(key for key in before if key not in stay),
        adds=tuple(_counted(old, new)),
    )


def _moving(subject: _Subject, facts: Facts) -> dict[Key, Row]:
    """The rows that move with the facts."""
    if isinstance(facts, RunFacts):
        return transactional_rows(subject.run, facts)
    place = _listing(subject, facts)
    return {place.key: place} if place else {}


def _is_listed(facts: Facts) -> bool:
    """True if the catalogue lists it; that comes with the facts, in one transaction."""
    return facts.first is not None and not (isinstance(facts, DatasetFacts) and facts.temporary)


def _listing(subject: _Subject, facts: Facts) -> Row | None:
    """Return the row that lists a namespace, a job or a dataset, if it is to be listed."""
    if not _is_listed(facts):
        return None
    if isinstance(facts, NamespaceFacts):
        return named("namespaces", subject.id)
    return (
        named("jobs", job_of(subject.id)) if isinstance(facts, JobFacts) else named("datasets", dataset_of(subject.id))
    )


def _doubts(subject: _Subject, facts: Facts) -> Iterator[Row]:
    """Return the rows that note what these facts may take off the lists: whoever lists it asks the facts."""
    if isinstance(facts, NamespaceFacts) and facts.deleted_at:
        yield named("namespaces_to_check", subject.id)
    elif isinstance(facts, JobFacts) and facts.deleted_at:
        yield named("jobs_to_check", job_of(subject.id))
    elif isinstance(facts, DatasetFacts):
        if _is_listed(facts) and (facts.deleted_at or facts.dropped_at or facts.aliases):
            yield named("datasets_to_check", dataset_of(subject.id))
        if facts.deleted_at or facts.dropped_at or facts.temporary:
            # What takes it off the list may take those that it is another name of.
            yield from (named("datasets_to_check", dataset_of(primary)) for primary in facts.aliases)


def _counted(old: Facts, new: Facts) -> Iterator[Increment]:
    """A run is counted with the job whose it is, and moves with it."""
    if not isinstance(old, RunFacts) or not isinstance(new, RunFacts) or new.declared:
        return
    before, after = owner(old), owner(new)
    if before != after:
        for job, by in ((before, -1), (after, 1)):
            if job is not None:
                yield Increment((job_pk(job), COUNT), "runs", by)


def _new_rows(subject: _Subject, old: Facts | None, new: Facts) -> Iterator[Row]:
    """The index rows that the new facts ask for and the old ones did not."""
    known = {} if old is None else {row.key: row for row in _rows(subject, old)}
    if old is not None and _is_listed(old) and not _is_listed(new):
        # The first event that calls a dataset temporary came late: the catalogue forgets nothing.
        yield named("datasets_to_check", dataset_of(subject.id))
    if isinstance(new, DatasetFacts):
        yield from schema_columns(subject.id, old if isinstance(old, DatasetFacts) else None, new)
    yield from (row for row in _rows(subject, new) if known.get(row.key) != row)


def _rows(subject: _Subject, facts: Facts) -> Iterator[Row]:
    if isinstance(facts, RunFacts):
        yield from rows_of(subject.run, facts).values()
        yield from overflow_rows(subject.run, facts).values()
        return
    yield from _doubts(subject, facts)
    if isinstance(facts, DatasetFacts):
        yield from _declared(subject.id, facts)


def _declared(text: str, facts: DatasetFacts) -> Iterator[Row]:
    """What the datasets know that DatasetEvents told this one to be made of."""
    for telling in facts.declarations.values():
        for source in telling["outputs"].get(text, ()):
            yield Row(dataset_pk(dataset_of(source)), f"NOW#DERIVED#{dataset_of(text).digest[:32]}", {"name": text})

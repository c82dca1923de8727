"""Growing the facts: what is there is read, joined with what was said, and swapped; a loser of a race joins again.

Index rows go first. Whoever dies in between leaves rows that no fact bears out, which readers skip; the message comes
again, and the rest is done then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lineage.errors import Unavailable
from lineage.names import JobId
from lineage.runs.facts.growing import (
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
from lineage.runs.facts.keys import (
    COUNT,
    FACTS,
    NAMESPACES,
    dataset_pk,
    facts_key,
    job_pk,
    namespace_pk,
    sortable,
    whole_key,
)
from lineage.runs.facts.rows import rows_of
from lineage.runs.facts.run import owner
from lineage.runs.facts.said import Said
from lineage.runs.facts.table import Add, GraphTable, Key, Row, Swap
from lineage.runs.facts.tellings import ever_told
from lineage.runs.facts.windows import exact_rows, marked_rows

_ROUNDS_MAX = 100


@dataclass(frozen=True, slots=True)
class _Subject:
    """Something that facts are about: `id` as its row tells it, `facts` those that were said now."""

    key: Key
    id: str
    facts: Facts

    def told(self, row: Row | None) -> Facts:
        """What was known before."""
        kind = type(self.facts)
        return kind() if row is None else kind(**row.data["facts"])


def merge(said: Said, table: GraphTable) -> set[JobId]:
    """Make all that was said part of the facts; `Unavailable` if others kept getting in between.

    Answers the jobs whose nodes may have changed: those mentioned, and those that own, or lost, a run of these.
    """
    jobs = set(said.jobs)
    pending: Sequence[_Subject] = list(_subjects(said))
    extra: list[Row] = list(said.described)
    wholes = {whole_key(telling) for telling in said.tellings}
    for _ in range(_ROUNDS_MAX):
        if not pending and not extra:
            return jobs
        rows = table.get((*(subject.key for subject in pending), *wholes))
        extra += _keep(said, wholes - rows.keys(), table)
        wholes = set()
        swaps: list[tuple[_Subject, Swap]] = []
        claimed: list[_Subject] = []
        for subject in pending:
            row = rows.get(subject.key)
            old = subject.told(row)
            new: Facts = join(old, subject.facts)  # type: ignore[type-var]
            if isinstance(new, RunFacts):
                jobs.update(map(job_of, (*new.jobs, *new.named)))
                claimed += _told_for_others(new)
            if row is None or new != old:
                extra += _new_rows(subject, old if row else None, new)
                swaps.append((subject, _swap(subject, row, old, new)))
        if extra:
            table.put(extra)
        written = table.swap([swap for _, swap in swaps]) if swaps else []
        pending = [subject for (subject, _), done in zip(swaps, written, strict=True) if not done] + claimed
        extra = []
    raise Unavailable(f"the facts of {len(pending)} runs, jobs and datasets kept being swapped by others")


def _keep(said: Said, missing: set[Key], table: GraphTable) -> list[Row]:
    """Write the tellings that are not there yet; what says that they are has still to be written."""
    new = [telling for telling in said.tellings.values() if whole_key(telling.id) in missing]
    if new:
        table.put(row for telling in new for row in telling.rows)
    return [Row(*key) for key in sorted(missing)]


def _told_for_others(facts: RunFacts) -> list[_Subject]:
    """What the jobs that claim a run know of its columns: whose event told of them may not be whose the run is."""
    if len(facts.jobs) < 2 or not ever_told(facts):
        return []
    told = JobFacts(told=facts.first, told_apart=facts.first)
    return [_Subject(facts_key(job_of(text)), text, told) for text in facts.jobs]


def _subjects(said: Said) -> Iterator[_Subject]:
    for run, facts in said.runs.items():
        yield _Subject(facts_key(run), run, facts)
    for job, of_job in said.jobs.items():
        yield _Subject(facts_key(job), text_of(job), of_job)
    for dataset, of_dataset in said.datasets.items():
        yield _Subject(facts_key(dataset), text_of(dataset), of_dataset)
    for namespace, of_namespace in said.namespaces.items():
        yield _Subject((namespace_pk(namespace), FACTS), namespace, of_namespace)


def _swap(subject: _Subject, row: Row | None, old: Facts, new: Facts) -> Swap:
    data: dict[str, Any] = {"id": subject.id, "facts": to_json(new)}
    before, after = _moving(subject, old), _moving(subject, new)
    stay = after.keys() | (marked_rows(subject.id, new).keys() if isinstance(new, RunFacts) else set())
    return Swap(
        Row(*subject.key, data, row.version if row else 0),
        puts=tuple(one for key, one in after.items() if before.get(key) != one),
        deletes=tuple(key for key in before if key not in stay),
        adds=tuple(_counted(old, new)),
    )


def _moving(subject: _Subject, facts: Facts) -> dict[Key, Row]:
    """The rows that move with the facts."""
    if isinstance(facts, RunFacts):
        return exact_rows(subject.id, facts)
    place = _place(subject) if _is_listed(facts) else None
    return {place.key: place} if place else {}


def _is_listed(facts: Facts) -> bool:
    """Whether it has a place in the list of its namespace, or of namespaces, which moves with the facts."""
    return facts.first is not None and not (isinstance(facts, DatasetFacts) and facts.temporary)


def _place(subject: _Subject, mark: str = "") -> Row | None:
    if isinstance(subject.facts, NamespaceFacts):
        return Row(NAMESPACES, sortable(subject.id), {"name": subject.id})
    kind = {JobFacts: "J", DatasetFacts: "D"}.get(type(subject.facts))
    if kind is None:
        return None
    namespace, _, name = subject.id.partition("\0")
    return Row(namespace_pk(namespace), f"{mark}{kind}#{sortable(name)}", {"name": name})


def _counted(old: Facts, new: Facts) -> Iterator[Add]:
    """A run is counted with the job whose it is, and moves with it."""
    if not isinstance(old, RunFacts) or not isinstance(new, RunFacts) or new.declared:
        return
    before, after = owner(old), owner(new)
    if before != after:
        for job, by in ((before, -1), (after, 1)):
            if job is not None:
                yield Add((job_pk(job), COUNT), "runs", by)


def _new_rows(subject: _Subject, old: Facts | None, new: Facts) -> Iterator[Row]:
    """The index rows that the new facts ask for and the old ones did not."""
    known = {} if old is None else {row.key: row for row in _rows(subject, old)}
    return (row for row in _rows(subject, new) if known.get(row.key) != row)


def _rows(subject: _Subject, facts: Facts) -> Iterator[Row]:
    note = _place(subject, "Q#")
    if isinstance(facts, RunFacts):
        yield from rows_of(subject.id, facts).values()
        yield from marked_rows(subject.id, facts).values()
    elif isinstance(facts, JobFacts) and facts.deleted and note:
        yield note
    elif isinstance(facts, DatasetFacts):
        shaky = bool(facts.deleted or facts.dropped or facts.temporary)
        if note and (facts.deleted or facts.dropped or facts.aliases) and facts.temporary is None:
            yield note
        if shaky:
            # What may take it off the list may take those that it is another name of.
            for primary in map(dataset_of, facts.aliases):
                yield Row(namespace_pk(primary.namespace), f"Q#D#{sortable(primary.name)}", {"name": primary.name})
        yield from _declared(subject.id, facts)


def _declared(text: str, facts: DatasetFacts) -> Iterator[Row]:
    """What the datasets know that DatasetEvents told this one to be made of."""
    for telling in facts.declarations.values():
        for source in telling["into"].get(text, ()):
            yield Row(dataset_pk(dataset_of(source)), f"A#D#{dataset_of(text).key[:32]}", {"name": text})

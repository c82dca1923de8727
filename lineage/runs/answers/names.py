"""The names of a namespace's jobs and datasets, those that are hidden, temporary or another's alias left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lineage.names import DatasetId, JobId
from lineage.runs.answers.described import is_temporary
from lineage.runs.answers.groups import Groups
from lineage.runs.answers.hidden import Namespaces
from lineage.runs.facts.growing import JobFacts, NamespaceFacts, deleted_at
from lineage.runs.facts.keys import FACTS, NAMESPACES, facts_key, namespace_pk
from lineage.runs.facts.table import GraphTable, Query
from lineage.runs.found import FoundNamespace

# Names of a deleted namespace that are looked at one by one.
_DOUBTFUL_MAX = 2_000


@dataclass(frozen=True, slots=True)
class Names:
    """Names in order; `truncated` if there are more, or if not every doubtful one was looked at."""

    names: Sequence[str]
    truncated: bool


def namespaces(table: GraphTable) -> tuple[list[FoundNamespace], bool]:
    """Every namespace that an event told of, by name, hidden ones too; whether there are more."""
    page = table.query([Query(NAMESPACES)])[0]
    names = [row.data["name"] for row in page.rows]
    rows = table.get((namespace_pk(name), FACTS) for name in names)
    told = {row.data["id"]: NamespaceFacts(**row.data["facts"]) for row in rows.values()}
    found = [found_namespace(name, told[name]) for name in names if name in told and told[name].first]
    return sorted(found, key=lambda one: one.name), page.more


def find_namespace(name: str, table: GraphTable) -> FoundNamespace | None:
    """The namespace, if an event told of it."""
    rows = table.get([(namespace_pk(name), FACTS)])
    facts = [NamespaceFacts(**row.data["facts"]) for row in rows.values()]
    return found_namespace(name, facts[0]) if facts and facts[0].first else None


def found_namespace(name: str, facts: NamespaceFacts) -> FoundNamespace:
    """The namespace as it is told."""
    last = facts.last or ""
    return FoundNamespace(name, facts.first or "", last, hidden=deleted_at(facts) > last)


def names_of(namespace: str, kind: str, table: GraphTable) -> Names:
    """The names of the namespace's jobs (`J`) or datasets (`D`)."""
    return names_of_each([namespace], kind, table)[0]


def names_of_each(among: Sequence[str], kind: str, table: GraphTable) -> list[Names]:
    """The same for each of the namespaces, in one round where nothing is doubtful."""
    pages = table.query([Query(namespace_pk(one), prefix=f"{mark}{kind}#") for one in among for mark in ("", "Q#")])
    deleted = Namespaces(table)
    deleted.load(among)
    found = []
    for number, namespace in enumerate(among):
        listed, noted = pages[2 * number], pages[2 * number + 1]
        names = [row.data["name"] for row in listed.rows]
        doubtful = names if deleted.deleted(namespace) else [row.data["name"] for row in noted.rows]
        off = _off_the_list(namespace, kind, doubtful[:_DOUBTFUL_MAX], table, deleted)
        cut = listed.more or noted.more or len(doubtful) > _DOUBTFUL_MAX
        found.append(Names([name for name in names if name not in off], cut))
    return found


def _off_the_list(namespace: str, kind: str, names: Sequence[str], table: GraphTable, deleted: Namespaces) -> set[str]:
    if not names:
        return set()
    if kind == "J":
        return _hidden_jobs([JobId(namespace, name) for name in names], table, deleted)
    groups = Groups(table)
    ids = [DatasetId(namespace, name) for name in names]
    groups.load(ids)
    return {one.name for one in ids if _is_off(one, groups, deleted)}


def _hidden_jobs(jobs: Sequence[JobId], table: GraphTable, deleted: Namespaces) -> set[str]:
    rows = table.get(facts_key(job) for job in jobs)
    told = {job: JobFacts(**rows[facts_key(job)].data["facts"]) for job in jobs if facts_key(job) in rows}
    return {
        job.name
        for job, facts in told.items()
        if max(deleted_at(facts), deleted.deleted(job.namespace)) > (facts.last or "")
    }


def _is_off(dataset: DatasetId, groups: Groups, deleted: Namespaces) -> bool:
    group = groups.group(dataset)
    return group.primary != dataset or not group.known or deleted.hides(group) or is_temporary(group.facts)

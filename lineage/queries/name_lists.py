"""Names of jobs and datasets in the catalogue, without hidden and temporary ones and aliases."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Generic, Literal, TypeAlias, TypeVar, overload

from lineage.graph.catalogue import NAMES, Catalogue, NameSet, read_catalogue
from lineage.graph.entities import Namespace, SearchHit, SearchSort
from lineage.graph.facts import IdText, JobFacts, NamespaceFacts, dataset_of, job_of, last_deleted, text_of
from lineage.graph.keys import FACTS, facts_key, namespace_pk
from lineage.graph.lattice import latest
from lineage.graph.result_page import ResultPage
from lineage.graph.table import GraphTable
from lineage.graph.visibility import EVERYTHING, Visibility
from lineage.queries.dataset_groups import DatasetGroups, NamespaceDeletions
from lineage.queries.descriptions import is_temporary
from lineage.queries.relevance import rank_of
from lineage_model.ids import DatasetId, JobId

Id: TypeAlias = DatasetId | JobId
T = TypeVar("T", bound=Id)
_Kind: TypeAlias = Literal["jobs", "datasets"]
_TO_CHECK: Mapping[_Kind, NameSet] = {"jobs": "jobs_to_check", "datasets": "datasets_to_check"}
# Names that may be hidden are checked one by one: up to this number for a list, and those of the page.
DOUBTFUL_MAX = 2_000


def list_namespaces(
    table: GraphTable, *, limit: int, offset: int, visibility: Visibility = EVERYTHING
) -> ResultPage[Namespace]:
    """Return a page of all namespaces that an event named and the caller sees, by name, hidden ones too."""
    catalogue = read_catalogue(NAMES, table)
    names = sorted(filter(visibility.covers, catalogue["namespaces"]))
    page = names[offset : offset + limit]
    rows = table.get((namespace_pk(name), FACTS) for name in page) if page else {}
    known = {row.data["id"]: NamespaceFacts(**row.data["facts"]) for row in rows.values()}
    return ResultPage([namespace_of(name, known[name]) for name in page], len(names), catalogue.truncated)


def find_namespace(name: str, table: GraphTable) -> Namespace | None:
    """Return the namespace, if an event named it."""
    rows = table.get([(namespace_pk(name), FACTS)])
    facts = [NamespaceFacts(**row.data["facts"]) for row in rows.values()]
    return namespace_of(name, facts[0]) if facts and facts[0].first else None


def namespace_of(name: str, facts: NamespaceFacts) -> Namespace:
    """Return the namespace of these facts."""
    last = facts.last or ""
    described = latest(facts.described)
    return Namespace(
        name, facts.first or "", last, hidden=last_deleted(facts) > last, **(described[1] if described else {})
    )


@dataclass(frozen=True, slots=True)
class NameList(Generic[T]):
    """Names in order, without unlisted ones; `unsure` are the names that were not checked."""

    ids: Sequence[T]
    unsure: frozenset[T]
    truncated: bool


class _Ids(Sequence[T]):
    """Ids of texts, each made when it is taken: a page is a small part of a namespace."""

    def __init__(self, texts: Sequence[IdText], id_of: Callable[[IdText], T]) -> None:
        self._texts, self._id_of = texts, id_of

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return [self._id_of(text) for text in self._texts[index]]
        return self._id_of(self._texts[index])


class NameCatalogue:
    """The names of jobs and datasets during one query."""

    def __init__(self, table: GraphTable, visibility: Visibility = EVERYTHING) -> None:
        self._table, self._visibility = table, visibility
        self._catalogue: Catalogue = read_catalogue(NAMES, table)
        self._namespaces = NamespaceDeletions(table)
        self._namespaces.load(self._catalogue["namespaces_to_check"])

    def jobs_like(self, text: str, namespace: str | None) -> NameList[JobId]:
        """Return the listed jobs, by name and namespace, whose names contain the text in any case."""
        return self._like(text, "jobs", job_of, namespace)

    def datasets_like(self, text: str, namespace: str | None) -> NameList[DatasetId]:
        """Return the listed datasets, by name and namespace, whose names contain the text in any case."""
        return self._like(text, "datasets", dataset_of, namespace)

    def _like(self, text: str, kind: _Kind, id_of: Callable[[IdText], T], namespace: str | None) -> NameList[T]:
        named = self._catalogue.named_like(kind, text)
        if namespace is not None:
            prefix = f"{namespace}\0"
            named = (one for one in named if one.startswith(prefix))
        return self._listed(self._visible(list(named), namespace), kind, id_of)

    def _texts(self, kind: NameSet, namespace: str | None) -> Sequence[IdText]:
        """Return the names in a namespace, or in all of them, by namespace and name."""
        return self._catalogue[kind] if namespace is None else self._catalogue.under(kind, f"{namespace}\0")

    def every_job(self, namespace: str | None) -> NameList[JobId]:
        """Return the listed jobs of a namespace, or of all namespaces, by namespace and name."""
        return self._every("jobs", job_of, namespace)

    def every_dataset(self, namespace: str | None) -> NameList[DatasetId]:
        """Return the listed datasets of a namespace, or of all namespaces, by namespace and name."""
        return self._every("datasets", dataset_of, namespace)

    def _every(self, kind: _Kind, id_of: Callable[[IdText], T], namespace: str | None) -> NameList[T]:
        return self._listed(self._visible(self._texts(kind, namespace), namespace), kind, id_of)

    def _visible(self, texts: Sequence[IdText], namespace: str | None) -> Sequence[IdText]:
        if self._visibility is EVERYTHING:
            return texts
        covers = cache(self._visibility.covers)
        if namespace is not None:
            return texts if covers(namespace) else ()
        return [text for text in texts if covers(text.partition("\0")[0])]

    def _listed(self, texts: Sequence[IdText], kind: _Kind, id_of: Callable[[IdText], T]) -> NameList[T]:
        """Return the listed names; of the doubtful names, the first `DOUBTFUL_MAX` are checked."""
        doubtful = [id_of(text) for text in self._doubtful(texts, kind)]
        unlisted = set(map(text_of, self._unlisted(doubtful[:DOUBTFUL_MAX])))
        listed = [text for text in texts if text not in unlisted] if unlisted else texts
        unsure = frozenset(doubtful[DOUBTFUL_MAX:])
        return NameList(_Ids(listed, id_of), unsure, self._catalogue.truncated or bool(unsure))

    def _doubtful(self, texts: Sequence[IdText], kind: _Kind) -> Sequence[IdText]:
        names = self._catalogue.members(_TO_CHECK[kind])
        namespaces = self._catalogue.members("namespaces_to_check")
        if not names and not namespaces:
            return ()
        return [text for text in texts if text in names or (namespaces and text.partition("\0")[0] in namespaces)]

    def page(self, names: NameList[T], *, limit: int, offset: int) -> list[T]:
        """Return a page of the names; unsure names on the page are checked now."""
        return self.checked(names.ids[offset : offset + limit], names.unsure)

    def checked(self, page: Sequence[T], unsure: frozenset[T]) -> list[T]:
        """Return the listed names of a page, of which the unsure ones are checked now."""
        unlisted = self._unlisted([one for one in page if one in unsure])
        return [one for one in page if one not in unlisted]

    def primaries(self, datasets: Sequence[DatasetId]) -> tuple[dict[DatasetId, DatasetId], bool]:
        """Return the primary name of each listed dataset, by name; and true if some are unknown."""
        doubtful = list(map(dataset_of, self._doubtful(list(map(text_of, datasets)), "datasets")))
        known = set(datasets) - set(doubtful)
        found = {one: one for one in known if self._catalogue.has("datasets", text_of(one))}
        groups = DatasetGroups(self._table)
        checked = doubtful[:DOUBTFUL_MAX]
        groups.load(checked)
        self._namespaces.load(groups.primary(one).namespace for one in checked)
        primaries = {one: groups.primary(one) for one in checked}
        found |= {one: primary for one, primary in primaries.items() if not self._is_unlisted(primary, groups)}
        return found, self._catalogue.truncated or groups.truncated or len(doubtful) > DOUBTFUL_MAX

    def _unlisted(self, ids: Sequence[Id]) -> set[Id]:
        jobs = [one for one in ids if isinstance(one, JobId)]
        datasets = [one for one in ids if isinstance(one, DatasetId)]
        return {*self._hidden_jobs(jobs), *self._hidden_datasets(datasets)}

    def _hidden_jobs(self, jobs: Sequence[JobId]) -> set[JobId]:
        if not jobs:
            return set()
        rows = self._table.get(facts_key(job) for job in jobs)
        self._namespaces.load(job.namespace for job in jobs)
        known = {job: JobFacts(**rows[facts_key(job)].data["facts"]) for job in jobs if facts_key(job) in rows}
        return {
            job
            for job, facts in known.items()
            if max(last_deleted(facts), self._namespaces.deleted(job.namespace)) > (facts.last or "")
        }

    def _hidden_datasets(self, datasets: Sequence[DatasetId]) -> set[DatasetId]:
        if not datasets:
            return set()
        groups = DatasetGroups(self._table)
        groups.load(datasets)
        self._namespaces.load(groups.primary(one).namespace for one in datasets)
        return {one for one in datasets if self._is_unlisted(one, groups)}

    def _is_unlisted(self, dataset: DatasetId, groups: DatasetGroups) -> bool:
        group = groups.group(dataset)
        return group.primary != dataset or not group.known or self._namespaces.hides(group) or is_temporary(group.facts)


# Matches whose times are read, if the query is about times.
MATCHES_MAX = 1_000


def search(
    text: str,
    table: GraphTable,
    *,
    kind: Literal["job", "dataset"] | None,
    sort: SearchSort,
    limit: int,
    namespace: str | None = None,
    before: str | None = None,
    after: str | None = None,
    visibility: Visibility = EVERYTHING,
) -> ResultPage[SearchHit]:
    """Return the matches updated from `after` on and before `before`: by name, the best or the last updated first."""
    catalogue = NameCatalogue(table, visibility)
    lists: list[NameList[DatasetId] | NameList[JobId]] = [
        *([catalogue.datasets_like(text, namespace)] if kind != "job" else ()),
        *([catalogue.jobs_like(text, namespace)] if kind != "dataset" else ()),
    ]
    total, truncated = sum(len(names.ids) for names in lists), any(names.truncated for names in lists)
    unsure: frozenset[Id] = frozenset().union(*(names.unsure for names in lists))
    matches: Iterable[Id] = heapq.merge(*(names.ids for names in lists), key=_name_order)
    if sort == "relevance":
        matches = sorted(matches, key=lambda match: rank_of(match.name, text))
    if sort != "updated_at" and before is None and after is None:
        page = catalogue.checked(list(islice(matches, limit)), unsure)
        return ResultPage(_hits(page, table), total, truncated)
    hits = _hits(catalogue.checked(list(islice(matches, MATCHES_MAX)), unsure), table)
    hits = [hit for hit in hits if (after is None or hit.updated >= after) and (before is None or hit.updated < before)]
    if sort == "updated_at":
        hits.sort(key=lambda hit: hit.updated, reverse=True)
    return ResultPage(hits[:limit], len(hits), truncated or total > MATCHES_MAX)


def _name_order(match: Id) -> tuple[str, str]:
    return match.name, match.namespace


def _hits(matches: Sequence[Id], table: GraphTable) -> list[SearchHit]:
    jobs = [match for match in matches if isinstance(match, JobId)]
    rows = table.get(facts_key(job) for job in jobs) if jobs else {}
    updated: dict[Id, str] = {}
    for job in jobs:
        updated[job] = JobFacts(**rows[facts_key(job)].data["facts"]).last or ""
    groups = DatasetGroups(table)
    datasets = [match for match in matches if not isinstance(match, JobId)]
    groups.load(datasets)
    updated.update((dataset, groups.group(dataset).facts.last or "") for dataset in datasets)
    return [SearchHit(match, updated[match]) for match in matches]

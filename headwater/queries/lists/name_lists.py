"""Names of jobs and datasets in the catalogue, without hidden names, temporary names and aliases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, Literal, TypeAlias, TypeVar

from headwater.facts.catalogue import NAMES, Catalogue, NameSet, read_catalogue
from headwater.facts.facts import IdText, JobFacts, NamespaceFacts, dataset_of, job_of, last_deleted, text_of
from headwater.facts.index_scan import facts_of
from headwater.facts.keys import FACTS, facts_key, namespace_pk
from headwater.facts.lattice import latest
from headwater.facts.result_page import ResultPage
from headwater.facts.visibility import EVERYTHING
from headwater.queries.results.entities import Namespace
from headwater.queries.view import GraphView
from headwater.queries.view.descriptions import is_temporary
from headwater_model.ids import DatasetId, JobId

Id: TypeAlias = DatasetId | JobId
T = TypeVar("T", bound=Id)
_Kind: TypeAlias = Literal["jobs", "datasets"]
_TO_CHECK: Mapping[_Kind, NameSet] = {"jobs": "jobs_to_check", "datasets": "datasets_to_check"}
# Doubtful names are checked for hidden names: up to this number for a list, and the names of the page.
DOUBTFUL_MAX = 2_000


def list_namespaces(view: GraphView, *, limit: int, offset: int) -> ResultPage[Namespace]:
    """List a page of all visible namespaces with an event, by name, hidden namespaces too."""
    catalogue = read_catalogue(NAMES, view)
    names = sorted(filter(view.caller.covers, catalogue["namespaces"]))
    page = names[offset : offset + limit]
    rows = view.get((namespace_pk(name), FACTS) for name in page)
    known = {row.data["id"]: NamespaceFacts(**row.data["facts"]) for row in rows.values()}
    return ResultPage([namespace_of(name, known[name]) for name in page], len(names), catalogue.truncated)


def find_namespace(view: GraphView, name: str) -> Namespace | None:
    """Find the namespace, if an event named it."""
    rows = view.get([(namespace_pk(name), FACTS)])
    facts = [NamespaceFacts(**row.data["facts"]) for row in rows.values()]
    return namespace_of(name, facts[0]) if facts and facts[0].first else None


def namespace_of(name: str, facts: NamespaceFacts) -> Namespace:
    """Make the namespace of its facts."""
    last = facts.last or ""
    described = latest(facts.described)
    return Namespace(
        name, facts.first or "", last, hidden=last_deleted(facts) > last, **(described[1] if described else {})
    )


@dataclass(frozen=True, slots=True)
class NameList(Generic[T]):
    """Names in order, without unlisted names; the `unsure` names were not checked.

    The names are texts: a page is a small part of a namespace, and parses its own.
    """

    texts: Sequence[IdText]
    id_of: Callable[[IdText], T]
    unsure: frozenset[T]
    truncated: bool

    def __len__(self) -> int:
        return len(self.texts)


class ListedFacts:
    """The facts of names: the time of the last update of each listed name."""

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._jobs: dict[JobId, JobFacts] = {}

    def load_facts(self, names: Iterable[Id]) -> None:
        """Read the facts of the names."""
        ids = list(names)
        jobs = [name for name in ids if isinstance(name, JobId) and name not in self._jobs]
        datasets = [name for name in ids if isinstance(name, DatasetId)]
        self._view.load(datasets, namespaces={job.namespace for job in jobs}, rows=map(facts_key, jobs))
        self._jobs |= dict.fromkeys(jobs, JobFacts()) | facts_of(jobs, self._view)

    def updated(self, name: Id) -> str | None:
        """Find the time of the last event of a loaded name; None for an unlisted name.

        Unlisted are unknown, hidden and temporary names, and aliases.
        """
        if isinstance(name, JobId):
            facts = self._jobs[name]
            hidden = max(last_deleted(facts), self._view.deleted(name.namespace)) > (facts.last or "")
            return None if facts.first is None or hidden else facts.last or ""
        group = self._view.dataset(name)
        if group is None or group.primary != name or not group.known or is_temporary(group.facts):
            return None
        return group.facts.last or ""


class NameCatalogue:
    """The names of jobs and datasets during a query."""

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._catalogue: Catalogue = read_catalogue(NAMES, view)
        self._facts = ListedFacts(view)

    def _texts(self, kind: NameSet, namespace: str | None) -> Sequence[IdText]:
        """List the names in a namespace (None: in all namespaces), by namespace and name."""
        return self._catalogue[kind] if namespace is None else self._catalogue.under(kind, f"{namespace}\0")

    def every_job(self, namespace: str | None) -> NameList[JobId]:
        """List the listed jobs of a namespace (None: of all namespaces), by namespace and name."""
        return self._every("jobs", job_of, namespace)

    def every_dataset(self, namespace: str | None) -> NameList[DatasetId]:
        """List the listed datasets of a namespace (None: of all namespaces), by namespace and name."""
        return self._every("datasets", dataset_of, namespace)

    def _every(self, kind: _Kind, id_of: Callable[[IdText], T], namespace: str | None) -> NameList[T]:
        """Drop the unlisted names; of the doubtful names, the first `DOUBTFUL_MAX` are checked."""
        texts = self._visible(self._texts(kind, namespace), namespace)
        doubtful = [id_of(text) for text in self._doubtful(texts, kind)]
        unlisted = set(map(text_of, self._unlisted(doubtful[:DOUBTFUL_MAX])))
        listed = [text for text in texts if text not in unlisted] if unlisted else texts
        unsure = frozenset(doubtful[DOUBTFUL_MAX:])
        return NameList(listed, id_of, unsure, self._catalogue.truncated or bool(unsure))

    def _visible(self, texts: Sequence[IdText], namespace: str | None) -> Sequence[IdText]:
        if self._view.caller is EVERYTHING:
            return texts
        covers = cache(self._view.caller.covers)
        if namespace is not None:
            return texts if covers(namespace) else ()
        return [text for text in texts if covers(text.partition("\0")[0])]

    def _doubtful(self, texts: Sequence[IdText], kind: _Kind) -> Sequence[IdText]:
        names = self._catalogue.members(_TO_CHECK[kind])
        namespaces = self._catalogue.members("namespaces_to_check")
        if not names and not namespaces:
            return ()
        return [text for text in texts if text in names or (namespaces and text.partition("\0")[0] in namespaces)]

    def page(self, names: NameList[T], *, limit: int, offset: int) -> list[T]:
        """Take a page of the names; unsure names on the page are checked now."""
        page = list(map(names.id_of, names.texts[offset : offset + limit]))
        unlisted = self._unlisted([name for name in page if name in names.unsure])
        return [name for name in page if name not in unlisted]

    def perhaps_aliases(self, names: Iterable[DatasetId]) -> list[DatasetId]:
        """Choose the names that may be aliases now: unlisted names, and names to check (marked before their facts)."""
        to_check, texts = self._catalogue.members("datasets_to_check"), {text_of(name): name for name in names}
        return [name for text, name in texts.items() if text in to_check or not self._catalogue.has("datasets", text)]

    def _unlisted(self, ids: Sequence[Id]) -> set[Id]:
        self._facts.load_facts(ids)
        return {name for name in ids if self._facts.updated(name) is None}

"""Jobs and datasets that may have a tag or an owner: the listed and visible among the rows of the index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias

from headwater.facts.annotations import Annotations, owner_key
from headwater.facts.facts import dataset_of, job_of
from headwater.facts.list_rows import namespace_prefix
from headwater.facts.table import RowQuery
from headwater.queries.results.entities import Job
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.descriptions import is_temporary
from headwater_model.ids import DatasetId, JobId

AnnotatedKind: TypeAlias = Literal["JOB", "DATASET"]
# Jobs, and datasets, read for a tag or owner.
THINGS_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Annotated:
    """Candidates for a tag or owner; `truncated` if there are more than were read."""

    jobs: list[Job]
    datasets: list[ResolvedDataset]
    truncated: bool


def read_annotated(pk: str, view: GraphView, *, kinds: Sequence[AnnotatedKind], namespace: str | None) -> Annotated:
    """Read the listed and visible things of a partition of the index; of a namespace if it is given.

    The caller checks their present tags and owners.
    """
    among = view.caller.namespaces if namespace is None else [namespace]
    pairs = list(product(kinds, among))
    if "DATASET" in kinds and among and "*" not in among:
        # A dataset of these namespaces may have an alias in another namespace, with the annotation.
        pairs.append(("DATASET", "*"))
    pages = view.query([RowQuery(pk, prefix=namespace_prefix(*pair), limit=THINGS_MAX) for pair in pairs])
    ids = {"JOB": set[str](), "DATASET": set[str]()}
    for (kind, _), page in zip(pairs, pages, strict=True):
        ids[kind].update(row.data["name"] for row in page.rows)
    reader = ListedThings(view, namespace)
    return Annotated(
        reader.jobs(map(job_of, sorted(ids["JOB"]))),
        reader.datasets(map(dataset_of, sorted(ids["DATASET"]))),
        any(page.more for page in pages),
    )


def kinds_of(kind: str | None) -> Sequence[AnnotatedKind]:
    """List the kinds to read for hits of a kind: `dataset`, `job`, or a `column` of a dataset; None for hits of all."""
    return ("DATASET", "JOB") if kind is None else ("JOB",) if kind == "job" else ("DATASET",)


def is_owned(annotations: Annotations, owner: str) -> bool:
    """True if the owner is among the annotations, in any case: `Team:Payments` is `team:payments`."""
    return any(owner_key(other.name) == owner_key(owner) for other in annotations.owners)


@dataclass(frozen=True, slots=True)
class ListedThings:
    """A reader of the listed and visible jobs and datasets; of a namespace if it is given."""

    view: GraphView
    namespace: str | None

    def jobs(self, candidates: Iterable[JobId]) -> list[Job]:
        """Read the listed jobs, without their runs."""
        ids = list(filter(self.wants, candidates))
        self.view.load(jobs=ids)
        return self.view.jobs(ids)

    def datasets(self, candidates: Iterable[DatasetId]) -> list[ResolvedDataset]:
        """Read the listed datasets of the names, each once."""
        names = list(candidates)
        self.view.load(names)
        groups = [group for group in self.view.datasets(names) if self.wants(group.primary)]
        return [group for group in groups if group.known and not is_temporary(group.facts)]

    def wants(self, thing: JobId | DatasetId) -> bool:
        """True if the thing is visible and of the namespace."""
        return self.namespace in (None, thing.namespace) and self.view.sees(thing)

"""Queries by tag: the names of tags, and the jobs, datasets and columns that have one now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal, TypeAlias

from lineage.graph.annotation_facts import annotations_of
from lineage.graph.annotations import KnownTag, Tag, tag_key
from lineage.graph.catalogue import TAGS, read_catalogue
from lineage.graph.entities import Job, SearchHit, SearchSort
from lineage.graph.facts import TagFacts, dataset_of, job_of
from lineage.graph.keys import current_key
from lineage.graph.lattice import latest
from lineage.graph.result_page import ResultPage
from lineage.graph.table import GraphTable, Row, RowQuery
from lineage.graph.tag_rows import NO_NAMESPACE, namespace_prefix, tag_facts_key, tag_pk
from lineage.graph.visibility import EVERYTHING, Visibility
from lineage.graph.words import has_words, typed_words
from lineage.openlineage.event import Facets
from lineage.queries.columns.results import ColumnHit
from lineage.queries.current_facets import read_facets
from lineage.queries.current_jobs import job_of_node
from lineage.queries.dataset_groups import DatasetGroup, DatasetGroups, NamespaceDeletions
from lineage.queries.descriptions import is_temporary, schema_of
from lineage.queries.relevance import rank_of
from lineage_model.columns import ColumnSource
from lineage_model.field_paths import parse_dotted, print_dotted
from lineage_model.ids import DatasetId, JobId

Hit: TypeAlias = SearchHit | ColumnHit
Kind: TypeAlias = Literal["job", "dataset", "column"]
# Jobs, and datasets, that are read for one tag.
THINGS_MAX = 1_000


def list_tags(
    table: GraphTable, *, limit: int, offset: int, visibility: Visibility = EVERYTHING
) -> ResultPage[KnownTag]:
    """Return a page of the tags that were described, or ever used in a namespace that the caller sees, by name."""
    catalogue = read_catalogue(TAGS, table)
    spellings: dict[str, list[str]] = {}
    for namespace, names in catalogue.sets.items():
        for name in names if namespace == NO_NAMESPACE or visibility.covers(namespace) else ():
            spellings.setdefault(tag_key(name), []).append(name)
    tags = sorted(map(min, spellings.values()), key=lambda name: (tag_key(name), name))
    page = tags[offset : offset + limit]
    rows = table.get(map(tag_facts_key, page)) if page else {}
    described = [find_described(rows.get(tag_facts_key(name))) for name in page]
    known = [one or KnownTag(name) for one, name in zip(described, page, strict=True)]
    return ResultPage(known, len(tags), catalogue.truncated)


def find_tag(name: str, table: GraphTable) -> KnownTag | None:
    """Return the tag as the API last described it; None if it did not."""
    key = tag_facts_key(name)
    return find_described(table.get([key]).get(key))


def find_described(row: Row | None) -> KnownTag | None:
    """Return the tag as the API last described it."""
    last = latest(TagFacts(**row.data["facts"]).described) if row else None
    return KnownTag(**last[1]) if last else None


@dataclass(slots=True)
class TaggedDataset:
    """A dataset with a tag, of its own or of a field; `facets` have the schema in force."""

    group: DatasetGroup
    tags: Sequence[Tag]
    facets: Facets

    def columns(self, *, whole: bool) -> Mapping[ColumnSource, list[Tag]]:
        """Return the tagged columns with their tags; a tag of the dataset is one of each column if `whole`.

        A field that the known schema lacks is left out. Where the schema is unknown, the dataset's own tag is that of
        one column without a field.
        """
        schema, found = schema_of(self.facets), dict[ColumnSource, list[Tag]]()
        for tag in self.tags:
            if tag.field is not None:
                path = parse_dotted(tag.field)
                paths: Iterable[tuple[str, ...] | None] = [path] if not schema.known or path in schema.types else []
            else:
                paths = (schema.columns or [None]) if whole else []
            for one in paths:
                found.setdefault(ColumnSource(self.group.primary, one), []).append(tag)
        return found


@dataclass(slots=True)
class Tagged:
    """The jobs and datasets with a tag; `truncated` if there are more than were read."""

    jobs: list[Job] = field(default_factory=list)
    datasets: list[TaggedDataset] = field(default_factory=list)
    truncated: bool = False


def read_tagged(
    tag: str,
    table: GraphTable,
    visibility: Visibility = EVERYTHING,
    *,
    kinds: Sequence[Literal["JOB", "DATASET"]] = ("DATASET", "JOB"),
    namespace: str | None = None,
) -> Tagged:
    """Return what has the tag now, in any case, and is listed and visible; of a namespace if one is given."""
    among = visibility.namespaces if namespace is None else [namespace]
    pairs = list(product(kinds, among))
    queries = [RowQuery(tag_pk(tag), prefix=namespace_prefix(*pair), limit=THINGS_MAX) for pair in pairs]
    pages = table.query(queries) if queries else []
    ids = {"JOB": set[str](), "DATASET": set[str]()}
    for (kind, _), page in zip(pairs, pages, strict=True):
        ids[kind].update(row.data["name"] for row in page.rows)
    tagged = Tagged(truncated=any(page.more for page in pages))
    reader = _TaggedReader(tag, table, visibility, namespace)
    tagged.jobs = reader.jobs(map(job_of, sorted(ids["JOB"])))
    tagged.datasets = reader.datasets(map(dataset_of, sorted(ids["DATASET"])))
    return tagged


@dataclass(slots=True)
class _TaggedReader:
    """A reader that checks candidates against their facts."""

    tag: str
    table: GraphTable
    visibility: Visibility
    namespace: str | None

    def jobs(self, candidates: Iterable[JobId]) -> list[Job]:
        ids = list(filter(self._wants, candidates))
        rows = self.table.get(map(current_key, ids)) if ids else {}
        namespaces = NamespaceDeletions(self.table)
        namespaces.load(job.namespace for job in ids)
        nodes = [rows[current_key(job)].data for job in ids if current_key(job) in rows]
        jobs = [job_of_node(node, namespaces.deleted(job_of(node["job"]).namespace)) for node in nodes]
        return [job for job in jobs if not job.hidden and self._tags_among(job.annotations.tags)]

    def datasets(self, candidates: Iterable[DatasetId]) -> list[TaggedDataset]:
        names = list(candidates)
        groups, namespaces = DatasetGroups(self.table), NamespaceDeletions(self.table)
        groups.load(names)
        every = {groups.primary(name): groups.group(name) for name in names}
        wanted = {primary: group for primary, group in every.items() if self._wants(primary)}
        namespaces.load(primary.namespace for primary in wanted)
        found = [
            (group, tags)
            for group in wanted.values()
            if group.known and not namespaces.hides(group) and not is_temporary(group.facts)
            if (tags := self._tags_among(annotations_of(group.facts).tags))
        ]
        facets = read_facets([group for group, _ in found], self.table)
        return [TaggedDataset(*one, some) for one, some in zip(found, facets, strict=True)]

    def _wants(self, thing: JobId | DatasetId) -> bool:
        return self.namespace in (None, thing.namespace) and self.visibility.sees(thing)

    def _tags_among(self, tags: Sequence[Tag]) -> list[Tag]:
        return [tag for tag in tags if tag_key(tag.name) == tag_key(self.tag)]


def search_tagged(
    tag: str,
    text: str,
    table: GraphTable,
    *,
    kind: Kind | None,
    sort: SearchSort,
    limit: int,
    namespace: str | None = None,
    before: str | None = None,
    after: str | None = None,
    visibility: Visibility = EVERYTHING,
) -> ResultPage[Hit]:
    """Return the jobs, datasets and columns that have the tag, and the words of the text in their names.

    They are updated from `after` on and before `before`; by name or relevance, or the last updated first.
    """
    kinds: Sequence[Literal["JOB", "DATASET"]] = {None: ("DATASET", "JOB"), "job": ("JOB",)}.get(kind, ("DATASET",))
    tagged = read_tagged(tag, table, visibility, kinds=kinds, namespace=namespace)
    hits = [hit for hit in _hits(tagged, kind) if has_words(typed_words(text), _named(hit))]
    hits = [hit for hit in hits if (after is None or hit.updated >= after) and (before is None or hit.updated < before)]
    hits.sort(key=_order)
    if sort == "relevance":
        hits.sort(key=lambda hit: rank_of(_named(hit)[0], text))
    if sort == "updated_at":
        hits.sort(key=lambda hit: hit.updated, reverse=True)
    return ResultPage(hits[:limit], len(hits), tagged.truncated)


def _hits(tagged: Tagged, kind: Kind | None) -> Iterator[Hit]:
    if kind in (None, "job"):
        yield from (SearchHit(job.id, job.updated) for job in tagged.jobs)
    for one in tagged.datasets:
        updated = one.group.facts.last or ""
        if kind in (None, "dataset") and any(tag.field is None for tag in one.tags):
            yield SearchHit(one.group.primary, updated)
        if kind in (None, "column"):
            columns = (source.field for source in one.columns(whole=False))
            yield from (ColumnHit(one.group.primary, path, updated) for path in columns if path is not None)


def _named(hit: Hit) -> tuple[str, ...]:
    """Return the hit's own name, and the names around it, as searches without a tag match them."""
    if isinstance(hit, ColumnHit):
        return print_dotted(hit.field), hit.dataset.name, hit.dataset.namespace
    return hit.id.name, hit.id.namespace


def _order(hit: Hit) -> tuple[str, str, bool, tuple[str, ...]]:
    if isinstance(hit, ColumnHit):
        return hit.dataset.name, hit.dataset.namespace, False, hit.field
    return hit.id.name, hit.id.namespace, isinstance(hit.id, JobId), ()

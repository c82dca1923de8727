"""Queries by tag: the names of tags, and the jobs, datasets and columns with a tag now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from typing_extensions import Unpack

from headwater.events.event import Facets
from headwater.facts.annotations import Annotations, KnownTag, Tag, annotations_of, tag_key
from headwater.facts.catalogue import TAGS, read_catalogue
from headwater.facts.facts import TagFacts
from headwater.facts.lattice import latest
from headwater.facts.list_rows import NO_NAMESPACE, owner_pk, tag_facts_key, tag_pk
from headwater.facts.result_page import ResultPage
from headwater.facts.table import Row
from headwater.facts.words import has_words, typed_words
from headwater.queries.lists.annotated import AnnotatedKind, is_owned, kinds_of, read_annotated
from headwater.queries.lists.name_search import page_by_time, rank_of
from headwater.queries.results.columns import ColumnHit
from headwater.queries.results.entities import Job, SearchHit, SearchOptions
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.descriptions import read_facets, schema_of
from headwater_model.columns import ColumnSource
from headwater_model.field_paths import parse_dotted, print_dotted
from headwater_model.ids import JobId

Hit: TypeAlias = SearchHit | ColumnHit
Kind: TypeAlias = Literal["job", "dataset", "column"]


def list_tags(view: GraphView, *, limit: int, offset: int) -> ResultPage[KnownTag]:
    """List a page of the described tags, and of the tags ever used in a visible namespace, by name."""
    catalogue = read_catalogue(TAGS, view)
    spellings: dict[str, list[str]] = {}
    for namespace, names in catalogue.sets.items():
        for name in names if namespace == NO_NAMESPACE or view.caller.covers(namespace) else ():
            spellings.setdefault(tag_key(name), []).append(name)
    tags = sorted(map(min, spellings.values()), key=lambda name: (tag_key(name), name))
    page = tags[offset : offset + limit]
    rows = view.get(map(tag_facts_key, page))
    described = [find_described(rows.get(tag_facts_key(name))) for name in page]
    known = [tag or KnownTag(name) for tag, name in zip(described, page, strict=True)]
    return ResultPage(known, len(tags), catalogue.truncated)


def find_tag(view: GraphView, name: str) -> KnownTag | None:
    """Find the tag as the API last described it; None if it did not."""
    key = tag_facts_key(name)
    return find_described(view.get([key]).get(key))


def find_described(row: Row | None) -> KnownTag | None:
    """Parse the tag as the API last described it; None without a description."""
    last = latest(TagFacts(**row.data["facts"]).described) if row else None
    return KnownTag(**last[1]) if last else None


@dataclass(slots=True)
class TaggedDataset:
    """A dataset with a tag, of its own or of a field; `facets` have the schema in force."""

    group: ResolvedDataset
    tags: Sequence[Tag]
    facets: Facets

    def columns(self, *, whole: bool) -> Mapping[ColumnSource, list[Tag]]:
        """Group the tags by column; with `whole`, a tag of the dataset is a tag of each column.

        A field that the known schema lacks is left out. Where the schema is unknown, the dataset's own tag stands at a
        column without a field.
        """
        schema, tags_of_columns = schema_of(self.facets), dict[ColumnSource, list[Tag]]()
        for tag in self.tags:
            if tag.field is not None:
                path = parse_dotted(tag.field)
                paths: Iterable[tuple[str, ...] | None] = [path] if not schema.known or path in schema.types else []
            else:
                paths = (schema.columns or [None]) if whole else []
            for column_path in paths:
                tags_of_columns.setdefault(ColumnSource(self.group.primary, column_path), []).append(tag)
        return tags_of_columns


@dataclass(slots=True)
class Tagged:
    """The jobs and datasets with a tag; `truncated` if there are more than were read."""

    jobs: list[Job] = field(default_factory=list)
    datasets: list[TaggedDataset] = field(default_factory=list)
    truncated: bool = False


def read_tagged(
    tag: str,
    view: GraphView,
    *,
    kinds: Sequence[AnnotatedKind] = ("DATASET", "JOB"),
    namespace: str | None = None,
    owner: str | None = None,
) -> Tagged:
    """List the listed and visible jobs and datasets with the tag, in any case; of a namespace or owner if given."""

    def tags_among(annotations: Annotations) -> list[Tag]:
        if owner is not None and not is_owned(annotations, owner):
            return []
        return [other for other in annotations.tags if tag_key(other.name) == tag_key(tag)]

    annotated = read_annotated(tag_pk(tag), view, kinds=kinds, namespace=namespace)
    tagged = Tagged([job for job in annotated.jobs if tags_among(job.annotations)], truncated=annotated.truncated)
    groups = [(group, tags) for group in annotated.datasets if (tags := tags_among(annotations_of(group.facts)))]
    facets = read_facets([group for group, _ in groups], view)
    tagged.datasets = [TaggedDataset(*group, facet) for group, facet in zip(groups, facets, strict=True)]
    return tagged


def search_tagged(
    view: GraphView,
    tag: str,
    text: str = "",
    *,
    kind: Kind | None,
    owner: str | None = None,
    **options: Unpack[SearchOptions],
) -> ResultPage[Hit]:
    """Search the jobs, datasets and columns with the tag, and with the words of the text in their names.

    With an owner, they or their datasets have the owner.
    """
    tagged = read_tagged(tag, view, kinds=kinds_of(kind), namespace=options.get("namespace"), owner=owner)
    return page_of_hits(_hits(tagged, kind), text, options, truncated=tagged.truncated)


def search_owned(
    view: GraphView,
    owner: str,
    text: str = "",
    *,
    kind: Literal["job", "dataset"] | None,
    **options: Unpack[SearchOptions],
) -> ResultPage[Hit]:
    """Search the jobs and datasets of the owner, in any case, with the words of the text in their names."""
    annotated = read_annotated(owner_pk(owner), view, kinds=kinds_of(kind), namespace=options.get("namespace"))
    hits = [SearchHit(job.id, job.updated) for job in annotated.jobs if is_owned(job.annotations, owner)]
    owned = (group for group in annotated.datasets if is_owned(annotations_of(group.facts), owner))
    hits += [SearchHit(group.primary, group.facts.last or "") for group in owned]
    return page_of_hits(hits, text, options, truncated=annotated.truncated)


def page_of_hits(candidates: Iterable[Hit], text: str, options: SearchOptions, *, truncated: bool) -> ResultPage[Hit]:
    """Take the page of the candidates with the words of the text, within the limits of the options."""
    typed, within = typed_words(text), typed_words(options.get("within", ""))
    hits = [hit for hit in candidates if has_words(typed, _named(hit)) and has_words(within, _named(hit)[-1:])]
    hits.sort(key=_order)
    if options["sort"] == "relevance":
        hits.sort(key=lambda hit: rank_of(_named(hit)[0], text))
    return page_by_time(hits, options, truncated=truncated)


def _hits(tagged: Tagged, kind: Kind | None) -> Iterator[Hit]:
    if kind in (None, "job"):
        yield from (SearchHit(job.id, job.updated) for job in tagged.jobs)
    for dataset in tagged.datasets:
        updated = dataset.group.facts.last or ""
        if kind in (None, "dataset") and any(tag.field is None for tag in dataset.tags):
            yield SearchHit(dataset.group.primary, updated)
        if kind in (None, "column"):
            columns = (source.field for source in dataset.columns(whole=False))
            yield from (ColumnHit(dataset.group.primary, path, updated) for path in columns if path is not None)


def _named(hit: Hit) -> tuple[str, ...]:
    """List the hit's own name, and the names around it, as searches without a tag match them."""
    if isinstance(hit, ColumnHit):
        return print_dotted(hit.field), hit.dataset.name, hit.dataset.namespace
    return hit.id.name, hit.id.namespace


def _order(hit: Hit) -> tuple[str, str, bool, tuple[str, ...]]:
    if isinstance(hit, ColumnHit):
        return hit.dataset.name, hit.dataset.namespace, False, hit.field
    return hit.id.name, hit.id.namespace, isinstance(hit.id, JobId), ()

"""Queries of sources: the `dataSource` facets of datasets, and the descriptions of the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from headwater.facts.catalogue import SOURCES, read_catalogue
from headwater.facts.facts import SourceFacts, join
from headwater.facts.lattice import latest
from headwater.facts.list_rows import NO_NAMESPACE, SourceId, source_facts_key
from headwater.facts.result_page import ResultPage
from headwater.queries.results.entities import DEFAULT_SOURCE as DEFAULT
from headwater.queries.results.entities import Source
from headwater.queries.view import GraphView

# Namespaces read for the reports of a source.
NAMESPACES_MAX = 100


def list_sources(view: GraphView, *, limit: int, offset: int) -> ResultPage[Source]:
    """List a page of the sources described by the API, or named by datasets in visible namespaces, by name."""
    namespaces, truncated = _namespaces_by_source(view)
    page = sorted(namespaces)[offset : offset + limit]
    truncated |= any(len(namespaces[name]) > NAMESPACES_MAX for name in page)
    return ResultPage(_read({name: namespaces[name] for name in page}, view), len(namespaces), truncated)


def find_source(view: GraphView, name: str) -> Source | None:
    """Find the source of this name; None if it would not be listed."""
    namespaces, _ = _namespaces_by_source(view)
    return _read({name: namespaces[name]}, view)[0] if name in namespaces else None


def _namespaces_by_source(view: GraphView) -> tuple[dict[str, list[str]], bool]:
    """Group the visible namespaces by the sources they name; return true, too, if sources are missing."""
    catalogue = read_catalogue(SOURCES, view)
    by_source: dict[str, list[str]] = {DEFAULT.name: []}
    for namespace, names in sorted(catalogue.sets.items()):
        if namespace == NO_NAMESPACE or view.caller.covers(namespace):
            for name in names:
                by_source.setdefault(name, []).append(namespace)
    return by_source, catalogue.truncated


def _read(namespaces: Mapping[str, Sequence[str]], view: GraphView) -> list[Source]:
    # The API's description is of every namespace.
    of = {
        name: [
            SourceId(namespace, name) for namespace in {NO_NAMESPACE: 0, **dict.fromkeys(reporters[:NAMESPACES_MAX])}
        ]
        for name, reporters in namespaces.items()
    }
    rows = view.get(source_facts_key(source) for ids in of.values() for source in ids)
    sources = []
    for name, ids in of.items():
        stored = {source.namespace: rows[key] for source in ids if (key := source_facts_key(source)) in rows}
        facts = {namespace: SourceFacts(**row.data["facts"]) for namespace, row in stored.items()}
        sources.append(source_of(name, facts))
    return sources


def source_of(name: str, facts: Mapping[str, SourceFacts]) -> Source:
    """Make the source: as the API described it last, else with a URL reported by a namespace.

    The namespace with the earliest reported URL counts: the URLs of the rest stay private. Of its URLs the last added
    counts.
    """
    whole = reduce(join, facts.values(), SourceFacts())
    set_at, values = latest(whole.described) or ("", {})
    reported = [(min(named.urls.values()), namespace) for namespace, named in facts.items() if named.urls]
    urls = facts[min(reported)[1]].urls if reported else {}
    url = values.get("connectionUrl") or max(((time, url) for url, time in urls.items()), default=("", ""))[1]
    return Source(
        name=name,
        type=values.get("type") or type_of(url),
        created=whole.first or DEFAULT.created,
        updated=max(DEFAULT.updated, whole.first or "", *urls.values(), set_at.partition("#")[0]),
        url=url,
        description=values.get("description"),
    )


def type_of(url: str) -> str:
    """Guess the type of a source known from events alone: the scheme of its URL.

    >>> type_of("s3://flights"), type_of("jdbc:postgresql://db:5432/flights"), type_of("")
    ('S3', 'POSTGRESQL', 'UNKNOWN')
    """
    scheme, colon, _ = url.removeprefix("jdbc:").partition(":")
    return scheme.upper() if colon and scheme else DEFAULT.type

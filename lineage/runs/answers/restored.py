"""Facets that are kept by content, put back where facts hold references to them."""

from __future__ import annotations

from collections.abc import Sequence

from lineage.runs.event import Facets
from lineage.runs.facts.keys import telling_key
from lineage.runs.facts.table import GraphTable
from lineage.runs.facts.tellings import telling_of


def restored(every: Sequence[Facets], table: GraphTable) -> list[Facets]:
    """The facets as they were sent; one round of requests, if any has to be looked up."""
    wanted = {
        telling: telling_key(telling) for facets in every for telling in map(telling_of, facets.values()) if telling
    }
    rows = table.get(wanted.values()) if wanted else {}
    sent = {telling: rows[key].data for telling, key in wanted.items() if key in rows}
    return [{name: sent.get(telling_of(facet) or "", facet) for name, facet in facets.items()} for facets in every]


def without_references(facets: Facets) -> Facets:
    """The facets but for those that are kept by content: graphs do not look them up."""
    return {name: facet for name, facet in facets.items() if telling_of(facet) is None}

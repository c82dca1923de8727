"""Facets, and the order of statements that decides which of them stays."""

from __future__ import annotations

import orjson


def canonical(value):
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def when(statement):
    return statement.time, statement.hash


def merged(pairs):
    """Return facets by name from (event, facets): of each the latest; `_deleted` takes it away."""
    last = {}
    for event, facets in pairs:
        for name, body in facets.items():
            key = (*when(event), canonical(body))
            last[name] = max(last.get(name, (key, body)), (key, body), key=lambda one: one[0])
    return {name: body for name, (_, body) in sorted(last.items()) if body.get("_deleted") is not True}


def text_in(facets, facet, name):
    """Return a text in a facet, None if there is none or an empty one."""
    value = facets.get(facet, {}).get(name)
    return value if isinstance(value, str) and value else None

"""The fields of a schema facet, at any depth."""

from __future__ import annotations


def fields_of(facets):
    """Return the type (or None) of each path; empty without a schema."""
    found = {}
    _collect(facets.get("schema", {}).get("fields") or [], (), found)
    return found


def _collect(forms, above, found):
    for form in forms:
        path = (*above, form["name"])
        found[path] = form.get("type")
        _collect(form.get("fields") or [], path, found)


def top_level(fields):
    return [path for path in fields if len(path) == 1]

"""The fields of a schema facet, at any depth."""


def fields_of(facets):
    """Return the type (or None) of each path; empty without a schema."""
    types = {}
    _collect(facets.get("schema", {}).get("fields") or [], (), types)
    return types


def _collect(forms, above, types):
    for form in forms:
        path = (*above, form["name"])
        types[path] = form.get("type")
        _collect(form.get("fields") or [], path, types)


def top_level(fields):
    return [path for path in fields if len(path) == 1]


def place_in(fields, path):
    """Return the place of a path's column in the schema, from 1; None outside of it."""
    return next((place for place, column in enumerate(top_level(fields), 1) if column == path[:1]), None)

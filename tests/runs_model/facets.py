"""Facets, and the order of statements that decides which of them stays."""

import orjson

from headwater_model.times import parse_time


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
            last[name] = max(last.get(name, (key, body)), (key, body), key=lambda keyed: keyed[0])
    return {name: body for name, (_, body) in sorted(last.items()) if body.get("_deleted") is not True}


def text_in(facets, facet, name):
    """Return a text in a facet, None if there is none or an empty one."""
    value = facets.get(facet, {}).get(name)
    return value if isinstance(value, str) and value else None


def time_in(facets, facet, name):
    try:
        return parse_time(text_in(facets, facet, name) or "")
    except ValueError:
        return None


def described(dataset, facets):
    """Return the description of a dataset in its facets, in Marquez's terms."""
    return {
        "type": "STREAM" if text_in(facets, "datasetType", "datasetType") in ("TOPIC", "STREAM") else "DB_TABLE",
        "physical_name": dataset.name,
        "source_name": text_in(facets, "dataSource", "name") or "default",
        "fields": facets.get("schema", {}).get("fields", []),
        "description": text_in(facets, "documentation", "description"),
        "lifecycle": text_in(facets, "lifecycleStateChange", "lifecycleStateChange"),
    }


def job_type(facets):
    processing = (text_in(facets, "jobType", "processingType") or "").upper()
    return {"STREAMING": "STREAM", "SERVICE": "SERVICE"}.get(processing, "BATCH")


def labels_in(facets):
    labels = (text_in(facets, "jobType", name) for name in ("jobType", "integration"))
    return tuple(label for label in labels if label is not None)

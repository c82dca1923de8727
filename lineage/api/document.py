"""The OpenAPI document of the HTTP API: `python -m lineage.api.document` writes `openapi.json` anew.

It is built here and not by the router, whose document needs its validation: a third of a cold start (measured).
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from lineage.api import (
    document_cdap,
    document_columns,
    document_events,
    document_reports,
    document_runs,
    document_search,
    schemas_cdap,
    schemas_columns,
    schemas_reports,
    schemas_runs,
)
from lineage.api.access import scope_of
from lineage.api.answers import LINES
from lineage.api.app import DOCUMENT
from lineage.api.document_parts import (
    JSON_TYPE,
    SECURITY_SCHEMES,
    Json,
    answer_of,
    body_of,
    in_path,
    in_query,
    operation,
    with_headers,
)
from lineage.api.records import LIMIT_MAX
from lineage.api.schemas import ACTION, NODE_ID, REQUESTS, ROOT_ID, SCHEMAS, Schema, ref
from lineage.api.traces import VERSION_MAX

VERSION = "1"
_PARTS = (document_events, document_runs, document_columns, document_cdap, document_reports, document_search)


def build() -> Json:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Headwater",
            "version": VERSION,
            "description": "Where data came from: which steps made a record, which jobs read and write which datasets, "
            "which columns are made of which.",
            "license": {"name": "Apache 2.0", "identifier": "Apache-2.0"},
        },
        # Relative to the document's own address: the API may be behind a stage or a domain.
        "servers": [{"url": "."}],
        "paths": _secured(_merged(_paths(), *(part.paths() for part in _PARTS))),
        "security": [{"sigv4": []}, {"bearer": []}],
        "components": {
            "schemas": {
                **SCHEMAS,
                **document_events.SCHEMAS,
                **document_search.SCHEMAS,
                **schemas_runs.SCHEMAS,
                **schemas_columns.SCHEMAS,
                **schemas_cdap.SCHEMAS,
                **schemas_reports.SCHEMAS,
            },
            "securitySchemes": SECURITY_SCHEMES,
        },
    }


def _merged(*parts: Mapping[str, Json]) -> Mapping[str, Json]:
    """The paths of all parts; a path may have operations in several."""
    merged: dict[str, Json] = {}
    for part in parts:
        merged |= {path: {**merged.get(path, {}), **item} for path, item in part.items()}
    return merged


def _secured(paths: Mapping[str, Json]) -> Mapping[str, Json]:
    """Add to each operation the scope that a token needs, as OpenAPI 3.1 names roles."""
    return {path: {method: _with_scope(path, method, one) for method, one in paths[path].items()} for path in paths}


def _with_scope(path: str, method: str, part: object) -> object:
    scope = scope_of(method.upper(), path)
    if scope is None or not isinstance(part, Mapping):  # the parameters of a path are a list
        return part
    return {**part, "security": [{"sigv4": []}, {"bearer": [scope]}]}


def _paths() -> Mapping[str, Json]:
    root, node = in_path("root_id", ROOT_ID), in_path("node_id", NODE_ID)
    return {
        "/": {"get": operation("start", "Whose API this is", {"200": answer_of("The API.", "Start")})},
        "/openapi.json": {
            "get": operation("document", "This document", {"200": body_of("OpenAPI 3.1.", {"type": "object"})})
        },
        "/api/v1/records": {"post": _post_records()},
        "/api/v1/records/roots/{root_id}": {"parameters": [root], "get": _get_root()},
        "/api/v1/records/roots/{root_id}/trace": {"parameters": [root], "get": _get_trace(), "post": _post_trace()},
        "/api/v1/records/nodes/{node_id}": {"parameters": [node], "get": _get_node()},
    }


def _post_records() -> Json:
    examples = {str(number): {"value": request} for number, request in enumerate(REQUESTS, 1)}
    content = {"schema": ref("LineageRequest"), "examples": examples}
    return operation(
        "postRecords",
        "Record a step of a pipeline",
        {"201": answer_of("Durable in a queue; the records can be read within a minute or two.", "LineageAnswer")},
        errors=("400", "413", "422", "503"),
        description="A request is accepted whole or not at all. It may come gzipped (`Content-Encoding: gzip`), "
        "4 MB as sent. With a `request_id` and `requested_at` a retry makes the same records again.",
        requestBody={"required": True, "content": {JSON_TYPE: content}},
    )


def _get_root() -> Json:
    limit: Schema = {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": 100}
    return operation(
        "getRoot",
        "The live records of a root, page by page",
        {"200": answer_of("By node id; a page may be short, or empty, and not be the last.", "RecordPage")},
        errors=("400", "404", "503"),
        description="A root whose records have all expired answers none: its trace has them. An unknown root is 404.",
        parameters=[
            in_query("action", ACTION, "Only the records that this action made."),
            in_query("limit", limit, "The most records of a page."),
            in_query("cursor", {"type": "string", "minLength": 1}, "As the last answer to the same question gave it."),
        ],
    )


def _get_node() -> Json:
    one_or_more: Schema = {"anyOf": [ref("Place"), ref("Places")]}
    return operation(
        "getNode",
        "A record, the path to it, and what came of it",
        {"200": body_of("One place; `matches` if several roots have a node of this id.", one_or_more)},
        errors=("400", "404", "503"),
        description="Live records only. Up to 10,000 records of a root are looked at; `truncated` says if it has more.",
    )


def _get_trace() -> Json:
    lines = {"description": "A `TraceLine` a line.", "content": {LINES: {"schema": {"type": "string"}}}}
    elsewhere = with_headers(
        answer_of("The lines lie in S3, gzipped, behind this link for 15 minutes.", "Elsewhere"), "Location"
    )
    return operation(
        "getTrace",
        "Everything known of a root, a line for each leaf",
        {"200": lines, "303": elsewhere, "202": _queued("Too large to be traced at once.")},
        errors=("400", "404", "413", "503"),
        description="Live records, expired ones and archived ones together. Answers above 4 MB are links.",
        parameters=[
            in_query(
                "after",
                {"type": "integer", "minimum": 0, "maximum": VERSION_MAX},
                "From a `Location` to poll: answers the archive once it is later than this version.",
            )
        ],
    )


def _post_trace() -> Json:
    return operation(
        "postTrace",
        "Trace and archive a root now",
        {"202": _queued("Its trace is queued.")},
        errors=("400", "404", "503"),
    )


def _queued(description: str) -> Json:
    answer = answer_of(f"{description} `Location` is the place to poll.", "TraceQueued")
    return with_headers(answer, "Location", "Retry-After")


def render() -> str:
    """The document as it is checked in."""
    return json.dumps(build(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    DOCUMENT.write_text(render(), encoding="utf-8")

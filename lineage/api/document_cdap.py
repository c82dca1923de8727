"""The part of the OpenAPI document that tells of operations on fields: CDAP's routes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lineage.api import examples_cdap as examples
from lineage.api import time_range
from lineage.api.cdap import query
from lineage.api.cdap.routes import TRUNCATED
from lineage.api.document_parts import Json, in_path, in_query, question
from lineage.api.examples_runs import NAMESPACE
from lineage.api.schemas import Schema

_NAMESPACE = "/v3/namespaces/{namespace}"
_CUT = f"What is not known is empty. `{TRUNCATED}: true` if there was more than a question may read."


def paths() -> Mapping[str, Json]:
    """Path -> its operations."""
    namespace, field = (
        _segment("namespace", NAMESPACE),
        _segment("field", examples.FIELD, "A path: `employees%2Fname`."),
    )
    endpoint, dataset = (_segment(name, examples.DATASET) for name in ("endpoint", "dataset"))
    return {
        f"{_NAMESPACE}/endpoints/{{endpoint}}/fields/lineage": {
            "parameters": [namespace, endpoint],
            "get": _get_mappings(),
        },
        f"{_NAMESPACE}/endpoints/{{endpoint}}/fields/{{field}}/lineage": {
            "parameters": [namespace, endpoint, field],
            "get": _get_detail(),
        },
        f"{_NAMESPACE}/datasets/{{dataset}}/fields/{{field}}/lineage": {
            "parameters": [namespace, dataset, field],
            "get": _get_paths(),
        },
    }


def time_range_parameters() -> list[Json]:
    """The two ends of a time range."""
    rule = time_range.RULE.removeprefix("must be ")
    return [
        _moment("start", [str(examples.START_S), "now-30d"], f"Runs that started from here on: {rule}."),
        _moment("end", ["now", str(examples.END_S)], "Runs that started before; as `start`."),
    ]


def _moment(name: str, texts: Sequence[str], description: str) -> Json:
    return {**in_query(name, {"type": "string", "examples": texts}, description), "required": True}


def _get_mappings() -> Json:
    level: Schema = {"type": "integer", "minimum": 1, "maximum": query.LEVEL_MAX, "default": query.LEVEL}
    return _get(
        "getFieldMappings",
        "Which fields went into which, up and down from an endpoint",
        "By (source, destination).",
        "FieldMappings",
        in_query("level", level, "How many endpoints far, in each direction."),
    )


def _get_detail() -> Json:
    words: Schema = {"type": "string", "enum": list(query.DIRECTIONS), "default": "both"}
    return _get(
        "getFieldDetail",
        "The operations that made a field, or took it",
        "One level: from the endpoints that were read to those that were written.",
        "FieldDetail",
        in_query("direction", words, "In any case; `incoming` is `backward`, `outgoing` is `forward`."),
    )


def _get_paths() -> Json:
    words: Schema = {"type": "string", "enum": list(query.VIEWS)}
    return _get(
        "getFieldPaths",
        "The different ways in which a field was made",
        "That of the newest run first.",
        "FieldPaths",
        in_query("view", words, "How to draw each way, if not as operations in their order."),
    )


def _get(operation_id: str, summary: str, answer: str, schema: str, parameter: Json) -> Json:
    parameters = [*time_range_parameters(), parameter]
    return question(
        operation_id, summary, answer, schema, parameters, errors=("400", "503"), headers=(TRUNCATED,), description=_CUT
    )


def _segment(name: str, example: str, rule: str = "") -> Json:
    segment = in_path(name, {"type": "string", "minLength": 1, "examples": [example]})
    return {**segment, "description": f"{rule} {segment['description']}".strip()}

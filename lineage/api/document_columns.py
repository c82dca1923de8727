"""The part of the OpenAPI document that tells of columns, in Marquez's form."""

from __future__ import annotations

from collections.abc import Mapping

from lineage.api import examples_columns as examples
from lineage.api.document_parts import Json, in_query, question
from lineage.api.document_runs import TIME, TIME_RULE
from lineage.api.marquez import query
from lineage.api.marquez.columns import DEPTH
from lineage.api.schemas import Schema

_NAME: Schema = {"type": "string", "minLength": 1}


def paths() -> Mapping[str, Json]:
    """Path -> its operations."""
    return {
        "/api/v1/column-lineage": {"get": _get_columns()},
        "/api/v1/column-lineage/origins": {"get": _get_origins()},
    }


def _get_columns() -> Json:
    depth: Schema = {"type": "integer", "minimum": 0, "maximum": query.DEPTH_MAX, "default": DEPTH}
    downstream: Schema = {"type": "string", "enum": ["true", "false"], "default": "false"}
    return question(
        "getColumnLineage",
        "What columns are made of, and what is made of them",
        "What was asked, and what is near it.",
        "ColumnGraph",
        [
            _node_id(
                "`datasetField:<namespace>:<name>:<field>`, also `dataset_field:`; `dataset:<namespace>:<name>` for "
                "all its columns, `job:<namespace>:<name>` for those that it writes; and `#<version>` for one."
            ),
            in_query("depth", depth, "How many columns away; 0 is what was asked, with its inputs told."),
            in_query("withDownstream", downstream, "Also what is made of it; not of a version, nor at a time."),
            in_query("lineageAt", TIME, f"What the latest versions before this time were made of. {TIME_RULE}"),
            in_query("datasetVersion", _NAME, "What this version of the dataset was made of; as `#<version>`."),
        ],
        description="Of `#<version>`, `datasetVersion`, `lineageAt` and `withDownstream` one is given. Up and down are "
        "walked apart from each other, so that what merely shares a source is not met. Ids are looked up, not taken "
        "apart: namespaces, names and fields may hold colons.",
    )


def _get_origins() -> Json:
    return question(
        "getColumnOrigins",
        "From a field down to runs and records",
        "The versions that its writers made last, or the one that was asked for.",
        "Origins",
        [_node_id("`datasetField:<namespace>:<name>:<field>`, and `#<version>` for one.")],
    )


def _node_id(description: str) -> Json:
    return {**in_query("nodeId", {**_NAME, "examples": [examples.NODE_ID]}, description), "required": True}

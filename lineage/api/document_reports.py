"""The part of the OpenAPI document that tells of reports."""

from __future__ import annotations

from collections.abc import Mapping

from lineage.api import examples_reports as examples
from lineage.api.document_cdap import time_range_parameters
from lineage.api.document_parts import JSON_TYPE, Json, elsewhere, in_query, operation
from lineage.api.reports.routes import FORMATS
from lineage.api.schemas import ref

_TABLE = (
    "As a table, `section` says what a row is about: `asked` is the first, `truncated` the last if there was more. "
    "Every cell is quoted. Cells that a spreadsheet would compute begin with an apostrophe."
)


def paths() -> Mapping[str, Json]:
    """Path -> its operations."""
    return {
        "/api/v1/reports/usage": {
            "get": _get(
                "reportUsage", "Which runs used a field in a time range, and what it flowed into", "UsageReport"
            )
        },
        "/api/v1/reports/provenance": {
            "get": _get(
                "reportProvenance",
                "Where a field came from in a time range, and by which operations",
                "ProvenanceReport",
            )
        },
    }


def _get(operation_id: str, summary: str, schema: str) -> Json:
    content = {JSON_TYPE: {"schema": ref(schema)}, "text/csv": {"schema": {"type": "string"}}}
    headers = {
        "Content-Disposition": {"schema": {"type": "string"}, "description": "With a table: the name of its file."}
    }
    return operation(
        operation_id,
        summary,
        {
            "200": {"description": "The report.", "content": content, "headers": headers},
            "303": elsewhere("Content-Disposition"),
        },
        errors=("400", "404", "503"),
        description=_TABLE,
        parameters=[_node_id(), *time_range_parameters(), _format()],
    )


def _node_id() -> Json:
    schema = {"type": "string", "minLength": 1, "examples": [examples.NODE_ID]}
    return {**in_query("nodeId", schema, "`datasetField:<namespace>:<dataset>:<field>`."), "required": True}


def _format() -> Json:
    schema = {"type": "string", "enum": list(FORMATS)}
    return in_query("format", schema, "Without it `Accept: text/csv` asks for a table.")

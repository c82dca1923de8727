"""The route of a row: the runs of its creation and its last change, and their JSON."""

from __future__ import annotations

from typing import Literal

from aws_lambda_powertools.event_handler import Response
from typing_extensions import TypedDict

from headwater.api.http.parameters import Parameter, parsed, parsed_segment
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.marquez.column_types import ColumnLineage, MoreThanHolds, Origin
from headwater.api.marquez.columns import render_column_lineage, render_origin
from headwater.api.marquez.graph_types import UpstreamInput
from headwater.api.marquez.graph_views import render_upstream
from headwater.api.marquez.parameters import DATASET, NAMESPACE, read_dataset_id
from headwater.api.marquez.responses import require
from headwater.api.route import Route, Services, Within
from headwater.api.types import Count, Id
from headwater.api.values import render_id
from headwater.features.rows.row_commits import RowCommit, RowStep, find_row
from headwater.features.rows.row_ids import NUMBER_MAX
from headwater.queries.graphs.node_ids import result_by_name
from headwater_model.ids import DatasetId


class RowVersion(Origin):
    """The version of a commit, with the run, the record roots, the read versions and the columns' sources."""

    sequence: Count
    branch: str | None
    """The written branch of the table; null for the table itself."""
    inputs: list[UpstreamInput]
    """The versions read by the run; empty if its job is hidden from the caller."""
    columns: list[ColumnLineage] | None
    """The columns of the version with their sources and transformations; null without a report."""
    truncated: MoreThanHolds


class RowLineageStep(TypedDict):
    """The commit of a row's creation or last change."""

    known: Literal["exact", "atOrBefore", "unknown"]
    """`atOrBefore`: an upgrade of the table gave the id; the row may be older."""
    reason: str | None
    """Null if the commit is exact."""
    commit: RowVersion | None


class RowLineage(TypedDict):
    """A row by its own id, in the newest table of the name."""

    dataset: Id
    rowId: Count
    table: str | None
    """The UUID of the table; null if no version reports ids."""
    made: RowLineageStep
    changed: RowLineageStep | None
    """Null without `sequence`."""


def get_row(services: Services, request: HttpRequest) -> Response[str]:
    """Find the run of a row's creation, and the run of its last change.

    For tables of Iceberg's format 3 (`_row_id`, `_last_updated_sequence_number`) and of Delta with row tracking
    (`_metadata.row_id`, `_metadata.row_commit_version`), from the commits reported by captured runs. No data is read.

    Returns:
        Both commits; `unknown` for a commit without a report.
    """
    dataset, row_id, sequence = read_dataset_id(request), ROW_ID.read(request), SEQUENCE.read(request)
    view = services.queries.together().view()
    history = result_by_name(dataset, lambda name: find_row(name, row_id, sequence, view), view)
    row = require(history, "Dataset", dataset.name)
    body: RowLineage = {
        "dataset": render_id(row.dataset),
        "rowId": row_id,
        "table": row.table,
        "made": _render_step(row.dataset, row.made),
        "changed": _render_step(row.dataset, row.changed) if row.changed else None,
    }
    return respond_json(services.links, body)


def _render_step(dataset: DatasetId, step: RowStep) -> RowLineageStep:
    commit = step.commit
    return {
        "known": step.known,
        "reason": step.reason,
        "commit": _render_commit(dataset, commit) if commit else None,
    }


def _render_commit(dataset: DatasetId, commit: RowCommit) -> RowVersion:
    return {
        **render_origin(dataset, commit.origin),
        "sequence": commit.ids.sequence,
        "branch": commit.branch,
        "inputs": render_upstream(commit.run)["inputs"] if commit.run else [],
        "columns": render_column_lineage(commit.columns.columns),
        "truncated": commit.truncated,
    }


def _parse_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:20]) <= NUMBER_MAX):
        raise ValueError(f"must be a whole number from 0 to {NUMBER_MAX}")
    return int(text)


_NUMBER = {"type": "integer", "minimum": 0, "maximum": NUMBER_MAX}
ROW_ID: Parameter[int] = parsed_segment("row_id", {**_NUMBER, "examples": ["17"]}, _parse_number)
SEQUENCE = parsed("sequence", "The row's sequence number: of the commit that changed it last.", _NUMBER, _parse_number)
ROUTES = (
    Route(
        "GET",
        "/api/v1/namespaces/<namespace>/datasets/<dataset>/rows/<row_id>",
        get_row,
        scope="read",
        within=Within.NAMESPACE,
        parameters=(NAMESPACE, DATASET, ROW_ID, SEQUENCE),
        returns=RowLineage,
    ),
)

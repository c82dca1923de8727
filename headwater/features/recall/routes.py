"""The route of a recall: dataset versions with rows of a load, as JSON."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.event_handler import Response
from typing_extensions import TypedDict

from headwater.api.http.parameters import Parameter, choice, moment, nonblank_text, number, words
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.marquez.responses import require
from headwater.api.route import Services, Within, read_route
from headwater.api.types import Time
from headwater.api.values import render_version_id, when
from headwater.features.recall import RUNS_MAX, VERSIONS_MAX
from headwater.features.recall.versions import Grade, Held, Recall
from headwater.queries.graphs.node_ids import find_node
from headwater.walk import Budget
from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId


class RecalledVersion(TypedDict):
    """A version with rows of the load."""

    namespace: str
    name: str
    version: str
    grade: Grade
    """`certainly`: each run on the way reported the version read."""
    run: str
    job: str
    """The node id of the run's job."""
    createdAt: Time
    part: dict[str, list[Any]] | None
    """Partitions or locations of the facet `subset`; null if unknown."""
    owners: list[str]
    repairedBy: str | None
    """The run with new rows in place of the load."""


class RecallReport(TypedDict):
    """All versions with rows of a load."""

    versions: list[RecalledVersion]
    """By dataset and time."""
    cut: list[str]
    """The unread parts; empty for a whole list."""


def _read_runs(request: HttpRequest) -> list[str]:
    runs = request.values("runId")
    if len(runs) > RUNS_MAX or not all(map(str.strip, runs)):
        raise Invalid.because("runId", runs[:RUNS_MAX], f"must be at most {RUNS_MAX} run ids, and not blank")
    return list(dict.fromkeys(runs))


_NODE_ID = nonblank_text(
    "nodeId",
    "`dataset:<namespace>:<name>`: its versions from `start` on and before `end`; with `#<version>` this version. "
    "Either this or `runId`.",
    "dataset:s3://flights:checked",
)
_RUNS = Parameter(
    "runId",
    f"Runs, each with its child runs: their outputs. At most {RUNS_MAX}.",
    {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": RUNS_MAX},
    _read_runs,
    is_repeated=True,
)
_START, _END = moment("start", "Versions from then on."), moment("end", "Versions before then.")
_GRADES: tuple[Grade, ...] = ("certainly", "possibly")
_GRADE = choice("grade", "Of the outputs of the runs: `possibly` if they may lack the load.", words(_GRADES)).default(
    "certainly"
)
_LIMIT = number("limit", "The most versions.", least=1, most=VERSIONS_MAX).default(VERSIONS_MAX)


def report_recall(services: Services, request: HttpRequest) -> Response[str]:
    """Report the dataset versions with rows of a load, by grade, with their partitions, owners and runs.

    The load is a version, a dataset's versions of a time, or the outputs of runs. A reader of other partitions alone is
    left out. Later versions of a table hold the load, too, until a run replaced its rows.

    Returns:
        The report.
    """
    node_id, runs = _NODE_ID.read(request), _RUNS.read(request)
    if (node_id is None) == (not runs):
        raise Invalid.because("nodeId", node_id, "must be given, or else runId, and not both")
    recall = Recall(services.queries.together().view(), Budget(_LIMIT.read(request)))
    grade = _GRADE.read(request)
    known = [recall.from_run(run, grade) for run in runs]
    if node_id is not None:
        known = [_start_at(node_id, request, recall)]
    require(any(known) or None, "Version" if node_id else "Run", node_id or runs[0])
    report: RecallReport = {"versions": list(map(_render, recall.walk())), "cut": list(recall.cuts)}
    return respond_json(services.links, report)


def _start_at(node_id: str, request: HttpRequest, recall: Recall) -> bool:
    node, start, end = (
        require(find_node(node_id, recall.view), "Node", node_id),
        _START.read(request),
        _END.read(request),
    )
    if not isinstance(node.id, DatasetId):
        raise Invalid.because("nodeId", node_id, "must be dataset:<namespace>:<name>, with #<version> or without")
    if node.version and (start or end):
        raise Invalid.because("nodeId", node_id, "must name no version where start or end is given")
    return recall.from_versions(node.id, node.version, start or "", end or "~")


def _render(held: Held) -> RecalledVersion:
    return {
        **render_version_id(held.dataset, held.version),
        "grade": held.grade,
        "run": held.run.id,
        "job": held.run.job.node_id,
        "createdAt": when(held.created),
        "part": None if held.part is None else {kind: list(entries) for kind, entries in held.part.items()},
        "owners": list(held.owners),
        "repairedBy": held.repaired_by,
    }


ROUTES = (
    read_route(
        "/api/v1/reports/recall",
        report_recall,
        Within.NODE,
        (_NODE_ID, _RUNS, _START, _END, _GRADE, _LIMIT),
        RecallReport,
    ),
)

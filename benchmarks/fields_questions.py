"""The questions about columns that are measured, of a chain that `fields_pipelines` makes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote

from benchmarks.fields_pipelines import dataset
from benchmarks.fields_world import Question
from benchmarks.pipelines import CHAIN, EACH, HUB, Step, run_id, run_start
from lineage.graph.run_facts import run_version_id
from lineage_model.ids import DatasetId

DEPTH = 20
LEVEL = 10
_PAGE = 20
_WORKED_OUT = "kg_co2"
# It goes into four columns beside itself, the other into none.
_REF = "distance"
_CARRIED = "carrier"


def now_questions(chain: Sequence[Step]) -> dict[str, Question]:
    """Of the present: a column's way up, one's way down, a whole dataset's both ways; and a dataset's resource."""
    first, middle, last = _stage(chain, 0), _stage(chain, CHAIN // 2), _stage(chain, CHAIN)
    return {
        "up": column_lineage(field_node(last, _WORKED_OUT)),
        "down": column_lineage(field_node(first, _REF), withDownstream="true"),
        "dataset": column_lineage(middle.node_id, withDownstream="true"),
        "resource": _resource(middle),
        "list": Question(f"/api/v1/namespaces/{_segment(middle.namespace)}/datasets", {"limit": _PAGE}),
    }


def past_questions(chain: Sequence[Step], run: int) -> dict[str, Question]:
    """Of a run of each job: the version that it made, the time when all had ended, the window in which they started."""
    last = field_node(_stage(chain, CHAIN), _WORKED_OUT)
    version = run_version_id(_stage(chain, CHAIN), chain[-1].id.namespace, run_id(chain[-1], run))
    start = run_start(chain[0], run)
    return {
        "version": column_lineage(f"{last}#{version}"),
        "at": column_lineage(last, lineageAt=_seconds(start + EACH)),
        **window_questions(chain, start, start + EACH),
    }


def window_questions(chain: Sequence[Step], start: datetime, end: datetime) -> dict[str, Question]:
    """CDAP's, and the reports, of the runs that started in a window."""
    first, middle, last = _stage(chain, 0), _stage(chain, CHAIN // 2), _stage(chain, CHAIN)
    window = _window(start, end)
    return {
        "mappings": Question(f"{_of('endpoints', middle)}/fields/lineage", {**window, "level": LEVEL}),
        "detail": Question(f"{_of('endpoints', middle)}/fields/{_WORKED_OUT}/lineage", {**window, "direction": "both"}),
        "paths": Question(f"{_of('datasets', middle)}/fields/{_WORKED_OUT}/lineage", window),
        "usage": Question("/api/v1/reports/usage", {"nodeId": field_node(first, _REF), **window}),
        "provenance": Question("/api/v1/reports/provenance", {"nodeId": field_node(last, _WORKED_OUT), **window}),
    }


def all_runs(chain: Sequence[Step], runs: int) -> dict[str, Question]:
    """The questions of a window that holds all runs of the chain's jobs."""
    return window_questions(chain, run_start(chain[0], 0), run_start(chain[0], runs))


def hub_questions(reader: Step, run: int) -> dict[str, Question]:
    """Of a column of the hub: what is made of it now, and what runs with a number made of it."""
    start = run_start(reader, run)
    window = _window(start, start + EACH)
    return {
        "down": column_lineage(field_node(HUB, _CARRIED), withDownstream="true"),
        "mappings": Question(f"{_of('endpoints', HUB)}/fields/lineage", {**window, "level": 1}),
        "usage": Question("/api/v1/reports/usage", {"nodeId": field_node(HUB, _CARRIED), **window}),
    }


def alike_questions(step: Step, column: str, runs: int) -> dict[str, Question]:
    """Of all runs of a job together: what went into a dataset that it made, and the operations of a column."""
    made, window = dataset(step.outputs[0]), _window(run_start(step, 0), run_start(step, runs))
    return {
        "mappings": Question(f"{_of('endpoints', made)}/fields/lineage", {**window, "level": 1}),
        "detail": Question(f"{_of('endpoints', made)}/fields/{column}/lineage", {**window, "direction": "both"}),
    }


def wide_questions(step: Step, column: str) -> dict[str, Question]:
    """Of what the run of a job made all of all: a column, the whole dataset, the mapping, a column's operations."""
    read, made = dataset(step.inputs[0]), dataset(step.outputs[0])
    start = run_start(step, 0)
    window = _window(start, start + EACH)
    return {
        "column": column_lineage(field_node(made, column)),
        "dataset": column_lineage(made.node_id),
        "down": column_lineage(read.node_id, withDownstream="true"),
        "resource": _resource(made),
        "mappings": Question(f"{_of('endpoints', made)}/fields/lineage", {**window, "level": 1}),
        "detail": Question(f"{_of('endpoints', made)}/fields/{column}/lineage", {**window, "direction": "both"}),
        "usage": Question("/api/v1/reports/usage", {"nodeId": field_node(read, column), **window}),
    }


def column_lineage(node_id: str, **query: object) -> Question:
    """A graph of columns, far enough for a chain."""
    return Question("/api/v1/column-lineage", {"nodeId": node_id, "depth": DEPTH, **query})


def field_node(of: DatasetId, column: str) -> str:
    """A column's node id."""
    return f"datasetField:{of.namespace}:{of.name}:{column}"


def _resource(of: DatasetId) -> Question:
    return Question(f"/api/v1/namespaces/{_segment(of.namespace)}/datasets/{_segment(of.name)}")


def _of(kind: str, one: DatasetId) -> str:
    return f"/v3/namespaces/{_segment(one.namespace)}/{kind}/{_segment(one.name)}"


def _window(start: datetime, end: datetime) -> dict[str, object]:
    return {"start": _seconds(start), "end": _seconds(end)}


def _stage(chain: Sequence[Step], place: int) -> DatasetId:
    """The dataset before the step at a place, or after the last."""
    return dataset(chain[place].inputs[0] if place < CHAIN else chain[-1].outputs[0])


def _segment(text: str) -> str:
    return quote(text, safe="")


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())

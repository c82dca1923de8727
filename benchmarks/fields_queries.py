"""The API queries about columns that are measured, on a chain of `column_pipelines`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote

from benchmarks.column_pipelines import dataset
from benchmarks.pipelines import CHAIN, EACH, HUB, Step, run_id, run_start
from benchmarks.query_world import ApiQuery
from headwater.facts.run_facts import run_version_id
from headwater_model.ids import DatasetId, RunKey

DEPTH = 20
LEVEL = 10
_PAGE = 20
_COMPUTED = "kg_co2"
# A source of four columns beside its own copy, and a source of its own copy alone.
_COPIED = "distance"
_CARRIED = "carrier"


def current_queries(chain: Sequence[Step]) -> dict[str, ApiQuery]:
    """Build queries of now: a column upstream and downstream, a dataset in both directions, its resource, a list."""
    first, middle, last = _stage(chain, 0), _stage(chain, CHAIN // 2), _stage(chain, CHAIN)
    return {
        "up": column_lineage(field_node(last, _COMPUTED)),
        "down": column_lineage(field_node(first, _COPIED), withDownstream="true"),
        "dataset": column_lineage(middle.node_id, withDownstream="true"),
        "resource": _resource(middle),
        "list": ApiQuery(f"/api/v1/namespaces/{_segment(middle.namespace)}/datasets", {"limit": _PAGE}),
    }


def past_queries(chain: Sequence[Step], run: int) -> dict[str, ApiQuery]:
    """Build queries of a run of each job: its version, the time after all ended, the range of their starts."""
    last = field_node(_stage(chain, CHAIN), _COMPUTED)
    version = run_version_id(_stage(chain, CHAIN), RunKey.of(chain[-1].id, run_id(chain[-1], run)))
    start = run_start(chain[0], run)
    return {
        "version": column_lineage(f"{last}#{version}"),
        "at": column_lineage(last, lineageAt=_seconds(start + EACH)),
        **range_queries(chain, start, start + EACH),
    }


def range_queries(chain: Sequence[Step], start: datetime, end: datetime) -> dict[str, ApiQuery]:
    """Build CDAP's queries and the reports, of the runs that started in a time range."""
    first, middle, last = _stage(chain, 0), _stage(chain, CHAIN // 2), _stage(chain, CHAIN)
    time_range = _time_range(start, end)
    return {
        "mappings": ApiQuery(f"{_of('endpoints', middle)}/fields/lineage", {**time_range, "level": LEVEL}),
        "detail": ApiQuery(
            f"{_of('endpoints', middle)}/fields/{_COMPUTED}/lineage", {**time_range, "direction": "both"}
        ),
        "paths": ApiQuery(f"{_of('datasets', middle)}/fields/{_COMPUTED}/lineage", time_range),
        "usage": ApiQuery("/api/v1/reports/usage", {"nodeId": field_node(first, _COPIED), **time_range}),
        "provenance": ApiQuery("/api/v1/reports/provenance", {"nodeId": field_node(last, _COMPUTED), **time_range}),
    }


def all_runs(chain: Sequence[Step], runs: int) -> dict[str, ApiQuery]:
    """Build the queries of a time range with all runs of the chain's jobs."""
    return range_queries(chain, run_start(chain[0], 0), run_start(chain[0], runs))


def hub_queries(reader: Step, run: int) -> dict[str, ApiQuery]:
    """Build queries of a column of the hub: downstream now, and of the runs of a number."""
    start = run_start(reader, run)
    time_range = _time_range(start, start + EACH)
    return {
        "down": column_lineage(field_node(HUB, _CARRIED), withDownstream="true"),
        "mappings": ApiQuery(f"{_of('endpoints', HUB)}/fields/lineage", {**time_range, "level": 1}),
        "usage": ApiQuery("/api/v1/reports/usage", {"nodeId": field_node(HUB, _CARRIED), **time_range}),
    }


def alike_queries(step: Step, column: str, runs: int) -> dict[str, ApiQuery]:
    """Build queries of all runs of a job: the mapping of its output, and the operations of a column."""
    output, time_range = dataset(step.outputs[0]), _time_range(run_start(step, 0), run_start(step, runs))
    return {
        "mappings": ApiQuery(f"{_of('endpoints', output)}/fields/lineage", {**time_range, "level": 1}),
        "detail": ApiQuery(f"{_of('endpoints', output)}/fields/{column}/lineage", {**time_range, "direction": "both"}),
    }


def wide_queries(step: Step, column: str) -> dict[str, ApiQuery]:
    """Build queries of the wide job's run: a column, the whole dataset, the mapping, a column's operations."""
    read, output = dataset(step.inputs[0]), dataset(step.outputs[0])
    start = run_start(step, 0)
    time_range = _time_range(start, start + EACH)
    return {
        "column": column_lineage(field_node(output, column)),
        "dataset": column_lineage(output.node_id),
        "down": column_lineage(read.node_id, withDownstream="true"),
        "resource": _resource(output),
        "mappings": ApiQuery(f"{_of('endpoints', output)}/fields/lineage", {**time_range, "level": 1}),
        "detail": ApiQuery(f"{_of('endpoints', output)}/fields/{column}/lineage", {**time_range, "direction": "both"}),
        "usage": ApiQuery("/api/v1/reports/usage", {"nodeId": field_node(read, column), **time_range}),
    }


def column_lineage(node_id: str, **query: object) -> ApiQuery:
    """Build a query for a graph of columns, deep enough for a chain."""
    return ApiQuery("/api/v1/column-lineage", {"nodeId": node_id, "depth": DEPTH, **query})


def field_node(of: DatasetId, column: str) -> str:
    """Build a column's node id."""
    return f"datasetField:{of.namespace}:{of.name}:{column}"


def _resource(of: DatasetId) -> ApiQuery:
    return ApiQuery(f"/api/v1/namespaces/{_segment(of.namespace)}/datasets/{_segment(of.name)}")


def _of(kind: str, of: DatasetId) -> str:
    return f"/v3/namespaces/{_segment(of.namespace)}/{kind}/{_segment(of.name)}"


def _time_range(start: datetime, end: datetime) -> dict[str, object]:
    return {"start": _seconds(start), "end": _seconds(end)}


def _stage(chain: Sequence[Step], position: int) -> DatasetId:
    """Find the dataset before the step at a position, or after the last step."""
    return dataset(chain[position].inputs[0] if position < CHAIN else chain[-1].outputs[0])


def _segment(text: str) -> str:
    return quote(text, safe="")


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())

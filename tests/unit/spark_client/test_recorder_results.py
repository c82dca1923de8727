"""From a job's recorder, through ingest and the facts, to the results: CDAP's concatenation of names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.queries.results.columns import TimeRange
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId
from spark_client import FieldOperation, LineageClient, OperationRecorder
from tests.unit.queries.every_query import loaded

FILE, TABLE = ("myns", "user_data", "files contains user information"), ("myns", "mytableds", "names of users")
RUN = "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c"
OPERATIONS = [
    FieldOperation("read").describe("Reading the data from the file").reads(FILE).outputs("offset", "body"),
    FieldOperation("parse").inputs("body").outputs("first_name", "last_name", "age", "city", "state"),
    FieldOperation("concat").inputs("first_name", "last_name").outputs("name"),
    FieldOperation("drop").inputs("first_name"),
    FieldOperation("drop").inputs("last_name"),
    FieldOperation("create").inputs("name").outputs("id"),
]
SCHEMA = ["id", "name", "age", "city", "state"]
ALL_TIME = TimeRange("2000-01-01T00:00:00.000000Z", "2100-01-01T00:00:00.000000Z")


def record_at_once(recorder: OperationRecorder) -> None:
    recorder.record(TABLE, OPERATIONS, SCHEMA)


def record_in_stages(recorder: OperationRecorder) -> None:
    for name, operations in {"File": OPERATIONS[:1], "Parser": OPERATIONS[1:2], "Names": OPERATIONS[2:]}.items():
        recorder.stage(name).record(operations)
        recorder.flush()
    recorder.write(TABLE, SCHEMA)


@pytest.fixture(params=[record_at_once, record_in_stages], ids=["at once", "in stages"])
def queries(request: pytest.FixtureRequest, tmp_path: Path) -> LineageQueries:
    path = tmp_path / "lineage.jsonl"
    with (
        LineageClient(file=path, strict=True) as client,
        OperationRecorder(client, ("myns", "etl"), run_id=RUN, owns_run=True, strict=True) as recorder,
    ):
        request.param(recorder)
    sent = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return LineageQueries(loaded([parse_event(event, NamingRules(), now=None) for event in sent]))


def test_each_written_column_is_made_of_what_the_operations_say(queries: LineageQueries) -> None:
    graph = queries.find_columns("dataset:myns:mytableds", depth=1)

    assert graph is not None
    inputs_by_field = {
        column.field: [(source.dataset.name, source.field) for source in column.inputs] for column in graph.columns
    }
    assert inputs_by_field == {("body",): [], **{(name,): [("user_data", ("body",))] for name in SCHEMA}}


def test_the_way_of_a_column_is_its_operations_alone(queries: LineageQueries) -> None:
    (way,) = queries.find_paths(DatasetId(*TABLE[:2]), ("id",), ALL_TIME).items

    assert [operation.name.rpartition(".")[2] for operation in way.operations] == ["read", "parse", "concat", "create"]
    assert way.runs == (RUN,)


def test_a_field_is_returned_with_the_descriptions_of_its_endpoints(queries: LineageQueries) -> None:
    endpoint = DatasetId(*TABLE[:2])
    (way,) = queries.find_paths(endpoint, ("id",), ALL_TIME).items
    detail = queries.find_detail(endpoint, ("id",), ALL_TIME, "up")

    assert (way.destination, way.destination_description) == (endpoint, TABLE[2])
    assert [step.source_description for step in (*way.operations[:1], *way.edges)] == [FILE[2]] * 2
    for nodes in (way.nodes, detail.nodes):
        assert {node.source_description for node in nodes if node.source} == {FILE[2]}
        assert {node.destination_description for node in nodes if node.destination} == {TABLE[2]}

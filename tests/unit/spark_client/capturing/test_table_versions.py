"""Versions of Delta's and Iceberg's tables, from the driver's reports."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headwater_model.ids import DatasetId
from spark_client.capturing.extract import Extractor
from spark_client.capturing.jvm.items import parse_item
from spark_client.capturing.model import Commit, Execution, RowIds, Write, WriteStatistics
from tests.unit.spark_client.capturing.builders_nodes import CATALOGS, SCHEMA, a_node

CHECKED, ESTIMATED = DatasetId("s3://lake", "checked"), DatasetId("s3://lake", "estimated")
FILES = {"numOutputRows": "9", "numOutputBytes": "700", "numFiles": "2"}
CHANGED = {
    "numOutputRows": "9",
    "numTargetRowsInserted": "1",
    "numTargetRowsUpdated": "2",
    "numTargetRowsCopied": "6",
    "numTargetFilesAdded": "1",
    "numTargetBytesAdded": "500",
}


def parse_commit(commit: dict[str, Any]) -> Commit | None:
    """Return the commit of the driver's document of an execution."""
    plan = {"kinds": ["Project"], "objects": [[0, {}]], "types": []}
    known = {"id": 1, "root_id": 1, "action": "command", "started_ms": 1, "ended_ms": 2, "had_jobs": True}
    execution = parse_item(json.dumps({**known, "tier": "full", "plan": plan, "commit": commit}))
    assert isinstance(execution, Execution)
    return execution.commit


def an_entry(operation: str, metrics: dict[str, str], **values: Any) -> dict[str, Any]:
    """Return a commit of Delta's."""
    entry = {"timestamp": 1_000, "operation": operation, "operationMetrics": metrics, **values}
    return {"version": "3", "entry": {"commitInfo": entry}}


@pytest.mark.parametrize(
    ("operation", "metrics", "written"),
    [
        ("WRITE", FILES, WriteStatistics(9, 700, 2)),
        ("CREATE TABLE AS SELECT", FILES, WriteStatistics(9, 700, 2)),
        ("MERGE", CHANGED, WriteStatistics(3, 500, 1)),
        ("UPDATE", {"numUpdatedRows": "2", "numAddedFiles": "1"}, WriteStatistics(2, None, 1)),
        ("DELETE", {"numDeletedRows": "2", "numAddedBytes": "5"}, WriteStatistics(None, 5, None)),
        ("WRITE", {}, WriteStatistics()),
    ],
)
def test_a_commit_counts_the_rows_that_its_operation_wrote(
    operation: str, metrics: dict[str, str], written: WriteStatistics
) -> None:
    assert parse_commit(an_entry(operation, metrics)) == Commit("3", written)


def test_a_commit_of_delta_names_the_version_that_its_transaction_read() -> None:
    assert parse_commit(an_entry("MERGE", {}, readVersion=2)) == Commit("3", read_version="2")


SNAPSHOT = "5454964009110479164"


@pytest.mark.parametrize(
    ("summary", "written"),
    [
        ({"added-records": 3, "added-files-size": 700, "added-data-files": 2}, WriteStatistics(3, 700, 2)),
        ({"added-data-files": 1, "added-delete-files": 1, "added-records": None}, WriteStatistics(None, None, 2)),
        ({}, WriteStatistics()),
    ],
)
def test_a_snapshot_of_iceberg_counts_what_it_added(summary: dict[str, int], written: WriteStatistics) -> None:
    assert parse_commit({"version": SNAPSHOT, "summary": summary}) == Commit(SNAPSHOT, written)


def test_a_commit_names_the_ids_of_its_rows() -> None:
    commit = parse_commit({"version": SNAPSHOT, "summary": {}, "rows": ["f392", 4, 8, None, False]})
    assert commit == Commit(SNAPSHOT, rows=RowIds("f392", 4, 8))


def test_a_table_that_was_created_is_named_by_its_place_at_once() -> None:
    name = a_node("ResolvedIdentifier", catalog={"name": "ice"}, identifier={"namespace": ["db"], "name": "checked"})
    command = a_node("CreateTableAsSelect", name=name, query=a_node("Range"), query__schema=SCHEMA)
    commit = Commit("3", WriteStatistics(9), location="s3a://lake/checked")
    [write] = Extractor(CATALOGS).read_write(Execution(1, 1, "create", 0, 10, "tables", command, commit=commit))
    assert (write.output.id, write.output.version) == (CHECKED, "3")
    assert [link.name for link in write.output.symlinks] == ["db.checked"]
    assert write.written == WriteStatistics(9)


def a_source_of_iceberg(**values: Any) -> Any:
    table = {"class": "SparkTable", "properties": {"location": "s3a://lake/checked"}, **values}
    return a_node("DataSourceV2Relation", table=table, schema=SCHEMA)


@pytest.mark.parametrize(
    ("named", "options", "scanned", "version"),
    [
        (None, {}, None, None),
        ("7", {}, None, "7"),
        (None, {"snapshot-id": "7"}, None, "7"),
        (None, {}, "8", "8"),
        ("7", {}, "8", "8"),
    ],
)
def test_a_table_of_iceberg_is_read_at_the_snapshot_that_the_scan_or_else_the_query_names(
    named: str | None, options: dict[str, str], scanned: str | None, version: str | None
) -> None:
    relation = a_source_of_iceberg(snapshotId=named)
    relation.values["options"] = options
    [read] = read_write(relation, {"s3a://lake/checked": scanned} if scanned else {}).inputs
    assert (read.id, read.version) == (CHECKED, version)


@pytest.mark.parametrize(("own", "version"), [({}, "4"), ({"s3a://lake/checked": "5"}, "5")])
def test_a_source_that_was_checkpointed_on_the_way_has_the_version_that_was_read_then(
    own: dict[str, str | None], version: str
) -> None:
    extractor = Extractor(CATALOGS)
    source = a_relation_of_delta("s3a://lake/checked", "3", named=False)
    part = Execution(2, 1, "localCheckpoint", 1, 2, "tables", source, read_versions={"s3a://lake/checked": "4"})
    assert extractor.read_write(part) == []
    command = a_node(
        "InsertIntoHadoopFsRelationCommand", outputPath="s3a://lake/estimated", query=source, query__schema=SCHEMA
    )
    [write] = extractor.read_write(Execution(1, 1, "command", 0, 10, "tables", command, read_versions=own))
    assert [(dataset.id, dataset.version) for dataset in write.inputs] == [(CHECKED, version)]


def a_relation_of_delta(path: str, version: str, *, named: bool) -> Any:
    index = {"class": "TahoeLogFileIndex", "rootPaths": [path], "isTimeTravelQuery": named}
    relation = {"class": "HadoopFsRelation", "location": {**index, "snapshotAtAnalysis.version": version}}
    return a_node("LogicalRelation", relation=relation, schema=SCHEMA)


def read_write(query: Any, versions: dict[str, str | None]) -> Write:
    """Return the write of a query whose scans read these versions."""
    command = a_node(
        "InsertIntoHadoopFsRelationCommand", outputPath="s3a://lake/estimated", query=query, query__schema=SCHEMA
    )
    execution = Execution(1, 1, "command", 0, 10, "tables", command, read_versions=versions)
    [write] = Extractor(CATALOGS).read_write(execution)
    return write


@pytest.mark.parametrize(
    ("named", "versions", "version"),
    [
        (True, {}, "3"),
        (False, {}, None),
        (False, {"s3a://lake/checked": "4"}, "4"),
        (True, {"s3a://lake/checked": None}, None),
        (True, {"s3a://lake/other": "4"}, "3"),
    ],
)
def test_an_input_has_the_version_that_its_scan_read_or_its_query_names(
    named: bool, versions: dict[str, str | None], version: str | None
) -> None:
    [read] = read_write(a_relation_of_delta("s3a://lake/checked", "3", named=named), versions).inputs
    assert (read.id, read.version) == (CHECKED, version)


def test_a_table_that_is_read_at_two_versions_is_read_at_none() -> None:
    both = [a_relation_of_delta("s3a://lake/checked", version, named=True) for version in ("1", "3")]
    [read] = read_write(a_node("Union", children=both), {}).inputs
    assert read.version is None

"""Foreign clients: OpenLineage's own client sends a run by HTTP, Marquez's own client reads it.

Both with bearer tokens: test_local_tokens.py.
"""

from __future__ import annotations

import json
import sys
import uuid
from pathlib import Path

import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import column_lineage_dataset, parent_run, schema_dataset, source_code_location_job
from openlineage.client.serde import Serde

# Set-up puts Marquez's client into a folder of its own, without its further top level packages.
sys.path.append(str(Path(sys.prefix) / "marquez"))
from marquez_client import MarquezClient
from marquez_client.models import DatasetId, DatasetType, JobType

PRODUCER = "https://github.com/headwater/tests"
STORE = "s3://foreign-flights"
CODE = "https://git.example/check.py"


def a_client(url, **more):
    """OpenLineage's client with its HTTP transport; a refusal is raised."""
    return OpenLineageClient(
        config={"transport": {"type": "http", "url": url, "timeout": 60, "retry": {"total": 0}, **more}}
    )


def run_id(job, namespace):
    """A run of each test's own."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{namespace}/{job}"))


def columns_of(namespace):
    """A facet of columns: `flight` is copied from the raw data, and all rows are filtered by day."""
    raw = {"namespace": STORE, "name": f"{namespace}/raw"}
    same = column_lineage_dataset.Transformation(type="DIRECT", subtype="IDENTITY", description="as it is")
    by_day = column_lineage_dataset.Transformation(type="INDIRECT", subtype="FILTER")
    return column_lineage_dataset.ColumnLineageDatasetFacet(
        fields={
            "flight": column_lineage_dataset.Fields(
                inputFields=[column_lineage_dataset.InputField(**raw, field="flight", transformations=[same])]
            )
        },
        dataset=[column_lineage_dataset.InputField(**raw, field="day", transformations=[by_day])],
        producer=PRODUCER,
    )


def an_event(state, time, namespace):
    """An event of the run of `emissions.check`: raw -> checked."""
    schema = schema_dataset.SchemaDatasetFacet(fields=[schema_dataset.SchemaDatasetFacetFields("flight", "string")])
    code = source_code_location_job.SourceCodeLocationJobFacet(type="git", url=CODE)
    parent = parent_run.ParentRunFacet(
        run=parent_run.Run(run_id("emissions", namespace)),
        job=parent_run.Job(namespace, "emissions"),
        producer=PRODUCER,
    )
    return RunEvent(
        eventTime=time,
        producer=PRODUCER,
        run=Run(run_id("emissions.check", namespace), facets={"parent": parent}),
        job=Job(namespace, "emissions.check", facets={"sourceCodeLocation": code}),
        eventType=state,
        inputs=[InputDataset(STORE, f"{namespace}/raw")],
        outputs=[
            OutputDataset(
                STORE, f"{namespace}/checked", facets={"schema": schema, "columnLineage": columns_of(namespace)}
            )
        ],
    )


def send_a_run(client, namespace, day="2025-11-20"):
    """Its start and its end."""
    client.emit(an_event(RunState.START, f"{day}T11:00:00Z", namespace))
    client.emit(an_event(RunState.COMPLETE, f"{day}T12:00:00Z", namespace))


def check_what_marquez_reads(marquez, namespace):
    """Call each of the client's queries about runs."""
    job_id, raw, checked = (
        {"namespace": namespace, "name": "emissions.check"},
        f"{namespace}/raw",
        f"{namespace}/checked",
    )
    listed = {namespace["name"] for namespace in marquez.list_namespaces(limit=1000)["namespaces"]}
    assert {namespace, STORE} <= listed
    assert marquez.get_namespace(namespace)["isHidden"] is False

    job = marquez.get_job(namespace, "emissions.check")
    assert (job["id"], job["inputs"], job["outputs"], job["location"], job["parentJobName"]) == (
        job_id,
        [{"namespace": STORE, "name": raw}],
        [{"namespace": STORE, "name": checked}],
        CODE,
        "emissions",
    )
    assert [job["name"] for job in marquez.list_jobs(namespace)["jobs"]] == ["emissions", "emissions.check"]
    (run,) = marquez.list_job_runs(namespace, "emissions.check")["runs"]
    whole = marquez.get_job_run(run["id"])
    for returned in (run, whole, job["latestRun"]):
        assert (
            returned["id"],
            returned["state"],
            returned["startedAt"],
            returned["endedAt"],
            returned["durationMs"],
        ) == (
            run_id("emissions.check", namespace),
            "COMPLETED",
            "2025-11-20T11:00:00Z",
            "2025-11-20T12:00:00Z",
            3_600_000,
        )
    assert whole["jobVersion"] == {**job_id, "version": job["currentVersion"]}

    dataset = marquez.get_dataset(STORE, checked)
    assert [(field["name"], field["type"]) for field in dataset["fields"]] == [("flight", "string")]
    (version,) = marquez.list_dataset_versions(STORE, checked)["versions"]
    assert version["version"] == dataset["currentVersion"]
    assert version["createdByRun"]["id"] == run["id"]
    assert marquez.get_dataset_version(STORE, checked, version["version"])["fields"] == dataset["fields"]
    written = [version["datasetVersionId"] for version in whole["outputDatasetVersions"]]
    assert written == [{"namespace": STORE, "name": checked, "version": version["version"]}]
    names = [dataset["name"] for dataset in marquez.list_datasets(STORE, limit=1000)["datasets"]]
    assert {raw, checked} <= set(names)


def check_what_marquez_reads_of_columns(marquez, namespace):
    """Call its three queries about columns, and compare the columns of a dataset."""
    raw, checked = f"{namespace}/raw", f"{namespace}/checked"
    flight, source = (f"datasetField:{STORE}:{name}:flight" for name in (checked, raw))
    by_field = marquez.get_column_lineage_by_dataset_field(STORE, checked, "flight")["graph"]

    nodes = {node["id"]: node for node in by_field}
    data = nodes[flight]["data"]
    assert (data["dataset"], data["field"], data["fieldType"]) == (checked, "flight", "string")
    assert (data["transformationType"], data["transformationDescription"]) == ("IDENTITY", "as it is")
    assert [(input_field["dataset"], input_field["field"]) for input_field in data["inputFields"]] == [(raw, "flight")]
    assert {"origin": flight, "destination": source} in nodes[flight]["inEdges"]
    assert {source, flight} <= nodes.keys()
    assert marquez.get_column_lineage_by_dataset(STORE, checked)["graph"] == by_field
    assert marquez.get_column_lineage_by_job(namespace, "emissions.check")["graph"] == by_field

    down = marquez.get_column_lineage_by_dataset_field(STORE, raw, "flight", depth=1, with_downstream=True)["graph"]
    edges = {node["id"]: [edge["destination"] for edge in node["outEdges"]] for node in down}
    assert edges == {source: [flight], flight: []}

    dataset = marquez.get_dataset(STORE, checked)
    (returned,) = dataset["columnLineage"]
    # A dataset's own columns name no version of their source.
    assert (returned["name"], returned["inputFields"]) == (
        "flight",
        [{**input_field, "datasetVersion": None} for input_field in data["inputFields"]],
    )
    version = dataset["currentVersion"]
    then = marquez.get_column_lineage_by_dataset_field(STORE, checked, "flight", version=version)["graph"]
    assert f"{flight}#{version}" in [node["id"] for node in then]


def test_a_run_sent_by_openlineage_is_read_by_marquez(local_stack):
    namespace = "foreign-gzip"

    send_a_run(a_client(local_stack.api_url, compression="gzip"), namespace)
    local_stack.drain()

    marquez = MarquezClient(local_stack.api_url.rstrip("/"))
    check_what_marquez_reads(marquez, namespace)
    check_what_marquez_reads_of_columns(marquez, namespace)


@pytest.mark.filterwarnings("ignore::deprecation.DeprecatedWarning")
def test_a_pipeline_that_marquezs_client_writes_is_read_by_it(local_stack):
    """Its deprecated calls: a namespace, a source, datasets, a job, and a run, created and started in a single call."""
    namespace = "foreign-writes"
    marquez = MarquezClient(local_stack.api_url.rstrip("/"))
    raw, checked = (DatasetId(namespace, name) for name in ("raw", "checked"))

    assert marquez.create_namespace(namespace, "team", "flights")["ownerName"] == "team"
    assert marquez.create_source("foreign-lake", "s3", "s3://flights")["type"] == "S3"
    assert marquez.create_tag("foreign-tag", "personal data")["description"] == "personal data"
    fields = [{"name": "flight", "type": "VARCHAR", "tags": [], "description": "its number"}]
    put = marquez.create_dataset(namespace, "raw", DatasetType.DB_TABLE, "raw", "foreign-lake", fields=fields)
    assert (put["name"], put["sourceName"], put["fields"][0]["name"]) == ("raw", "foreign-lake", "flight")
    job = marquez.create_job(namespace, "check", JobType.BATCH, location=CODE, inputs=[raw], outputs=[checked])
    assert job["inputs"] == [{"namespace": namespace, "name": "raw"}]
    run = marquez.create_job_run(namespace, "check", run_id=str(uuid.uuid4()), mark_as_running=True)
    assert run["state"] == "RUNNING"
    marquez.create_dataset(namespace, "checked", DatasetType.DB_TABLE, "checked", "foreign-lake", run_id=run["id"])
    assert marquez.mark_job_run_as_completed(run["id"])["state"] == "COMPLETED"
    local_stack.drain()

    shown = marquez.get_job(namespace, "check")
    assert (shown["location"], shown["latestRun"]["id"], shown["latestRun"]["state"]) == (CODE, run["id"], "COMPLETED")
    assert [[dataset["name"] for dataset in shown[side]] for side in ("inputs", "outputs")] == [["raw"], ["checked"]]
    versions = marquez.list_dataset_versions(namespace, "checked")["versions"]
    assert run["id"] in [version["createdByRun"]["id"] for version in versions if version["createdByRun"]]
    assert marquez.get_source("foreign-lake")["connectionUrl"] == "s3://flights"
    assert "foreign-lake" in [source["name"] for source in marquez.list_sources(limit=1000)["sources"]]
    assert marquez.get_namespace(namespace)["description"] == "flights"


def test_openlineages_own_json_is_what_is_kept(local_stack):
    # A day of its own: events of further tests are so large that a page holds few of them.
    send_a_run(a_client(local_stack.api_url), "foreign-raw", day="2025-11-02")
    local_stack.drain()

    events = MarquezClient(local_stack.api_url.rstrip("/"))._get(
        f"{local_stack.api_url.rstrip('/')}/api/v1/events/lineage",
        params={"after": "2025-11-02", "before": "2025-11-03"},
    )["events"]

    kept = [event for event in events if event["job"]["namespace"] == "foreign-raw"]
    assert [(event["eventType"], event["producer"]) for event in kept] == [("COMPLETE", PRODUCER), ("START", PRODUCER)]
    sent = json.loads(Serde.to_json(an_event(RunState.COMPLETE, "2025-11-02T12:00:00Z", "foreign-raw")))
    # The client adds a facet to each run.
    assert {**kept[0], "run": None} == {**sent, "run": None}

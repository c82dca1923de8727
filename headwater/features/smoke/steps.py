"""The steps of `headwater smoke`: a step for each entrance to a stack and each exit."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote

from headwater.features.smoke.trial import NAMESPACE, Lacking, Step, StepFailed, Trial

_PRODUCER = "https://github.com/headwater/headwater"
_SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
_FACETS = "https://openlineage.io/spec/facets"
# A Glue job takes a minute or two to start; a state machine's step has up to an hour.
_COMPACTION_S = 1_800.0
_QUERY_S = 300.0
_ALARMS_A_CALL = 100


def send_record_by_lambda(trial: Trial) -> str:
    """Invoke the input function with a record, as Step Functions does."""
    response = trial.client("lambda").invoke(
        FunctionName=trial.output("InputFunctionName"), Payload=json.dumps(_record(trial, "lambda")).encode()
    )
    body = json.load(response["Payload"])
    if response.get("FunctionError"):
        raise StepFailed(f"the input function failed: {body.get('errorMessage', body)}")
    return f"node {body['node_id']}"


def send_record_over_http(trial: Trial) -> str:
    """Send a record to the HTTP API."""
    body = json.dumps(_record(trial, "http")).encode()
    return f"node {json.loads(trial.request('/api/v1/records', method='POST', body=body))['node_id']}"


def send_events(trial: Trial) -> str:
    """Send the START and the COMPLETE of a run with column lineage to the HTTP API."""
    run_id = str(uuid.uuid4())
    for kind in ("START", "COMPLETE"):
        body = json.dumps(_event(trial, kind, run_id)).encode()
        trial.request("/api/v1/lineage", method="POST", body=body)
    return f"run {run_id}"


def load_records(trial: Trial) -> str:
    """Wait until the sent records are in the table."""

    def probe() -> str | None:
        page = trial.fetch("/api/v1/records/search", {"root": trial.root})
        return f"{len(page['records'])} records of root {trial.root}" if len(page["records"]) == _SENT else None

    return trial.until(probe, f"fewer than {_SENT} records are in the table")


def read_graph(trial: Trial) -> str:
    """Wait until the lineage of the written dataset leads to the dataset read."""
    source = f"dataset:{NAMESPACE}:{trial.source}"

    def probe() -> str | None:
        graph = trial.fetch("/api/v1/lineage", {"nodeId": f"dataset:{NAMESPACE}:{trial.result}"})["graph"]
        return f"{len(graph)} nodes" if source in {node["id"] for node in graph} else None

    return trial.until(probe, "the graph does not lead to the run's input")


def read_column(trial: Trial) -> str:
    """Wait until the lineage of the written column leads to the column read."""
    source = f"datasetField:{NAMESPACE}:{trial.source}:amount"

    def probe() -> str | None:
        node = f"datasetField:{NAMESPACE}:{trial.result}:total"
        graph = trial.fetch("/api/v1/column-lineage", {"nodeId": node})["graph"]
        sources = {edge["destination"] for node in graph for edge in node["inEdges"]}
        return "total comes from amount" if source in sources else None

    return trial.until(probe, "the lineage of the column does not lead to the run's input")


def compact(trial: Trial) -> str:
    """Run the compaction of today, and wait for its end."""
    from headwater.records.archive_state import ArchiveState

    state = ArchiveState(trial.client("dynamodb"), trial.output("GraphTableName"))
    last = state.last()
    if last and last.day >= trial.day:
        raise Lacking(f"{last.day} is sealed already: the next compaction archives these records")
    states = trial.client("stepfunctions")
    started = states.start_execution(
        stateMachineArn=trial.output("CompactionStateMachineArn"), input=json.dumps({"day": trial.day})
    )

    def probe() -> str | None:
        execution = states.describe_execution(executionArn=started["executionArn"])
        if execution["status"] in ("RUNNING", "PENDING_REDRIVE"):
            return None
        if execution["status"] != "SUCCEEDED":
            raise StepFailed(f"{execution['status']}: {execution.get('error', '')} {execution.get('cause', '')}")
        counts = json.loads(execution["output"])
        return f"{trial.day}: {counts['lines']:,} lines in {counts['objects']:,} objects"

    return trial.until(probe, "the compaction has not ended", _COMPACTION_S)


def verify(trial: Trial) -> str:
    """Compare the archive of today with its seal, and the seal with the graph table."""
    from headwater.cli.verify import stack_subject
    from headwater.records.verify.archive import read_digests
    from headwater.records.verify.chain import DayRange

    subject = stack_subject(trial.deployment)
    digests = read_digests(subject.store, DayRange(trial.day, trial.day), subject.known)
    outcomes = list(digests.check(subject.jobs).outcomes())
    findings = [*digests.findings, *(outcome.finding for outcome in outcomes if outcome.finding)]
    faults = [finding for finding in findings if finding.fault]
    if faults:
        raise StepFailed(f"{len(faults)} faults, first {faults[0].key}: {faults[0].message}")
    if not digests.sealed:
        raise StepFailed(f"{trial.day} has no digest")
    return f"{len(outcomes):,} objects are as they were sealed"


def query(trial: Trial) -> str:
    """Count the sent records by Athena."""
    athena = trial.client("athena")
    started = athena.start_query_execution(
        QueryString="SELECT count(*) FROM records WHERE day = ? AND root_id = ?",
        ExecutionParameters=[f"'{trial.day}'", f"'{trial.root}'"],
        QueryExecutionContext={"Database": trial.output("SearchDatabase")},
        WorkGroup=trial.output("SearchWorkgroup"),
    )["QueryExecutionId"]

    def probe() -> str | None:
        execution = athena.get_query_execution(QueryExecutionId=started)["QueryExecution"]
        status = execution["Status"]
        if status["State"] in ("QUEUED", "RUNNING"):
            return None
        if status["State"] != "SUCCEEDED":
            raise StepFailed(f"{status['State']}: {status.get('StateChangeReason', '')}")
        return "SUCCEEDED"

    trial.until(probe, "the query has not ended", _QUERY_S)
    rows = athena.get_query_results(QueryExecutionId=started)["ResultSet"]["Rows"]
    count = rows[1]["Data"][0]["VarCharValue"]
    if int(count) != _SENT:
        raise StepFailed(f"SQL counts {count} records of the root, not {_SENT}")
    return f"SQL counts {count} records"


def read_explorer(trial: Trial) -> str:
    """Read the explorer's page."""
    page = trial.request("/explore/")
    if b'id="app"' not in page:
        raise StepFailed("/explore/ is not the explorer's page: was it built before the deployment (`make explorer`)?")
    return f"{len(page):,} bytes"


def look_at_alarms(trial: Trial) -> str:
    """Look for firing alarms of the stack."""
    from headwater.aws.items import chunks

    if trial.is_local:
        raise Lacking("a stack on this machine has no alarms")
    resources = trial.client("cloudformation").get_paginator("list_stack_resources")
    alarms = [
        resource["PhysicalResourceId"]
        for page in resources.paginate(StackName=trial.deployment.name)
        for resource in page["StackResourceSummaries"]
        if resource["ResourceType"] == "AWS::CloudWatch::Alarm"
    ]
    cloudwatch = trial.client("cloudwatch")
    firing = [
        alarm["AlarmName"]
        for names in chunks(alarms, _ALARMS_A_CALL)
        for alarm in cloudwatch.describe_alarms(AlarmNames=list(names), MaxRecords=_ALARMS_A_CALL)["MetricAlarms"]
        if alarm["StateValue"] == "ALARM"
    ]
    if firing:
        raise StepFailed(f"in ALARM: {', '.join(firing)}")
    return f"none of {len(alarms)} fires"


def look_at_dead_letters(trial: Trial) -> str:
    """Look for dead letters."""
    queues = {name: url for name, url in trial.deployment.outputs.items() if name.endswith("DeadLettersUrl")}
    sqs, attribute = trial.client("sqs"), "ApproximateNumberOfMessages"
    counts = {
        name: int(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[attribute])["Attributes"][attribute])
        for name, url in sorted(queues.items())
    }
    if any(counts.values()):
        letters = ", ".join(f"{count:,} in {name.removesuffix('Url')}" for name, count in counts.items() if count)
        raise StepFailed(f"{letters}: see docs/operations.md, Redrive")
    return f"none in {len(queues)} queues"


def clean_up(trial: Trial) -> str:
    """Remove the job and the datasets from the graph; records expire, and the archive keeps them."""
    kinds = (("jobs", trial.job), ("datasets", trial.source), ("datasets", trial.result))
    for kind, name in kinds:
        trial.request(f"/api/v1/namespaces/{NAMESPACE}/{kind}/{quote(name, safe='')}", method="DELETE")

    def probe() -> str | None:
        shown = {job["name"] for job in trial.fetch(f"/api/v1/namespaces/{NAMESPACE}/jobs")["jobs"]}
        return None if trial.job in shown else "removed"

    trial.until(probe, f"the job {trial.job} is still shown")
    return f"removed from the lists; {_SENT} records of {trial.root} stay until they expire, and in the archive"


# The records of the two first steps.
_SENT = 2
_EVENTS, _RECORDS = ("events",), ("records by Lambda", "records over HTTP")
STEPS = (
    Step("records by Lambda", send_record_by_lambda),
    Step("records over HTTP", send_record_over_http),
    Step("events", send_events),
    Step("load", load_records, _RECORDS),
    Step("graph", read_graph, _EVENTS),
    Step("column", read_column, ("graph",)),
    Step("compaction", compact, ("load",)),
    Step("verification", verify, ("compaction",)),
    Step("SQL", query, ("compaction",)),
    Step("explorer", read_explorer),
    Step("alarms", look_at_alarms),
    Step("dead letters", look_at_dead_letters),
    Step("clean-up", clean_up, _EVENTS),
)


def names() -> list[str]:
    """List the names of the steps, in their order."""
    return [step.name for step in STEPS]


def _record(trial: Trial, by: str) -> Mapping[str, str]:
    where = f"s3://{NAMESPACE}/{trial.name}/{by}"
    return {
        "root_id": trial.root,
        "parent_id": trial.root,
        "node_id": by,
        "action_taken": "READ",
        "storage_location": where,
    }


def _event(trial: Trial, kind: str, run_id: str) -> Mapping[str, Any]:
    source = {"namespace": NAMESPACE, "name": trial.source, "facets": {"schema": _schema("amount")}}
    column = {"inputFields": [{"namespace": NAMESPACE, "name": trial.source, "field": "amount"}]}
    columns = {
        "_producer": _PRODUCER,
        "_schemaURL": f"{_FACETS}/1-2-0/ColumnLineageDatasetFacet.json",
        "fields": {"total": column},
    }
    facets = {"schema": _schema("total"), "columnLineage": columns}
    return {
        "eventType": kind,
        "eventTime": datetime.now(timezone.utc).isoformat(),
        "producer": _PRODUCER,
        "schemaURL": _SCHEMA,
        "run": {"runId": run_id},
        "job": {"namespace": NAMESPACE, "name": trial.job},
        "inputs": [source],
        "outputs": [{"namespace": NAMESPACE, "name": trial.result, "facets": facets}],
    }


def _schema(column: str) -> Mapping[str, Any]:
    fields = [{"name": column, "type": "double"}]
    return {"_producer": _PRODUCER, "_schemaURL": f"{_FACETS}/1-1-1/SchemaDatasetFacet.json", "fields": fields}

"""The stack's roles against the handlers' calls: a function may do what it does, and no grant is spare."""

from __future__ import annotations

import json
import random
from contextlib import contextmanager
from fnmatch import fnmatchcase

import pytest

from headwater import settings
from headwater.aws import clients
from lambdas import api as api_function
from lambdas import input as input_function
from local_stack.aws.partiql import parse_put
from tests.builders import DAY, HOUR, a_batch, a_message, a_request, messages
from tests.builders_events import a_dataset, a_facet, a_job_event, a_run_event
from tests.gateway import proxy_event
from tests.policies import as_list
from tests.templates import Template

# Calls of Lambda in the function's name, and rights that no call shows: with `s3:ListBucket`, a missing key is a 404.
ALWAYS = {"logs:CreateLogStream", "logs:PutLogEvents"}
FROM_QUEUES = {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}
FROM_STREAMS = {
    "dynamodb:DescribeStream",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
    "dynamodb:ListStreams",
    "s3:PutObject",
    "s3:ListBucket",
}
# Calls of Athena in the name of its caller.
BY_ATHENA = {
    "glue:GetDatabase",
    "glue:GetTable",
    "glue:GetPartitions",
    "s3:GetBucketLocation",
    "s3:GetObject",
    "s3:PutObject",
    "s3:AbortMultipartUpload",
    "s3:ListMultipartUploadParts",
}
SPARE = {
    "InputFunction": ALWAYS,
    "LoadFunction": ALWAYS | FROM_QUEUES | {"s3:ListBucket"},
    # An object is hidden again where its day was sealed between its upload and its commit.
    "TraceFunction": ALWAYS | FROM_QUEUES | {"s3:ListBucket"},
    "CompactFunction": ALWAYS,
    "EventsFunction": ALWAYS | FROM_QUEUES | {"s3:ListBucket"},
    "ExpiredFunction": ALWAYS | FROM_STREAMS,
    # GetItem reads a node's parents in turn where the root is too large to read whole; GetWorkGroup reads the limit
    # of a query that hit it.
    "ApiFunction": ALWAYS | BY_ATHENA | {"s3:ListBucket", "dynamodb:GetItem", "athena:GetWorkGroup"},
}
# A request's records travel alone, packed, or as a pointer to S3.
REQUESTS = (a_request(), a_batch(101), a_batch(10_000, location="s3://bucket/" + "k" * 80))
_ARN, _HERE = "arn:AWS::Partition", "AWS::Region:AWS::AccountId"
_DATABASE, _TABLE = "database/Database", "table/Database"
TRANSACTED = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}


class Ledger:
    """The rights needed by each function's calls: action, resource and, of a row, its partition key."""

    def __init__(self, cloud):
        self.cloud = cloud
        self.requested: dict[str, set[tuple[str, ...]]] = {name: set() for name in SPARE}
        self._names = {value: key for key, value in cloud.outputs.items()}
        self._function = None
        for client in (cloud.sqs, cloud.s3, cloud.dynamodb, clients.client("glue"), clients.client("athena")):
            client.meta.events.register("provide-client-params.*.*", self._note)

    @contextmanager
    def of(self, function):
        """Calls from here on are the function's."""
        self._function = function
        yield
        self._function = None

    def _note(self, params, model, **_):
        if self._function is not None:
            requested = getattr(self, f"_{model.service_model.service_name}")(model.name, params)
            self.requested[self._function].update(requested)

    def _arn(self, physical_name):
        """`RecordsTable.Arn` for the physical name or address of the records table."""
        output = self._names[physical_name]
        return f"{output.removesuffix('Name').removesuffix('Url')}.Arn"

    def _dynamodb(self, operation, params):
        if operation == "BatchGetItem":
            return self._rows("BatchGetItem", {name: of["Keys"] for name, of in params["RequestItems"].items()})
        if operation == "BatchWriteItem":
            written = {
                name: [_row_of(request) for request in requests] for name, requests in params["RequestItems"].items()
            }
            return self._rows("BatchWriteItem", written)
        if operation == "BatchExecuteStatement":
            puts = [parse_put(statement) for statement in params["Statements"]]
            return {
                call
                for put in puts
                for call in self._rows(f"PartiQL{'Update' if put.version else 'Insert'}", {put.table: [put.item]})
            }
        if operation == "TransactWriteItems":
            items = [next(iter(item.items())) for item in params["TransactItems"]]
            return {
                call
                for kind, write in items
                for call in self._rows(TRANSACTED[kind], {write["TableName"]: [_row_of(write)]})
            }
        if operation == "Query":
            index = f"/index/{params['IndexName']}" if "IndexName" in params else ""
            values = params["ExpressionAttributeValues"]
            return {("dynamodb:Query", self._arn(params["TableName"]) + index, values.get(":pk", {}).get("S", ""))}
        return self._rows(operation, {params["TableName"]: [_row_of(params)]})

    def _rows(self, action, rows):
        """The calls for rows by the names of their tables; only the graph table's partitions are distinguished."""
        return {
            (f"dynamodb:{action}", self._arn(table), row.get("pk", {}).get("S", ""))
            for table, table_rows in rows.items()
            for row in table_rows
        }

    def _sqs(self, operation, params):
        return {(f"sqs:{operation.removesuffix('Batch')}", self._arn(params["QueueUrl"]))}

    def _s3(self, operation, params):
        if operation == "ListObjectsV2":
            return {("s3:ListBucket", self._arn(params["Bucket"]))}
        if operation == "DeleteObjects":
            keys = [each["Key"] for each in params["Delete"]["Objects"]]
            return {("s3:DeleteObject", f"{self._arn(params['Bucket'])}/{key}") for key in keys}
        operation = "GetObject" if operation == "HeadObject" else operation
        version = "Version" if operation == "DeleteObject" and "VersionId" in params else ""
        return {(f"s3:{operation}{version}", f"{self._arn(params['Bucket'])}/{params['Key']}")}

    def _glue(self, operation, params):
        table = params.get("TableName", params.get("Name"))
        return {
            (f"glue:{operation}", f"{_ARN}:glue:{_HERE}:{on}") for on in ("catalog", _DATABASE, f"{_TABLE}/{table}")
        }

    def _athena(self, operation, params):
        return {(f"athena:{operation}", f"{_ARN}:athena:{_HERE}:workgroup/Workgroup")}


def _row_of(written):
    """Find the row of a write, or its key; a batch wraps them in a layer more."""
    inner = next((written[kind] for kind in ("PutRequest", "DeleteRequest") if kind in written), written)
    return inner["Item"] if "Item" in inner else inner["Key"]


@pytest.fixture(scope="module")
def grants(synthesized):
    """Function -> {(action, resource pattern, pattern of partition keys)}, as its role allows."""
    template = Template(synthesized())
    return {
        name: {
            (action, resource, key)
            for statement in template.statements(name)
            if statement["Effect"] == "Allow"
            for action in as_list(statement["Action"])
            for resource in as_list(statement["Resource"])
            for key in as_list(_leading_keys(statement))
        }
        for name in SPARE
    }


def _leading_keys(statement):
    conditions = statement.get("Condition", {}).get("ForAllValues:StringLike", {})
    return conditions.get("dynamodb:LeadingKeys", "*")


@pytest.fixture(scope="module")
def noted():
    return {}


@pytest.fixture
def requested(request, noted):
    """The calls of the functions in a day with everything in it; the first test runs the day."""
    if not noted:
        noted.update(request.getfixturevalue("of_a_day"))
    return noted


@pytest.fixture
def of_a_day(cloud, catalog, monkeypatch):
    monkeypatch.setenv(settings.SEARCH_WORKGROUP, "primary")
    ledger = Ledger(cloud)
    with ledger.of("InputFunction"):
        for request in REQUESTS:
            input_function.handler(request, cloud.context())
    pointer = {"bucket": cloud.outputs["IntakeBucketName"], "key": "requests/r.json"}
    body = json.dumps({"records": messages({"leaf": "r"}, "r")})
    cloud.s3.put_object(Bucket=pointer["bucket"], Key=pointer["key"], Body=body)
    with ledger.of("LoadFunction"):
        cloud.load(a_message(), a_message(storage_location="s3://b/other.csv"), "not a record")
        cloud.load({"records": [a_message(node_id="")]}, {"s3": pointer}, "not a record", queue="PackedQueue")
    _store(cloud, ledger)
    _compact(cloud, ledger)
    _expire(cloud, ledger)
    _send(cloud, ledger)
    return ledger.requested


def _store(cloud, ledger):
    """Send events by function and API; load a changed run, facts too big for an item, a pointer to S3."""
    bucket = cloud.outputs["IntakeBucketName"]
    cloud.s3.put_object(Bucket=bucket, Key="requests/e.json", Body=json.dumps(a_job_event()))
    with ledger.of("InputFunction"):
        input_function.handler(a_run_event(), cloud.context())
    with ledger.of("ApiFunction"):
        _call(cloud, "POST", "/api/v1/lineage", body=json.dumps(a_run_event()), status=201)
    with ledger.of("EventsFunction"):
        columns = {"flight": {"inputFields": [{"namespace": "s3://flights", "name": "raw", "field": "line"}]}}
        facet = {
            "columnLineage": a_facet("ColumnLineageDataset", "1-2-0", fields=columns),
            "tags": a_facet(tags=[{"key": "PII", "value": "true", "source": "DBT"}]),
            "ownership": a_facet(owners=[{"name": "team:flights", "type": "MAINTAINER"}]),
            "dataSource": {"name": "lake", "uri": "s3://flights"},
        }
        described = a_dataset("checked", fields=["flight"], facets=facet)
        failing = {"dataQualityAssertions": a_facet(assertions=[{"assertion": "not_null", "success": False}])}
        cloud.load_events(a_run_event(run="tested", inputs=[a_dataset("checked", inputFacets=failing)], outputs=[]))
        for _ in range(2):
            cloud.load_events(a_run_event(run="again", outputs=[described]))
        cloud.load_events(a_run_event(run="failed", job="fails", eventType="FAIL"))
        cloud.load_events(a_run_event(eventType="START"), {"s3": {"bucket": bucket, "key": "requests/e.json"}}, "none")
        cloud.load_events(a_run_event(job_facets={"plan": a_facet(text=random.Random(1).randbytes(400_000).hex())}))
        cloud.load_events(*(a_run_event(run=f"bare-{job}", job=job, inputs=[], outputs=[]) for job in "ab"))
        cloud.load_events(a_run_event(run="later", inputs=["raw"], outputs=[], eventTime="2025-11-20T13:00:00Z"))


def _compact(cloud, ledger):
    """Compact a day with a root traced in time, an untraced root, and the orphan of a dead trace."""
    cloud.load(*messages({"row": "missed"}, "missed"))
    orphan = {"Bucket": cloud.outputs["ArchiveBucketName"], "Key": "traces/year=2025/month=11/day=20/orphan"}
    cloud.s3.put_object(**orphan, Body=b"")
    with ledger.of("CompactFunction"):
        plan = cloud.plan(DAY)
        cloud.enqueue(plan)
        cloud.check(plan)
    with ledger.of("TraceFunction"):
        cloud.trace("r")
        cloud.trace("")
    with ledger.of("CompactFunction"):
        cloud.step("left", day=DAY, deadline=plan["deadline"])
        cloud.seal(plan)
        cloud.seal(plan)
        cloud.unpublished(DAY)
        cloud.step("release", day=DAY, execution="nightly")
    _publish(cloud, ledger)


def _publish(cloud, ledger):
    """Publish three attempts: the first is removed; the second stays, as queries may still read it."""
    for attempt in ("first", "second", "third"):
        cloud.attempt(DAY, attempt)
        with ledger.of("CompactFunction"):
            cloud.publish(DAY, attempt)


def _expire(cloud, ledger):
    """Expire an unread record, load a later record of an archived node, and trace both for a sealed day."""
    cloud.load(*messages({"late": "leaf"}, "r"))
    cloud.now_s += 48 * HOUR
    gone = cloud.expire()
    with ledger.of("ExpiredFunction"):
        cloud.stream(gone)
    cloud.load(*messages({"leaf": "r"}, "r", storage_location="s3://b/other.csv", recordedAt=cloud.now_s))
    with ledger.of("TraceFunction"):
        cloud.trace("r", day=DAY)


def _send(cloud, ledger):
    """Call each route; a trace is small, in the archive, or too large for a response."""
    chain = {f"c{number}": f"c{number - 1}" if number else "wide" for number in range(20)}
    leaves = {f"leaf{number}": "c19" for number in range(110)}
    location = "s3://lake/" + "k" * 2000
    cloud.load(*messages({**chain, **leaves}, "wide", storage_location=location, recordedAt=cloud.now_s))
    records = "/api/v1/records"
    with ledger.of("ApiFunction"):
        for request in REQUESTS:
            _call(cloud, "POST", records, body=json.dumps(request), status=201)
        _call(cloud, "GET", f"{records}/roots", prefix="wi")
        _call(cloud, "GET", f"{records}/roots/wide")
        _call(cloud, "GET", f"{records}/roots/wide", action="READ")
        _call(cloud, "GET", f"{records}/nodes/c1")
        _call(cloud, "GET", f"{records}/roots/r/trace")
        _call(cloud, "GET", f"{records}/roots/r/trace", after="0", status=303)
        _call(cloud, "GET", f"{records}/roots/r/proof", node="leaf")
        _call(cloud, "GET", f"{records}/roots/wide/trace", status=303)
        _call(cloud, "GET", f"{records}/roots/wide/trace", after="0", status=202)
        _call(cloud, "POST", f"{records}/roots/wide/trace", status=202)
        _call(cloud, "GET", f"{records}/search", node="c1")
        _call(cloud, "GET", "/api/v1/namespaces/emissions/jobs")
        _call(cloud, "GET", "/api/v1/events/lineage")
        _call(cloud, "DELETE", "/api/v1/namespaces/emissions")
    with ledger.of("EventsFunction"):
        assert cloud.load_api_changes(*cloud.bodies("ChangesQueue"), "none") == [1]


def _call(cloud, method, path, *, body=None, status=200, **query):
    event = proxy_event(method, path, query, body=body)
    response = api_function.handler(event, cloud.context(29))
    assert response["statusCode"] == status, response["body"][:200]


def test_a_function_may_make_every_call_that_it_makes(grants, requested):
    refused = {
        function: {call for call in calls if not any(covers(grant, call) for grant in grants[function])}
        for function, calls in requested.items()
    }
    assert all(requested.values())
    assert refused == {function: set() for function in SPARE}


def test_no_grant_is_spare(grants, requested):
    unused = {
        function: {grant[0] for grant in allowed if not _is_used(grant, allowed, requested[function])}
        for function, allowed in grants.items()
    }
    assert unused == SPARE


def test_no_partition_is_spare(grants, requested):
    """A statement grants several actions on a partition: a call of any of them uses it."""
    keys = {function: {grant[2] for grant in allowed if grant[2] != "*"} for function, allowed in grants.items()}
    unused = {
        function: {
            key for key in patterns if not any(fnmatchcase(call[2], key) for call in requested[function] if call[2:])
        }
        for function, patterns in keys.items()
    }
    assert {function: patterns for function, patterns in unused.items() if patterns} == {}


def _is_used(grant, allowed, calls):
    """True if a call uses the grant, on its partition or a further partition of the statement."""
    same = [permission for permission in allowed if permission[:2] == grant[:2]]
    return any(covers(permission, call) for permission in same for call in calls)


def covers(grant, call):
    """True if IAM would allow the call by the grant."""
    key = call[2] if call[2:] else ""
    return grant[0] == call[0] and fnmatchcase(call[1], grant[1]) and fnmatchcase(key, grant[2])

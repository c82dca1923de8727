"""Objects with events, from a bucket over EventBridge and the queues to the graph, by the handlers on moto."""

import json
from itertools import count

import pytest
from botocore.exceptions import ClientError
from openlineage.client.transport.file import FileConfig, FileTransport

from headwater.aws import clients
from headwater.aws.bodies import BODY_BYTES_MAX
from headwater.features.bucket_events import function, objects
from headwater.features.bucket_events.settings import BUCKET_EVENTS_DLQ_URL, BUCKET_EVENTS_QUEUE_URL
from tests.aws import conftest
from tests.aws.api.conftest import Caller
from tests.aws.batches import batch_of, take
from tests.aws.calls import calls_of, grants_of
from tests.aws.faults import before, refused
from tests.builders_events import a_dataset, a_dataset_event, a_facet, a_run_event
from tests.features.bucket_events.stacks import CONTEXT
from tests.templates import Template

BUCKET, PREFIX = "lineage", "openlineage/"
RUNS = [f"01941f29-7c00-7ea7-b5a3-4d2d5f0a1b{number:02}" for number in range(3)]
# A history in which the order would matter to a store of last writes.
EVENTS = [
    *(
        a_run_event(
            run=run, eventType=kind, eventTime=f"2025-11-20T12:0{number}:{second:02}Z", outputs=[a_dataset(run)]
        )
        for number, run in enumerate(RUNS)
        for second, kind in enumerate(("START", "COMPLETE"))
    ),
    a_dataset_event(a_dataset(fields=["tail", "delay"])),
]
BROKEN = {name: value for name, value in EVENTS[0].items() if name != "job"}


class Buckets:
    """A bucket with notifications, the queue with its dead letters, and the bucket-events function."""

    def __init__(self, cloud, urls):
        self.cloud, self.urls, self.s3, self._sqs = (
            cloud,
            urls,
            conftest.tests_client("s3"),
            conftest.tests_client("sqs"),
        )
        self._times = count(1_763_640_000_000)

    def put(self, content, key=None):
        """Write an object, by default as OpenLineage's S3 transport names it."""
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        key = f"{PREFIX}{next(self._times)}.json" if key is None else key
        self.s3.put_object(Bucket=BUCKET, Key=key, Body=text)
        return key

    def messages(self, queue="BucketEventsQueue"):
        """Take up to ten messages off a queue, as the event source would; they stay in flight."""
        return take(self._sqs, self.urls[queue])

    def step(self, *, remaining_s=600):
        """Run the function on batches until the queue is empty; list the reasons of failed messages."""
        failed = []
        while received := self.messages():
            batch = batch_of(received, self.urls["BucketEventsQueue"])
            response = function.handler(batch, self.cloud.context(remaining_s))
            failed += [failure["itemIdentifier"] for failure in response["batchItemFailures"]]
        return len(failed)

    def load(self):
        """Load the queued events, and return their number."""
        bodies = self.cloud.bodies("EventsQueue")
        assert self.cloud.load_events(*bodies) == []
        return sum(len(body.get("events", [body])) for body in bodies)

    def dead_letters(self):
        """List body and reason of the dead letters."""
        letters = self.messages("BucketEventsDeadLetters")
        return [(letter["Body"], letter["MessageAttributes"]["reason"]["StringValue"]) for letter in letters]

    def rows(self):
        """List the rows of the graph, without the list of the raw log's objects, and the swaps of each row."""
        items = [item for item in self.cloud.items("Graph") if not item["pk"]["S"].startswith("EVENTS#")]
        return sorted(
            ({**item, "version": 0, "noted": 0} for item in items), key=lambda item: (item["pk"]["S"], item["sk"]["S"])
        )


@pytest.fixture
def buckets(cloud, synthesized, monkeypatch):
    """The queues and the rule of a stack with a bucket, and the bucket with its notifications."""
    template = synthesized(**CONTEXT)
    resources = {
        name: resource
        for name, resource in template["Resources"].items()
        if resource["Type"] in ("AWS::SQS::Queue", "AWS::Events::Rule") and name.startswith("BucketEvents")
    }
    outputs = {name: template["Outputs"][name] for name in ("BucketEventsQueueUrl", "BucketEventsDeadLettersUrl")}
    formation = conftest.tests_client("cloudformation")
    formation.create_stack(StackName="buckets", TemplateBody=json.dumps({"Resources": resources, "Outputs": outputs}))
    [stack] = formation.describe_stacks(StackName="buckets")["Stacks"]
    urls = {output["OutputKey"].removesuffix("Url"): output["OutputValue"] for output in stack["Outputs"]}
    monkeypatch.setenv(BUCKET_EVENTS_QUEUE_URL, urls["BucketEventsQueue"])
    monkeypatch.setenv(BUCKET_EVENTS_DLQ_URL, urls["BucketEventsDeadLetters"])
    s3 = conftest.tests_client("s3")
    s3.create_bucket(Bucket=BUCKET)
    s3.put_bucket_notification_configuration(Bucket=BUCKET, NotificationConfiguration={"EventBridgeConfiguration": {}})
    return Buckets(cloud, urls)


def by_objects(buckets, tmp_path):
    """As OpenLineage's S3 transport: an object an event, here from last to first, and some of them twice."""
    for event in [*reversed(EVENTS), EVENTS[0], EVENTS[-1]]:
        buckets.put(event)
    return len(EVENTS) + 2


def by_files(buckets, tmp_path):
    """By the file transport of openlineage-python: a file an event."""
    transport = FileTransport(FileConfig(str(tmp_path / "events")))
    for event in EVENTS:
        transport.emit(event)
    for file in sorted(tmp_path.iterdir(), reverse=True):
        buckets.put(file.read_bytes(), PREFIX + file.name)
    return len(EVENTS)


def by_appended_file(buckets, tmp_path):
    """By the same with `append`: each event makes the object anew, with all lines before."""
    transport = FileTransport(FileConfig(str(tmp_path / "events"), append=True))
    for event in EVENTS:
        transport.emit(event)
        buckets.put((tmp_path / "events").read_bytes(), PREFIX + "events")
    return sum(range(len(EVENTS) + 1))


@pytest.mark.parametrize("write", [by_objects, by_files, by_appended_file])
def test_events_in_objects_make_the_rows_of_the_same_events_by_http(cloud, buckets, tmp_path, write):
    for event in EVENTS:
        assert Caller(cloud).event(event).status == 201
    assert buckets.load() == len(EVENTS)
    rows = buckets.rows()
    assert rows
    cloud.forget("Graph")

    conftest.tests_client("s3").put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    number = write(buckets, tmp_path)
    assert buckets.step() == 0
    assert buckets.load() == number
    assert buckets.rows() == rows
    assert buckets.dead_letters() == []
    # Beside the events by HTTP, they change nothing.
    for event in EVENTS:
        assert Caller(cloud).event(event).status == 201
    buckets.load()
    assert buckets.rows() == rows


def test_a_broken_line_harms_no_neighbour_and_is_a_dead_letter_with_its_place_and_rule(cloud, buckets):
    lines = [json.dumps(EVENTS[0]), '{"cut', "", json.dumps(BROKEN), "7", json.dumps(EVENTS[1])]
    buckets.put("\n".join(lines).encode(), PREFIX + "events")
    assert buckets.step() == 0
    assert buckets.load() == 2
    [(body, reason)] = buckets.dead_letters()
    assert objects.parse_notification(body).key == PREFIX + "events"
    assert reason.split("; ") == [
        "line 2: must be JSON (unexpected end of data: line 1 column 6 (char 5))",
        "line 4: job: is required",
        "line 5: event: must be a JSON object, got 7",
    ]


@pytest.mark.parametrize(
    "key", [f"{PREFIX}run=1/ä +%20.json", f"{PREFIX}team/2025/11/20/1763640000000.json"], ids=["hostile", "nested"]
)
def test_a_key_is_read_as_it_is_and_the_raw_log_names_the_object(cloud, buckets, key):
    buckets.put(EVENTS[0], key)
    assert buckets.step() == 0
    [message] = conftest.tests_client("sqs").receive_message(
        QueueUrl=cloud.url("EventsQueue"), MessageAttributeNames=["All"]
    )["Messages"]
    assert json.loads(message["Body"]) == EVENTS[0]
    assert message["MessageAttributes"]["caller"]["StringValue"] == f"s3://{BUCKET}/{key}"


def test_an_object_outside_the_prefix_and_an_empty_object_bring_nothing(cloud, buckets):
    buckets.put(EVENTS[0], "elsewhere/1.json")
    assert buckets.messages() == []
    buckets.put(b"", PREFIX)
    assert buckets.step() == 0
    assert [cloud.bodies("EventsQueue"), buckets.dead_letters()] == [[], []]


def test_an_object_above_the_limit_is_refused_with_the_reason_unread(cloud, buckets, monkeypatch):
    monkeypatch.setattr(objects, "OBJECT_BYTES_MAX", 100)
    buckets.put(EVENTS[0])
    assert buckets.step() == 0
    [(_, reason)] = buckets.dead_letters()
    size = len(json.dumps(EVENTS[0]))
    assert reason == f"size: must have at most 100 bytes; `headwater import` takes larger objects, got {size}"
    assert cloud.bodies("EventsQueue") == []


def test_an_object_that_is_gone_and_what_is_no_notification_are_dead_letters(buckets):
    key = buckets.put(EVENTS[0])
    buckets.s3.delete_object(Bucket=BUCKET, Key=key)
    for body in ("no JSON", "{}"):
        conftest.tests_client("sqs").send_message(QueueUrl=buckets.urls["BucketEventsQueue"], MessageBody=body)
    assert buckets.step() == 0
    rule = "message: must be EventBridge's event of a new object"
    assert sorted(reason for _, reason in buckets.dead_letters()) == [
        f"key: must be an object that still exists, got '{key}'",
        f"{rule}, got 'no JSON'",
        f"{rule}, got '{{}}'",
    ]


def test_an_overwritten_object_is_read_as_it_was_where_the_bucket_keeps_versions(cloud, buckets):
    buckets.s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    for event in EVENTS[:2]:
        buckets.put(event, PREFIX + "1763640000000.json")
    assert buckets.step() == 0
    assert cloud.bodies("EventsQueue") == EVENTS[:2]


@pytest.mark.parametrize(
    ("service", "call", "error"),
    [("s3", "GetObject", "AccessDenied"), ("sqs", "SendMessageBatch", "AccessDenied")],
)
def test_what_aws_refuses_is_tried_again_and_no_dead_letter(cloud, buckets, service, call, error):
    buckets.put(EVENTS[0])
    with before(getattr(cloud, service), call, refused(error), times=99):
        assert buckets.step() == 1
    assert buckets.dead_letters() == []


def test_an_object_without_time_left_for_it_is_tried_again(cloud, buckets):
    buckets.put(EVENTS[0])
    assert buckets.step(remaining_s=149) == 1
    assert cloud.bodies("EventsQueue") == []


def test_the_function_may_make_every_call_that_it_makes_and_no_grant_is_spare(cloud, buckets, synthesized):
    def is_refused(params, **_):
        if params["Key"].endswith("refused.json"):
            raise ClientError({"Error": {"Code": "AccessDenied"}}, "GetObject")

    calls = calls_of(clients.client("s3"), clients.client("sqs"))
    clients.client("s3").meta.events.register("provide-client-params.s3.GetObject", is_refused)
    more = a_facet("More", "1-0-0", text="a" * BODY_BYTES_MAX)
    buckets.put({**EVENTS[0], "run": {**EVENTS[0]["run"], "facets": {"more": more}}})
    buckets.put(b"no JSON")
    buckets.put(EVENTS[0], PREFIX + "refused.json")
    buckets.s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    buckets.put(EVENTS[1])
    assert buckets.step() == 1
    assert grants_of(Template(synthesized(**CONTEXT)), "BucketEventsFunction") == calls

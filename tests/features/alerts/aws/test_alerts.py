"""Alerts through the handlers: events in, looks on the queue, alerts on the bus; nothing is lost on the way."""

import pytest

from headwater.aws import clients
from headwater.features.alerts import function
from headwater.features.alerts.settings import ALERT_RULES, ALERTS_BUS, ALERTS_QUEUE_URL
from tests.aws import conftest
from tests.aws.calls import calls_of, grants_of
from tests.aws.faults import before, refused
from tests.builders import HOUR
from tests.builders_events import a_dataset, a_run_event
from tests.templates import Template

FAILED = a_run_event(eventType="FAIL")


@pytest.fixture
def watched(cloud, monkeypatch):
    """Return the account with the alerts' queue and bus, and a queue that keeps what the bus was sent."""
    queues = {name: conftest.tests_client("sqs").create_queue(QueueName=name)["QueueUrl"] for name in ("looks", "seen")}
    cloud.outputs |= {"AlertsQueueUrl": queues["looks"], "SeenUrl": queues["seen"]}
    bus = conftest.tests_client("events")
    bus.create_event_bus(Name="alerts")
    bus.put_rule(Name="all", EventBusName="alerts", EventPattern='{"source": ["headwater"]}')
    arn = f"arn:aws:sqs:us-east-1:123456789012:{queues['seen'].rpartition('/')[2]}"
    bus.put_targets(Rule="all", EventBusName="alerts", Targets=[{"Id": "seen", "Arn": arn}])
    monkeypatch.setenv(ALERTS_QUEUE_URL, queues["looks"])
    monkeypatch.setenv(ALERTS_BUS, "alerts")
    monkeypatch.setenv(ALERT_RULES, '{"explorer": "https://lineage.example.org/v1/explore/"}')
    return cloud


def looked(cloud):
    """Run the alerts function on what its queue holds; return the places of the messages that failed."""
    return cloud.failed(function.handler, "AlertsQueue", cloud.bodies("AlertsQueue"))


def sent(cloud):
    return [(event["detail-type"], event["detail"]) for event in cloud.bodies("Seen")]


def test_a_failed_run_is_an_alert_with_a_link(watched):
    assert watched.load_events(FAILED) == []
    assert looked(watched) == []
    [(kind, detail)] = sent(watched)
    assert (kind, detail["node"]) == ("RunFailed", "job:emissions:emissions.read_flights")
    assert detail["mail"] == f"{detail['summary']} {detail['link']}"
    assert detail["link"] == "https://lineage.example.org/v1/explore/job?node=job%3Aemissions%3Aemissions.read_flights"


def test_events_that_cannot_be_looked_at_come_again(watched):
    gone = before(watched.sqs, "SendMessageBatch", refused("AWS.SimpleQueueService.QueueDoesNotExist"))
    with gone:
        assert watched.load_events(FAILED) == [0]
    assert watched.load_events(FAILED) == []
    assert looked(watched) == []
    assert len(sent(watched)) == 1


def test_an_alert_that_the_bus_refuses_is_sent_when_its_claim_has_ended(watched):
    watched.load_events(FAILED)
    bodies = watched.bodies("AlertsQueue")
    with before(clients.client("events"), "PutEvents", refused("InternalException")):
        assert watched.failed(function.handler, "AlertsQueue", bodies) == [0]
    assert sent(watched) == []
    assert watched.failed(function.handler, "AlertsQueue", bodies) == [0], "its claim lasts"
    watched.now_s += HOUR
    assert watched.failed(function.handler, "AlertsQueue", bodies) == []
    assert len(sent(watched)) == 1


def test_the_schedule_looks_at_what_is_due(watched):
    for day in range(10, 18):
        run = f"01941f29-7c00-7ea7-b5a3-4d2d5f0a1b{day}"
        time = f"2025-11-{day}T06:00:00Z"
        assert watched.load_events(a_run_event(run=run, eventTime=time, outputs=[a_dataset("raw")])) == []
    watched.now_s += -4 * 86_400
    assert looked(watched) == []
    watched.now_s += 2 * 86_400 + 300
    assert function.handler({}, watched.context()) == {}
    [(kind, detail)] = sent(watched)
    assert (kind, detail["causes"][0]["lateSince"]) == ("DatasetLate", "2025-11-18T08:24:00.000000Z")


def test_the_function_may_make_every_call_that_it_makes_and_no_grant_is_spare(watched, synthesized):
    for day in range(13, 21):
        run, time = f"01941f29-7c00-7ea7-b5a3-4d2d5f0a1b{day}", f"2025-11-{day}T06:00:00Z"
        watched.load_events(a_run_event(run=run, eventTime=time))
    watched.load_events(FAILED)
    bodies = ["no look", *watched.bodies("AlertsQueue")]
    calls = calls_of(watched.sqs, watched.dynamodb, clients.client("events"))
    assert watched.failed(function.handler, "AlertsQueue", bodies) == [0]
    watched.now_s += 86_400
    function.handler({}, watched.context())
    # Only facts too large for an item are objects.
    spare = {"s3:GetObject"}
    assert grants_of(Template(synthesized(alerts="eventbridge")), "AlertsAlertsFunction") == calls | spare

"""POST /api/v1/lineage and /api/v1/lineage/batch: OpenLineage events, onto their queue."""

import json

from headwater.aws.bodies import BODY_BYTES_MAX
from headwater.events.api_changes import render_change
from headwater_model.named_datasets import DATASETS_MAX
from tests.aws.faults import before, refused
from tests.builders_events import a_dataset_event, a_facet, a_job_event, a_run_event, without

EVENT = a_run_event()
UNNAMED = without(EVENT, "job", "name")
DENIED = refused("AccessDenied")


def a_large_event():
    return a_run_event(run_facets={"spark.logicalPlan": a_facet("Plan", plan="x" * BODY_BYTES_MAX)})


def result(*failed, received):
    retriable = sum(failure["retriable"] for failure in failed)
    summary = {"received": received, "successful": received - len(failed), "failed": len(failed)}
    return {
        "status": "partial_success",
        "summary": {**summary, "retriable": retriable, "non_retriable": len(failed) - retriable},
        "failed_events": list(failed),
    }


def test_every_kind_of_event_is_queued_as_it_was_sent(api, cloud):
    events = [EVENT, a_job_event(), a_dataset_event(), a_run_event(schemaURL=None, something={"of": ["its", "own"]})]

    responses = [api.event(event) for event in events]

    assert [(response.status, response.body) for response in responses] == [(201, "")] * 4
    assert sorted(map(json.dumps, cloud.bodies("EventsQueue"))) == sorted(map(json.dumps, events))


TEXT = json.dumps(EVENT)


def test_what_is_no_json_in_utf_8_is_refused(api, cloud):
    bodies = [f"\ufeff{TEXT}", TEXT.encode("utf-8-sig"), TEXT.encode("utf-16"), TEXT[:-1], f"{TEXT}{TEXT}"]
    refusals = [api.event(body).refusal for body in bodies]

    assert [code for code, _ in refusals] == [400] * len(bodies)
    assert all(reason.startswith("body: must be JSON (") for _, reason in refusals)
    assert cloud.bodies("EventsQueue") == []


def test_an_event_too_large_for_a_message_travels_as_a_pointer(api, cloud):
    event = a_large_event()

    assert api.event(event).status == 201
    (message,) = cloud.bodies("EventsQueue")
    stored = cloud.s3.get_object(Bucket=message["s3"]["bucket"], Key=message["s3"]["key"])["Body"]
    assert (message["s3"]["key"][:9], json.load(stored)) == ("requests/", event)


NO_DELETION = "change: must not come as an event; the API's routes delete and tag, got 'DELETE'"
BAD = {
    "not JSON": ("{", 400, "body: must be JSON"),
    "nothing": ("", 422, "body: must be JSON"),
    "no field": ({}, 422, "eventTime: is required; producer: is required; job: is required; run: is required"),
    "a bad name": ({**EVENT, "job": {"namespace": "n", "name": " "}}, 400, "job.name: must not be blank, got ' '"),
    "a deletion of a job": (
        render_change("DELETE", namespace="n", time="2025-11-20T12:00:00Z", job="j"),
        400,
        NO_DELETION,
    ),
}


def test_a_bad_event_is_refused_and_changes_nothing(api, cloud):
    returned = {case: api.event(body).refusal for case, (body, _, _) in BAD.items()}

    cut = {case: (status, message[: len(BAD[case][2])]) for case, (status, message) in returned.items()}
    assert cut == {case: (status, message) for case, (_, status, message) in BAD.items()}
    assert cloud.bodies("EventsQueue") == []


def test_an_event_that_aws_does_not_take_is_reported_as_unavailable(api, cloud):
    with before(cloud.sqs, "SendMessageBatch", DENIED):
        unqueued = api.event(EVENT)
    with before(cloud.s3, "PutObject", refused("SlowDown")):
        unstored = api.event(a_large_event())

    assert [response.refusal[0] for response in (unqueued, unstored)] == [503, 503]
    assert unqueued.headers["Retry-After"] == "5"
    assert cloud.bodies("EventsQueue") == []
    assert api.event(EVENT).status == 201


def test_a_whole_batch_is_served_with_nothing_more_to_say(api, cloud):
    response = api.events([EVENT, a_job_event()])

    assert (response.status, response.body) == (204, "")
    assert cloud.bodies("EventsQueue") == [{"events": [EVENT, a_job_event()]}]
    assert api.events([]).status == 204


def test_a_bad_event_harms_no_other_of_its_batch(api, cloud):
    response = api.events([UNNAMED, EVENT, 7, a_dataset_event(), {}])

    reasons = {
        0: "job.name: is required",
        2: "event: must be a JSON object, got 7",
        4: "eventTime: is required; producer: is required; job: is required; run: is required",
    }
    failed = [{"index": index, "reason": reason, "retriable": False} for index, reason in reasons.items()]
    assert (response.status, response.json) == (200, result(*failed, received=5))
    assert cloud.bodies("EventsQueue") == [{"events": [EVENT, a_dataset_event()]}]


def test_only_what_aws_refused_is_to_be_sent_again(api, cloud, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    events = [UNNAMED, *(a_run_event(job=f"emissions.{number}") for number in range(102))]
    calls = []
    second = lambda _: calls.append(1) or len(calls) > 1  # noqa: E731 - a condition
    with before(cloud.sqs, "SendMessageBatch", refused("ServiceUnavailable"), times=99, only=second):
        response = api.events(events)

    failed = response.json["failed_events"]
    assert [(failure["index"], failure["retriable"]) for failure in failed] == [(0, False), (101, True), (102, True)]
    assert failed[1]["reason"].startswith("1 messages could not be queued: ")
    assert len(cloud.bodies("EventsQueue")) == 10


def test_a_message_that_the_queue_keeps_refusing_fails_its_events_alone(api, cloud, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)

    def lose_one(parsed, **_):
        parsed["Failed"] = [{"Id": "1", "Code": "InternalError", "SenderFault": False}]

    cloud.sqs.meta.events.register("after-call.sqs.SendMessageBatch", lose_one)
    response = api.events([a_run_event(job=f"emissions.{number}") for number in range(12)])

    failed = [{"index": index, "reason": "InternalError", "retriable": True} for index in (10, 11)]
    assert response.json == result(*failed, received=12)


def test_an_event_of_too_many_datasets_is_refused_with_the_bound_and_alone(api, cloud):
    inputs = [{"namespace": "s3://b", "name": str(number)} for number in range(DATASETS_MAX + 1)]
    wide = a_run_event(inputs=inputs, outputs=[])
    returned = (
        "inputs, outputs, sources of columns and symlinks: an event may name 10000 datasets, got 10001; "
        "further events of the same run may name the others"
    )

    assert api.event(wide).refusal == (413, returned)
    assert api.events([wide, EVENT]).json["failed_events"] == [{"index": 0, "reason": returned, "retriable": False}]
    assert len(cloud.bodies("EventsQueue")) == 1

"""Events through the input function onto their queue."""

import pytest

from headwater.aws.bodies import BODY_BYTES_MAX
from headwater_model.errors import Invalid, TooLarge, Unavailable
from lambdas import input as input_function
from tests.aws.faults import Killed, before, killed_at, refused
from tests.builders import a_request
from tests.builders_events import a_facet, a_job_event, a_run_event, without

EVENT = a_run_event()


def send(cloud, event):
    return input_function.handler(event, cloud.context())


def test_the_response_to_a_batch_has_the_result_of_each_event(cloud):
    response = send(cloud, {"events": [EVENT, without(EVENT, "run", "runId"), a_job_event()]})

    assert response == {
        "status": "partial_success",
        "summary": {"received": 3, "successful": 2, "failed": 1, "retriable": 0, "non_retriable": 1},
        "failed_events": [{"index": 1, "reason": "run.runId: is required", "retriable": False}],
    }
    assert cloud.bodies("EventsQueue") == [{"events": [EVENT, a_job_event()]}]
    assert send(cloud, {"events": []})["status"] == "success"


def test_what_has_a_root_id_is_a_lineage_request_whatever_the_pipeline_passes_along(cloud):
    response = send(cloud, a_request(node_id="n", job={"name": "x"}, events=[], eventTime="now"))

    assert response["node_id"] == "n"
    assert (len(cloud.bodies("RecordsQueue")), cloud.bodies("EventsQueue")) == (1, [])


@pytest.mark.parametrize(
    ("event", "error", "expected"),
    [
        (without(EVENT, "job"), Invalid, "^job: is required$"),
        (
            a_run_event(eventTime="2030-01-01T00:00:00Z"),
            Invalid,
            "^eventTime: must not be more than 24 hours after now",
        ),
        ({"events": [EVENT] * 1001}, TooLarge, "^events: must be at most 1000 at once, got 1001$"),
        ({}, Invalid, "^root_id: is required"),
    ],
)
def test_a_bad_one_is_raised_by_name_and_changes_nothing(cloud, event, error, expected):
    with pytest.raises(error, match=expected):
        send(cloud, event)
    assert cloud.bodies("EventsQueue") == []


def test_what_aws_refuses_is_raised_and_sent_again_as_a_whole(cloud):
    for event in (EVENT, {"events": [EVENT, a_job_event()]}):
        with (
            before(cloud.sqs, "SendMessageBatch", refused("AccessDenied")),
            pytest.raises(Unavailable, match="could not be queued"),
        ):
            send(cloud, event)
    assert cloud.bodies("EventsQueue") == []
    assert send(cloud, {"events": [EVENT, a_job_event()]})["status"] == "success"


@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
@pytest.mark.parametrize("effective", [False, True], ids=["before it takes effect", "after it did"])
def test_a_function_that_dies_at_any_call_leaves_nothing_that_a_retry_does_not_complete(cloud, large, effective):
    event = a_run_event(run_facets={"plan": a_facet(plan="x" * (BODY_BYTES_MAX if large else 1))})
    for call in (1, 2) if large else (1,):
        with killed_at([cloud.sqs, cloud.s3], call, effective=effective), pytest.raises(Killed):
            send(cloud, event)
        left = cloud.bodies("EventsQueue")
        assert send(cloud, event) == {}
        (queued,) = cloud.bodies("EventsQueue")
        assert left in ([], [queued])

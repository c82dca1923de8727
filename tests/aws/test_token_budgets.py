"""A token's budget of events a minute, over all functions; and RUNNING events that a deployment does not store."""

from urllib.parse import quote

import pytest

from headwater.api.tokens import Tokens
from lambdas import input as input_function
from lambdas import wiring
from tests.aws.faults import before, refused, timed_out
from tests.aws.token_requests import a_token, send
from tests.builders_events import NAMESPACE, READ_FLIGHTS, a_job_event, a_run_event
from tests.token_texts import id_of

LINEAGE, BATCH = "/api/v1/lineage", "/api/v1/lineage/batch"


def post(cloud, token, *events):
    """Return the status, the message of a refusal, and `Retry-After`, of one event or of a batch."""
    body, path = (events[0], LINEAGE) if len(events) == 1 else (list(events), BATCH)
    code, message, headers = send(cloud, token, "POST", path, body=body)
    return code, message, headers.get("Retry-After")


def a_batch(number):
    return [a_job_event(job=f"job {place}") for place in range(number)]


def test_events_above_the_budget_are_refused_until_the_next_minute(cloud):
    cloud.now_s += 15 - cloud.now_s % 60
    token = a_token(cloud, events_per_minute=3)
    over = 429, "token: its budget of 3 events a minute is spent", ["45"]

    assert [post(cloud, token, *a_batch(2))[0], post(cloud, token, *a_batch(1))[0]] == [204, 201]
    assert post(cloud, token, *a_batch(1)) == over
    assert cloud.bodies("EventsQueue") == [{"events": a_batch(2)}, *a_batch(1)]
    cloud.now_s += 45
    assert post(cloud, token, *a_batch(3))[0] == 204
    assert send(cloud, token)[0] == 200


def test_a_batch_takes_all_of_its_events_from_the_budget_or_none(cloud):
    token = a_token(cloud, events_per_minute=3)

    assert post(cloud, token, *a_batch(2))[0] == 204
    assert post(cloud, token, *a_batch(2))[0] == 429
    assert post(cloud, token, *a_batch(1))[0] == 201
    assert post(cloud, token, *a_batch(4))[:2] == (
        413,
        "events: must be at most 3 at once, the token's budget of a minute, got 4",
    )


def test_an_event_counts_for_what_it_costs(cloud):
    outputs = [{"namespace": NAMESPACE, "name": f"table_{number}"} for number in range(80)]
    wide = a_run_event(inputs=[], outputs=outputs)
    narrow, broad = a_token(cloud, events_per_minute=1), a_token(cloud, events_per_minute=5)

    assert post(cloud, narrow, wide)[0] == 413
    assert [post(cloud, broad, event)[0] for event in (wide, *a_batch(3))] == [201, 201, 201, 429]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "tags/PII", None),
        ("DELETE", "tags/PII", None),
        ("POST", "owners/ann", None),
        ("PUT", "description", {"description": "Checked."}),
        ("DELETE", "", None),
    ],
)
def test_a_change_through_the_api_counts_as_an_event(cloud, method, path, body):
    cloud.load_events(a_run_event())
    cloud.loads_meanwhile = True
    token = a_token(cloud, "write", "delete", events_per_minute=1)
    job = f"/api/v1/namespaces/{NAMESPACE}/jobs/{quote(READ_FLIGHTS)}/{path}".rstrip("/")

    assert [send(cloud, token, method, job, body=body)[0] for _ in range(2)] == [200, 429]


def test_functions_share_the_budget_and_tokens_do_not(cloud):
    text, other = a_token(cloud, events_per_minute=2), a_token(cloud, events_per_minute=2)
    first, second = Tokens(wiring.graph_table()), Tokens(wiring.graph_table())
    token = first.find(text, now_s=cloud.now_s)
    first.spend(token, 1, now_s=cloud.now_s)
    second.spend(token, 1, now_s=cloud.now_s)

    assert post(cloud, text, *a_batch(1))[0] == 429
    assert post(cloud, other, *a_batch(1))[0] == 201


def test_the_count_of_a_minute_expires(cloud):
    token = a_token(cloud, events_per_minute=2)
    post(cloud, token, *a_batch(1))

    [row] = [item for item in cloud.items("Graph") if item["pk"]["S"] == "TOKEN_BUDGETS"]
    minute_s = cloud.now_s - cloud.now_s % 60
    # What the function's role allows: tests/stack/test_stack_api.py.
    assert row == {
        "pk": {"S": "TOKEN_BUDGETS"},
        "sk": {"S": f"{id_of(token)}#{minute_s}"},
        "events_sent": {"N": "1"},
        "expires_at": {"N": str(minute_s + 24 * 3600)},
    }


@pytest.mark.parametrize("fault", [refused("AccessDeniedException"), refused("ThrottlingException"), timed_out()])
def test_no_event_is_refused_because_it_could_not_be_counted(cloud, fault):
    token = a_token(cloud, events_per_minute=1)
    with before(cloud.dynamodb, "UpdateItem", fault, times=99):
        assert [post(cloud, token, *a_batch(1))[0] for _ in range(3)] == [201] * 3


def test_running_events_of_the_namespaces_in_the_rule_are_accepted_and_not_stored(cloud, monkeypatch):
    monkeypatch.setenv("DROP_RUNNING_EVENTS", f'["{NAMESPACE}", "flink*"]')
    wiring.event_queue.cache_clear()
    token = a_token(cloud)
    dropped = a_run_event(eventType="running")
    elsewhere = a_run_event(eventType="RUNNING", namespace="airflow", job="x")
    kept = [a_run_event(eventType="START"), elsewhere, a_job_event()]

    assert post(cloud, token, dropped)[0] == 201
    assert post(cloud, token, dropped, *kept)[0] == 204
    assert input_function.handler(dropped, cloud.context()) == {}
    summary = input_function.handler({"events": [dropped, {}]}, cloud.context())["summary"]
    assert (summary["received"], summary["successful"], summary["failed"]) == (2, 1, 1)
    assert cloud.bodies("EventsQueue") == [{"events": kept}]


def test_a_running_event_that_breaks_a_rule_is_refused_though_it_would_not_be_stored(cloud, monkeypatch):
    monkeypatch.setenv("DROP_RUNNING_EVENTS", '["*"]')
    wiring.event_queue.cache_clear()
    assert post(cloud, a_token(cloud), a_run_event(eventType="RUNNING", eventTime="noon"))[0] == 400

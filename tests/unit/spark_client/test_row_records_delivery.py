from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler

import pyarrow as pa
import pytest

from spark_client.rows.delivery import TaskConfig, deliver_rows
from spark_client.transport.destination import Destination
from tests.unit.spark_client.lineage_service import SHORT, Service, Watch, failing, hanging_up

QUEUE_URL = "https://sqs.eu-west-1.amazonaws.com/123456789012/packed"
Fault = Callable[[BaseHTTPRequestHandler], None]


def a_record(node_id: str, filler: int = 0) -> dict[str, object]:
    location = "s3://checked/" + "x" * filler
    return {
        "root_id": "flights",
        "parent_id": "landed",
        "action_taken": "CHECKED",
        "node_id": node_id,
        "storage_location": location,
    }


def a_batch(*node_ids: str, bad: int = 0, filler: int = 0) -> pa.RecordBatch:
    """Good rows, and then bad ones."""
    rows = [(json.dumps(a_record(node_id, filler)), None, None, "flights", node_id) for node_id in node_ids]
    rows += [(None, "node_id: must not be empty", f"row {number}", "flights", None) for number in range(bad)]
    names = ("line", "reason", "example", "root", "node")
    columns = [pa.array([row[place] for row in rows], pa.string()) for place in range(len(names))]
    return pa.RecordBatch.from_arrays(columns, names=list(names))


def deliver(errand: TaskConfig, *batches: pa.RecordBatch) -> dict[tuple[str, str], int]:
    """Rows by outcome and reason."""
    (result,) = deliver_rows(iter(batches), errand)
    return {(row["outcome"], row["reason"]): row["rows"] for row in result.to_pylist() if row["outcome"] != "root"}


def responding(failed: dict[int, bool]) -> Fault:
    """Takes all messages of a call but those at these places; whether the failure is the sender's."""
    entries = [{"Id": str(n), "Code": "No", "Message": "thanks", "SenderFault": f} for n, f in failed.items()]
    return failing(200, {"Successful": [], "Failed": entries})


@pytest.fixture(autouse=True)
def _credentials(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", service.url)


@pytest.fixture
def to_queue(service: Service, watch: Watch) -> TaskConfig:
    return TaskConfig(f"{QUEUE_URL}-{id(service)}", None, {}, SHORT, watch.clock)


@pytest.fixture
def by_http(service: Service, watch: Watch) -> TaskConfig:
    return TaskConfig(None, Destination(url=service.url), {"requested_at": 1_763_640_000}, SHORT, watch.clock)


def messages(service: Service) -> list[list[str]]:
    """Return the node ids of each message of each call."""
    bodies = (entry["MessageBody"] for call in service.requests for entry in call["Entries"])
    return [[record["node_id"] for record in json.loads(body)["records"]] for body in bodies]


def test_rows_travel_packed_and_are_counted(service: Service, to_queue: TaskConfig) -> None:
    service.faults = [responding({})]

    assert deliver(to_queue, a_batch("a", "b"), a_batch("c")) == {("sent", ""): 3}
    assert messages(service) == [["a", "b", "c"]]


def test_rows_go_as_a_request_where_there_is_no_queue(service: Service, by_http: TaskConfig) -> None:
    assert deliver(by_http, a_batch("a", "b")) == {("sent", ""): 2}
    (request,) = service.requests
    assert request["records"] == [a_record("a"), a_record("b")]


def test_a_node_that_comes_twice_travels_in_two_requests(service: Service, by_http: TaskConfig) -> None:
    batches = a_batch("a", "b"), a_batch("a", filler=1), a_batch("b")
    assert deliver(by_http, *batches) == {("sent", ""): 4}
    assert sorted(len(request["records"]) for request in service.requests) == [1, 2]


def test_bad_rows_stop_no_others_and_a_few_of_each_reason_are_shown(service: Service, by_http: TaskConfig) -> None:
    (result,) = deliver_rows(iter([a_batch("a", bad=5), a_batch(bad=1)]), by_http)

    assert sorted(result.to_pylist(), key=lambda row: str(row["outcome"])) == [
        {
            "outcome": "refused",
            "reason": "node_id: must not be empty",
            "rows": 6,
            "examples": ["row 0", "row 1", "row 2"],
        },
        {"outcome": "root", "reason": "flights", "rows": 1, "examples": []},
        {"outcome": "sent", "reason": "", "rows": 1, "examples": []},
    ]


def test_only_the_messages_that_failed_are_sent_again(service: Service, to_queue: TaskConfig, watch: Watch) -> None:
    service.faults = [responding({1: False, 2: True}), responding({0: False}), responding({})]
    batch = a_batch(*"abcd", filler=200_000)  # a message each, four a call

    assert deliver(to_queue, batch) == {("sent", ""): 3, ("refused", "No: thanks"): 1}
    assert messages(service) == [["a"], ["b"], ["c"], ["d"], ["b"], ["b"]]
    assert watch.pauses == [1, 2]


def test_what_is_not_taken_in_time_is_counted_with_the_last_reason(
    service: Service, to_queue: TaskConfig, watch: Watch
) -> None:
    service.faults = [responding({0: False})] * 20

    assert deliver(to_queue, a_batch("a", "b")) == {("failed", "No: thanks"): 2}
    assert sum(watch.pauses) < SHORT.deadline_s


@pytest.mark.parametrize("fault", [failing(503, {}), hanging_up], ids=["503", "hung up"])
def test_a_failing_service_is_tried_again(service: Service, by_http: TaskConfig, fault: Fault) -> None:
    service.faults = [fault, fault]

    assert deliver(by_http, a_batch("a")) == {("sent", ""): 1}


def test_what_the_service_refuses_is_not_tried_again_and_the_rest_arrives(
    service: Service, by_http: TaskConfig
) -> None:
    service.faults = [failing(400, {"code": "Invalid", "message": "requested_at: no"})]
    counts = deliver(by_http, a_batch(*(str(number) for number in range(10_001))))

    assert sorted(counts) == [("refused", "Invalid: requested_at: no"), ("sent", "")]
    assert sum(counts.values()) == 10_001
    assert len(service.calls) == 2


def test_after_a_while_a_task_tries_no_more(service: Service, to_queue: TaskConfig, watch: Watch) -> None:
    service.faults = [failing(503, {})] * 1_000
    batch = a_batch(*(str(number) for number in range(100)), filler=200_000)

    counts = deliver(to_queue, *[batch] * 2)
    calls = len(service.calls)

    assert Counter(outcome for outcome, _ in counts) == {"failed": 1}
    assert sum(counts.values()) == 200
    assert calls < 40  # of 50 that would each be tried for as long as the patience lasts
    # The next task of this process does not wait as long again, but tries.
    watch.pauses.clear()
    assert deliver(to_queue, a_batch("a")) == {next(iter(counts)): 1}
    assert (len(service.calls), watch.pauses) == (calls + 1, [])


def test_a_service_that_is_back_is_waited_for_again(service: Service, to_queue: TaskConfig, watch: Watch) -> None:
    service.faults = [failing(503, {})] * 20
    deliver(to_queue, a_batch("a"))
    service.faults = [responding({})]
    assert deliver(to_queue, a_batch("b")) == {("sent", ""): 1}

    service.faults = [failing(503, {}), responding({})]
    assert deliver(to_queue, a_batch("c")) == {("sent", ""): 1}


@pytest.mark.parametrize(
    ("errand", "reason"),
    [
        (TaskConfig(None, None, {}), "nowhere to send lineage to"),
        (
            TaskConfig(None, Destination(url="ftp://h"), {}),
            "url 'ftp://h': must be http://host[:port][/path] or https://...",
        ),
    ],
)
def test_a_task_that_cannot_even_begin_counts_its_rows(errand: TaskConfig, reason: str) -> None:
    assert deliver(errand, a_batch("a", "b", bad=1)) == {
        ("failed", reason): 2,
        ("refused", "node_id: must not be empty"): 1,
    }


def test_reasons_without_end_are_not_distinguished(service: Service, by_http: TaskConfig) -> None:
    service.faults = [failing(400, {"code": "Invalid", "message": f"no {number}"}) for number in range(30)]
    batches = [a_batch("a", filler=number) for number in range(30)]  # one node in each request

    counts = deliver(by_http, *batches)
    assert (len(counts), counts["refused", "other reasons"]) == (21, 10)


def test_an_empty_task_sends_nothing(service: Service, by_http: TaskConfig) -> None:
    assert deliver(by_http) == {}
    assert service.calls == []


def test_rows_that_end_in_an_error_end_the_task_and_it_waits_for_nothing(service: Service, by_http: TaskConfig) -> None:
    def rows() -> Iterator[pa.RecordBatch]:
        yield a_batch("a")
        raise ValueError("the job's own")

    with pytest.raises(ValueError, match="the job's own"):
        list(deliver_rows(rows(), by_http))

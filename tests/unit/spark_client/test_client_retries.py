"""Retries of the client, requests that it gives up, and errors that it raises."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from headwater_model.ids import derive_node_id
from spark_client import (
    LineageClient,
    Record,
    RecordResult,
    Refused,
    RetryPolicy,
    Step,
    Undelivered,
)
from tests.unit.spark_client.a_client import NOW, RAW, ROOT, a_client, nobody_listens
from tests.unit.spark_client.lineage_service import (
    SHORT,
    Service,
    Watch,
    failing,
    hanging_up,
    silent,
    trickling,
)
from tests.waiting import LONG_S, until

PASSING = [
    pytest.param(failing(429, {"message": "slow down"}), id="throttled"),
    pytest.param(failing(500, {"message": "Internal server error"}), id="failed"),
    pytest.param(failing(503), id="unavailable"),
    pytest.param(failing(408), id="request timeout"),
    pytest.param(hanging_up, id="hung up"),
]


def test_in_a_hurry_a_pause_ends_and_the_next_attempt_is_the_last(service: Service) -> None:
    # Long pauses, whatever the dice say.
    slow = RetryPolicy(deadline_s=6e8, pause_s=1e9, pause_max_s=1e8)
    service.faults = [failing(503)] * 9
    lineage = LineageClient(url=service.url, retry=slow)
    with ThreadPoolExecutor(1) as beside:
        under_way = beside.submit(lineage.record, ROOT, ROOT, "READ", RAW)
        until(lambda: service.calls)
        lineage.hurry()
        assert not under_way.result(LONG_S).delivered
    assert len(service.calls) <= 2
    assert not lineage.record(ROOT, ROOT, "READ", RAW).delivered


@pytest.mark.parametrize("fault", PASSING)
def test_what_may_pass_is_tried_again_as_the_same_request(service: Service, watch: Watch, fault: object) -> None:
    service.faults = [fault, fault, fault]  # type: ignore[list-item]

    result = a_client(service, watch).record(ROOT, ROOT, "READ", RAW)

    assert result.delivered
    assert len(service.requests) == 4
    assert [request == service.requests[0] for request in service.requests] == [True] * 4
    assert watch.pauses == [1, 2, 4]


def test_the_service_says_when_to_come_back(service: Service, watch: Watch) -> None:
    service.faults = [failing(503, Retry_After="7")]

    assert a_client(service, watch).record(ROOT, ROOT, "READ", RAW).delivered
    assert watch.pauses == [7]


def test_a_silent_service_is_not_waited_for_longer_than_an_attempt(service: Service, watch: Watch) -> None:
    service.faults = [silent]

    result = a_client(service, watch, retry=RetryPolicy(attempt_s=2, pause_s=1)).record(ROOT, ROOT, "READ", RAW)

    assert result.delivered
    assert len(service.requests) == 2


def test_a_job_lives_on_when_the_service_is_down(watch: Watch, caplog: pytest.LogCaptureFixture) -> None:
    lineage = LineageClient(url=nobody_listens(), retry=SHORT, clock=watch.clock)

    result = lineage.record(ROOT, ROOT, "READ", RAW, request_id="r-1")

    node_id = derive_node_id(ROOT, ROOT, "READ", "r-1", 0)
    assert result == RecordResult(ROOT, "READ", NOW, None, node_id, RAW, delivered=False)
    assert (lineage.sent, lineage.failed) == (0, 1)
    assert watch.pauses == [1, 2, 4, 4, 4, 4]
    assert sum(watch.pauses) < SHORT.deadline_s
    (warning,) = caplog.records
    assert warning.levelno == logging.WARNING
    assert warning.getMessage().startswith("1 records of READ not recorded: 127.0.0.1: ConnectionRefusedError")
    assert warning.getMessage().endswith("(gave up after 7 attempts)")


def test_an_outage_is_waited_for_and_warned_of_once(
    service: Service, watch: Watch, caplog: pytest.LogCaptureFixture
) -> None:
    lineage = a_client(service, watch)
    service.faults = [failing(503)] * 9

    delivered = [lineage.record(ROOT, ROOT, "READ", RAW).delivered for _ in range(5)]

    assert delivered == [False, False, False, True, True]
    assert len(service.requests) == 7 + 1 + 1 + 1 + 1
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert (lineage.sent, lineage.failed) == (2, 3)


def test_after_an_outage_a_request_is_tried_again_as_often_as_before(service: Service, watch: Watch) -> None:
    lineage = a_client(service, watch)
    service.faults = [failing(503)] * 7
    lineage.record(ROOT, ROOT, "READ", RAW)
    lineage.record(ROOT, ROOT, "READ", RAW)
    service.faults = [failing(503)] * 2

    assert lineage.record(ROOT, ROOT, "READ", RAW).delivered


def test_a_refusal_is_not_tried_again(service: Service, watch: Watch, caplog: pytest.LogCaptureFixture) -> None:
    service.faults = [failing(422, {"code": 422, "message": "root_id: must not be empty, got ''"})]
    lineage = a_client(service, watch)

    result = lineage.record(ROOT, ROOT, "READ", RAW)

    assert not result.delivered
    assert len(service.requests) == 1
    assert [record.getMessage() for record in caplog.records] == [
        "1 records of READ not recorded: 422: root_id: must not be empty, got ''"
    ]


def test_a_broken_string_in_the_data_is_refused_before_it_is_sent(service: Service, watch: Watch) -> None:
    assert not a_client(service, watch).record("flights-\ud800", ROOT, "READ", RAW).delivered
    assert service.requests == []


def test_an_error_in_the_job_s_own_rows_is_the_job_s(service: Service, watch: Watch) -> None:
    rows = (Record(f"{1 // row}") for row in (1, 0))

    with pytest.raises(ZeroDivisionError):
        a_client(service, watch).record_many(ROOT, "raw", "CHECKED", rows)


def test_a_strict_client_raises_the_services_error(service: Service, watch: Watch) -> None:
    service.faults = [failing(422, {"code": 422, "message": "root_id: must not be empty, got ''"})]

    with pytest.raises(Refused, match=r"^422: root_id: must not be empty, got ''$") as refused:
        a_client(service, watch, strict=True).record(ROOT, ROOT, "READ", RAW)

    assert refused.value.code == "422"


def test_a_strict_client_raises_when_its_patience_ends(watch: Watch) -> None:
    lineage = LineageClient(url=nobody_listens(), retry=SHORT, clock=watch.clock, strict=True)

    with pytest.raises(Undelivered, match=r"gave up after 7 attempts"):
        lineage.record_all([Step(ROOT, ROOT, "READ", RAW)])

    assert lineage.failed == 1


def test_a_response_that_trickles_in_has_the_time_of_one_attempt_in_all(service: Service) -> None:
    retry = RetryPolicy(deadline_s=0.4, attempt_s=0.4)
    service.faults = [trickling(0.1)]

    with pytest.raises(Undelivered, match="TimeoutError timed out"):
        LineageClient(url=service.url, retry=retry, strict=True).record(ROOT, ROOT, "READ", RAW)


def test_a_response_without_an_end_is_not_kept(service: Service, watch: Watch) -> None:
    service.faults = [failing(200, "x" * 16_000_000)] * 9

    with pytest.raises(Undelivered, match="response has more than 16000000 bytes"):
        a_client(service, watch, strict=True).record(ROOT, ROOT, "READ", RAW)


@pytest.mark.parametrize(
    "refused",
    [
        lambda lineage: lineage.record(None, ROOT, "READ", RAW),
        lambda lineage: lineage.emit(7),
        lambda lineage: lineage.emit_many([7]),
    ],
    ids=["request", "event", "events"],
)
def test_what_the_client_refuses_itself_does_not_end_an_outage(
    service: Service, watch: Watch, refused: Callable[[LineageClient], object]
) -> None:
    service.faults = [failing(503)] * 99
    lineage = a_client(service, watch)
    lineage.record(ROOT, ROOT, "READ", RAW)
    during_outage = len(service.requests)

    refused(lineage)
    lineage.record(ROOT, ROOT, "READ", RAW)

    assert len(service.requests) == during_outage + 1

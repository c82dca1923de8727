"""Circuit breaker of the client: what an endpoint that hangs costs a job, and how the job gets back to it."""

from __future__ import annotations

import logging
import pickle
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_client import LineageClient, RetryPolicy, Step, Undelivered
from spark_client.record_requests import DeliveryCounts
from spark_client.transport.delivery import Delivery
from spark_client.transport.destination import Destination, Json, Transport
from tests.unit.spark_client.a_client import RAW, ROOT
from tests.unit.spark_client.lineage_service import Service, Watch, silent_for

# A client that waits for a tenth of a second, and no pauses to speak of.
QUICK = RetryPolicy(deadline_s=5, attempt_s=0.1, connect_s=0.1, pause_s=0.001)
REST_MAX_S = 300


@pytest.fixture
def hanging_url() -> Iterator[str]:
    """Address that accepts connections and never responds."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def seconds_of_calls(lineage: LineageClient, calls: int) -> list[float]:
    seconds = []
    for _ in range(calls):
        started_s = time.monotonic()
        assert not lineage.record(ROOT, ROOT, "READ", RAW).delivered
        seconds.append(time.monotonic() - started_s)
    return seconds


def test_an_endpoint_that_hangs_costs_one_time_out(hanging_url: str, caplog: pytest.LogCaptureFixture) -> None:
    lineage = LineageClient(url=hanging_url, retry=QUICK)

    first, *later = seconds_of_calls(lineage, 50)

    # Fifty time-outs would be five seconds.
    assert first >= 0.1
    assert sum(later) < 2.5
    assert (lineage.sent, lineage.failed, lineage.not_tried) == (0, 50, 49)
    assert caplog.messages == [
        "1 records of READ not recorded: 127.0.0.1: TimeoutError timed out (gave up after 2 attempts); "
        "nothing is tried for 2 s"
    ]


def test_threads_that_share_a_client_wait_for_the_same_time_out(hanging_url: str) -> None:
    lineage = LineageClient(url=hanging_url, retry=QUICK)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: lineage.record(ROOT, ROOT, "READ", RAW), range(200)))

    assert lineage.failed == 200
    assert lineage.not_tried >= 200 - 8


def test_a_stream_of_steps_beside_a_hanging_endpoint_ends(hanging_url: str) -> None:
    steps = (Step(f"r-{number}", ROOT, "READ", RAW) for number in range(500))
    started_s = time.monotonic()

    counts = LineageClient(url=hanging_url, retry=QUICK).record_all(steps)

    assert counts == DeliveryCounts(0, 500)
    assert time.monotonic() - started_s < 25


def test_a_strict_client_raises_at_once_while_the_endpoint_rests(hanging_url: str) -> None:
    lineage = LineageClient(url=hanging_url, retry=QUICK, strict=True)
    with pytest.raises(Undelivered, match="gave up after 2 attempts"):
        lineage.record(ROOT, ROOT, "READ", RAW)

    with pytest.raises(Undelivered, match=r"^not tried so soon after the last failure: 127\.0\.0\.1: TimeoutError"):
        lineage.record(ROOT, ROOT, "READ", RAW)


def test_an_endpoint_that_is_back_gets_one_probe_and_then_all(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="headwater.client")
    service.faults = [silent_for(0.2), silent_for(0.2)]
    lineage = LineageClient(url=service.url, retry=QUICK)
    lineage.record(ROOT, ROOT, "READ", RAW)

    lineage._delivery._breaker._rests_until_s = 0.0  # the rest is over
    delivered = [lineage.record(ROOT, ROOT, "READ", RAW).delivered for _ in range(3)]

    assert delivered == [True] * 3
    assert len(service.requests) == 2 + 3
    assert caplog.messages[-1] == "lineage is recorded again"


def test_a_task_does_not_inherit_the_driver_s_rest(hanging_url: str, service: Service) -> None:
    driver = LineageClient(url=hanging_url, retry=QUICK)
    driver.record(ROOT, ROOT, "READ", RAW)

    task: LineageClient = pickle.loads(pickle.dumps(driver))
    first, second = seconds_of_calls(task, 2)

    assert first >= 0.1
    assert second < 0.05


class Endpoint:
    """Payload, and at once the endpoint that takes or refuses it, on a watch of its own."""

    def __init__(self, watch: Watch, behaviours: list[tuple[str, float]]) -> None:
        self._watch = watch
        self._behaviours = behaviours
        self.attempts = 0
        self.limits: list[float] = []

    @property
    def behaviour(self) -> str:
        at_s = self._watch.now_s - Watch().now_s
        for behaviour, seconds in self._behaviours:
            at_s -= seconds
            if at_s < 0:
                return behaviour
        return "responds"

    def send(self, transport: Transport, timeout_s: float) -> Json:
        self.attempts += 1
        self.limits.append(timeout_s)
        if self.behaviour == "hangs":
            self._watch.now_s += timeout_s
            raise Undelivered("timed out", timed_out=True)
        if self.behaviour == "refuses":
            raise Undelivered("connection refused")
        return {}

    def count(self, *, delivered: bool) -> DeliveryCounts:
        return DeliveryCounts(1, 0) if delivered else DeliveryCounts(0, 1)

    def describe(self, count: int) -> str:
        return f"{count} events"


@given(
    st.lists(st.tuples(st.sampled_from(["responds", "refuses", "hangs"]), st.floats(1, 2_000)), max_size=5),
    st.lists(st.floats(0, 60), min_size=1, max_size=100),
)
def test_whatever_the_endpoint_does_it_takes_a_bounded_part_of_the_job_s_time(
    behaviours: list[tuple[str, float]], job_s: list[float]
) -> None:
    """The job works between calls; each outage costs its first failure and a twentieth, and then all arrives again."""
    watch, policy = Watch(), RetryPolicy()
    endpoint = Endpoint(watch, behaviours)
    delivery = Delivery(Destination(url="http://127.0.0.1:9"), strict=False, retry=policy, clock=watch.clock)
    waited_s = 0.0
    for work_s in job_s:
        watch.now_s += work_s
        called_s = watch.now_s
        delivery.deliver(endpoint)
        waited_s += watch.now_s - called_s

    passed_s = watch.now_s - Watch().now_s
    outages = sum(behaviour != "responds" for behaviour, _ in behaviours)
    assert waited_s <= outages * (policy.deadline_s + 5) + passed_s / 20
    assert delivery.sent + delivery.failed == len(job_s)
    assert delivery.not_tried <= delivery.failed
    assert all(limit_s <= policy.attempt_s for limit_s in endpoint.limits)

    watch.now_s += sum(seconds for _, seconds in behaviours) + REST_MAX_S
    assert delivery.deliver(endpoint) == {}

"""Circuit breaker of the client: what an endpoint that hangs costs a job, and how the job gets back to it."""

from __future__ import annotations

import logging
import pickle
import re
import socket
import threading
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
from spark_client.transport.retry import PROBE_S, Clock
from tests.unit.spark_client.a_client import RAW, ROOT
from tests.unit.spark_client.lineage_service import Watch

# A client that waits for a tenth of a second, and no pauses to speak of.
QUICK = RetryPolicy(deadline_s=600, attempt_s=0.1, connect_s=0.1, pause_s=0.001)
REST_MAX_S = 300


@pytest.fixture
def hanging_url() -> Iterator[str]:
    """Address that accepts connections and never responds."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


class Stopped:
    """Clock that stands still from the end of the first payload on, so that the endpoint's rest lasts."""

    def __init__(self) -> None:
        self._read_s = 0.0
        self._is_running = True

    def monotonic(self) -> float:
        if self._is_running:
            self._read_s = time.monotonic()
        return self._read_s

    def stop(self) -> None:
        self._is_running = False


def test_an_endpoint_that_hangs_costs_one_time_out(hanging_url: str, caplog: pytest.LogCaptureFixture) -> None:
    stopped = Stopped()
    lineage = LineageClient(url=hanging_url, retry=QUICK, clock=Clock(monotonic=stopped.monotonic))
    lineage.record(ROOT, ROOT, "READ", RAW)
    stopped.stop()

    counts = lineage.record_all(Step(f"r-{number}", ROOT, "READ", RAW) for number in range(500))

    assert counts == DeliveryCounts(0, 500)
    assert (lineage.sent, lineage.failed, lineage.not_tried) == (0, 501, 500)
    (warning,) = caplog.messages
    assert re.fullmatch(
        r"1 records of READ not recorded: 127\.0\.0\.1: TimeoutError timed out \(gave up after 2 attempts\); "
        r"nothing is tried for \d+ s",
        warning,
    )


class Endpoint:
    """Payload, and at once the endpoint that takes or refuses it, on a watch of its own."""

    def __init__(self, watch: Watch, behaviours: list[tuple[str, float]]) -> None:
        self._watch = watch
        self._behaviours = behaviours
        self._lock = threading.Lock()
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
        with self._lock:
            self.attempts += 1
            self.limits.append(timeout_s)
            behaviour = self.behaviour
            if behaviour == "hangs":
                self._watch.now_s += timeout_s
        if behaviour == "hangs":
            raise Undelivered("timed out", timed_out=True)
        if behaviour == "refuses":
            raise Undelivered("connection refused")
        return {}

    def count(self, *, delivered: bool) -> DeliveryCounts:
        return DeliveryCounts(1, 0) if delivered else DeliveryCounts(0, 1)

    def describe(self, count: int) -> str:
        return f"{count} events"


def a_delivery(watch: Watch, *, strict: bool = False, retry: RetryPolicy | None = None) -> Delivery:
    return Delivery(Destination(url="http://127.0.0.1:9"), strict=strict, retry=retry, clock=watch.clock)


def test_threads_that_share_a_client_wait_for_the_same_time_out() -> None:
    watch = Watch()
    endpoint, delivery = Endpoint(watch, [("hangs", 1e9)]), a_delivery(watch, retry=QUICK)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: delivery.deliver(endpoint), range(200)))

    assert delivery.failed == 200
    assert delivery.not_tried >= 200 - 8


def test_a_strict_client_raises_at_once_while_the_endpoint_rests() -> None:
    watch = Watch()
    endpoint, delivery = Endpoint(watch, [("hangs", 1e9)]), a_delivery(watch, strict=True)
    with pytest.raises(Undelivered, match="gave up after 2 attempts"):
        delivery.deliver(endpoint)

    with pytest.raises(Undelivered, match=r"^not tried so soon after the last failure: timed out"):
        delivery.deliver(endpoint)


def test_an_endpoint_that_is_back_gets_one_probe_and_then_all(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="headwater.client")
    watch = Watch()
    endpoint, delivery = Endpoint(watch, [("hangs", 100)]), a_delivery(watch)
    assert delivery.deliver(endpoint) is None

    watch.now_s += REST_MAX_S
    delivered = [delivery.deliver(endpoint) for _ in range(3)]

    assert delivered == [{}] * 3
    assert endpoint.attempts == 2 + 3
    assert endpoint.limits[2:] == [PROBE_S, 25.0, 25.0]
    assert caplog.messages[-1] == "lineage is recorded again"


def test_a_task_does_not_inherit_the_driver_s_rest(hanging_url: str) -> None:
    driver = LineageClient(url=hanging_url, retry=QUICK)
    driver.record(ROOT, ROOT, "READ", RAW)

    task: LineageClient = pickle.loads(pickle.dumps(driver))
    task.record(ROOT, ROOT, "READ", RAW)

    assert (task.failed, task.not_tried) == (1, 0)


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
    delivery = a_delivery(watch, retry=policy)
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

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from spark_client import current_run
from spark_client.capturing.events.run_events import Application
from spark_client.capturing.model import Ended, Execution, Failure, Write
from spark_client.capturing.session.counts import Counts
from spark_client.capturing.session.running import RunningCapture
from spark_client.capturing.session.settings import Settings
from spark_client.capturing.session.shutdown import Program
from spark_client.capturing.session.worker import Origin
from spark_client.current_run import JobRun, RunContext
from spark_client.event_payloads import EventJson
from spark_client.record_requests import DeliveryCounts
from tests.unit.spark_client.capturing.fake_executions import Executions, NoSinks, an_execution, writes_of
from tests.waiting import until

RUN = "0176a8c2-fe01-7439-87e6-56a1a1b4029f"
APPLICATION = Application(RunContext(JobRun("emissions", "calculate", RUN)), "4.3.0")


class Transport:
    """Transport that accepts all at once, unless it is set to raise, to be slow, or to hang."""

    place = "http://me:secret@lineage"

    def __init__(self, *, error: Exception | None = None, hangs: bool = False) -> None:
        self.taken: list[Mapping[str, Any]] = []
        self.error = error
        self.hurried = 0
        self.awake = threading.Event()
        if not hangs:
            self.awake.set()

    def send(self, events: Sequence[EventJson]) -> DeliveryCounts:
        self.awake.wait()
        if self.error:
            raise self.error
        self.taken += map(json.loads, events)
        return DeliveryCounts(len(events), 0)

    def hurry(self) -> None:
        self.hurried += 1

    def close(self, timeout_s: float) -> bool:
        return True

    @property
    def of_application(self) -> list[Mapping[str, Any]]:
        return [event for event in self.taken if event["run"]["runId"] == RUN]

    @property
    def states(self) -> list[str]:
        return [event["eventType"] for event in self.of_application]


class Ending(Program):
    """A program that ends when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self._installed = True

    def end(self, failure: Failure | None = None) -> None:
        self._failure = failure
        self._end()


@pytest.fixture(autouse=True)
def no_run_left_behind() -> Iterator[None]:
    yield
    while context := current_run.current_run():
        current_run.leave(context)


def a_capture(
    source: Executions,
    transport: Transport,
    settings: Settings | None = None,
    program: Program | None = None,
    read: object = writes_of,
    grace_s: float = 600.0,
    self_test: Callable[[], Sequence[str]] = tuple,
    *,
    starts_at_once: bool = True,
) -> RunningCapture:
    return RunningCapture(
        APPLICATION,
        Origin(source, read, NoSinks(), self_test),
        transport,
        Counts(),
        settings or Settings(flush_s=600),
        ends_with=program or Ending(),
        grace_s=grace_s,
        starts_at_once=starts_at_once,
    )


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.levelno == logging.WARNING]


def counts_in(event: Mapping[str, Any]) -> dict[str, int]:
    return event["run"]["facets"]["headwater_capture"]["counts"]


def test_the_application_starts_at_once_its_writes_follow_and_its_end_comes_last() -> None:
    transport, source, program = Transport(), Executions(an_execution(1)), Ending()
    capture = a_capture(source, transport, program=program)
    assert capture.run == JobRun("emissions", "calculate", RUN)
    source.add(an_execution(2))
    assert capture.flush()
    assert [(event["eventType"], event["job"]["name"]) for event in transport.taken] == [
        ("START", "calculate"),
        ("START", "calculate.flights_estimated"),
        ("COMPLETE", "calculate.flights_estimated"),
        ("START", "calculate.flights_estimated"),
        ("COMPLETE", "calculate.flights_estimated"),
    ]
    program.end()
    assert transport.states == ["START", "COMPLETE"]
    assert transport.taken[-1] == transport.of_application[-1]
    assert source.closed


def test_a_program_that_fails_is_a_failed_run_with_its_message() -> None:
    transport, program = Transport(), Ending()
    a_capture(Executions(), transport, program=program)
    program.end(Failure("ValueError: boom"))
    assert transport.states == ["START", "FAIL"]
    assert transport.taken[-1]["run"]["facets"]["errorMessage"]["message"] == "ValueError: boom"


def test_the_end_of_the_application_is_emitted_soon_after_it_if_the_program_lives_on() -> None:
    transport, source = Transport(), Executions(an_execution(8, 7), Ended(1_000))
    a_capture(source, transport, grace_s=0.05)
    until(lambda: len(transport.of_application) == 2)
    assert transport.states == ["START", "COMPLETE"]
    assert transport.of_application[-1]["eventTime"] == "1970-01-01T00:00:01.000Z"
    assert len(transport.taken) == 4
    assert current_run.current_run() is None


def test_a_program_that_ends_right_after_its_application_reports_one_end_its_own() -> None:
    transport, source, program = Transport(), Executions(Ended(1_000)), Ending()
    a_capture(source, transport, program=program)
    program.end(Failure("boom"))
    assert transport.states == ["START", "FAIL"]


def test_a_jvm_that_is_ended_from_outside_aborts_the_run_at_once() -> None:
    transport, source, program = Transport(), Executions(Ended(1_000, is_shutdown=True)), Ending()
    capture = a_capture(source, transport, program=program)
    until(lambda: len(transport.of_application) == 2)
    program.end(Failure("Py4JNetworkError: the JVM is gone"))
    assert transport.states == ["START", "ABORT"]
    assert transport.of_application[-1]["run"]["facets"]["errorMessage"]["message"] == "the driver's JVM was ended"
    assert capture.state == "over"


def test_a_program_that_fails_long_after_its_application_ended_takes_the_good_end_back() -> None:
    transport, source, program = Transport(), Executions(Ended(1_000)), Ending()
    capture = a_capture(source, transport, program=program, grace_s=0.0)
    capture.flush()
    until(lambda: len(transport.of_application) == 2)
    program.end(Failure("boom"))
    assert transport.states == ["START", "COMPLETE", "FAIL"]
    assert transport.of_application[1]["eventTime"] < transport.of_application[2]["eventTime"]


def test_an_application_that_another_follows_ends_well_at_once_whatever_becomes_of_the_program() -> None:
    transport, source, program = Transport(), Executions(Ended(1_000)), Ending()
    capture = a_capture(source, transport, program=program)
    capture.follow()
    until(lambda: transport.states == ["START", "COMPLETE"])
    program.end(Failure("boom"))
    assert transport.states == ["START", "COMPLETE"]


@pytest.mark.parametrize(("writes", "states"), [(0, []), (1, ["START", "COMPLETE"])])
def test_a_capture_that_goes_on_by_itself_starts_with_its_first_write(
    writes: int, states: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    transport, program = Transport(), Ending()
    with caplog.at_level(logging.INFO):
        a_capture(Executions(*map(an_execution, range(writes))), transport, program=program, starts_at_once=False)
        program.end()
    assert transport.states == states
    assert caplog.messages == ["capture: events of calculate go to http://me:***@lineage"] * writes


def test_a_capture_that_is_closed_is_over_whatever_the_program_does() -> None:
    transport, source, program = Transport(), Executions(an_execution(1)), Ending()
    capture = a_capture(source, transport, program=program)
    capture.close()
    capture.close()
    program.end(Failure("boom"))
    assert transport.states == ["START", "COMPLETE"]
    assert len(transport.taken) == 4
    assert capture.flush()


def test_while_it_is_on_the_process_is_its_run() -> None:
    capture = a_capture(Executions(), Transport())
    assert current_run.current_run_id() == RUN
    capture.close()
    assert current_run.current_run_id() is None


def test_the_roots_of_the_requests_meanwhile_are_reported_at_the_end() -> None:
    transport, program = Transport(), Ending()
    a_capture(Executions(), transport, program=program)
    current_run.report_root("flight-1545")
    program.end()
    start, end = transport.of_application
    assert "headwater_records" not in start["run"]["facets"]
    assert "flight-1545" in str(end["run"]["facets"]["headwater_records"])


def test_a_warning_has_no_secrets(caplog: pytest.LogCaptureFixture) -> None:
    capture = a_capture(Executions(), Transport(error=OSError("no route to http://me:secret@host")))
    capture.close()
    assert warnings_of(caplog) == [
        "capture: events are not sent: OSError: no route to http://me:***@host",
        "capture: 2 events were not accepted: OSError: no route to http://me:***@host",
    ]


@pytest.mark.large
def test_a_transport_that_hangs_costs_its_events_and_the_deadline_once(caplog: pytest.LogCaptureFixture) -> None:
    transport, program = Transport(hangs=True), Ending()
    source = Executions(*map(an_execution, range(1_000)))
    capture = a_capture(source, transport, Settings(flush_s=2.0, events_max=100), program)
    # Reading goes on, so that the JVM lets its plans go.
    until(lambda: capture.counts["writes"] + capture.counts["not_queued"] == 1_000)
    assert not source.waiting
    program.end()  # it returns while the transport hangs
    assert transport.hurried == 1
    assert capture.counts["writes"] < 60
    dropped, left = warnings_of(caplog)
    assert dropped == "capture: events are made faster than they are sent: some writes are not emitted"
    assert left.endswith("events were not sent within 2 seconds of the end")
    transport.awake.set()


@pytest.mark.parametrize(
    ("error", "state"), [(None, "COMPLETE"), (ValueError("no fuel"), "FAIL"), (SystemExit(0), "COMPLETE")]
)
def test_a_block_is_the_run(error: BaseException | None, state: str) -> None:
    transport, program = Transport(), Ending()
    with suppress(ValueError, SystemExit), a_capture(Executions(an_execution(1)), transport, program=program) as on:
        assert on.state == "on"
        if error is not None:
            raise error
    assert on.state == "over"
    assert transport.states == ["START", state]
    program.end(Failure("later"))
    assert transport.states == ["START", state]


def test_after_a_signal_a_transport_that_hangs_is_left_soon_and_the_warning_counts_what_is_lost(
    caplog: pytest.LogCaptureFixture,
) -> None:
    transport, program = Transport(hangs=True), Ending()
    capture = a_capture(Executions(*map(an_execution, range(10))), transport, Settings(flush_s=600), program)
    program.end(Failure("terminated by SIGTERM", is_abort=True))  # it returns long before the ten minutes of a flush
    (warning,) = warnings_of(caplog)
    assert re.fullmatch(r"capture: 22 events were not sent within [\d.]+ seconds of the end", warning)
    assert capture.state == "over"
    transport.awake.set()


def test_a_bus_that_is_stuck_is_waited_for_no_longer_than_the_deadline(caplog: pytest.LogCaptureFixture) -> None:
    transport, source, program = Transport(), Executions(an_execution(1)), Ending()
    source.stuck = True
    a_capture(source, transport, Settings(flush_s=0.5), program)
    program.end()  # it returns while the bus is stuck
    assert warnings_of(caplog)[0].startswith("capture: not all writes were read, and ")


def test_a_jvm_that_is_gone_keeps_the_end_from_nobody(caplog: pytest.LogCaptureFixture) -> None:
    transport, source, program = Transport(), Executions(), Ending()
    source.gone = ConnectionRefusedError("Connection refused")
    capture = a_capture(source, transport, program=program)
    assert not capture.flush(0)
    program.end(Failure("boom"))
    assert transport.states == ["START", "FAIL"]
    first, *_ = warnings_of(caplog)
    assert first == "capture: Spark cannot be reached: ConnectionRefusedError: Connection refused"


def test_executions_that_spark_did_not_keep_are_reported_at_the_end() -> None:
    transport, source, program = Transport(), Executions(), Ending()
    source.dropped = 7
    a_capture(source, transport, program=program)
    program.end()
    assert counts_in(transport.taken[-1])["not_seen"] == 7


def test_a_self_test_that_finds_something_is_one_warning_and_every_write_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    transport = Transport()
    capture = a_capture(Executions(an_execution(1)), transport, self_test=lambda: ("filter", "join"))
    assert capture.flush()
    capture.close()
    [end] = [event for event in transport.taken if event["eventType"] == "COMPLETE" and event["outputs"]]
    assert end["run"]["facets"]["headwater_capture"]["misread"] == ["filter", "join"]
    assert warnings_of(caplog) == [
        "capture: plans of this Spark are not read as known: filter, join. Columns are doubtful"
    ]


def test_a_self_test_that_fails_keeps_no_write_from_being_read(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> Sequence[str]:
        raise ConnectionError("gone")

    transport = Transport()
    capture = a_capture(Executions(an_execution(1)), transport, self_test=fail)
    assert capture.flush()
    capture.close()
    assert capture.counts["writes"] == 1
    assert warnings_of(caplog) == ["capture: the self-test failed: ConnectionError: gone"]


def test_a_cut_of_an_event_is_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    def read(execution: Execution) -> Sequence[Write]:
        return [replace(write, sql="SELECT 1" + " " * 10) for write in writes_of(execution)]

    transport, settings = Transport(), Settings(sql_max_chars=5)
    capture = a_capture(Executions(an_execution(1), an_execution(2)), transport, settings, read=read)
    capture.close()
    (warning,) = warnings_of(caplog)
    assert warning.startswith("capture: an event of ")
    assert warning.endswith("was too large, and is without all of: sql")

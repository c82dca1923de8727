"""Polls of Spark Connect's streaming queries: when the server is polled, and what becomes of each query."""

from __future__ import annotations

import json
from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest

from spark_client.capturing.connect.commands import Command, Leaving
from spark_client.capturing.connect.server import NoResponse, StreamStatus
from spark_client.capturing.connect.streams import CommandSource
from spark_client.capturing.model import Ended, Failure, StreamEnd, StreamProgress, StreamStart

proto = pytest.importorskip("pyspark.sql.connect.proto", reason="Spark Connect's client needs grpcio")
INTERVAL_S = 60.0


class Program:
    """Program whose commands, clock and server's queries are the test's."""

    dropped = 0

    def __init__(self) -> None:
        self.now_s = 0.0
        self.sent: deque[Any] = deque()
        self.polled: list[str] = []
        self.status: dict[str, StreamStatus | None] = {}
        self.source = CommandSource(self, INTERVAL_S, server=lambda _: self, clock=lambda: self.now_s)  # type: ignore[arg-type, return-value]

    def next(self, timeout_s: float) -> Any:
        return self.sent.popleft() if self.sent else None

    def stream_status(self, query: Any) -> StreamStatus:
        self.polled.append(query.run_id)
        status = self.status[query.run_id]
        if status is None:
            raise NoResponse("the server is busy")
        return status

    def start(self, run_id: str, client: str = "first") -> None:
        message = proto.Command()
        message.write_stream_operation_start.path = f"/flights/{run_id}"
        result = SimpleNamespace(query_id=SimpleNamespace(run_id=run_id))
        self.sent.append(Command(0, client, message, {"write_stream_operation_start_result": result}, 5, 6))
        self.status[run_id] = active()

    def send(self, kind: str, **request: Any) -> None:
        message = proto.Command(**{kind: getattr(proto, "".join(map(str.capitalize, kind.split("_"))))(**request)})
        self.sent.append(Command(0, "first", message, {}, 5, 6))

    def items(self) -> list[str]:
        return [shown(item) for item in iter(lambda: self.source.next(0), None)]

    def polls_in(self, seconds: int) -> list[int]:
        """Return the seconds, from now on, at which the server is polled."""
        begin, polls = self.now_s, []
        for second in range(1, seconds + 1):
            self.now_s, self.polled[:] = begin + second, []
            self.items()
            polls += [second] * len(self.polled)
        return polls


@pytest.fixture
def program() -> Program:
    return Program()


def batch(number: int, *, ran: bool = True) -> str:
    return json.dumps({"batchId": number, "durationMs": {"addBatch": 7} if ran else {"triggerExecution": 1}})


def active(*batches: str) -> StreamStatus:
    return StreamStatus(True, batches)


def ended(*batches: str, failure: Failure | None = None) -> StreamStatus:
    return StreamStatus(False, batches, failure)


def shown(item: object) -> str:
    if isinstance(item, StreamStart):
        return f"start {item.run_id}"
    if isinstance(item, StreamProgress):
        return f"{item.batches} of {item.run_id}"
    assert isinstance(item, StreamEnd), item
    reason = f": {item.failure.message}" if item.failure else ""
    return f"end {item.progress.run_id} after {item.progress.batches}{reason}"


def test_a_query_is_polled_more_and_more_rarely(program: Program) -> None:
    program.start("checked")
    assert program.items() == ["start checked"]
    assert program.polls_in(200) == [1, 3, 7, 15, 31, 63, 123, 183]


def test_each_batch_that_ran_counts_once_and_a_wait_for_data_does_not(program: Program) -> None:
    program.start("checked")
    program.items()
    program.status["checked"] = active(batch(7), batch(8), batch(9, ran=False))
    assert program.source.drain(1)
    assert program.items() == ["2 of checked"]
    assert program.source.drain(1)
    assert program.items() == []
    program.status["checked"] = active(batch(8), batch(9, ran=False), batch(9))
    assert program.source.drain(1)
    assert program.items() == ["1 of checked"]


@pytest.mark.parametrize(
    ("kind", "request_of"),
    [
        ("streaming_query_command", {"stop": True}),
        ("streaming_query_command", {"await_termination": {"timeout_ms": 10}}),
        ("streaming_query_manager_command", {"await_any_termination": {}}),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_command_that_waited_for_the_end_is_followed_by_it(
    program: Program, kind: str, request_of: dict[str, Any]
) -> None:
    program.start("checked")
    program.start("estimated", client="second")
    program.status |= {"checked": ended(batch(0)), "estimated": ended()}
    program.send(kind, **request_of)
    assert program.items() == ["start checked", "start estimated", "end checked after 1"]
    assert program.polled == ["checked"]


def test_an_end_that_no_command_waits_for_is_found_by_a_poll(program: Program) -> None:
    program.start("checked")
    program.items()
    program.status["checked"] = ended(batch(0), failure=Failure("no such plane"))
    program.now_s = 1.0
    assert program.items() == ["end checked after 1: no such plane"]
    assert program.polls_in(200) == []


def test_a_server_that_does_not_respond_is_polled_again(program: Program) -> None:
    program.start("checked")
    program.status["checked"] = None
    assert program.items() == ["start checked"]
    program.now_s = 1.0
    assert program.items() == []
    program.status["checked"] = ended(batch(0))
    program.now_s = 3.0
    assert program.items() == ["end checked after 1"]


@pytest.mark.parametrize("last", [active(batch(0)), None], ids=["active", "no response"])
def test_the_queries_of_a_session_end_with_it(program: Program, last: StreamStatus | None) -> None:
    program.start("checked")
    program.start("estimated", client="second")
    program.items()
    program.status["checked"] = last
    program.sent.append(Leaving("first"))
    assert program.items() == [*(["1 of checked"] if last else []), "end checked after 0"]
    assert set(program.polls_in(1)) == {1}
    assert program.polled == ["estimated"]


def test_a_query_that_did_not_start_is_no_query(program: Program) -> None:
    program.start("checked")
    program.sent[0].result.clear()
    assert program.items() == []


def test_other_commands_and_the_end_of_the_application_pass(program: Program) -> None:
    message = proto.Command()
    message.write_operation.path = "/flights/checked"
    command = Command(0, "first", message, {}, 5, 6)
    program.sent += [command, Ended(9)]
    assert [program.source.next(0) for _ in range(3)] == [command, Ended(9), None]

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

import pytest

from headwater_model.ids import DatasetId
from spark_client.capturing.jvm.items import Lost, Unread
from spark_client.capturing.model import Dataset, Ended, Execution, Over, Read, UnknownTarget, Write
from spark_client.capturing.session.counts import Counts
from spark_client.capturing.session.worker import Origin, Worker
from spark_client.capturing.streams.runs import StreamRuns
from tests.unit.spark_client.capturing.fake_executions import Executions, NoSinks, an_execution, writes_of
from tests.waiting import LONG_S, until

NO_STREAMS = StreamRuns(lambda write: "flights", 60.0)


class Emitted:
    """Writes that the worker emitted; it refuses where it is set to."""

    def __init__(self, refuses: Callable[[Write], bool] = lambda write: False) -> None:
        self.ids: list[int] = []
        self.ended: list[Ended] = []
        self._refuses = refuses

    def __call__(self, write: Write) -> bool:
        if self._refuses(write):
            return False
        self.ids.append(write.execution_id)
        return True


def a_worker(
    source: Executions, emitted: Emitted, counts: Counts, read: Callable = writes_of, prepare: Callable = bool
) -> Worker:
    origin = Origin(source, read, NoSinks())
    return Worker(origin, emitted, counts, emitted.ended.append, NO_STREAMS, bool, prepare=prepare)


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.levelno == logging.WARNING]


def test_a_flush_does_not_wait_for_roots_that_have_not_ended() -> None:
    emitted = Emitted()
    worker = a_worker(Executions(an_execution(8, 7)), emitted, Counts())
    assert worker.flush(LONG_S)
    assert emitted.ids == [8]


def test_the_end_of_the_application_reports_what_waits_and_ends_the_thread() -> None:
    emitted = Emitted()
    worker = a_worker(Executions(an_execution(8, 7), Ended(123)), emitted, Counts())
    assert worker.flush(LONG_S)
    assert (emitted.ids, emitted.ended) == ([8], [Ended(123)])
    assert worker.stop(LONG_S)


def test_stopping_reports_what_there_is() -> None:
    emitted, source = Emitted(), Executions(*map(an_execution, range(100)))
    worker = a_worker(source, emitted, Counts())
    assert worker.stop(LONG_S)
    assert emitted.ids == list(range(100))
    worker._thread.join(LONG_S)
    assert source.closed
    assert not worker._thread.is_alive()


def test_a_reader_that_raises_loses_its_write_alone_with_one_warning_a_kind(caplog: pytest.LogCaptureFixture) -> None:
    def read(execution: Execution) -> Sequence[Write]:
        if execution.id % 3 == 0:
            raise KeyError("child")
        if execution.id % 3 == 1:
            raise RecursionError("too deep")
        return writes_of(execution)

    emitted, counts = Emitted(), Counts()
    assert a_worker(Executions(*map(an_execution, range(30))), emitted, counts, read).flush(LONG_S)
    assert emitted.ids == list(range(2, 30, 3))
    assert (counts.snapshot()["writes"], counts.snapshot()["not_read"]) == (10, 20)
    assert warnings_of(caplog) == [
        "capture: a write could not be read: KeyError: 'child'",
        "capture: a write could not be read: RecursionError: too deep",
    ]


def test_the_end_of_a_root_that_wrote_nothing_lets_its_parts_go() -> None:
    emitted, source = Emitted(), Executions(an_execution(8, 7), an_execution(9, 7), Over(7))
    a_worker(source, emitted, Counts())
    until(lambda: len(emitted.ids) == 2)
    assert emitted.ids == [8, 9]


def test_writes_that_nobody_can_name_are_counted_with_one_warning_a_reason(caplog: pytest.LogCaptureFixture) -> None:
    def read(execution: Execution) -> Sequence[Write]:
        why = f"SaveIntoDataSourceCommand: kind {execution.id % 30}"
        raise UnknownTarget(Read(execution.id, "SaveIntoDataSourceCommand", 0, 0, unknown_output=why))

    emitted, counts = Emitted(), Counts()
    assert a_worker(Executions(*map(an_execution, range(100))), emitted, counts, read).flush(LONG_S)
    assert counts.snapshot()["not_read"] == 100
    assert len(warnings_of(caplog)) == 20  # of so many kinds at most
    assert warnings_of(caplog)[0] == "capture: a write could not be read: SaveIntoDataSourceCommand: kind 0"


def test_what_a_write_without_a_named_target_reads_is_emitted_once() -> None:
    flights = Dataset(DatasetId("s3://lake", "flights"))

    def read(execution: Execution) -> Sequence[Write]:
        raise UnknownTarget(Read(execution.id, "Save", 0, 0, inputs=(flights,), unknown_output="Save: no name"))

    emitted, counts = Emitted(), Counts()
    assert a_worker(Executions(an_execution(1), an_execution(2)), emitted, counts, read).flush(LONG_S)
    assert emitted.ids == [1]
    assert (counts.snapshot()["not_read"], counts.snapshot()["reads"], counts.snapshot()["repeated"]) == (2, 1, 1)


def test_executions_that_could_not_be_read_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    emitted, counts = Emitted(), Counts()
    assert a_worker(Executions(Unread(1, "too big"), Unread(2, "too big")), emitted, counts).flush(LONG_S)
    assert counts.snapshot()["not_read"] == 2
    assert warnings_of(caplog) == ["capture: an execution could not be read: too big"]


def test_a_write_that_cannot_be_emitted_loses_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    def refuses(write: Write) -> bool:
        if write.execution_id == 1:
            raise TypeError("no JSON")
        return False

    emitted, counts = Emitted(refuses), Counts()
    assert a_worker(Executions(*map(an_execution, range(3))), emitted, counts).flush(LONG_S)
    assert emitted.ids == [0, 2]
    assert counts.snapshot()["not_reported"] == 1
    assert warnings_of(caplog) == ["capture: a write could not be emitted: TypeError: no JSON"]


def test_a_jvm_that_fails_once_is_tried_again() -> None:
    emitted = Emitted()
    source = Executions(ConnectionError("reset"), an_execution(1), ConnectionError("reset"), an_execution(2))
    assert a_worker(source, emitted, Counts()).flush(LONG_S)
    assert emitted.ids == [1, 2]


def test_what_happened_is_read_while_the_source_is_waited_for() -> None:
    class Bus(Executions):
        """It has room for three: the next ones come when those were read."""

        def drain(self, timeout_s: float) -> bool:
            first = len(emitted.ids)
            self.add(*map(an_execution, range(first, min(first + 3, 20))))
            return first == 20

    emitted = Emitted()
    assert a_worker(Bus(), emitted, Counts()).flush(LONG_S)
    assert emitted.ids == list(range(20))


def test_a_jvm_that_does_not_respond_is_waited_for_no_longer_than_the_timeout() -> None:
    class Stopped(Executions):
        def next(self, timeout_s: float) -> None:
            threading.Event().wait()

    worker = a_worker(Stopped(), Emitted(), Counts())
    assert not worker.flush(0.1)
    assert not worker.stop(0.1)


def test_a_jvm_that_is_gone_ends_the_thread_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    emitted, source = Emitted(), Executions(an_execution(8, 7), *[ConnectionError("gone")] * 10)
    worker = a_worker(source, emitted, Counts())
    assert not worker.flush(LONG_S)
    assert emitted.ids == [8]
    assert warnings_of(caplog) == ["capture: Spark cannot be reached: ConnectionError: gone"]
    assert worker.flush(0)
    assert len(source.waiting) == 7


def test_a_part_that_is_lost_is_one_warning_and_all_else_is_emitted(caplog: pytest.LogCaptureFixture) -> None:
    emitted = Emitted()
    lost = Lost("RddPlaces", "ClassNotFoundException: gone")
    worker = a_worker(Executions(lost, an_execution(1), lost, an_execution(2)), emitted, Counts())
    assert worker.flush(LONG_S)
    assert emitted.ids == [1, 2]
    (warning,) = warnings_of(caplog)
    assert warning == "capture: RddPlaces does not work with this Spark: ClassNotFoundException: gone"


def test_a_source_is_prepared_once_something_happened() -> None:
    prepared: list[int] = []
    emitted = Emitted()
    for items, known in (((), []), ((an_execution(1), an_execution(2)), [0])):
        prepare = lambda: prepared.append(len(emitted.ids))  # noqa: E731
        assert a_worker(Executions(*items), emitted, Counts(), prepare=prepare).flush(LONG_S)
        assert prepared == known
    assert emitted.ids == [1, 2]


def test_of_reads_with_the_same_inputs_the_first_is_emitted() -> None:
    def read_of(execution: Execution) -> list[Read]:
        inputs = (Dataset(DatasetId("s3://flights", f"checked{execution.id // 10}")),)
        return [Read(execution.id, "collect", 0, 1, inputs)]

    emitted, counts = Emitted(), Counts()
    worker = a_worker(Executions(*map(an_execution, range(30))), emitted, counts, read_of)
    assert worker.flush(LONG_S)
    assert emitted.ids == [0, 10, 20]
    assert (counts.snapshot()["reads"], counts.snapshot()["repeated"], counts.snapshot()["writes"]) == (3, 27, 0)


def test_a_program_that_reads_ever_other_inputs_makes_a_thousand_runs_at_most() -> None:
    def read_of(execution: Execution) -> list[Read]:
        return [Read(execution.id, "collect", 0, 1, (Dataset(DatasetId("s3://flights", str(execution.id))),))]

    emitted, counts = Emitted(), Counts()
    assert a_worker(Executions(*map(an_execution, range(1500))), emitted, counts, read_of).flush(LONG_S)
    assert len(emitted.ids) == 1000
    assert counts.snapshot()["repeated"] == 500

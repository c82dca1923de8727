"""Running capture: the application's run, from its START to its end, and the threads from Spark to the transport."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import Literal

from spark_client import current_run
from spark_client.capturing.events import run_events
from spark_client.capturing.jvm.rdd_actions import now_ms
from spark_client.capturing.model import Ended, Failure, Q, Read, StreamReport
from spark_client.capturing.parts import module
from spark_client.capturing.session.counts import Counts
from spark_client.capturing.session.job_names import JobNames
from spark_client.capturing.session.sender import EventTransport, Sender
from spark_client.capturing.session.settings import Settings
from spark_client.capturing.session.shutdown import Program, failure_of, program
from spark_client.capturing.session.worker import Origin, P, StreamRuns, Worker
from spark_client.current_run import JobRun
from spark_client.event_payloads import Event
from spark_client.redaction import redact

_log = logging.getLogger("headwater.capture")
# A program mostly ends soon after it stopped Spark, and can fail until then.
_GRACE_S = 5.0
# After SIGTERM, sending goes on while the queue shrinks within so many seconds.
_STALL_S = 1.0
# Reading's part of the remaining time; the rest is for sending.
_FOR_READING = 0.8


class Capture:
    """Result of `capture`; off in this class: it captures nothing.

    Attributes:
        run: the application's run, a parent for further runs.
    """

    def __init__(self, run: JobRun) -> None:
        self.run = run

    @property
    def run_id(self) -> str:
        """Id of the application's run."""
        return self.run.run_id

    @property
    def state(self) -> Literal["off", "on", "over"]:
        """State of the capture: over after its close or Spark's stop."""
        return "off"

    @property
    def counts(self) -> Mapping[str, int]:
        """Counts of events and losses so far.

        - `writes`, `reads`: with events; `repeated`: further reads of the same lineage, without events.
        - `sent`, `not_sent`: events accepted and refused by the transport.
        - `not_seen`, `not_queued`: lost at the full queue in the JVM, and at the full queue of events.
        - `not_read`, `not_reported`: writes and reads lost to a fault of reading, and of making events.
        - `lost`: the sum of the five losses.
        """
        return Counts().snapshot()

    def __enter__(self) -> Capture:
        """Enter a block; its end closes the capture."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the application's run: as failed if an exception leaves the block."""
        self._close(None if error is None else failure_of(error))

    def flush(self, timeout_s: float | None = None) -> bool:  # noqa: ARG002 - there is nothing to wait for
        """Wait until all writes done by now are sent or given up; return False after the time-out."""
        return True

    def close(self) -> None:
        """Stop capturing, and end the application's run."""
        self._close(None)

    def _close(self, failure: Failure | None) -> None:
        """Stop capturing, and end the application's run, with its failure."""


class RunningCapture(Capture):
    """Capture until the program ends or closes it."""

    def __init__(
        self,
        application: run_events.Application,
        origin: Origin[P, Q],
        transport: EventTransport,
        counts: Counts,
        settings: Settings,
        *,
        starts_at_once: bool = True,
        ends_with: Program = program,
        grace_s: float = _GRACE_S,
    ) -> None:
        super().__init__(application.context.run)
        self._application = application
        self._rules = _rules(settings)
        self._names = JobNames(self.run.name)
        self._rename = settings.names.rename
        self._counts = counts
        self._flush_s = settings.flush_s
        self._grace_s = grace_s
        self._program = ends_with
        self._closing = threading.Event()
        # Ends the wait for a program's end after it stopped Spark.
        self._moved_on = threading.Event()
        self._finishing = threading.RLock()
        # The emitted end, and the application's end, in milliseconds since 1970.
        self._end: run_events.EventType | None = None
        self._ended_ms: int | None = None
        self._is_followed = False
        # Start of the application, in milliseconds since 1970; None once its START is emitted.
        self._starting = threading.Lock()
        self._started_ms: int | None = now_ms()
        self._place = transport.place
        self._sender = Sender(transport, counts, events_max=settings.events_max, max_bytes=settings.events_max_bytes)
        if starts_at_once:
            self.start()
        current_run.enter(application.context)
        self._program.at_end(self._program_ended, settings.flush_s if settings.handle_sigterm else None)
        self._runs: StreamRuns = module("runs").StreamRuns(
            lambda write: self._names.name(self._rename(write)), settings.stream_interval_s
        )
        self._self_test = origin.self_test
        self._worker = Worker(
            origin, self._emit, counts, self._application_ended, self._runs, self._emit_stream, self._test
        )

    @property
    def state(self) -> Literal["off", "on", "over"]:
        """On until the end of the run is emitted."""
        return "on" if self._end is None else "over"

    @property
    def counts(self) -> Mapping[str, int]:
        """Counts as they are now."""
        return self._counts.snapshot()

    @property
    def is_closed(self) -> bool:
        """True if the program closed it, or is ending; False after a stop of Spark alone."""
        return self._closing.is_set()

    @property
    def was_started(self) -> bool:
        """True once the START of the application is emitted."""
        return self._started_ms is None

    def start(self) -> None:
        """Emit the START of the application, once."""
        with self._starting:
            started_ms, self._started_ms = self._started_ms, None
            if started_ms is not None:
                _log.info("capture: events of %s go to %s", self.run.name, redact(self._place))
                self._emit_application("START", started_ms)

    def follow(self) -> None:
        """Note that the program goes on with another application: later failures are not this run's."""
        self._is_followed = True
        self._moved_on.set()

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait as `Capture.flush`; without a time, within the settings' `flush_s`."""
        deadline = _Deadline(self._flush_s if timeout_s is None else timeout_s)
        was_read = self._worker.flush(deadline.left_s * _FOR_READING)
        return self._sender.flush(deadline.left_s) and was_read

    def close(self) -> None:
        """Read and send everything, and end, without waiting for the program's own end."""
        self._close(None)

    def _close(self, failure: Failure | None) -> None:
        self._program.forget(self._program_ended)
        self._end_run(failure)

    def _program_ended(self, failure: Failure | None) -> None:
        try:
            self._end_run(None if self._is_followed else failure)
        except Exception as error:  # noqa: BLE001 - the program must end as it would have
            self._counts.warn("end", f"the end was not emitted: {type(error).__name__}: {error}")

    def _end_run(self, failure: Failure | None) -> None:
        """Read and send everything within `flush_s`; the end of the application's run comes last."""
        self._closing.set()
        self._moved_on.set()
        deadline = _Deadline(self._flush_s)
        with self._finishing:
            if self._end is None:
                was_read = self._worker.stop(deadline.left_s * _FOR_READING)
                self._finish(failure, deadline, was_read)
            elif failure and self._end == "COMPLETE":
                # Spark stopped in good order, and the program failed later.
                self._finish(failure, deadline, True)

    def _application_ended(self, ended: Ended) -> None:
        """End the run soon after Spark stopped, or at once if its JVM ends; called in the worker's thread."""
        self._ended_ms = ended.at_ms
        failure = Failure("the driver's JVM was ended", is_abort=True) if ended.is_shutdown else None
        self._moved_on.wait(0.0 if failure else self._grace_s)
        if self._closing.is_set() or not self._finishing.acquire(blocking=False):
            return
        try:
            if self._end is None:
                self._finish(failure, _Deadline(self._flush_s), True)
        finally:
            self._finishing.release()

    def _finish(self, failure: Failure | None, deadline: _Deadline, was_read: bool) -> None:
        current_run.leave(self._application.context)
        self._end = "COMPLETE" if failure is None else "ABORT" if failure.is_abort else "FAIL"
        at_ms = now_ms() if failure or self._ended_ms is None else self._ended_ms
        for report in self._runs.close(failure, at_ms):
            self._emit_stream(report)
            self._counts.add("writes")
        if self.was_started:
            self._emit_application(self._end, at_ms, failure)
        begun_s = time.monotonic()
        is_terminated = failure is not None and failure.is_abort
        sent = self._sender.finish(deadline.left_s, _STALL_S if is_terminated else math.inf)
        self._warn_of_losses(was_read, sent, self._flush_s if not is_terminated else time.monotonic() - begun_s)

    def _warn_of_losses(self, was_read: bool, sent: bool, waited_s: float) -> None:
        lost = []
        if not was_read:
            lost.append("not all writes were read")
        if not (was_read and sent):
            waited = f"{round(waited_s, 1):g} seconds"
            lost.append(f"{self._sender.left} events were not sent within {waited} of the end")
        if refused := self._counts.snapshot()["not_sent"]:
            lost.append(f"{refused} events were not accepted: {self._counts.last_loss}")
        if lost:
            self._counts.warn("left", ", and ".join(lost))

    def _emit(self, read: Read) -> bool:
        read = self._rename(read)
        emitted = run_events.write_events(read, self._application, self._names.name(read), self._rules)
        self._warn_of_cuts(emitted[-1])
        self.start()
        return self._sender.put(emitted)

    def _warn_of_cuts(self, event: Event) -> None:
        """Warn of the parts cut from an event, once for each list of parts."""
        cut = event["run"]["facets"]["headwater_capture"].get("cut")
        if cut:
            name = event["job"]["name"]
            self._counts.warn(
                f"cut {cut}", f"an event of {name} was too large, and is without all of: {', '.join(cut)}"
            )

    def _emit_stream(self, report: StreamReport) -> bool:
        renamed = replace(report, write=self._rename(report.write))
        event = run_events.stream_event(renamed, self._application, self._rules)
        self._warn_of_cuts(event)
        self.start()
        return self._sender.put([event], always=report.phase not in ("START", "RUNNING"))

    def _test(self) -> None:
        """Run the self-test in the worker's thread; later events name its failures (`misread`)."""
        try:
            misread = tuple(self._self_test())
        except Exception as error:  # noqa: BLE001 - writes are read without the test, too
            self._counts.warn("self-test", f"the self-test failed: {type(error).__name__}: {error}")
            return
        if misread:
            self._rules = replace(self._rules, misread=misread)
            self._counts.warn(
                "self-test", f"plans of this Spark are not read as known: {', '.join(misread)}. Columns are doubtful"
            )

    def _emit_application(self, state: run_events.EventType, at_ms: int, failure: Failure | None = None) -> None:
        is_start = state == "START"
        event = run_events.application_event(
            self._application,
            state,
            at_ms,
            counts=None if is_start else self._counts.snapshot(),
            failure=failure,
            root_ids=() if is_start else current_run.reported_roots(self.run_id),
            rules=self._rules,
        )
        self._sender.put([event], always=True)


class _Deadline:
    """Moment so many seconds from now."""

    def __init__(self, seconds: float) -> None:
        self._end_s = time.monotonic() + seconds

    @property
    def left_s(self) -> float:
        """Seconds left."""
        return max(0.0, self._end_s - time.monotonic())


def _rules(settings: Settings) -> run_events.EventRules:
    return run_events.EventRules(
        size_max_bytes=settings.event_max_bytes,
        sql=settings.sql,
        sql_chars_max=settings.sql_max_chars,
        redactions=settings.redactions,
    )

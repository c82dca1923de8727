"""The client that a job holds: requests out, node ids back, and never an exception unless asked for."""

from __future__ import annotations

import logging
import os
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING

from spark_client.errors import LineageError, Misconfigured, Undelivered
from spark_client.requests import (
    Action,
    Answer,
    BatchAnswer,
    Record,
    Recorded,
    Request,
    Step,
    Tally,
    requests_of,
    requests_of_steps,
)
from spark_client.retry import Patience, Timing, persist
from spark_client.transports import Destination, Json, Transport, choose_destination, open_transport

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

_log = logging.getLogger("headwater.client")
# Requests that wait for a thread of `record_all`: enough to keep all busy, few enough to hold in memory.
_WINDOW = 16


class LineageClient:
    """Sends lineage requests, and answers the node ids that they give.

    One of `url`, `function` and `file` says where to; without any, HEADWATER_URL, HEADWATER_FUNCTION or HEADWATER_FILE.
    HEADWATER_TOKEN and HEADWATER_AUTH (`iam`, `none`) go with a URL; calls to API Gateway are signed by default.

    A request that cannot be delivered within `patience.deadline_s` is logged once, counted in `failed`, and the job
    lives on with the node ids that it would have had; after that, requests are tried once each, until one succeeds.
    With `strict`, the error is raised instead. Every request carries an id and the time of its first attempt, so that
    trying again never makes a second node. Usable by many threads, and in the closure of a Spark task: an executor
    gets the destination that the driver chose.

    Attributes:
        sent: records that the service took.
        failed: records that it did not.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        function: str | None = None,
        file: str | os.PathLike[str] | None = None,
        token: str | None = None,
        auth: str | None = None,
        strict: bool = False,
        patience: Patience | None = None,
        timing: Timing | None = None,
    ) -> None:
        self.sent = 0
        self.failed = 0
        self._strict = strict
        self._patience = patience or Patience()
        self._timing = timing or Timing()
        self._lock = threading.Lock()
        self._given_up = False
        self._transport: Transport | None = None
        given = Destination(url, function, os.fspath(file) if file is not None else None, token, auth)
        self._destination = self._chosen(given)

    def record(
        self,
        root_id: str,
        parent_id: str,
        action_taken: str,
        storage_location: str,
        *,
        node_id: str | None = None,
        run_id: str | None = None,
        request_id: str | None = None,
        requested_at: int | None = None,
    ) -> Answer:
        """Record one step: `action_taken` on `parent_id` made what lies at `storage_location`.

        The answer's `node_id` is the next step's `parent_id`. Give `request_id` and `requested_at` (whole seconds since
        1970) where a whole task may run again: the same ones make the same record.
        """
        action = self._action(root_id, parent_id, action_taken, run_id, None, requested_at)
        record = Record(storage_location, node_id)
        requests = requests_of(action, [record], request_id or str(uuid.uuid4()), single=True)
        batch = self._answer(action, map(self._deliver, requests))
        (recorded,) = batch.records
        return Answer(
            root_id,
            action_taken,
            batch.recorded_at,
            batch.ttl_expiry,
            recorded.node_id,
            recorded.storage_location,
            batch.delivered,
        )

    def record_many(
        self,
        root_id: str,
        parent_id: str,
        action_taken: str,
        records: Iterable[Record],
        *,
        storage_location: str | None = None,
        run_id: str | None = None,
        request_id: str | None = None,
        requested_at: int | None = None,
    ) -> BatchAnswer:
        """Record many results of one step, in as few requests as the service's bounds allow.

        `records` may be a generator; a `storage_location` beside it is that of every record. Requests are accepted or
        refused each by itself: the answer's `delivered` says whether all arrived.
        """
        action = self._action(root_id, parent_id, action_taken, run_id, storage_location, requested_at)
        requests = requests_of(action, records, request_id or str(uuid.uuid4()))
        return self._answer(action, map(self._deliver, requests))

    def record_all(
        self,
        steps: Iterable[Step],
        *,
        run_id: str | None = None,
        request_id: str | None = None,
        requested_at: int | None = None,
        threads: int = 8,
    ) -> Tally:
        """Record a stream of steps of any roots and parents, with up to `threads` requests under way at once.

        Neighbours with one root, parent and action travel in one request, so sort by them where it is cheap. Nothing is
        kept of what was sent: the stream may be endless.
        """
        at = self._now(requested_at)
        requests = requests_of_steps(steps, request_id or str(uuid.uuid4()), at, run_id)
        sent = failed = 0
        with ThreadPoolExecutor(threads, thread_name_prefix="lineage") as pool:
            while window := list(islice(requests, threads * _WINDOW)):
                for request, answer in pool.map(self._deliver, window):
                    sent += 0 if answer is None else len(request.records)
                    failed += len(request.records) if answer is None else 0
        return Tally(sent, failed)

    def close(self) -> None:
        """Let go of connections; the client can still be used."""
        with self._lock:
            transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()

    def __enter__(self) -> LineageClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getstate__(self) -> dict[str, object]:
        """What a Spark task gets: the destination and the rules, not the connections and the counts."""
        return {**vars(self), "sent": 0, "failed": 0, "_lock": None, "_transport": None}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state, _lock=threading.Lock())

    def _chosen(self, given: Destination) -> Destination | None:
        try:
            return choose_destination(given, os.environ)
        except Misconfigured as error:
            if self._strict:
                raise
            self._given_up = True
            _log.warning("lineage is off: %s", error)
            return None

    def _now(self, requested_at: int | None) -> int:
        return int(self._timing.now()) if requested_at is None else requested_at

    def _action(
        self,
        root_id: str,
        parent_id: str,
        action_taken: str,
        run_id: str | None,
        storage_location: str | None,
        requested_at: int | None,
    ) -> Action:
        return Action(root_id, parent_id, action_taken, run_id, storage_location, self._now(requested_at))

    def _answer(self, action: Action, delivered: Iterable[tuple[Request, Json | None]]) -> BatchAnswer:
        """One answer for all the requests of a call; the times are the service's where it told them."""
        recorded_at, ttl_expiry, whole = action.requested_at, None, True
        records: list[Recorded] = []
        for request, answer in delivered:
            records += request.records
            whole = whole and answer is not None
            recorded_at = _seconds(answer, "recordedAt") or recorded_at
            ttl_expiry = _seconds(answer, "ttl_expiry") or ttl_expiry
        return BatchAnswer(action.root_id, action.action_taken, recorded_at, ttl_expiry, tuple(records), whole)

    def _deliver(self, request: Request) -> tuple[Request, Json | None]:
        """Send one request to its end and count it; None in the place of the answer if it did not arrive.

        This is the one place where everything is caught: lineage must not end the job that it describes.
        """
        try:
            answer = persist(
                lambda timeout_s: self._connected().send(request.body, timeout_s),
                self._patience,
                self._timing,
                once=self._given_up,
            )
        except Exception as error:
            self._count(failed=len(request.records))
            if self._strict:
                raise
            self._warn(request, error)
            return request, None
        self._count(sent=len(request.records))
        self._given_up = False
        return request, answer

    def _connected(self) -> Transport:
        with self._lock:
            if self._destination is None:
                raise Misconfigured("nowhere to send lineage to")
            if self._transport is None:
                self._transport = open_transport(self._destination, self._patience)
            return self._transport

    def _count(self, sent: int = 0, failed: int = 0) -> None:
        with self._lock:
            self.sent += sent
            self.failed += failed

    def _warn(self, request: Request, error: Exception) -> None:
        """One warning for a request; for an outage, one in all. Nothing of the payload but the action."""
        outage = isinstance(error, (Undelivered, Misconfigured))
        level = logging.DEBUG if outage and self._given_up else logging.WARNING
        self._given_up = self._given_up or outage
        reason = str(error) if isinstance(error, LineageError) else f"{type(error).__name__}: {error}"
        count = len(request.records)
        _log.log(level, "%d records of %s not recorded: %s", count, request.action.action_taken, reason)


def _seconds(answer: Json | None, field: str) -> int | None:
    value = (answer or {}).get(field)
    return value if isinstance(value, int) else None

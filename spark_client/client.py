"""The client that a job holds: requests and events out, node ids back, and never an exception unless asked for."""

from __future__ import annotations

import os
import uuid
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING

from spark_client.current_run import current_run_id, report_root
from spark_client.events import EventParcel, parcels_of
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
from spark_client.transport.delivery import Delivery, RequestParcel
from spark_client.transport.destination import Destination, Json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from spark_client.transport.retry import Patience, Timing

# Requests that wait for a thread of `record_all`: enough to keep all busy, few enough to hold in memory.
_WINDOW = 16


class LineageClient:
    """Sends lineage requests, and answers the node ids that they give; sends OpenLineage events.

    One of `url`, `function` and `file` says where to; without any, HEADWATER_URL, HEADWATER_FUNCTION or HEADWATER_FILE.
    HEADWATER_TOKEN and HEADWATER_AUTH (`iam`, `none`) go with a URL; calls to API Gateway are signed by default.

    A request that cannot be delivered within `patience.deadline_s` is logged once, counted in `failed`, and the job
    lives on with the node ids that it would have had; after that, requests are tried once each, until one succeeds.
    With `strict`, the error is raised instead. Every request carries an id and the time of its first attempt, so that
    trying again never makes a second node; the same event twice is one. Usable by many threads, and in the closure of
    a Spark task: an executor gets the destination that the driver chose.

    While a capture is on, requests without a `run_id` are of the captured application's run, on executors too; and the
    roots that the driver's requests are about are reported of that run, so that columns lead to records.
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
        given = Destination(url, function, os.fspath(file) if file is not None else None, token, auth)
        self._delivery = Delivery(given, strict=strict, patience=patience, timing=timing)
        self._run_id_of_driver: str | None = None

    @property
    def sent(self) -> int:
        """Records and events that the service took."""
        return self._delivery.sent

    @property
    def failed(self) -> int:
        """Records and events that it did not."""
        return self._delivery.failed

    @property
    def destination(self) -> Destination | None:
        """Where it sends to; None if nothing says so, and lineage is off."""
        return self._delivery.destination

    @property
    def patience(self) -> Patience:
        """How long a request may take."""
        return self._delivery.patience

    @property
    def timing(self) -> Timing:
        """Its clock and dice."""
        return self._delivery.timing

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
        of_run = run_id or self._current_run_id()
        requests = requests_of_steps(_reported(steps, of_run), request_id or str(uuid.uuid4()), at, of_run)
        sent = failed = 0
        with ThreadPoolExecutor(threads, thread_name_prefix="lineage") as pool:
            while window := list(islice(requests, threads * _WINDOW)):
                for request, answer in pool.map(self._deliver, window):
                    sent += 0 if answer is None else len(request.records)
                    failed += len(request.records) if answer is None else 0
        return Tally(sent, failed)

    def emit(self, event: object) -> bool:
        """Send an OpenLineage event, a dict or one of openlineage-python's; whether the service took it."""
        return self._delivery.deliver(EventParcel(event)) is not None

    def emit_many(self, events: Iterable[object]) -> Tally:
        """Send OpenLineage events in as few requests as the service's bounds allow; each is taken or not by itself.

        `events` may be a generator. Those that the service could not take for now are sent again, and only those.
        """
        sent = failed = 0
        for parcel in parcels_of(events):
            delivered = self._delivery.deliver(parcel) is not None
            tally = parcel.tally(delivered=delivered)
            sent, failed = sent + tally.sent, failed + tally.failed
        return Tally(sent, failed)

    def close(self) -> None:
        """Let go of connections; the client can still be used."""
        self._delivery.close()

    def __enter__(self) -> LineageClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getstate__(self) -> dict[str, object]:
        """What a Spark task gets: the run that the driver is, too."""
        return {**vars(self), "_run_id_of_driver": self._current_run_id()}

    def _current_run_id(self) -> str | None:
        return current_run_id() or self._run_id_of_driver

    def _now(self, requested_at: int | None) -> int:
        return int(self._delivery.timing.now()) if requested_at is None else requested_at

    def _action(
        self,
        root_id: str,
        parent_id: str,
        action_taken: str,
        run_id: str | None,
        storage_location: str | None,
        requested_at: int | None,
    ) -> Action:
        of_run = run_id or self._current_run_id()
        report_root(root_id, of_run)
        return Action(root_id, parent_id, action_taken, of_run, storage_location, self._now(requested_at))

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
        return request, self._delivery.deliver(RequestParcel(request))


def _reported(steps: Iterable[Step], run_id: str | None) -> Iterator[Step]:
    for step in steps:
        report_root(step.root_id, run_id)
        yield step


def _seconds(answer: Json | None, field: str) -> int | None:
    value = (answer or {}).get(field)
    return value if isinstance(value, int) else None

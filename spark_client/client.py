"""The client of a job: sends requests and events, returns node ids, and raises only if it is strict."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING

from spark_client.current_run import current_run_id, report_root
from spark_client.event_payloads import EventPayload, payloads_of
from spark_client.record_requests import (
    SECONDS,
    Action,
    DeliveryCounts,
    Record,
    RecordedNode,
    RecordResult,
    RecordsResult,
    Request,
    Step,
    as_text,
    items_of,
    requests_of,
    requests_of_steps,
    text_option,
    whole_number,
)
from spark_client.transport.delivery import Delivery, RequestPayload
from spark_client.transport.destination import Destination, Json

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from spark_client.transport.retry import Clock, RetryPolicy

# Requests that wait for a thread of `record_all`: enough to keep all busy, few enough to hold in memory.
_WINDOW = 16


class LineageClient:
    """Client: sends lineage requests, returns the node ids of their records, and sends OpenLineage events.

    The destination is `url`, `function` or `file`, else HEADWATER_URL, HEADWATER_FUNCTION or HEADWATER_FILE.
    HEADWATER_TOKEN and HEADWATER_AUTH (`iam`, `none`) go with a URL; calls to API Gateway are signed by default.

    A request not delivered within `retry.deadline_s` is logged once and counted in `failed`. The job goes on with the
    same node ids. Afterwards requests are tried once each, until a request succeeds. A hanging endpoint costs a single
    time-out (30 s); then calls return at once (`not_tried`), but for a short probe now and then, at most a twentieth of
    the time. With `strict`, the error is raised instead. Every request carries an id and the time of its first attempt,
    so trying again never makes a second node. The same event twice counts once. Usable by many threads, and in the
    closure of a Spark task: an executor gets the driver's destination.

    While a capture is on, requests without a `run_id` belong to the captured application's run, on executors too. The
    roots of the driver's requests are reported for the run, so columns lead to records.
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
        retry: RetryPolicy | None = None,
        clock: Clock | None = None,
    ) -> None:
        given = Destination(url, function, as_text(file), token, auth)
        self._delivery = Delivery(given, strict=strict, retry=retry, clock=clock)
        self._run_id_of_driver: str | None = None

    @property
    def sent(self) -> int:
        """Number of records and events accepted by the service."""
        return self._delivery.sent

    @property
    def failed(self) -> int:
        """Number of records and events not accepted by the service."""
        return self._delivery.failed

    @property
    def not_tried(self) -> int:
        """Number of records and events in `failed` that were never sent: the endpoint rested after it had hung."""
        return self._delivery.not_tried

    @property
    def destination(self) -> Destination | None:
        """Destination of requests and events; None if no argument or variable names a destination: lineage is off."""
        return self._delivery.destination

    @property
    def retry(self) -> RetryPolicy:
        """Time limits of a request and its attempts."""
        return self._delivery.retry

    @property
    def clock(self) -> Clock:
        """Clock and source of random pauses."""
        return self._delivery.clock

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
    ) -> RecordResult:
        """Record a step: `action_taken` on `parent_id` made the content of `storage_location`.

        The result's `node_id` is the next step's `parent_id`. Give `request_id` and `requested_at` (whole seconds since
        1970) where a whole task may run again: equal values make the same record.
        """
        action = self._action(root_id, parent_id, action_taken, run_id, None, requested_at)
        record = Record(storage_location, node_id)
        requests = requests_of(action, [record], _id_of(request_id), single=True)
        batch = self._merge_results(action, map(self._deliver, requests))
        (recorded,) = batch.records
        return RecordResult(
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
    ) -> RecordsResult:
        """Record many results of a step, in as few requests as the service's bounds allow.

        `records` may be a generator; a `storage_location` beside it counts for all records. Each request is accepted or
        refused by itself: the result's `delivered` is True if all arrived.

        Raises:
            TypeError: an item is no `Record`; nothing was sent.
        """
        action = self._action(root_id, parent_id, action_taken, run_id, storage_location, requested_at)
        requests = requests_of(action, list(items_of(records, "records", Record)), _id_of(request_id))
        return self._merge_results(action, map(self._deliver, requests))

    def record_all(
        self,
        steps: Iterable[Step],
        *,
        run_id: str | None = None,
        request_id: str | None = None,
        requested_at: int | None = None,
        threads: int = 8,
    ) -> DeliveryCounts:
        """Record a stream of steps of any roots and parents, with up to `threads` requests under way at once.

        Neighbours with the same root, parent and action share a request, so sort by them where it is cheap. Nothing
        sent is kept: the stream may be endless.

        Raises:
            TypeError: something is no `Step`; of the steps before it, some may have been sent.
            ValueError: there is no thread.
        """
        if whole_number("threads", threads, "must be a whole number") < 1:
            raise ValueError(f"threads: must be at least 1, got {threads}")
        at = self._now(requested_at)
        of_run = text_option("run_id", run_id) or self._current_run_id()
        of_steps = _reported(items_of(steps, "steps", Step), of_run)
        requests = requests_of_steps(of_steps, _id_of(request_id), at, of_run)
        sent = failed = 0
        with ThreadPoolExecutor(threads, thread_name_prefix="lineage") as pool:
            while window := list(islice(requests, threads * _WINDOW)):
                for request, response in pool.map(self._deliver, window):
                    sent += 0 if response is None else len(request.records)
                    failed += len(request.records) if response is None else 0
        return DeliveryCounts(sent, failed)

    def emit(self, event: object) -> bool:
        """Send an OpenLineage event, a dict or openlineage-python's own; return True if the service accepted it."""
        return self._delivery.deliver(EventPayload(event)) is not None

    def emit_many(self, events: Iterable[object]) -> DeliveryCounts:
        """Send OpenLineage events in as few requests as the service's bounds allow; each is accepted or not by itself.

        `events` may be a generator. Only events refused for now are sent again.

        Raises:
            TypeError: `events` is no iterable of events; nothing was sent.
        """
        sent = failed = 0
        for payload in payloads_of(events):
            delivered = self._delivery.deliver(payload) is not None
            counts = payload.count(delivered=delivered)
            sent, failed = sent + counts.sent, failed + counts.failed
        return DeliveryCounts(sent, failed)

    @property
    def last_failure(self) -> str:
        """Reason of the last undelivered request, without secrets; empty before the first."""
        return self._delivery.last_failure

    def hurry(self) -> None:
        """Give up, until `close`, each request after a single further attempt: the program ends."""
        self._delivery.hurry()

    def close(self) -> None:
        """Close the connections; the client can still be used."""
        self._delivery.close()

    def __enter__(self) -> LineageClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getstate__(self) -> dict[str, object]:
        """Copy the state for a Spark task, with the driver's run id."""
        return {**vars(self), "_run_id_of_driver": self._current_run_id()}

    def _current_run_id(self) -> str | None:
        return current_run_id() or self._run_id_of_driver

    def _now(self, requested_at: int | None) -> int:
        if requested_at is None:
            return int(self._delivery.clock.now())
        return whole_number("requested_at", requested_at, SECONDS)

    def _action(
        self,
        root_id: str,
        parent_id: str,
        action_taken: str,
        run_id: str | None,
        storage_location: str | None,
        requested_at: int | None,
    ) -> Action:
        of_run = text_option("run_id", run_id) or self._current_run_id()
        report_root(root_id, of_run)
        place = as_text(root_id), as_text(parent_id), as_text(action_taken)
        return Action(*place, of_run, as_text(storage_location), self._now(requested_at))

    def _merge_results(self, action: Action, delivered: Iterable[tuple[Request, Json | None]]) -> RecordsResult:
        """Merge all responses of a call into one result, with the service's times where a response has them."""
        recorded_at, ttl_expiry, complete = action.requested_at, None, True
        records: list[RecordedNode] = []
        for request, response in delivered:
            records += request.records
            complete = complete and response is not None
            recorded_at = _seconds(response, "recordedAt") or recorded_at
            ttl_expiry = _seconds(response, "ttl_expiry") or ttl_expiry
        return RecordsResult(action.root_id, action.action_taken, recorded_at, ttl_expiry, tuple(records), complete)

    def _deliver(self, request: Request) -> tuple[Request, Json | None]:
        return request, self._delivery.deliver(RequestPayload(request, self._delivery.clock.now()))


def _id_of(request_id: str | None) -> str:
    return text_option("request_id", request_id) or str(uuid.uuid4())


def _reported(steps: Iterable[Step], run_id: str | None) -> Iterator[Step]:
    for step in steps:
        report_root(step.root_id, run_id)
        yield step


def _seconds(response: Json | None, field: str) -> int | None:
    value = (response or {}).get(field)
    return value if isinstance(value, int) else None

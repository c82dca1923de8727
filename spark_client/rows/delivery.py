"""Delivery of rows in a Spark task: counts bad rows, packs and sends good rows, and returns the outcomes.

Nothing sent is kept, and nothing ends the task: rows not sent are counted, with the reason.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spark_client.errors import LineageError, Misconfigured, Refused, Undelivered
from spark_client.rows.packing import MESSAGE_BYTES_MAX, Form, Pack, Packer, message_form, request_form
from spark_client.transport.choose import open_transport
from spark_client.transport.destination import Destination
from spark_client.transport.retry import Clock, RetryPolicy, retry

if TYPE_CHECKING:
    from types import TracebackType

    import pyarrow as pa

    from spark_client.transport.destination import Transport
    from spark_client.transport.queue import SqsQueue, Unsent

SENT, FAILED, REFUSED = "sent", "failed", "refused"
# Not an outcome: a row of the result whose reason is a root with records in the rows.
ROOT = "root"
# Limit of the roots in a task's result.
_ROOTS_MAX = 1_000
# The columns of a task's result, as Spark reads them.
RESULT = "outcome string, reason string, rows long, examples array<string>"
# Examples of bad rows for each reason.
EXAMPLES_MAX = 3
# Reasons counted apart; nobody would read more of them.
_REASONS_MAX = 20
_OTHER = "other reasons"
# Concurrent calls of a task: the next bodies are packed while the calls wait for the network.
_UNDER_WAY = 4
# After so many undelivered bodies in a row a task gives up.
_LOST_MAX = 4
# Destinations given up by this process: its next task does not wait for them as long again.
_GIVEN_UP: set[str] = set()


class PackTransport(Protocol):
    """Transport of packs to the service, usable by many threads."""

    packs_max: int

    def send(self, packs: Sequence[Pack], timeout_s: float) -> list[Unsent]:
        """Send up to `packs_max` bodies and return the bodies not accepted. Raises as `Transport.send` does."""

    def close(self) -> None:
        """Close the connections."""


class QueuePackTransport:
    """Transport into the packed queue."""

    packs_max = 1024 * 1024 // MESSAGE_BYTES_MAX

    def __init__(self, queue: SqsQueue) -> None:
        self._queue = queue

    def send(self, packs: Sequence[Pack], timeout_s: float) -> list[Unsent]:  # noqa: ARG002 - set once for a client
        """Send the messages in one call."""
        return self._queue.send([pack.body for pack in packs])

    def close(self) -> None:
        """Close the connections."""
        self._queue.close()


class RequestPackTransport:
    """Transport as a request, by any transport of the client."""

    packs_max = 1

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def send(self, packs: Sequence[Pack], timeout_s: float) -> list[Unsent]:
        """Send the single request."""
        (pack,) = packs
        self._transport.send(pack.body.encode(), timeout_s)
        return []

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()


@dataclass(frozen=True)
class TaskConfig:
    """Settings of every task: the destination (a queue, or a client's destination) and the time limits.

    `shared` has the common fields of all records: a request has them once, a message in each record.
    """

    queue_url: str | None
    destination: Destination | None
    shared: Mapping[str, object]
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    clock: Clock = field(default_factory=Clock)

    @property
    def destination_name(self) -> str:
        """Name of the destination."""
        to = self.destination or Destination()
        return self.queue_url or to.url or to.function or to.file or ""

    @property
    def form(self) -> Form:
        """Form of the bodies at the destination."""
        return message_form() if self.queue_url else request_form(self.shared)

    def open(self) -> PackTransport:
        """Open the transport to the destination.

        Raises:
            Misconfigured: there is no destination.
        """
        if self.queue_url:
            try:
                from spark_client.transport.queue import SqsQueue
            except ImportError as error:
                raise Misconfigured(f"{self.queue_url}: {error}") from error
            return QueuePackTransport(SqsQueue(self.queue_url, self.policy))
        if self.destination is None:
            raise Misconfigured("nowhere to send lineage to")
        return RequestPackTransport(open_transport(self.destination, self.policy))


def deliver_rows(batches: Iterable[pa.RecordBatch], config: TaskConfig) -> Iterator[pa.RecordBatch]:
    """Send a task's rows; then yield their outcomes (columns: `RESULT`).

    Each row has `line`, its record in JSON, or null with a `reason` and the row's ids as `example`. It has its `root`,
    and `node`, if the form of the bodies needs it.
    """
    outcomes = RowOutcomes()
    packer = Packer(config.form)
    with _Shipping(config, outcomes) as shipping:
        for batch in batches:
            outcomes.refuse_rows(batch)
            good = batch.filter(batch.column("line").is_valid())
            outcomes.note_roots(good.column("root"))
            nodes = good.column("node") if "node" in good.schema.names else None
            for pack in packer.add(good.column("line"), nodes):
                shipping.put(pack)
        for pack in packer.close():
            shipping.put(pack)
        shipping.finish()
    yield outcomes.render()


class RowOutcomes:
    """Outcomes of rows: counts by outcome and reason, and examples of a few bad rows."""

    def __init__(self) -> None:
        self._rows: Counter[tuple[str, str]] = Counter()
        self._examples: dict[tuple[str, str], list[str]] = {}
        self._roots: set[str] = set()

    def count(self, outcome: str, reason: str, rows: int) -> None:
        """Add rows with the same outcome and reason."""
        known = (outcome, reason) in self._rows or len(self._rows) < _REASONS_MAX
        self._rows[outcome, reason if known else _OTHER] += rows

    def refuse_rows(self, batch: pa.RecordBatch) -> None:
        """Count the bad rows of a batch."""
        bad = batch.filter(batch.column("reason").is_valid())
        for reason, example in zip(bad.column("reason").to_pylist(), bad.column("example").to_pylist(), strict=True):
            self.count(REFUSED, reason, 1)
            few = self._examples.setdefault((REFUSED, reason), [])
            if len(few) < EXAMPLES_MAX:
                few.append(example)

    def note_roots(self, root_ids: pa.Array) -> None:
        """Note the roots of the sent records, up to a bound."""
        import pyarrow.compute as pc

        if len(self._roots) < _ROOTS_MAX:
            self._roots.update(pc.unique(root_ids).to_pylist())

    def render(self) -> pa.RecordBatch:
        """Render a row for each outcome and reason, and for each root."""
        import pyarrow as pa

        rows_of_result = [(*key, rows, self._examples.get(key, [])) for key, rows in self._rows.items()]
        rows_of_result += [(ROOT, root_id, 1, []) for root_id in sorted(self._roots)[:_ROOTS_MAX]]
        types = (pa.string(), pa.string(), pa.int64(), pa.list_(pa.string()))
        columns = [pa.array([row[index] for row in rows_of_result], kind) for index, kind in enumerate(types)]
        return pa.RecordBatch.from_arrays(columns, names=["outcome", "reason", "rows", "examples"])


class _Outcome(NamedTuple):
    """Outcome of a call: rows by outcome and reason, and why the service was out of reach."""

    rows: list[tuple[str, str, int]]
    why_lost: str | None


class _Shipment:
    """Packs sent in a call; temporarily refused packs are sent again."""

    def __init__(self, packs: Sequence[Pack]) -> None:
        self._left = list(packs)
        self._rows: list[tuple[str, str, int]] = []

    def deliver(self, pack_transport: PackTransport, config: TaskConfig, *, once: bool) -> _Outcome:
        """Send until all packs are accepted or the time limit is reached; `once` allows a single attempt.

        All errors are caught here and nowhere else: lineage must not end the described task.
        """
        try:
            retry(
                lambda timeout_s: self._attempt(pack_transport, timeout_s),
                config.policy,
                config.clock,
                once=lambda: once,
            )
        except Refused as error:
            return self._end(REFUSED, str(error))
        except Exception as error:  # noqa: BLE001 - lineage must not end the described task
            cause = error.__cause__ if isinstance(error, Undelivered) else error
            reason = str(cause) if isinstance(cause, LineageError) else f"{type(cause).__name__}: {cause}"
            return self._end(FAILED, reason)._replace(why_lost=reason)
        return self._end(SENT, "")

    def _attempt(self, pack_transport: PackTransport, timeout_s: float) -> None:
        unsent = pack_transport.send(self._left, timeout_s)
        failed = {message.position for message in unsent}
        self._rows += [(SENT, "", pack.rows) for index, pack in enumerate(self._left) if index not in failed]
        self._rows += [
            (REFUSED, message.reason, self._left[message.position].rows) for message in unsent if message.final
        ]
        again = [message for message in unsent if not message.final]
        self._left = [self._left[message.position] for message in again]
        if again:
            raise Undelivered(again[0].reason)

    def _end(self, outcome: str, reason: str) -> _Outcome:
        return _Outcome([*self._rows, *((outcome, reason, pack.rows) for pack in self._left)], None)


class _Shipping:
    """A few concurrent calls. After a lost call, each pack is tried once; after a few more, none is."""

    def __init__(self, config: TaskConfig, outcomes: RowOutcomes) -> None:
        self._config, self._outcomes = config, outcomes
        self._pool = ThreadPoolExecutor(_UNDER_WAY, thread_name_prefix="lineage")
        self._waiting: list[Pack] = []
        self._under_way: deque[Future[_Outcome]] = deque()
        self._why_lost = ""
        self._lost = 1 if config.destination_name in _GIVEN_UP else 0
        try:
            self._transport: PackTransport | None = config.open()
        except Exception as error:  # noqa: BLE001 - as above
            self._transport, self._lost, self._why_lost = None, _LOST_MAX, str(error)

    def put(self, pack: Pack) -> None:
        """Send the pack soon; block while enough calls are under way."""
        self._waiting.append(pack)
        if self._transport is None or len(self._waiting) == self._transport.packs_max:
            self._dispatch()

    def finish(self) -> None:
        """Send the rest of the packs, and wait for every call."""
        self._dispatch()
        while self._under_way:
            self._finish_oldest()

    def __enter__(self) -> _Shipping:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A killed task is tried again from its start: it waits for nothing.
        self._pool.shutdown(wait=kind is None, cancel_futures=True)
        if self._transport is not None:
            self._transport.close()

    def _dispatch(self) -> None:
        packs, self._waiting = self._waiting, []
        while len(self._under_way) >= _UNDER_WAY:
            self._finish_oldest()
        if self._transport is None or self._lost >= _LOST_MAX:
            self._outcomes.count(FAILED, self._why_lost, sum(pack.rows for pack in packs))
        elif packs:
            shipment = _Shipment(packs)
            once = self._lost > 0
            self._under_way.append(self._pool.submit(shipment.deliver, self._transport, self._config, once=once))

    def _finish_oldest(self) -> None:
        outcome = self._under_way.popleft().result()
        for counted in outcome.rows:
            self._outcomes.count(*counted)
        if outcome.why_lost is None:
            self._lost = 0
            _GIVEN_UP.discard(self._config.destination_name)
        else:
            self._lost, self._why_lost = self._lost + 1, outcome.why_lost
            _GIVEN_UP.add(self._config.destination_name)

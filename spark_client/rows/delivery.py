"""In a task of Spark: bad rows are counted, good ones packed and sent, and what became of all is the task's result.

Nothing here is kept of what was sent, and nothing ends the task: what cannot be sent is counted, with the reason.
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
from spark_client.transport.retry import Patience, Timing, persist

if TYPE_CHECKING:
    from types import TracebackType

    import pyarrow as pa

    from spark_client.transport.destination import Transport
    from spark_client.transport.queue import SqsQueue, Unsent

SENT, FAILED, REFUSED = "sent", "failed", "refused"
# The outcome that is none: a root whose records were in the rows, as the reason.
ROOT = "root"
# So many roots of a task are told.
_ROOTS_MAX = 1_000
# The columns of a task's result, as Spark reads them.
RESULT = "outcome string, reason string, rows long, examples array<string>"
# Examples of bad rows that are told of each reason.
EXAMPLES_MAX = 3
# Reasons that are told apart: more of them are not read.
_REASONS_MAX = 20
_OTHER = "other reasons"
# Bodies of a task that are on their way at once: the next are packed while these wait for the network.
_UNDER_WAY = 4
# Bodies in a row that were not delivered, after which a task tries no more.
_LOST_MAX = 4
# Places that this process has given up: its next task does not wait for them as long again.
_GIVEN_UP: set[str] = set()


class Carrier(Protocol):
    """A way to the service, usable by many threads."""

    packs_max: int

    def send(self, packs: Sequence[Pack], timeout_s: float) -> list[Unsent]:
        """Hand over up to `packs_max` bodies; those that were not taken. Raises as `Transport.send` does."""

    def close(self) -> None:
        """Let go of connections."""


class QueueCarrier:
    """Into the packed queue."""

    packs_max = 1024 * 1024 // MESSAGE_BYTES_MAX

    def __init__(self, queue: SqsQueue) -> None:
        self._queue = queue

    def send(self, packs: Sequence[Pack], timeout_s: float) -> list[Unsent]:  # noqa: ARG002 - set once for a client
        """Send the messages in one call."""
        return self._queue.send([pack.body for pack in packs])

    def close(self) -> None:
        """Close the connections."""
        self._queue.close()


class RequestCarrier:
    """As a request, by any transport of the client."""

    packs_max = 1

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def send(self, packs: Sequence[Pack], timeout_s: float) -> list[Unsent]:
        """Send the one request."""
        (pack,) = packs
        self._transport.send(pack.body.encode(), timeout_s)
        return []

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()


@dataclass(frozen=True)
class Errand:
    """What every task is told: where to (a queue, else a destination of the client) and how long to wait for it.

    `shared` is what all records have in common besides their fields: a request says it once, a message in each record.
    """

    queue_url: str | None
    destination: Destination | None
    shared: Mapping[str, object]
    patience: Patience = field(default_factory=Patience)
    timing: Timing = field(default_factory=Timing)

    @property
    def place(self) -> str:
        """Where to, as a name."""
        to = self.destination or Destination()
        return self.queue_url or to.url or to.function or to.file or ""

    @property
    def form(self) -> Form:
        """How bodies look where they go."""
        return message_form() if self.queue_url else request_form(self.shared)

    def open(self) -> Carrier:
        """The way there.

        Raises:
            Misconfigured: there is none.
        """
        if self.queue_url:
            try:
                from spark_client.transport.queue import SqsQueue
            except ImportError as error:
                raise Misconfigured(f"{self.queue_url}: {error}") from error
            return QueueCarrier(SqsQueue(self.queue_url, self.patience))
        if self.destination is None:
            raise Misconfigured("nowhere to send lineage to")
        return RequestCarrier(open_transport(self.destination, self.patience))


def deliver_rows(batches: Iterable[pa.RecordBatch], errand: Errand) -> Iterator[pa.RecordBatch]:
    """Send a task's rows; yield, when all is done, what became of them (columns: `RESULT`).

    Of each row: `line`, its record in JSON, or null and then `reason`, why not, and `example`, which row it is; its
    `root`; and `node`, where the form of the bodies asks for it.
    """
    books = Books()
    packer = Packer(errand.form)
    with _Shipping(errand, books) as shipping:
        for batch in batches:
            books.refuse_rows(batch)
            good = batch.filter(batch.column("line").is_valid())
            books.note_roots(good.column("root"))
            nodes = good.column("node").to_pylist() if "node" in good.schema.names else ()
            for pack in packer.add(good.column("line"), nodes):
                shipping.put(pack)
        for pack in packer.close():
            shipping.put(pack)
        shipping.finish()
    yield books.render()


class Books:
    """What became of rows: how many, by outcome and reason, and which, for a few of the bad ones."""

    def __init__(self) -> None:
        self._rows: Counter[tuple[str, str]] = Counter()
        self._examples: dict[tuple[str, str], list[str]] = {}
        self._roots: set[str] = set()

    def count(self, outcome: str, reason: str, rows: int) -> None:
        """Note so many rows of one outcome."""
        known = (outcome, reason) in self._rows or len(self._rows) < _REASONS_MAX
        self._rows[outcome, reason if known else _OTHER] += rows

    def refuse_rows(self, batch: pa.RecordBatch) -> None:
        """Note the bad rows of a batch."""
        bad = batch.filter(batch.column("reason").is_valid())
        for reason, example in zip(bad.column("reason").to_pylist(), bad.column("example").to_pylist(), strict=True):
            self.count(REFUSED, reason, 1)
            few = self._examples.setdefault((REFUSED, reason), [])
            if len(few) < EXAMPLES_MAX:
                few.append(example)

    def note_roots(self, root_ids: pa.Array) -> None:
        """Note whose records were sent, as far as they are few."""
        import pyarrow.compute as pc

        if len(self._roots) < _ROOTS_MAX:
            self._roots.update(pc.unique(root_ids).to_pylist())

    def render(self) -> pa.RecordBatch:
        """A row for each outcome and reason, and for each root."""
        import pyarrow as pa

        told = [(*key, rows, self._examples.get(key, [])) for key, rows in self._rows.items()]
        told += [(ROOT, root_id, 1, []) for root_id in sorted(self._roots)[:_ROOTS_MAX]]
        types = (pa.string(), pa.string(), pa.int64(), pa.list_(pa.string()))
        columns = [pa.array([one[place] for one in told], kind) for place, kind in enumerate(types)]
        return pa.RecordBatch.from_arrays(columns, names=["outcome", "reason", "rows", "examples"])


class _Outcome(NamedTuple):
    """What became of the packs of one call: rows by outcome and reason, and why the service was out of reach."""

    rows: list[tuple[str, str, int]]
    why_lost: str | None


class _Shipment:
    """Packs that go in one call; those that may yet be taken are left."""

    def __init__(self, packs: Sequence[Pack]) -> None:
        self._left = list(packs)
        self._rows: list[tuple[str, str, int]] = []

    def deliver(self, carrier: Carrier, errand: Errand, *, once: bool) -> _Outcome:
        """Send until all are taken, or as long as the errand's patience lasts; `once` is for one try.

        This is the one place where everything is caught: lineage must not end the task that it describes.
        """
        try:
            persist(lambda timeout_s: self._attempt(carrier, timeout_s), errand.patience, errand.timing, once=once)
        except Refused as error:
            return self._end(REFUSED, str(error))
        except Exception as error:  # noqa: BLE001 - lineage must not end the task that it describes
            cause = error.__cause__ if isinstance(error, Undelivered) else error
            reason = str(cause) if isinstance(cause, LineageError) else f"{type(cause).__name__}: {cause}"
            return self._end(FAILED, reason)._replace(why_lost=reason)
        return self._end(SENT, "")

    def _attempt(self, carrier: Carrier, timeout_s: float) -> None:
        unsent = carrier.send(self._left, timeout_s)
        failed = {one.place for one in unsent}
        self._rows += [(SENT, "", pack.rows) for place, pack in enumerate(self._left) if place not in failed]
        self._rows += [(REFUSED, one.reason, self._left[one.place].rows) for one in unsent if one.final]
        again = [one for one in unsent if not one.final]
        self._left = [self._left[one.place] for one in again]
        if again:
            raise Undelivered(again[0].reason)

    def _end(self, outcome: str, reason: str) -> _Outcome:
        return _Outcome([*self._rows, *((outcome, reason, pack.rows) for pack in self._left)], None)


class _Shipping:
    """A few calls under way at once. After one that was given up, each is tried once; after a few more, not at all."""

    def __init__(self, errand: Errand, books: Books) -> None:
        self._errand, self._books = errand, books
        self._pool = ThreadPoolExecutor(_UNDER_WAY, thread_name_prefix="lineage")
        self._waiting: list[Pack] = []
        self._under_way: deque[Future[_Outcome]] = deque()
        self._why_lost = ""
        self._lost = 1 if errand.place in _GIVEN_UP else 0
        try:
            self._carrier: Carrier | None = errand.open()
        except Exception as error:  # noqa: BLE001 - as above
            self._carrier, self._lost, self._why_lost = None, _LOST_MAX, str(error)

    def put(self, pack: Pack) -> None:
        """Send the pack, soon; waits while enough is under way."""
        self._waiting.append(pack)
        if self._carrier is None or len(self._waiting) == self._carrier.packs_max:
            self._dispatch()

    def finish(self) -> None:
        """Send what waits, and wait for all."""
        self._dispatch()
        while self._under_way:
            self._settle()

    def __enter__(self) -> _Shipping:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A task that was killed is tried again from its start: it waits for nothing.
        self._pool.shutdown(wait=kind is None, cancel_futures=True)
        if self._carrier is not None:
            self._carrier.close()

    def _dispatch(self) -> None:
        packs, self._waiting = self._waiting, []
        while len(self._under_way) >= _UNDER_WAY:
            self._settle()
        if self._carrier is None or self._lost >= _LOST_MAX:
            self._books.count(FAILED, self._why_lost, sum(pack.rows for pack in packs))
        elif packs:
            shipment = _Shipment(packs)
            once = self._lost > 0
            self._under_way.append(self._pool.submit(shipment.deliver, self._carrier, self._errand, once=once))

    def _settle(self) -> None:
        outcome = self._under_way.popleft().result()
        for one in outcome.rows:
            self._books.count(*one)
        if outcome.why_lost is None:
            self._lost = 0
            _GIVEN_UP.discard(self._errand.place)
        else:
            self._lost, self._why_lost = self._lost + 1, outcome.why_lost
            _GIVEN_UP.add(self._errand.place)

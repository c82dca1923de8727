"""The messages of a queue of SQS, in memory: some are ready in their order, some wait for a moment."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

from moto.sqs.models import DEDUPLICATION_TIME_IN_SECONDS

# The longest wait of ReceiveMessage.
WAIT_MAX_S = 20
_REMOVED_MAX = 1_000


@dataclass(slots=True, eq=False)
class Message:
    """A message without its content: `visible_at` is the moment when it may be ready (seconds since 1970)."""

    id: str
    place: int
    group: str | None
    sent_at: float
    visible_at: float = 0.0
    is_ready: bool = False
    receives: int = 0
    first_received_at: float = 0.0
    received_at: float = 0.0


class Messages:
    """The messages of a queue of moto, for a single thread at a time; `changed` hears of new messages."""

    def __init__(self, queue: Any, lock: threading.Lock) -> None:
        self.queue = queue
        self.changed = threading.Condition(lock)
        self.all: dict[str, Message] = {}
        # Heaps by moment, and by place; an entry of a message that has changed since is skipped.
        self._waiting: list[tuple[float, int, str]] = []
        self._ready: list[tuple[int, str]] = []
        self._sent: dict[str, float] = {}

    def add(self, message: Message, name: str | None = None) -> None:
        """Add a message, perhaps with a deduplication id."""
        self.all[message.id] = message
        self.hide(message, message.visible_at)
        if name:
            self._sent.pop(name, None)  # The latest stands last
            self._sent[name] = message.sent_at
        self.changed.notify()

    def is_repeated(self, name: str | None, now: float) -> bool:
        """True if a FIFO queue got this deduplication id in the last five minutes."""
        while self._sent and next(iter(self._sent.values())) + DEDUPLICATION_TIME_IN_SECONDS <= now:
            del self._sent[next(iter(self._sent))]
        return name in self._sent and bool(self.queue.fifo_queue)

    def remove(self, message: Message) -> None:
        """Remove a message; drop the entries of removed messages once they are the most."""
        del self.all[message.id]
        if len(self._waiting) > 2 * len(self.all) + _REMOVED_MAX:
            self._waiting = [entry for entry in self._waiting if entry[2] in self.all]
            heapify(self._waiting)

    def hide(self, message: Message, until: float) -> None:
        """Let a message wait."""
        message.visible_at, message.is_ready = until, False
        heappush(self._waiting, (until, message.place, message.id))

    def wait_s(self, now: float) -> float:
        """Compute the seconds until a message may be ready; 0 if a message is ready."""
        while self._waiting and self._waiting[0][0] <= now:
            until, place, name = heappop(self._waiting)
            message = self.all.get(name)
            if message and not message.is_ready and message.visible_at == until:
                message.is_ready = True
                heappush(self._ready, (place, name))
        return 0 if self._ready else self._waiting[0][0] - now if self._waiting else WAIT_MAX_S

    def take(self, now: float) -> Iterator[Message]:
        """Yield ready messages in their order; a group of a FIFO queue waits for its messages in flight."""
        in_flight = self.all.values() if self.queue.fifo_queue else ()
        busy = {each.group for each in in_flight if each.receives and each.visible_at > now}
        blocked = list[tuple[int, str]]()
        try:
            while self._ready:
                entry = heappop(self._ready)
                message = self.all.get(entry[1])
                if message and message.is_ready and message.group in busy:
                    blocked.append(entry)
                elif message and message.is_ready:
                    message.is_ready = False
                    yield message
        finally:
            for entry in blocked:
                heappush(self._ready, entry)

    def counts(self, now: float) -> Mapping[str, int]:
        """Count the visible messages, the messages in flight, and the delayed messages."""
        hidden = [message for message in self.all.values() if message.visible_at > now]
        delayed = sum(not message.receives for message in hidden)
        numbers = {"": len(self.all) - len(hidden), "NotVisible": len(hidden) - delayed, "Delayed": delayed}
        return {f"ApproximateNumberOfMessages{kind}": number for kind, number in numbers.items()}

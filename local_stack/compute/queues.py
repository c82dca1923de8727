"""SQS event source mappings: batches, windows, partial failures and concurrency, as in Lambda's pollers.

Visibility, receive counts and redrive are the queue's own, moto's. Time is the stack's: `advance` closes a window and
makes messages in flight visible again.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from local_stack.compute.functions import Functions
from local_stack.compute.poller import Failure, Feed, Feeder
from local_stack.processes.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageTypeDef

# Lambda quotas: an SQS event is at most 6 MB; SQS gives and deletes 10 messages a call.
EVENT_BYTES_MAX = 6 * 1024 * 1024
_ENTRIES_MAX = 10
# Of an empty queue: the longest wait at SQS (API reference, ReceiveMessage).
_LONG_POLL_S = 20
_POLL_S = 0.1
_CONCURRENCY_MAX = 2


@dataclass
class _Batch:
    """Messages collected for an event."""

    messages: list[MessageTypeDef] = field(default_factory=list)
    size_bytes: int = 0
    due: float = 0.0


class QueuePoller(Feeder):
    """A poller of a queue, with up to two threads more to invoke the function.

    Messages pending at `stop` return to the queue after their visibility timeout.
    """

    def __init__(
        self, feed: Feed, *, sqs: SQSClient, functions: Functions, clock: Clock, report: Callable[[Failure], None]
    ) -> None:
        super().__init__(feed, functions, clock, report)
        self.batches = 0
        self._sqs = sqs
        scaling = self.mapping.scaling_config
        workers = min(scaling.maximum_concurrency, _CONCURRENCY_MAX) if scaling else _CONCURRENCY_MAX
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix=feed.logical_id)
        self._free = threading.BoundedSemaphore(workers)
        self._lock = threading.Lock()
        self._pending = 0

    def join(self) -> None:
        """Wait until the thread and its invocations have ended."""
        super().join()
        self._executor.shutdown(wait=True)

    @property
    def pending(self) -> int:
        """The received messages, neither deleted nor returned."""
        return self._pending

    def _run(self) -> None:
        batch = _Batch()
        while not self._stopping.is_set():
            received = self._receive_or_wait(0 if batch.messages else _LONG_POLL_S)
            for message in received:
                batch = self._add(batch, message)
            if self._is_due(batch, none_left=not received):
                self._send(batch)
                batch = _Batch()
            elif not received and batch.messages:
                self._stopping.wait(_POLL_S)

    def _receive_or_wait(self, wait_s: int) -> Sequence[MessageTypeDef]:
        """Receive messages; if the endpoint fails, report it and return none: the poller continues."""
        try:
            return self._receive(wait_s)
        except (BotoCoreError, ClientError) as error:
            if not self._stopping.is_set():
                self._report(Failure("ReceiveMessage", self.feed.logical_id, type(error).__name__, str(error)))
            self._stopping.wait(_POLL_S)
            return []

    def _receive(self, wait_s: int) -> Sequence[MessageTypeDef]:
        response = self._sqs.receive_message(
            QueueUrl=self.feed.source,
            MaxNumberOfMessages=_ENTRIES_MAX,
            WaitTimeSeconds=wait_s,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        received = response.get("Messages", [])
        with self._lock:
            self._pending += len(received)
        return received

    def _add(self, batch: _Batch, message: MessageTypeDef) -> _Batch:
        """Add the message to the batch; first send a batch that is full, or would exceed an event."""
        size_bytes = len(json.dumps(self._record(message)))
        full = len(batch.messages) >= self.mapping.batch_size
        if full or (batch.messages and batch.size_bytes + size_bytes > EVENT_BYTES_MAX):
            self._send(batch)
            batch = _Batch()
        if not batch.messages:
            batch.due = self._clock.now() + self.feed.window_s
        batch.messages.append(message)
        batch.size_bytes += size_bytes
        return batch

    def _is_due(self, batch: _Batch, *, none_left: bool) -> bool:
        full = len(batch.messages) >= self.mapping.batch_size
        late = self._clock.now() >= batch.due or (self.flush_now and none_left)
        return full or (bool(batch.messages) and late)

    def _send(self, batch: _Batch) -> None:
        while not self._free.acquire(timeout=_POLL_S):
            if self._stopping.is_set():
                return
        self._executor.submit(self._deliver, batch.messages)

    def _deliver(self, messages: Sequence[MessageTypeDef]) -> None:
        try:
            records = [self._record(message) for message in messages]
            result = self._functions.invoke(self.mapping.function_name, {"Records": records})
            if result.failed and not self._stopping.is_set():
                self._report_failed(result)
            failed = self._failed_ids(result, [message["MessageId"] for message in messages])
            if not self._stopping.is_set():
                self._delete([message for message in messages if message["MessageId"] not in failed])
        except (BotoCoreError, ClientError) as error:
            self._report(Failure("DeleteMessage", self.feed.logical_id, type(error).__name__, str(error)))
        finally:
            with self._lock:
                self._pending -= len(messages)
                self.batches += 1
            self._free.release()

    def _delete(self, messages: Sequence[MessageTypeDef]) -> None:
        for start in range(0, len(messages), _ENTRIES_MAX):
            part = messages[start : start + _ENTRIES_MAX]
            response = self._sqs.delete_message_batch(
                QueueUrl=self.feed.source,
                Entries=[{"Id": str(n), "ReceiptHandle": message["ReceiptHandle"]} for n, message in enumerate(part)],
            )
            for failed in response.get("Failed", []):
                self._report(Failure("DeleteMessage", self.feed.logical_id, failed["Code"], failed.get("Message", "")))

    def _record(self, message: MessageTypeDef) -> dict[str, Any]:
        return {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": message.get("Attributes", {}),
            "messageAttributes": {
                name: {key[0].lower() + key[1:]: part for key, part in value.items()}
                for name, value in message.get("MessageAttributes", {}).items()
            },
            "md5OfBody": message["MD5OfBody"],
            "eventSource": "aws:sqs",
            "eventSourceARN": self.feed.arn,
            "awsRegion": self.feed.arn.split(":")[3],
        }

"""SQS's operations on messages, of the forms in use; a request of a different form is refused by name.

    queues = Queues(Disk())
    queues.respond("AmazonSQS.SendMessage", b'{"QueueUrl": "http://127.0.0.1/1/q", "MessageBody": "text"}')
    # -> 200, b'{"MessageId": ...}', {}

moto has the queues and their attributes, a database has the content of messages. A sent message is on the disk before
the response; a message with a lost deletion is delivered again, as SQS may do. Sources: SQS API reference, and for the
texts of errors moto.
"""

from __future__ import annotations

import re
import secrets
import threading
import time
import uuid
from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from hashlib import blake2b, md5, sha256
from typing import Any

import orjson
from moto.core.exceptions import ServiceException
from moto.sqs import exceptions as errors
from moto.sqs.models import DEFAULT_SENDER_ID, SQSBackend, sqs_backends
from moto.sqs.models import Message as MotoMessage
from moto.sqs.utils import validate_message_attributes

from local_stack.aws.disk import Disk
from local_stack.aws.endpoint import ACCOUNT, REGION
from local_stack.aws.limits import parse_request, refusal_of, render_refusal
from local_stack.aws.messages import WAIT_MAX_S, Message, Messages

Request = Mapping[str, Any]
_SERVICE = "AmazonSQS."
_ENTRIES_MAX, _DELAY_MAX_S, _HIDDEN_MAX_S = 10, 900, 43_200
_ENTRY_ID = re.compile(r"[\w-]{1,80}")
_TABLE = (
    "CREATE TABLE IF NOT EXISTS messages (queue TEXT, id TEXT, message TEXT, PRIMARY KEY (queue, id)) WITHOUT ROWID"
)
_NAMES = {"AttributeNames", "MessageSystemAttributeNames", "MessageAttributeNames"}
# Members of requests that the operations know.
_MEMBERS: Mapping[str, set[str]] = {
    "ChangeMessageVisibility": {"ReceiptHandle", "VisibilityTimeout"},
    "DeleteMessage": {"ReceiptHandle"},
    "GetQueueAttributes": {"AttributeNames"},
    "PurgeQueue": set(),
    "ReceiveMessage": _NAMES | {"MaxNumberOfMessages", "VisibilityTimeout", "WaitTimeSeconds"},
    "SendMessage": {"MessageBody", "DelaySeconds", "MessageAttributes", "MessageGroupId", "MessageDeduplicationId"},
}
# Parts of a stored message that its queue needs.
_KEPT = ("place", "sent_timestamp", "delayed_until", "group_id", "deduplication_id")
_DELETING = {"DeleteMessage", "PurgeQueue"}
_BATCHES = {f"{name}Batch" for name in ("ChangeMessageVisibility", "DeleteMessage", "SendMessage")}


class Queues:
    """The messages of the account's queues; `before` runs before a deletion: its reason is on the disk then."""

    def __init__(self, disk: Disk, before: Callable[[], None] = lambda: None) -> None:
        self._disk, self._before = disk, before
        self._disk.database.execute(_TABLE)
        self._lock = threading.Lock()
        self._queues: dict[str, Messages] = {}
        self._place, self._secret, self._is_over = 0, secrets.token_bytes(16), False
        # Rows to store and to delete.
        self._new, self._gone = list[tuple[str, str, str]](), list[tuple[str, str]]()
        self._acts: Mapping[str, Callable[[Messages, Request], Mapping[str, Any]]] = {
            "ChangeMessageVisibility": self._change,
            "DeleteMessage": self._delete,
            "GetQueueAttributes": self._attributes,
            "PurgeQueue": self._purge,
            "ReceiveMessage": self._receive,
            "SendMessage": self._send,
        }

    def respond(self, target: str, body: bytes) -> tuple[int, bytes, Mapping[str, str]] | None:
        """Respond with a status, a body and headers; None for a request that is no operation on messages.

        `target` is the X-Amz-Target header, `AmazonSQS.SendMessage`.
        """
        operation = target.removeprefix(_SERVICE)
        if operation == target or operation not in _MEMBERS.keys() | _BATCHES:
            return None
        try:
            request = parse_request(body)
            if refusal := refusal_of(operation, request):
                return render_refusal(refusal)
            single = operation.removesuffix("Batch")
            for each in [request] if single == operation else request.get("Entries", ()):
                if unknown := each.keys() - _MEMBERS[single] - {"QueueUrl", "Id"}:
                    shown = f"{operation} with {', '.join(sorted(unknown))}"
                    raise errors.InvalidParameterValue(f"the local stack does not know {shown}")
            if single in _DELETING:
                self._before()
            with self._lock:
                messages, act = self._messages(request.get("QueueUrl", "")), self._acts[single]
                result = act(messages, request) if single == operation else _each(messages, request, act)
                self._store()
            if single == "SendMessage":
                self._disk.sync()
            return 200, orjson.dumps(result), {}
        except ServiceException as error:
            # Clients take the code of the older protocol.
            document = {"__type": type(error).__name__, "message": error.message}
            return 400, orjson.dumps(document), {"x-amzn-query-error": f"{error.code};Sender"}

    def take_deliveries(self) -> None:
        """Take messages of other services of moto, such as a rule's to a target, without attributes."""

        def deliver(queue_name: str, message_body: str, group_id: str | None = None, **_: object) -> None:
            request = {"QueueUrl": queue_name, "MessageBody": message_body}
            group = {"MessageGroupId": group_id} if group_id else {}
            self.respond(f"{_SERVICE}SendMessage", orjson.dumps({**request, **group}))

        SQSBackend.send_message = staticmethod(deliver)  # type: ignore[assignment, method-assign]

    def let_go(self) -> None:
        """End all waits for a message, for good."""
        self._is_over = True
        self.wake()

    def wake(self) -> None:
        """Look for messages that a skip of time made visible."""
        with self._lock:
            for each in self._queues.values():
                each.changed.notify_all()

    def count(self) -> Mapping[str, int]:
        """Count the messages of each queue, by its name, with delayed messages and messages in flight."""
        with self._lock:
            return {name: len(self._messages(name).all) for name in self._moto.queues}

    def restore(self) -> None:
        """Put the stored messages back into the queues of their names."""
        parts = ", ".join(f"json_extract(message, '$.{name}')" for name in _KEPT)
        with self._lock:
            for name, message_id, place, sent_ms, delayed_ms, group, repeated in self._disk.database.execute(
                f"SELECT queue, id, {parts} FROM messages ORDER BY 3"  # noqa: S608 - names are ours
            ):
                self._place = place
                if name in self._moto.queues:
                    message = Message(message_id, place, group, sent_ms / 1000, delayed_ms / 1000)
                    self._messages(name).add(message, repeated)

    @cached_property
    def _moto(self) -> SQSBackend:
        return sqs_backends[ACCOUNT][REGION]

    def _messages(self, url: str) -> Messages:
        queue = self._moto.get_queue(url.rpartition("/")[2])
        known = self._queues.get(queue.name)
        if known is None or known.queue is not queue:
            known = self._queues[queue.name] = Messages(queue, self._lock)
        return known

    def _store(self) -> None:
        """Store the changes of a request."""
        if self._gone or self._new:
            with self._disk.transaction() as database:
                database.executemany("DELETE FROM messages WHERE queue = ? AND id = ?", self._gone)
                database.executemany("INSERT OR REPLACE INTO messages VALUES (?, ?, ?)", self._new)
        self._new, self._gone = [], []

    def _add(self, messages: Messages, message: Message, kept: Mapping[str, Any]) -> None:
        messages.add(message, kept.get("deduplication_id"))
        self._new.append((messages.queue.name, message.id, orjson.dumps(kept).decode()))

    def _kept(self, messages: Messages, message: Message) -> dict[str, Any]:
        select = "SELECT message FROM messages WHERE queue = ? AND id = ?"
        [text] = self._disk.database.execute(select, (messages.queue.name, message.id)).fetchone()
        kept: dict[str, Any] = orjson.loads(text)
        return kept

    def _remove(self, messages: Messages, message: Message) -> None:
        messages.remove(message)
        self._gone.append((messages.queue.name, message.id))

    # -- sending

    def _send(self, messages: Messages, entry: Request) -> Mapping[str, Any]:
        queue, body, attributes = messages.queue, entry["MessageBody"], entry.get("MessageAttributes", {})
        validate_message_attributes(attributes)
        delay_s = entry.get("DelaySeconds", queue.delay_seconds)
        group, name = entry.get("MessageGroupId"), entry.get("MessageDeduplicationId")
        if queue.content_based_deduplication:
            name = name or sha256(body.encode()).hexdigest()
        _bounded({"DelaySeconds": delay_s}, "DelaySeconds", 0, (0, _DELAY_MAX_S))
        self._moto._validate_message(queue, body, entry.get("DelaySeconds", 0), name, group)
        self._place += 1
        now_ms = int(time.time() * 1000)
        kept = {
            "place": self._place,
            "body": body,
            "message_attributes": attributes,
            "sent_timestamp": now_ms,
            "delayed_until": now_ms + delay_s * 1000 if delay_s else 0,
            "group_id": group,
            "deduplication_id": name,
            "sequence_number": f"{self._place:020}" if queue.fifo_queue else None,
        }
        message = Message(str(uuid.uuid4()), self._place, group, now_ms / 1000, kept["delayed_until"] / 1000)
        if not messages.is_repeated(name, time.time()):
            self._add(messages, message, kept)
        number = {"SequenceNumber": kept["sequence_number"]} if queue.fifo_queue else {}
        return {"MessageId": message.id, "MD5OfMessageBody": _md5(body), **_md5_of_attributes(attributes), **number}

    # -- receiving

    def _receive(self, messages: Messages, request: Request) -> Mapping[str, Any]:
        count = _bounded(request, "MaxNumberOfMessages", 1, (1, _ENTRIES_MAX))
        wait_s = _bounded(request, "WaitTimeSeconds", messages.queue.receive_message_wait_time_seconds, (0, WAIT_MAX_S))
        hidden_s = _bounded(request, "VisibilityTimeout", messages.queue.visibility_timeout, (0, _HIDDEN_MAX_S))
        deadline = time.time() + wait_s
        while (
            (pause_s := messages.wait_s(time.time())) and (left_s := deadline - time.time()) > 0 and not self._is_over
        ):
            messages.changed.wait(min(left_s, pause_s))
        taken = self._take(messages, count, time.time(), hidden_s)
        return {"Messages": [self._shown(messages, message, request) for message in taken]} if taken else {}

    def _take(self, messages: Messages, count: int, now: float, hidden_s: float) -> list[Message]:
        """Take up to so many messages; drop messages past their retention, and move dead letters."""
        queue, taken = messages.queue, list[Message]()
        for message in messages.take(now):
            is_late = message.sent_at + queue.message_retention_period <= now
            is_dead = queue.dead_letter_queue and message.receives >= queue.redrive_policy["maxReceiveCount"]
            if is_late or is_dead:
                if is_dead:
                    self._add(self._messages(queue.dead_letter_queue.name), message, self._kept(messages, message))
                self._remove(messages, message)
                continue
            message.receives, message.received_at = message.receives + 1, now
            message.first_received_at = message.first_received_at or now
            messages.hide(message, now + hidden_s)
            taken.append(message)
            if len(taken) == count:
                break
        return taken

    def _shown(self, messages: Messages, message: Message, request: Request) -> Mapping[str, Any]:
        kept = self._kept(messages, message)
        shown = {*request.get("AttributeNames", ()), *request.get("MessageSystemAttributeNames", ())}
        system = {
            "ApproximateFirstReceiveTimestamp": str(int(message.first_received_at * 1000)),
            "ApproximateReceiveCount": str(message.receives),
            "MessageDeduplicationId": kept.get("deduplication_id"),
            "MessageGroupId": kept.get("group_id"),
            "SenderId": DEFAULT_SENDER_ID,
            "SentTimestamp": str(kept["sent_timestamp"]),
            "SequenceNumber": kept.get("sequence_number"),
        }
        names = request.get("MessageAttributeNames", ())
        attributes = {name: value for name, value in kept["message_attributes"].items() if _is_among(name, names)}
        document = {
            "MessageId": message.id,
            "ReceiptHandle": self._receipt(messages, message.id, message.receives),
            "MD5OfBody": _md5(kept["body"]),
            "Body": kept["body"],
            "Attributes": {name: value for name, value in system.items() if value and shown & {name, "All"}},
            "MessageAttributes": attributes,
            **_md5_of_attributes(attributes),
        }
        return {name: value for name, value in document.items() if value}

    # -- messages in flight

    def _receipt(self, messages: Messages, message_id: str, number: int) -> str:
        """Make the receipt of a delivery, which nobody else can make."""
        text = f"{message_id}.{number}"
        return f"{text}.{blake2b(f'{messages.queue.name}.{text}'.encode(), key=self._secret).hexdigest()}"

    def _in_flight(self, messages: Messages, receipt: str) -> Message | None:
        """Find the message of a receipt, perhaps of an earlier delivery; None if it is deleted."""
        message_id, number, _ = (*receipt.split("."), "", "")[:3]
        if not number.isdecimal() or receipt != self._receipt(messages, message_id, int(number)):
            raise errors.ReceiptHandleIsInvalid
        return messages.all.get(message_id)

    def _change(self, messages: Messages, entry: Request) -> Mapping[str, Any]:
        hidden_s, now, message = (
            entry["VisibilityTimeout"],
            time.time(),
            self._in_flight(messages, entry["ReceiptHandle"]),
        )
        if message is None:
            raise errors.ReceiptHandleIsInvalid
        if not 0 <= hidden_s <= message.received_at + _HIDDEN_MAX_S - now:
            rule = f"Reason: Total VisibilityTimeout for the message is beyond the limit [{_HIDDEN_MAX_S} seconds]"
            raise errors.InvalidParameterValue(f"Value {hidden_s} for parameter VisibilityTimeout is invalid. {rule}")
        messages.hide(message, now + hidden_s)
        messages.changed.notify()
        return {}

    def _delete(self, messages: Messages, entry: Request) -> Mapping[str, Any]:
        if message := self._in_flight(messages, entry["ReceiptHandle"]):
            self._remove(messages, message)
        return {}

    def _purge(self, messages: Messages, _: Request) -> Mapping[str, Any]:
        for message in list(messages.all.values()):
            self._remove(messages, message)
        return {}

    def _attributes(self, messages: Messages, request: Request) -> Mapping[str, Any]:
        names = request.get("AttributeNames", [])
        attributes = self._moto.get_queue_attributes(messages.queue.name, names)
        counts = messages.counts(time.time())
        shown = {name: str(counts.get(name, value)) for name, value in attributes.items() if value is not None}
        return {"Attributes": shown} if shown else {}


def _each(messages: Messages, request: Request, act: Callable[[Messages, Request], Request]) -> Mapping[str, Any]:
    """Act on the entries of a batch."""
    entries = request.get("Entries", [])
    names = [entry["Id"] for entry in entries]
    if not entries:
        raise errors.EmptyBatchRequest
    if len(entries) > _ENTRIES_MAX:
        raise errors.TooManyEntriesInBatchRequest(len(entries))
    if not all(map(_ENTRY_ID.fullmatch, names)):
        raise errors.InvalidBatchEntryId
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise errors.BatchEntryIdsNotDistinct(repeated)
    done, failed = list[Request](), list[Request]()
    for entry in entries:
        try:
            done.append({"Id": entry["Id"], **act(messages, entry)})
        except ServiceException as error:
            failed.append({"Id": entry["Id"], "SenderFault": True, "Code": error.code, "Message": error.message})
    return {"Successful": done, "Failed": failed}


def _bounded(request: Request, name: str, default: int, bounds: tuple[int, int]) -> int:
    """Read a number of a request within its bounds."""
    value: int = request.get(name, default)
    if not bounds[0] <= value <= bounds[1]:
        rule = f"{name} must be >= {bounds[0]} and <= {bounds[1]}."
        raise errors.InvalidParameterValue(f"Value {value} for parameter {name} is invalid. Reason: {rule}")
    return value


def _is_among(name: str, names: Iterable[str]) -> bool:
    """True if a name is among names of attributes: `caller`, `call.*` or `All`."""
    return any(each in ("All", name) or (each.endswith(".*") and name.startswith(each[:-2])) for each in names)


def _md5(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def _md5_of_attributes(attributes: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Compute the digest of attributes as SQS does; none without attributes."""
    if not attributes:
        return {}
    message = MotoMessage("", "")
    message.message_attributes = {
        name: {**value, "BinaryValue": b64decode(value["BinaryValue"])} if "BinaryValue" in value else value
        for name, value in attributes.items()
    }
    return {"MD5OfMessageAttributes": message.attribute_md5}

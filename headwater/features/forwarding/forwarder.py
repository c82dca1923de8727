"""The forwarding of announced events, one after another in each lane.

An event is sent as it was accepted, to an endpoint that may have seen it before. A busy or broken endpoint holds up
its lane: this and all later announcements of the lane are tried again, from the first line on. An event refused for its
content goes to the dead letters, and its lane goes on.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import orjson
from botocore.exceptions import ClientError

from headwater.aws.queues import Message, send_all
from headwater.events.rights import limit_document, parse_patterns
from headwater.features.forwarding.announcements import Announcement, is_forwarded, parse_announcement
from headwater.features.forwarding.endpoint import Target, Unreachable, Unsendable
from headwater.loading.event_log import parse_line, pick_lines, read_packed
from headwater.loading.load import reason_of
from headwater_model.errors import Invalid

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

# SQS drops a message after 14 days: an older wait than this makes a dead letter, and so is kept for 14 more.
WAIT_MAX_S = 13 * 24 * 3600
# Refusals about the endpoint, or its load, and not about the event: a wrong path or token holds up the lanes until a
# person corrects it, or else each event would become a dead letter.
_OF_ENDPOINT = frozenset({401, 404, 405, 407, 408, 421, 425, 429})
# Reasons of dead letters without a response.
_UNREADABLE, _TOO_OLD = "unreadable", "waited too long"


@dataclass(frozen=True, slots=True)
class AnnouncedMessage:
    """An announcement as the function received it; `sent_s` is its time of arrival in SQS, in seconds since 1970."""

    message_id: str
    body: str
    group: str
    sent_s: float
    receives: int


@dataclass(slots=True)
class Forwarded:
    """The result of a batch: the messages to try again with the reason of each, and counts of events.

    `refused` events, and `buried` messages, are dead letters. `unsendable` has the line and the broken rule of each
    event that the target never takes: it stays in the raw log alone. `lags_s` are the waits, in seconds, of the
    announcements without events left to send.
    """

    failed: dict[str, str] = field(default_factory=dict)
    sent: int = 0
    refused: int = 0
    buried: int = 0
    unsendable: list[str] = field(default_factory=list)
    lags_s: list[float] = field(default_factory=list)


class _Held(Exception):
    """A waiting lane, with the reason."""


@dataclass(slots=True)
class Forwarder:
    """The log, the endpoint, the patterns of forwarded namespaces, and the dead letters."""

    s3: S3Client
    bucket: str
    endpoint: Target
    namespaces: Sequence[str]
    sqs: SQSClient
    dead_letters_url: str
    # The object read last: the lanes of an object come together.
    _key: str = ""
    _packed: bytes = b""

    def forward(
        self,
        messages: Sequence[AnnouncedMessage],
        *,
        now_s: float,
        may_go_on: Callable[[], bool] = lambda: True,
        wait: Callable[[Collection[str]], object] = lambda _: None,
    ) -> Forwarded:
        """Forward the messages of each lane in their order; after a failed message, the rest of its lane fails, too.

        Once `may_go_on` is false, no further event is sent. The lanes with the most tries come first. `wait` gets the
        failed messages of a lane at once: further lanes may take minutes.
        """
        lanes: defaultdict[str, list[AnnouncedMessage]] = defaultdict(list)
        for message in messages:
            lanes[message.group].append(message)
        result = Forwarded()
        for lane in sorted(lanes.values(), key=lambda lane: -lane[0].receives):
            failed = self._forward_lane(lane, result, now_s, may_go_on)
            if failed:
                wait(failed)
                result.failed.update(failed)
        return result

    def _forward_lane(
        self, lane: Sequence[AnnouncedMessage], result: Forwarded, now_s: float, may_go_on: Callable[[], bool]
    ) -> Mapping[str, str]:
        """Forward the messages of a lane; return the reason for each failed message."""
        for place, message in enumerate(lane):
            try:
                self._forward(message, result, now_s, may_go_on)
            except Exception as error:  # noqa: BLE001 - a fault of our code in one lane must not stop the others
                reason = str(error) if isinstance(error, _Held) else reason_of(error)
                return {waiting.message_id: reason for waiting in lane[place:]}
        return {}

    def _forward(
        self, message: AnnouncedMessage, result: Forwarded, now_s: float, may_go_on: Callable[[], bool]
    ) -> None:
        """Send the events of a message. Raises `_Held` if the lane has to wait."""
        if now_s - message.sent_s > WAIT_MAX_S:
            self._bury(message, message.body, _TOO_OLD)
            result.buried += 1
            return
        try:
            announcement = parse_announcement(message.body)
            bodies = [self._body_of(line) for line in self._read(announcement)]
        except (Invalid, IndexError):
            self._bury(message, message.body, _UNREADABLE)
            result.buried += 1
            return
        for line, body in zip(announcement.lines, bodies, strict=True):
            if body is not None:
                if not may_go_on():
                    raise _Held("no time left")
                self._send(message, replace(announcement, lines=[line]), body, result)
        result.lags_s.append(max(0.0, now_s - message.sent_s))

    def _send(self, message: AnnouncedMessage, event: Announcement, body: bytes, result: Forwarded) -> None:
        try:
            status = self.endpoint.post(body)
        except Unreachable as error:
            raise _Held(str(error)) from error
        except Unsendable as error:
            result.unsendable.append(f"{event.key}, line {event.lines[0]}: {error}")
            return
        if status // 100 == 2:
            result.sent += 1
        elif status // 100 == 4 and status not in _OF_ENDPOINT:
            self._bury(message, event.body, f"status {status}", name=f"-{event.lines[0]}")
            result.refused += 1
        else:
            raise _Held(f"the endpoint responded with status {status}")

    def _read(self, announcement: Announcement) -> Sequence[bytes]:
        """Read the announced lines.

        Raises:
            Invalid: the object is missing or damaged.
            IndexError: the object has fewer lines.
        """
        if announcement.key != self._key:
            try:
                packed = read_packed(self.s3, self.bucket, announcement.key)
            except ClientError as error:
                if error.response["Error"]["Code"] != "NoSuchKey":
                    raise
                raise Invalid.because("key", announcement.key, "must be an object of the raw log") from error
            self._packed, self._key = packed, announcement.key
        try:
            return pick_lines(self._packed, announcement.lines)
        except (OSError, EOFError, zlib.error) as error:
            raise Invalid.because("key", announcement.key, f"must be an object of whole gzip ({error})") from error

    def _body_of(self, line: bytes) -> bytes | None:
        """Render the event of a line as it is sent; None if its namespace is no longer forwarded.

        Raises:
            Invalid: the line holds no event.
        """
        try:
            event, accepted_by = parse_line(line)
            if not is_forwarded(event, self.namespaces):
                return None
            return orjson.dumps(limit_document(event, parse_patterns(accepted_by.get("writes"))))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise Invalid.because("lines", None, "must be lines with events") from error

    def _bury(self, message: AnnouncedMessage, body: str, reason: str, *, name: str = "") -> None:
        """Put a message, or an announcement of its events by the `name` of their letter, into the dead letters.

        A message moved back has a new id, so SQS takes a second letter of the same event at once.
        """
        id_ = f"{message.message_id}{name}"
        letter = Message(body, {"reason": reason}, group=message.group, deduplication_id=id_)
        send_all(self.sqs, self.dead_letters_url, [letter])

"""Events in an object of a bucket, onto the events queue.

OpenLineage's S3 transport writes an event an object, its file transport likewise or, with `append`, a line each. An
event of the object that breaks a rule harms none of its neighbours. To read an object again changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

import orjson
from botocore.exceptions import ClientError

from headwater.aws.items import chunks
from headwater.events.event import EVENTS_MAX
from headwater.events.ingest import EventQueue, accept_events
from headwater_model.errors import Invalid, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# As much is 55,000 events of the smallest form: a minute and a half of calls to SQS (`function.RESERVED_MS`).
OBJECT_BYTES_MAX = 8 * 1024 * 1024
# An object of broken lines has millions of faults: these are named, all are counted.
FAULTS_NAMED_MAX = 10
REFUSED = "BucketEventsRefused"
_GONE = {"NoSuchKey", "NoSuchVersion"}


@dataclass(frozen=True, slots=True)
class EventObject:
    """The location of an object; a bucket without versions has None."""

    bucket: str
    key: str
    version: str | None = None


def parse_notification(body: str) -> EventObject:
    """Parse EventBridge's event of a new object; it has the key as it is, not encoded.

    Raises:
        Invalid: it names no object.
    """
    try:
        match orjson.loads(body):
            case {"detail": {"bucket": {"name": str(bucket)}, "object": {"key": str(key), **others}}}:
                version = others.get("version-id")
                return EventObject(bucket, key, version if isinstance(version, str) and version != "null" else None)
    except orjson.JSONDecodeError:
        pass
    raise Invalid.because("message", body, "must be EventBridge's event of a new object")


def read_object(s3: S3Client, place: EventObject) -> bytes:
    """Read an object.

    Raises:
        Invalid: the object is gone, or too large.
    """
    version = {"VersionId": place.version} if place.version else {}
    try:
        response = s3.get_object(Bucket=place.bucket, Key=place.key, **version)  # type: ignore[arg-type]
    except ClientError as error:
        if error.response["Error"]["Code"] not in _GONE:
            raise
        raise Invalid.because("key", place.key, "must be an object that still exists") from error
    with closing(response["Body"]) as body:
        if response["ContentLength"] > OBJECT_BYTES_MAX:
            rule = f"must have at most {OBJECT_BYTES_MAX:,} bytes; `headwater import` takes larger objects"
            raise Invalid.because("size", response["ContentLength"], rule)
        return body.read()


def take_events(content: bytes, queue: EventQueue, *, now: str, caller: str) -> tuple[Counter[str], list[str]]:
    """Accept the events of an object, each by itself; `now` and `caller` as for `accept_events`.

    Returns the counts by metric, and the place and broken rule of the first refused events.

    Raises:
        Unavailable: an event was not queued; take all of them again.
    """
    counts, faults = Counter[str](), list[str]()

    def refuse(place: str, rule: str) -> None:
        counts[REFUSED] += 1
        if len(faults) < FAULTS_NAMED_MAX:
            faults.append(f"{place}: {rule}")

    for chunk in chunks(_documents(content, refuse), EVENTS_MAX):
        accepted = accept_events([document for _, document in chunk], queue, now=now, caller=caller)
        for failure in accepted.failed:
            if failure.retriable:
                raise Unavailable(failure.reason)
            refuse(chunk[failure.index][0], failure.reason)
        counts.update(accepted.counts)
    return counts, faults


def _documents(content: bytes, refuse: Callable[[str, str], None]) -> Iterator[tuple[str, object]]:
    """Yield each document with its place: a single document of any number of lines, or a document a line."""
    try:
        yield "event", orjson.loads(content)
        return
    except orjson.JSONDecodeError:
        pass
    for number, line in enumerate(BytesIO(content), 1):
        try:
            if text := line.strip():
                yield f"line {number}", orjson.loads(text)
        except orjson.JSONDecodeError as error:
            refuse(f"line {number}", f"must be JSON ({error})")

"""Bodies of messages: JSON in the form of SQS, or a pointer to S3 in place of a large body."""

from __future__ import annotations

import hashlib
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from botocore.exceptions import BotoCoreError, ClientError

from headwater_model.errors import Invalid, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# A body stays below 1 MiB with room for the escapes of Lambda's event.
BODY_BYTES_MAX = 800_000
# The folder of bodies in the ingest bucket: pointers lead nowhere else.
BODIES_PREFIX = "requests/"
# Enough for a request of 32 MB with the ids of root and parent repeated in every record.
POINTED_BYTES_MAX = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class StoredBody:
    """The location of a body too large for a message, and the (largest possible) size in bytes."""

    bucket: str
    key: str
    size_bytes: int = POINTED_BYTES_MAX


def render_body(form: object) -> str:
    """Render a JSON document as the body of a message: `{"a": 1}` as `{"a":1}`."""
    # SQS refuses the two non-characters of XML 1.0; orjson escapes control characters, but not these two.
    return orjson.dumps(form).decode().replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")


def parse_body(body: str | bytes) -> dict[str, Any]:
    """Parse the JSON object of a message; raise `Invalid` for other text."""
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Invalid.because("message", body, f"must be JSON ({error})") from error
    if not isinstance(document, dict):
        raise Invalid.because("message", document, "must be a JSON object")
    return document


def render_pointer(pointer: StoredBody) -> str:
    """Render the message of a body in S3: `{"s3":{"bucket":"b","key":"requests/9f.json","size_bytes":3}}`."""
    return render_body({"s3": {"bucket": pointer.bucket, "key": pointer.key, "size_bytes": pointer.size_bytes}})


def parse_pointer(form: object) -> StoredBody:
    """Parse the pointer in a message's `s3`."""
    match form:
        case {"bucket": str(bucket), "key": str(key), **others} if bucket and key:
            size_bytes = others.get("size_bytes", POINTED_BYTES_MAX)
            if type(size_bytes) is not int or not 0 < size_bytes <= POINTED_BYTES_MAX:
                raise Invalid.because("s3.size_bytes", size_bytes, f"must be 1 to {POINTED_BYTES_MAX}")
            return StoredBody(bucket, key, size_bytes)
    raise Invalid.because("s3", form, "must be an object with bucket and key")


def put_body(s3: S3Client, bucket: str, body: str) -> StoredBody:
    """Store a body under its content's hash, `requests/<sha256>.json`: a retry overwrites the object with itself."""
    content = body.encode()
    pointer = StoredBody(bucket, f"{BODIES_PREFIX}{hashlib.sha256(content).hexdigest()}.json", len(content))
    try:
        s3.put_object(Bucket=pointer.bucket, Key=pointer.key, Body=content, ContentType="application/json")
    except (BotoCoreError, ClientError) as error:
        raise Unavailable(f"the request could not be stored: {error}") from error
    return pointer


def get_body(s3: S3Client, bucket: str, pointer: StoredBody) -> bytes:
    """Read the body behind a pointer from `bucket`, the store of bodies.

    The sender of a message writes the pointer, and the function may read more than its sender: the location is checked.

    Raises:
        Invalid: the pointer leads elsewhere, or to an object larger than stated.
        ClientError: the object does not exist.
    """
    if pointer.bucket != bucket:
        raise Invalid.because("s3.bucket", pointer.bucket, f"must be {bucket}")
    if not pointer.key.startswith(BODIES_PREFIX):
        raise Invalid.because("s3.key", pointer.key, f"must begin with {BODIES_PREFIX}")
    with closing(s3.get_object(Bucket=pointer.bucket, Key=pointer.key)["Body"]) as body:
        content = body.read(pointer.size_bytes + 1)
    if len(content) > pointer.size_bytes:
        raise Invalid.because("s3.size_bytes", pointer.size_bytes, "must be the size of the object, which is larger")
    return content

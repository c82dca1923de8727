"""Bodies of messages: JSON as SQS takes it, and a pointer to S3 instead of a body too large for a message."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from botocore.exceptions import BotoCoreError, ClientError

from lineage_model.errors import Invalid, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# A body stays below 1 MiB with room for the escapes that Lambda's event adds to it.
BODY_BYTES_MAX = 800_000


@dataclass(frozen=True, slots=True)
class Pointer:
    """The location of a body that was too large for a message."""

    bucket: str
    key: str


def render_body(form: object) -> str:
    """Return a JSON document as the body of a message."""
    # SQS refuses the two non-characters of XML 1.0 that orjson leaves as they are (control characters it escapes).
    return orjson.dumps(form).decode().replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")


def parse_body(body: str | bytes) -> dict[str, Any]:
    """Return the JSON object that a message holds; `Invalid` if it holds none."""
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Invalid.because("message", body, f"must be JSON ({error})") from error
    if not isinstance(document, dict):
        raise Invalid.because("message", document, "must be a JSON object")
    return document


def render_pointer(pointer: Pointer) -> str:
    """Return the body of a message whose content lies in S3."""
    return render_body({"s3": {"bucket": pointer.bucket, "key": pointer.key}})


def parse_pointer(form: object) -> Pointer:
    """Return the pointer that a message's `s3` holds."""
    match form:
        case {"bucket": str(bucket), "key": str(key)} if bucket and key:
            return Pointer(bucket, key)
    raise Invalid.because("s3", form, "must be an object with bucket and key")


def put_body(s3: S3Client, bucket: str, body: str) -> Pointer:
    """Store a body, named by its content, so that a retry overwrites the object with itself."""
    content = body.encode()
    pointer = Pointer(bucket, f"requests/{hashlib.sha256(content).hexdigest()}.json")
    try:
        s3.put_object(Bucket=pointer.bucket, Key=pointer.key, Body=content, ContentType="application/json")
    except (BotoCoreError, ClientError) as error:
        raise Unavailable(f"the request could not be stored: {error}") from error
    return pointer

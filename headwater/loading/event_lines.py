"""The lines of an object of the raw log, for readers that need no table.

lines = read_lines(s3, bucket, key)
event, accepted_by = parse_line(lines[0])
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@dataclass(frozen=True, slots=True)
class StoredLines:
    """The events in an object of the log, as they were sent, in the order of its lines; None for a forwarded one."""

    key: str
    documents: Sequence[Any]


def read_lines(s3: S3Client, bucket: str, key: str) -> Sequence[bytes]:
    """Return the lines of an object, in their order."""
    return gzip.decompress(s3.get_object(Bucket=bucket, Key=key)["Body"].read()).splitlines()


def parse_line(line: bytes) -> tuple[Any, Mapping[str, Any]]:
    """Return the event of a line as it was sent, and its `acceptedBy`; None for a line that holds no event."""
    parsed = orjson.loads(line)
    event, accepted_by = (parsed.get("event"), parsed.get("acceptedBy")) if isinstance(parsed, dict) else (None, None)
    return event, accepted_by if isinstance(accepted_by, dict) else {}

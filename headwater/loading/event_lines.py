"""The lines of an object of the raw log, for readers that need no table.

    packed = read_packed(s3, bucket, key)
    for line in pick_lines(packed, [7, 0]):
        event, accepted_by = parse_line(line)

The numbers of lines never change, because the object does not.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@dataclass(frozen=True, slots=True)
class StoredLines:
    """The events in an object of the log, as they were sent, in the order of its lines; None for a forwarded one."""

    key: str
    documents: Sequence[Any]


def read_packed(s3: S3Client, bucket: str, key: str) -> bytes:
    """Return an object as it is stored, compressed."""
    return s3.get_object(Bucket=bucket, Key=key)["Body"].read()


def unpack(packed: bytes) -> Sequence[bytes]:
    """Return the lines of an object, in their order."""
    return gzip.decompress(packed).splitlines()


def pick_lines(packed: bytes, numbers: Sequence[int]) -> Sequence[bytes]:
    """Return the lines of these numbers, in the order of the numbers; no other line is held in memory.

    Raises:
        IndexError: the object has no such line.
    """
    needed = frozenset(numbers)
    with gzip.open(BytesIO(packed)) as lines:
        picked = {number: line for number, line in enumerate(lines) if number in needed}
    if missing := needed - picked.keys():
        raise IndexError(f"lines {sorted(missing)}")
    return [picked[number] for number in numbers]


def parse_line(line: bytes) -> tuple[Any, Mapping[str, Any]]:
    """Return the event of a line as it was sent, and its `acceptedBy`; None for a line that holds no event."""
    parsed = orjson.loads(line)
    event, accepted_by = (parsed.get("event"), parsed.get("acceptedBy")) if isinstance(parsed, dict) else (None, None)
    return event, accepted_by if isinstance(accepted_by, dict) else {}

"""Responses of bounded size: a larger response is an object in S3, behind a link of limited life."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, TypeVar, cast

import orjson
from aws_lambda_powertools.event_handler import Response

from headwater.records.archive import compress_lines

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from headwater.api.types import Redirect


T = TypeVar("T")

# Lambda answers 6 MB; a body within is JSON once more, so the growth is counted.
RESPONSE_BYTES_MAX = 4 * 1024 * 1024
LINES = "application/x-ndjson"
JSON = "application/json"
CSV = "text/csv; charset=utf-8"
_SUFFIXES = {LINES: "jsonl", JSON: "json", CSV: "csv"}
_LINK_S = 900
_SPOOLED_BYTES = 16 * 1024 * 1024


def respond(
    body: Mapping[str, object], *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response[str]:
    """Build a JSON response."""
    return Response(status, JSON, orjson.dumps(body).decode(), headers)


def size_of(rendered: bytes) -> int:
    """Count the bytes of a body in the function's response.

    >>> size_of(b'{"a":1}')
    9
    """
    return len(orjson.dumps(rendered.decode())) - 2


def fit_within(items: Iterable[T], budget: int) -> Iterator[T]:
    """Yield the first items (bytes: as JSON) that fit into `budget` bytes of a response; the very first in any case."""
    for index, item in enumerate(items):
        budget -= size_of(item if isinstance(item, bytes) else orjson.dumps(item)) + 1
        if budget < 0 and index > 0:
            return
        yield item


def within(lines: Iterator[bytes], budget: int = RESPONSE_BYTES_MAX) -> tuple[str | None, Iterator[bytes]]:
    """Join the lines into a body if they fit; else return None, and every line from the first on."""
    head: list[bytes] = []
    for line in lines:
        head.append(line)
        budget -= size_of(line)
        if budget < 0:
            return None, chain(head, lines)
    return b"".join(head).decode(), iter(())


@dataclass(frozen=True, slots=True)
class Links:
    """Links to objects in S3, good for `_LINK_S` seconds; large bodies get an object of their own."""

    s3: S3Client
    archive: str
    incoming: str

    def to_archive(self, key: str) -> Response[str]:
        """Redirect to an object of the archive."""
        return self._redirect(self.archive, key)

    def to_object(self, blocks: Iterable[bytes], content_type: str) -> Response[str]:
        """Redirect to these lines, or to blocks of JSON or CSV, in an object deleted after a day."""
        with SpooledTemporaryFile(_SPOOLED_BYTES) as spooled:
            file = cast(IO[bytes], spooled)
            written = compress_lines(blocks, file)
            file.seek(0)
            # Named by content: a repeated request overwrites the object with itself.
            key = f"answers/{written.sha256}.{_SUFFIXES[content_type]}.gz"
            self.s3.put_object(
                Bucket=self.incoming, Key=key, Body=file, ContentType=content_type, ContentEncoding="gzip"
            )
        return self._redirect(self.incoming, key)

    def sign(self, bucket: str, key: str, **more: str) -> str:
        """Sign a link to an object, good for `_LINK_S` seconds."""
        params = {"Bucket": bucket, "Key": key, **more}
        return self.s3.generate_presigned_url("get_object", Params=params, ExpiresIn=_LINK_S)

    def to_stored_bytes(self, key: str) -> str:
        """Sign a link to an archived object that clients do not unpack, so its bytes can be hashed."""
        return self.sign(self.archive, key, ResponseContentEncoding="identity")

    def _redirect(self, bucket: str, key: str) -> Response[str]:
        link = self.sign(bucket, key)
        body: Redirect = {"location": link}
        return respond(body, status=303, headers={"Location": link})


def respond_or_link(
    links: Links, body: bytes, content_type: str = JSON, headers: Mapping[str, str] | None = None
) -> Response[str]:
    """Respond with the body, or redirect to it above the bound of a response; headers are for both."""
    if size_of(body) <= RESPONSE_BYTES_MAX:
        return Response(200, content_type, body.decode(), headers)
    link = links.to_object([body], content_type)
    link.headers.update(headers or {})
    return link


def respond_json(links: Links, body: object, headers: Mapping[str, str] | None = None) -> Response[str]:
    """Respond with the JSON, such as `{"runs": []}`, or redirect to it above the bound of a response."""
    return respond_or_link(links, orjson.dumps(body), headers=headers)

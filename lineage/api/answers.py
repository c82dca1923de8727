"""Answers and how large they may be: what is larger than an answer lies in S3, behind a link for a while."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, cast

import orjson
from aws_lambda_powertools.event_handler import Response

from lineage.records.archive import compress_lines

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from lineage.api.services import Services

# Lambda answers 6 MB, in which a body is JSON once more; what a body grows by then is counted.
ANSWER_BYTES_MAX = 4 * 1024 * 1024
LINES = "application/x-ndjson"
JSON = "application/json"
CSV = "text/csv; charset=utf-8"
_SUFFIXES = {LINES: "jsonl", JSON: "json", CSV: "csv"}
_LINK_S = 900
_SPOOLED_BYTES = 16 * 1024 * 1024


def answer(form: Mapping[str, object], *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response[str]:
    """A JSON answer."""
    return Response(status, JSON, orjson.dumps(form).decode(), headers)


def size_of(rendered: bytes) -> int:
    """The bytes that it takes in the function's answer.

    >>> size_of(b'{"a":1}')
    9
    """
    return len(orjson.dumps(rendered.decode())) - 2


def answer_within(
    services: Services, body: bytes, content_type: str = JSON, headers: Mapping[str, str] | None = None
) -> Response[str]:
    """The body as the answer, or behind a link where it is larger than one may be; these headers in both cases."""
    if size_of(body) <= ANSWER_BYTES_MAX:
        return Response(200, content_type, body.decode(), headers)
    link = services.links.to_body(body, content_type)
    link.headers.update(headers or {})
    return link


@dataclass(frozen=True, slots=True)
class Links:
    """Links to objects in S3, good for `_LINK_S` seconds; large answers get an object of their own."""

    s3: S3Client
    archive: str
    intake: str

    def to_archived(self, key: str) -> Response[str]:
        """A redirect to an object of the archive."""
        return self._redirect(self.archive, key)

    def to_lines(self, lines: Iterable[bytes]) -> Response[str]:
        """A redirect to these lines, written to an object that is deleted after a day."""
        return self._to_answer(lines, LINES)

    def to_body(self, body: bytes, content_type: str) -> Response[str]:
        """A redirect to this JSON or CSV, written to an object that is deleted after a day."""
        return self._to_answer([body], content_type)

    def _to_answer(self, blocks: Iterable[bytes], content_type: str) -> Response[str]:
        with SpooledTemporaryFile(_SPOOLED_BYTES) as spooled:
            file = cast(IO[bytes], spooled)
            written = compress_lines(blocks, file)
            file.seek(0)
            # Named by content: the same question again overwrites the object with itself.
            key = f"answers/{written.sha256}.{_SUFFIXES[content_type]}.gz"
            self.s3.put_object(Bucket=self.intake, Key=key, Body=file, ContentType=content_type, ContentEncoding="gzip")
        return self._redirect(self.intake, key)

    def _redirect(self, bucket: str, key: str) -> Response[str]:
        link = self.s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": key}, ExpiresIn=_LINK_S)
        return answer({"location": link}, status=303, headers={"Location": link})


def within(lines: Iterator[bytes], room: int = ANSWER_BYTES_MAX) -> tuple[str | None, Iterator[bytes]]:
    """The lines as one body if they fit; else None, and every line from the first on."""
    head: list[bytes] = []
    for line in lines:
        head.append(line)
        room -= size_of(line)
        if room < 0:
            return None, chain(head, lines)
    return b"".join(head).decode(), iter(())

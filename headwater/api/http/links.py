"""Links to objects in S3, for a while: responses that are larger than Lambda may send lie there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, cast

import orjson
from aws_lambda_powertools.event_handler import Response

from headwater.api.http.responses import CSV, JSON, LINES, RESPONSE_BYTES_MAX, respond, size_of
from headwater.records.archive import compress_lines

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from headwater.api.types import Redirect

_SUFFIXES = {LINES: "jsonl", JSON: "json", CSV: "csv"}
_LINK_S = 900
_SPOOLED_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Links:
    """Links to objects in S3, good for `_LINK_S` seconds; large bodies get an object of their own."""

    s3: S3Client
    archive: str
    incoming: str

    def to_archived(self, key: str) -> Response[str]:
        """Return a redirect to an object of the archive."""
        return self._redirect(self.archive, key)

    def to_lines(self, lines: Iterable[bytes]) -> Response[str]:
        """Return a redirect to these lines, written to an object that is deleted after a day."""
        return self._store(lines, LINES)

    def to_body(self, body: bytes, content_type: str) -> Response[str]:
        """Return a redirect to this JSON or CSV, written to an object that is deleted after a day."""
        return self._store([body], content_type)

    def _store(self, blocks: Iterable[bytes], content_type: str) -> Response[str]:
        with SpooledTemporaryFile(_SPOOLED_BYTES) as spooled:
            file = cast(IO[bytes], spooled)
            written = compress_lines(blocks, file)
            file.seek(0)
            # Named by content: the same request again overwrites the object with itself.
            key = f"answers/{written.sha256}.{_SUFFIXES[content_type]}.gz"
            self.s3.put_object(
                Bucket=self.incoming, Key=key, Body=file, ContentType=content_type, ContentEncoding="gzip"
            )
        return self._redirect(self.incoming, key)

    def sign(self, bucket: str, key: str) -> str:
        """Return a link to an object, good for `_LINK_S` seconds."""
        return self._sign({"Bucket": bucket, "Key": key})

    def to_stored_bytes(self, key: str) -> str:
        """Return a link to an object of the archive that no client unpacks, so that its bytes can be hashed."""
        return self._sign({"Bucket": self.archive, "Key": key, "ResponseContentEncoding": "identity"})

    def _sign(self, params: dict[str, str]) -> str:
        return self.s3.generate_presigned_url("get_object", Params=params, ExpiresIn=_LINK_S)

    def _redirect(self, bucket: str, key: str) -> Response[str]:
        link = self.sign(bucket, key)
        body: Redirect = {"location": link}
        return respond(body, status=303, headers={"Location": link})


def respond_or_link(
    links: Links, body: bytes, content_type: str = JSON, headers: Mapping[str, str] | None = None
) -> Response[str]:
    """Return the body, or a redirect to it where it is larger than a response may be; these headers in both cases."""
    if size_of(body) <= RESPONSE_BYTES_MAX:
        return Response(200, content_type, body.decode(), headers)
    link = links.to_body(body, content_type)
    link.headers.update(headers or {})
    return link


def respond_json(links: Links, body: object, headers: Mapping[str, str] | None = None) -> Response[str]:
    """Return the JSON, or a redirect to it where it is larger than a response may be."""
    return respond_or_link(links, orjson.dumps(body), headers=headers)

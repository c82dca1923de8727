"""An HTTP request as the routes see it: ids decoded, the body as JSON, all of it bounded."""

from __future__ import annotations

import binascii
import gzip
import zlib
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING
from urllib.parse import unquote

import orjson

from headwater.namespaces import EVERY_RIGHT, Rights
from headwater_model.errors import Fault, Invalid, TooLarge

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEvent

    from headwater.api.tokens import Token

# Lambda takes 6 MB; base64 makes 4 bytes of 3.
WIRE_BYTES_MAX = 4 * 1024 * 1024
UNPACKED_BYTES_MAX = 32 * 1024 * 1024
_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request for a route: its path's segments still percent-encoded, as API Gateway leaves them."""

    event: APIGatewayProxyEvent
    segments: Mapping[str, str]
    remaining_s: Callable[[], float]
    # The sent token, None after a check by API Gateway; and the caller, as logs name it.
    token: Token | None = None
    caller: str | None = None

    @property
    def rights(self) -> Rights:
        """The caller's rights over the namespaces of events."""
        return EVERY_RIGHT if self.token is None else self.token.rights

    def covers_root(self, root_id: str) -> bool:
        """True if the caller may use the records of the root."""
        return self.token is None or self.token.covers_root(root_id)

    def value(self, name: str) -> str | None:
        """Read a value of the query, given at most once."""
        values = self.values(name)
        if len(values) > 1:
            raise Invalid.because(name, values, "must be given once")
        return values[0] if values else None

    def values(self, name: str) -> Sequence[str]:
        """Read all values of a name in the query."""
        return self.event.resolved_query_string_parameters.get(name, [])

    def refuse_unknown(self, names: Sequence[str]) -> None:
        """Refuse a query with unknown parameters, instead of ignoring them.

        Raises:
            Invalid: with each unknown parameter.
        """
        rule = f"must be one of the parameters {', '.join(names)}"
        given = self.event.resolved_query_string_parameters.items()
        if faults := [Fault(name, ", ".join(values), rule) for name, values in given if name not in names]:
            raise Invalid(faults)

    def segment(self, name: str) -> str:
        """Read an id of the path, decoded."""
        encoded = self.segments[name]
        try:
            return unquote(encoded, errors="strict")
        except UnicodeDecodeError as error:
            raise Invalid.because(name, encoded, "must be percent-encoded UTF-8") from error

    def json(self) -> object:
        """Parse the body, decoded from base64 and gzip if necessary."""
        body = self._body()
        try:
            document: object = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise Invalid([Fault("body", None, f"must be JSON ({error})", missing=not body)]) from error
        return document

    def _body(self) -> bytes:
        body = _decode(self.event.body or "", bool(self.event.is_base64_encoded))
        encoding = (self.event.headers.get("Content-Encoding") or "identity").strip().lower()
        if encoding not in {"gzip", "identity"}:
            raise Invalid.because("Content-Encoding", encoding, "must be gzip or identity")
        # API Gateway unpacks known encodings itself, and leaves the header as it was.
        is_packed = encoding == "gzip" and body.startswith(_GZIP_MAGIC)
        if len(body) > WIRE_BYTES_MAX:
            when = "as sent" if is_packed or encoding == "identity" else "once API Gateway has unpacked it"
            raise TooLarge(f"body: must be at most {WIRE_BYTES_MAX} bytes {when}, got {len(body)}")
        return _unpack(body) if is_packed else body


def _decode(text: str, base64: bool) -> bytes:
    if not base64:
        # A lone surrogate is no Unicode, and its bytes are no JSON.
        return text.encode(errors="surrogatepass")
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Invalid.because("body", text, "must be base64, as the event says it is") from error


def _unpack(body: bytes) -> bytes:
    try:
        with gzip.open(BytesIO(body)) as packed:
            unpacked = packed.read(UNPACKED_BYTES_MAX + 1)
    except EOFError as error:
        raise Invalid.because("body", body, "must be whole gzip: it is cut off before its end") from error
    except (OSError, zlib.error) as error:
        raise Invalid.because("body", body, f"must be gzip, as Content-Encoding says it is ({error})") from error
    if len(unpacked) > UNPACKED_BYTES_MAX:
        raise TooLarge(f"body: must be at most {UNPACKED_BYTES_MAX} bytes once unpacked")
    return unpacked

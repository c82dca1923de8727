"""The body of an HTTP request off the wire, of a known length or in chunks (RFC 9112, sections 6 and 7), bounded."""

from __future__ import annotations

import re
from email.message import Message
from io import BufferedIOBase

# A line of a chunk's size or of a trailer, as `http.client` bounds them.
_LINE_BYTES_MAX = 65_536
_TRAILERS_MAX = 100
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;.*)?\r?\n")


class BodyRefused(Exception):
    """A refused body, with its HTTP status; the rest of it is still on the wire."""

    def __init__(self, status: int, message: str) -> None:
        self.status, self.message = status, message
        super().__init__(message)


class HungUp(ConnectionError):
    """A connection that the client closed before the end of the body."""


def read_body(headers: Message, wire: BufferedIOBase, *, bytes_max: int) -> bytes:
    """Read the whole body, without its transfer coding.

    Raises:
        BodyRefused: larger than `bytes_max`, or invalid by RFC 9112.
        HungUp: the connection ended first.
    """
    coding, length = headers.get_all("Transfer-Encoding"), headers.get("Content-Length")
    if coding is None:
        return _read_known(length or "0", wire, bytes_max)
    if length is not None:
        raise BodyRefused(400, "Content-Length beside Transfer-Encoding")
    if ", ".join(coding).strip().lower() != "chunked":
        raise BodyRefused(501, f"Transfer-Encoding {', '.join(coding)!r} is not implemented; chunked is")
    return _read_chunks(wire, bytes_max)


def _read_known(length: str, wire: BufferedIOBase, bytes_max: int) -> bytes:
    if not (length.isascii() and length.isdigit()):
        raise BodyRefused(400, f"Content-Length must be a number of bytes, got {length!r}")
    _check_size(int(length), bytes_max)
    return _read_exactly(wire, int(length))


def _read_chunks(wire: BufferedIOBase, bytes_max: int) -> bytes:
    """Read chunk after chunk; the size is checked before a chunk is read. Extensions and trailers are ignored."""
    body = bytearray()
    while size := _read_size(wire):
        _check_size(len(body) + size, bytes_max)
        body += _read_exactly(wire, size)
        if _read_line(wire).strip(b"\r\n"):
            raise BodyRefused(400, "A chunk is longer than its size")
    for _ in range(_TRAILERS_MAX):
        if not _read_line(wire).strip(b"\r\n"):
            return bytes(body)
    raise BodyRefused(400, f"More than {_TRAILERS_MAX} trailers")


def _read_size(wire: BufferedIOBase) -> int:
    line = _read_line(wire)
    size = _SIZE.fullmatch(line)
    if size is None:
        raise BodyRefused(400, f"A chunk's size must be hexadecimal, got {line[:20]!r}")
    return int(size[1], 16)


def _read_line(wire: BufferedIOBase) -> bytes:
    line = wire.readline(_LINE_BYTES_MAX)
    if not line.endswith(b"\n"):
        if len(line) == _LINE_BYTES_MAX:
            raise BodyRefused(400, f"A line of a chunked body is longer than {_LINE_BYTES_MAX} bytes")
        raise HungUp("the connection ended within a chunked body")
    return line


def _read_exactly(wire: BufferedIOBase, size: int) -> bytes:
    read = wire.read(size)
    if len(read) < size:
        raise HungUp(f"the connection ended {size - len(read)} bytes before the end of the body")
    return read


def _check_size(size: int, bytes_max: int) -> None:
    if size > bytes_max:
        raise BodyRefused(413, "Request Too Long")

"""Cursors: opaque positions to continue from, each bound to the request that gave it."""

from __future__ import annotations

import binascii
import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode

from headwater_model.errors import Invalid

_CHECK_BYTES = 12


def render_cursor(criteria: tuple[str, ...], after: str) -> str:
    """Render the cursor to continue after `after` with the same criteria.

    >>> parse_cursor(("root",), render_cursor(("root",), "node"))
    'node'
    """
    return urlsafe_b64encode(_check(criteria, after) + after.encode()).decode().rstrip("=")


def parse_cursor(criteria: tuple[str, ...], text: str) -> str:
    """Read the position in a cursor of these criteria; raise `Invalid` for foreign text.

    The check is against mistakes, not attackers: a forged cursor shows nothing beyond the caller's rights.
    """
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        after = raw[_CHECK_BYTES:].decode()
    except (binascii.Error, ValueError) as error:
        raise foreign(text) from error
    if not after or not hmac.compare_digest(raw[:_CHECK_BYTES], _check(criteria, after)):
        raise foreign(text)
    return after


def _check(criteria: tuple[str, ...], after: str) -> bytes:
    return hashlib.sha256(repr((criteria, after)).encode()).digest()[:_CHECK_BYTES]


def foreign(text: str) -> Invalid:
    """Build the error for a cursor of different criteria."""
    return Invalid.because("cursor", text, "must come from the last answer to the same question")

"""Cursors: opaque places to go on from, each bound to the question whose answer gave it."""

from __future__ import annotations

import binascii
import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode

from lineage_model.errors import Invalid

_CHECK_BYTES = 12


def render_cursor(question: tuple[str, ...], after: str) -> str:
    """The cursor to go on after `after` with the same question.

    >>> parse_cursor(("root",), render_cursor(("root",), "node"))
    'node'
    """
    return urlsafe_b64encode(_check(question, after) + after.encode()).decode().rstrip("=")


def parse_cursor(question: tuple[str, ...], text: str) -> str:
    """The place that a cursor of this question names; `Invalid` for any other text.

    The check is against mistakes, not attackers: who forges it reads another part of what may be read anyway.
    """
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        after = raw[_CHECK_BYTES:].decode()
    except (binascii.Error, ValueError) as error:
        raise foreign(text) from error
    if not after or not hmac.compare_digest(raw[:_CHECK_BYTES], _check(question, after)):
        raise foreign(text)
    return after


def _check(question: tuple[str, ...], after: str) -> bytes:
    return hashlib.sha256(repr((question, after)).encode()).digest()[:_CHECK_BYTES]


def foreign(text: str) -> Invalid:
    """The error for a cursor that is none of this question's."""
    return Invalid.because("cursor", text, "must come from the last answer to the same question")

"""The canonical JSON of an event: one text for one content, whatever the order of its fields."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson

from headwater_model.errors import Fault, Invalid
from headwater_model.json_checks import depth_faults, value_faults


def canonical(body: object) -> bytes:
    """Return the JSON of the body with its fields sorted, in UTF-8.

    Raises:
        Invalid: the body nests too deep, or holds a lone surrogate or a number of more than 64 bits.

    >>> canonical({"b": [1.5, None], "a": "é"}).decode()
    '{"a":"é","b":[1.5,null]}'
    """
    if faults := [*depth_faults(body, "event")]:
        raise Invalid(faults)
    try:
        return orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError as error:
        raise Invalid([*value_faults(body, "event")] or [Fault("event", body, f"must be JSON ({error})")]) from error


def content_hash(body: object) -> str:
    """Return the SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical(body)).hexdigest()


def in_order(body: dict[str, Any]) -> tuple[dict[str, Any], str, int]:
    """Return the body with its fields sorted, the SHA-256 of its canonical JSON, and the bytes of that.

    Equal events may differ in the order of their fields: what is stored of them must not.
    """
    text = canonical(body)
    fields: dict[str, Any] = orjson.loads(text)
    return fields, hashlib.sha256(text).hexdigest(), len(text)

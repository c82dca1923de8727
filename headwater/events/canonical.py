"""The canonical JSON of an event: one text for one content, whatever the order of its fields."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import orjson

from headwater.validation import field_path
from headwater_model.errors import Fault, Invalid

# No known event nests deeper than its schema's structs; parsers and databases give up somewhere beyond this.
LEVELS_MAX = 100


def canonical(body: object) -> bytes:
    """Return the JSON of the body with its fields sorted, in UTF-8.

    Raises:
        Invalid: the body nests too deep, or holds a lone surrogate or a number of more than 64 bits.

    >>> canonical({"b": [1.5, None], "a": "é"}).decode()
    '{"a":"é","b":[1.5,null]}'
    """
    levels = _levels(body)
    if levels > LEVELS_MAX:
        raise Invalid.because("event", f"{levels} levels", f"must be nested at most {LEVELS_MAX} levels deep")
    try:
        return orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError as error:
        raise Invalid(list(_faults(body)) or [Fault("event", body, f"must be JSON ({error})")]) from error


def content_hash(body: object) -> str:
    """Return the SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical(body)).hexdigest()


def in_order(body: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the body with its fields sorted, and the SHA-256 of its canonical JSON.

    Equal events may differ in the order of their fields: what is stored of them must not.
    """
    text = canonical(body)
    fields: dict[str, Any] = orjson.loads(text)
    return fields, hashlib.sha256(text).hexdigest()


def _levels(body: object) -> int:
    levels, level = 0, [body]
    while level:
        levels += 1
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent if isinstance(parent, list) else ())
            if isinstance(child, (dict, list))
        ]
    return levels


def _faults(body: object) -> Iterator[Fault]:
    """Yield a fault for each value that has no JSON; the body's depth has been checked."""
    todo: list[tuple[tuple[int | str, ...], object]] = [((), body)]
    while todo:
        place, value = todo.pop()
        if rule := _broken_rule(value):
            yield Fault(field_path(place) or "event", value, rule)
        todo += [((*place, str(name)), child) for name, child in value.items()] if isinstance(value, dict) else []
        todo += [((*place, index), child) for index, child in enumerate(value)] if isinstance(value, list) else []


def _broken_rule(value: object) -> str | None:
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return "must be a number of at most 64 bits"
    texts = (
        [value]
        if isinstance(value, str)
        else [name for name in value if isinstance(name, str)]
        if isinstance(value, dict)
        else []
    )
    if any(_is_broken(text) for text in texts):
        return "must be valid Unicode (it holds a lone surrogate)"
    return None


def _is_broken(text: str) -> bool:
    return not text.isascii() and text.encode(errors="replace") != text.encode(errors="surrogatepass")

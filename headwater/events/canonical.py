"""The canonical JSON of an event: equal contents have equal texts, in any order of fields."""

from __future__ import annotations

import hashlib
import re
from typing import Any
from unicodedata import normalize

import orjson

from headwater_model.errors import Fault, Invalid
from headwater_model.json_checks import depth_faults, value_faults

_NAMED = ("namespace", "name")
# Unicode's spaces. Names with control characters, such as a newline, are refused.
_SPACES = (
    " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_SPACE_AROUND_NAME = re.compile(rf'"name(?:space)?":"(?:[{_SPACES}]|(?:[^"\\]|\\.)*[{_SPACES}]")')


def canonical(body: object) -> bytes:
    """Render the JSON of the body with its fields sorted, in UTF-8.

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
    """Compute the SHA-256 of the canonical JSON, `f85f9b1d…`."""
    return hashlib.sha256(canonical(body)).hexdigest()


def in_order(body: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Sort the body's fields and tidy its names; return it with the canonical JSON of the body as sent.

    Equal events may differ in the order of their fields, and their stored rows must be equal. All texts are in
    Unicode's form NFC, and names have no spaces around them: spellings that look equal become equal.

    >>> in_order({"job": {"namespace": "lake ", "name": "cafe\u0301"}})[0]
    {'job': {'name': 'café', 'namespace': 'lake'}}
    """
    text = canonical(body)
    letters = normalize("NFC", text.decode())
    fields: dict[str, Any] = orjson.loads(letters)
    if _SPACE_AROUND_NAME.search(letters):
        _trim_names(fields)
    return fields, text


def tidy_name(text: str) -> str:
    """Normalize a namespace or name: Unicode's form NFC, without spaces around it.

    >>> tidy_name(" cafe\u0301 ")
    'café'
    """
    return normalize("NFC", text).strip(_SPACES) or text


def _trim_names(body: object) -> None:
    """Strip the namespaces and names of jobs and datasets, in place."""
    pending = [body]
    while pending:
        form = pending.pop()
        if isinstance(form, dict):
            if isinstance(form.get("namespace"), str):
                texts = {side: form[side] for side in _NAMED if isinstance(form.get(side), str)}
                form.update({side: tidy_name(text) for side, text in texts.items()})
            pending += form.values()
        elif isinstance(form, list):
            pending += form

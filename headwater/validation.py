"""Validation shared by all models: text that can be stored, and Pydantic's errors as ours."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from headwater_model.errors import Fault, Invalid


def checked_text(value: str, limit: int) -> str:
    """Return the value if it is Unicode of at most `limit` bytes of UTF-8."""
    try:
        size_bytes = len(value.encode())
    except UnicodeEncodeError as error:
        raise PydanticCustomError("not_unicode", "must be valid Unicode (it holds a lone surrogate)") from error
    if size_bytes > limit:
        raise PydanticCustomError("too_long", "must be at most {limit} bytes of UTF-8", {"limit": limit})
    return value


def invalid(error: ValidationError, whole: str, words: Mapping[str, str] | None = None) -> Invalid:
    """Return Pydantic's errors as `Invalid`.

    `whole` names the input if a fault is not in one of its fields; `words` replace Pydantic's messages, by error type.
    """
    faults = []
    for detail in error.errors(include_url=False):
        field = field_path(detail["loc"]) or whole
        if detail["type"] == "missing":
            faults.append(Fault(field, None, "is required", missing=True))
        else:
            message = (words or {}).get(detail["type"], detail["msg"])
            faults.append(Fault(field, detail["input"], message[:1].lower() + message[1:]))
    return Invalid(faults)


def field_path(place: tuple[int | str, ...]) -> str:
    """Return a location in nested JSON as text.

    >>> field_path(("records", 3, "node_id"))
    'records[3].node_id'
    """
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return text.removeprefix(".")

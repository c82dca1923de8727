"""The bounds of a record's fields on the wire, and how their faults are told.

The sizes are DynamoDB's: 2,048 bytes of partition key (`root_id`; `parent_id` may name it), 1,024 bytes of sort key
(`node_id`, and `action_taken` in the action index). They count UTF-8 bytes, not characters.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Strict, ValidationError
from pydantic_core import PydanticCustomError

from lineage.errors import Fault, Invalid


def _at_most(limit: int) -> AfterValidator:
    """A string of 1 to `limit` bytes."""

    def check(value: str) -> str:
        if not value:
            raise PydanticCustomError("empty", "must not be empty")
        if not value.isascii() and not _encodes(value):
            raise PydanticCustomError("not_unicode", "must be valid Unicode (it holds a lone surrogate)")
        if len(value.encode()) > limit:
            raise PydanticCustomError("too_long", "must be at most {limit} bytes of UTF-8", {"limit": limit})
        return value

    return AfterValidator(check)


def _encodes(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


RootId = Annotated[str, Strict(), _at_most(2048)]
NodeId = Annotated[str, Strict(), _at_most(1024)]
ParentId = Annotated[str, Strict(), _at_most(2048)]
Action = Annotated[str, Strict(), _at_most(1024)]
StorageLocation = Annotated[str, Strict(), _at_most(2048)]
ShortId = Annotated[str, Strict(), _at_most(256)]


def invalid(error: ValidationError, whole: str) -> Invalid:
    """Pydantic's findings as ours; `whole` names the input where the fault is not in one of its fields."""
    return Invalid(
        [
            _fault(detail["type"], detail["loc"], detail["input"], detail["msg"], whole)
            for detail in error.errors(include_url=False)
        ]
    )


def _fault(kind: str, place: tuple[int | str, ...], value: object, message: str, whole: str) -> Fault:
    field = field_path(place) or whole
    if kind == "missing":
        return Fault(field, None, "is required", missing=True)
    return Fault(field, value, message[:1].lower() + message[1:])


def field_path(place: tuple[int | str, ...]) -> str:
    """A place in nested JSON as people write it.

    >>> field_path(("records", 3, "node_id"))
    'records[3].node_id'
    """
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return text.removeprefix(".")

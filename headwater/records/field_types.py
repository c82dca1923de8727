"""The bounds of a record's fields on the wire.

The sizes are DynamoDB's: 2,048 bytes of partition key (`root_id`; `parent_id` may name it), 1,024 bytes of sort key
(`node_id`, and `action_taken` in the action index). They count UTF-8 bytes, not characters.
"""

from __future__ import annotations

import math
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, Strict
from pydantic_core import PydanticCustomError

from headwater.validation import checked_text


def _at_most(limit: int) -> AfterValidator:
    """Return a string of 1 to `limit` bytes."""

    def check(value: str) -> str:
        if not value:
            raise PydanticCustomError("empty", "must not be empty")
        return checked_text(value, limit)

    return AfterValidator(check)


def _epoch_seconds(value: object) -> object:
    """Return whole seconds since 1970; Step Functions has its times (`$$.State.EnteredTime`) as ISO 8601 text only."""
    if not isinstance(value, str):
        return value
    try:
        moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        raise PydanticCustomError("time", "must be whole seconds since 1970, or ISO 8601 with a time zone") from None
    if moment.tzinfo is None:
        raise PydanticCustomError("time", "must carry a time zone, as in 2026-11-20T08:00:00Z")
    return math.floor(moment.timestamp())


RootId = Annotated[str, Strict(), _at_most(2048)]
NodeId = Annotated[str, Strict(), _at_most(1024)]
ParentId = Annotated[str, Strict(), _at_most(2048)]
Action = Annotated[str, Strict(), _at_most(1024)]
StorageLocation = Annotated[str, Strict(), _at_most(2048)]
ShortId = Annotated[str, Strict(), _at_most(256)]
EpochSeconds = Annotated[int, BeforeValidator(_epoch_seconds), Field(ge=0, strict=True)]

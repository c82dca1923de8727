"""The bounds of a record's fields on the wire.

The sizes are DynamoDB's: 2,048 bytes of partition key (`root_id`; `parent_id` may name it), 1,024 bytes of sort key
(`node_id`, and `action_taken` in the action index). They count UTF-8 bytes, not characters.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Strict
from pydantic_core import PydanticCustomError

from lineage.wire import checked_text


def _at_most(limit: int) -> AfterValidator:
    """A string of 1 to `limit` bytes."""

    def check(value: str) -> str:
        if not value:
            raise PydanticCustomError("empty", "must not be empty")
        return checked_text(value, limit)

    return AfterValidator(check)


RootId = Annotated[str, Strict(), _at_most(2048)]
NodeId = Annotated[str, Strict(), _at_most(1024)]
ParentId = Annotated[str, Strict(), _at_most(2048)]
Action = Annotated[str, Strict(), _at_most(1024)]
StorageLocation = Annotated[str, Strict(), _at_most(2048)]
ShortId = Annotated[str, Strict(), _at_most(256)]

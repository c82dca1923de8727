"""The bounds of a record's fields on the wire (`headwater_model.record_requests`), as Pydantic's types."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Strict
from pydantic_core import PydanticCustomError

from headwater.validation import checked
from headwater_model.json_checks import at_most, not_empty
from headwater_model.record_requests import LIMITS, SHORT_ID_MAX, parse_seconds


def _epoch_seconds(value: object) -> int:
    try:
        return parse_seconds(value)
    except ValueError as error:
        raise PydanticCustomError("time", "{rule}", {"rule": str(error)}) from None


RootId = Annotated[str, Strict(), checked(not_empty, at_most(LIMITS["root_id"]))]
NodeId = Annotated[str, Strict(), checked(not_empty, at_most(LIMITS["node_id"]))]
ParentId = Annotated[str, Strict(), checked(not_empty, at_most(LIMITS["parent_id"]))]
Action = Annotated[str, Strict(), checked(not_empty, at_most(LIMITS["action_taken"]))]
StorageLocation = Annotated[str, Strict(), checked(not_empty, at_most(LIMITS["storage_location"]))]
ShortId = Annotated[str, Strict(), checked(not_empty, at_most(SHORT_ID_MAX))]
EpochSeconds = Annotated[int, BeforeValidator(_epoch_seconds)]

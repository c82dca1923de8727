"""Fields of a change through the API, as Pydantic's types; their rules are those of events."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Strict, model_validator

from headwater.validation import checked
from headwater_model.events import is_time, name_in_bounds, namespace_in_bounds
from headwater_model.times import parse_time

Text: TypeAlias = Annotated[str, Strict()]
Name: TypeAlias = Annotated[Text, checked(name_in_bounds)]
Namespace: TypeAlias = Annotated[Text, checked(namespace_in_bounds)]
Time: TypeAlias = Annotated[Text, checked(is_time), AfterValidator(parse_time)]


class Model(BaseModel):
    """A JSON object whose fields may be null, as if they were not given."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_not_given(cls, sent: object) -> object:
        if not isinstance(sent, dict) or None not in sent.values():
            return sent
        return {name: value for name, value in sent.items() if value is not None}

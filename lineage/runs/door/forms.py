"""What all parts of an event's form share: names, texts and times, and that `null` is as good as not given."""

from __future__ import annotations

import re
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Strict, model_validator
from pydantic_core import PydanticCustomError

from lineage.runs.times import parse_time
from lineage.wire import checked_text

NAME_BYTES_MAX = 2048
NAMESPACE_CHARS_MAX = 1024
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def checked_name(name: str) -> str:
    """The name, if it is one: not blank, and at most `NAME_BYTES_MAX` long."""
    if not name.strip():
        raise PydanticCustomError("blank", "must not be blank")
    return checked_text(name, NAME_BYTES_MAX)


def _checked_job_name(name: str) -> str:
    """Return the name unless it holds control characters: it is printed in lists, ids and logs."""
    if _CONTROL.search(name):
        raise PydanticCustomError("control", "must not hold control characters")
    return name


def _checked_namespace(namespace: str) -> str:
    if not namespace.strip():
        raise PydanticCustomError("blank", "must not be blank")
    if len(namespace) > NAMESPACE_CHARS_MAX:
        raise PydanticCustomError("too_long", "must be at most {limit} characters", {"limit": NAMESPACE_CHARS_MAX})
    if _CONTROL.search(namespace):
        raise PydanticCustomError("control", "must not hold control characters")
    return checked_text(namespace, 4 * NAMESPACE_CHARS_MAX)


def _checked_time(text: str) -> str:
    try:
        return parse_time(text)
    except ValueError:
        raise PydanticCustomError("time", "must be an ISO 8601 date and time in the years 1 to 9999") from None


Text: TypeAlias = Annotated[str, Strict()]
Name: TypeAlias = Annotated[Text, AfterValidator(checked_name)]
JobName: TypeAlias = Annotated[Name, AfterValidator(_checked_job_name)]
Namespace: TypeAlias = Annotated[Text, AfterValidator(_checked_namespace)]
Time: TypeAlias = Annotated[Text, AfterValidator(_checked_time)]


class Form(BaseModel):
    """A JSON object whose fields may be null, as if they were not given."""

    model_config = ConfigDict(frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_not_given(cls, sent: object) -> object:
        if not isinstance(sent, dict):
            return sent
        return {name: value for name, value in sent.items() if value is not None}


class NamedForm(Form):
    """A job or a dataset by name."""

    namespace: Namespace
    name: Name


class NamedJobForm(NamedForm):
    """A job by name."""

    name: JobName

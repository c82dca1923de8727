"""The form of a file of rules of names (`name_rules`), as Pydantic's models."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from headwater.events.field_folds import Case

RULES_MAX = 1_000
_TEXT_MAX = 2_048

_Text = Annotated[str, Field(min_length=1, max_length=_TEXT_MAX)]
_STRICT = ConfigDict(extra="forbid", strict=True)


class _Target(BaseModel):
    model_config = _STRICT

    namespace: _Text | None = None
    name: _Text | None = None


class _Fields(BaseModel):
    model_config = _STRICT

    quotes: Literal["drop"] | None = None
    case: Case | None = None


class RuleModel(BaseModel):
    """A rule of a file."""

    model_config = _STRICT

    namespace: _Text = "*"
    name: _Text = "*"
    target: _Target | None = Field(None, alias="as")
    fields_: _Fields | None = Field(None, alias="fields")


class RulesModel(BaseModel):
    """A file."""

    model_config = _STRICT

    rules: Annotated[list[RuleModel], Field(max_length=RULES_MAX)]

"""Validation shared by all models: rules of text, and Pydantic's errors as ours."""

from __future__ import annotations

from pydantic import AfterValidator, ValidationError
from pydantic_core import PydanticCustomError

from headwater_model.errors import Fault, Invalid
from headwater_model.json_checks import TextRule, field_path


def checked(*rules: TextRule) -> AfterValidator:
    """Make a validator of rules of a text (`headwater_model.json_checks`): `checked(not_blank)`."""

    def check(value: str) -> str:
        for rule in rules:
            if broken := rule(value):
                raise PydanticCustomError("rule", "{rule}", {"rule": broken})
        return value

    return AfterValidator(check)


def invalid(error: ValidationError, whole: str) -> Invalid:
    """Convert Pydantic's errors to `Invalid`; `whole` names the input where a fault is in no field."""
    faults = []
    for detail in error.errors(include_url=False):
        field = field_path(detail["loc"]) or whole
        if detail["type"] == "missing":
            faults.append(Fault(field, None, "is required", missing=True))
        else:
            message = detail["msg"]
            faults.append(Fault(field, detail["input"], message[:1].lower() + message[1:]))
    return Invalid(faults)

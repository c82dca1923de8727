"""Pydantic's errors as ours."""

from __future__ import annotations

from pydantic import ValidationError

from headwater_model.errors import Fault, Invalid
from headwater_model.json_checks import field_path


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

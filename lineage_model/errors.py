"""Every error the service raises on purpose.

    HeadwaterError
    ├── Invalid       the caller's input breaks a rule; trying again cannot help
    ├── Unauthorized  who asks has not shown who they are
    ├── Forbidden     who asks may not have this
    ├── NotFound      what was asked for is not there
    ├── Conflict      someone else holds it, or it is already settled
    ├── TooLarge      it is correct, but more than this part may take on
    └── Unavailable   an AWS service refused for now; trying again may help

`lineage.api.errors` maps them to HTTP. Step Functions catches them by these class names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_SHOWN_CHARS = 80
# A batch of 10,000 bad records is still one message: Step Functions takes 256 KiB.
_SHOWN_FAULTS = 20


@dataclass(frozen=True, slots=True)
class Fault:
    """One broken rule: the field (`records[3].node_id`), its value as given, and the rule."""

    field: str
    value: object
    rule: str
    missing: bool = False

    def __str__(self) -> str:
        if self.missing:
            return f"{self.field}: {self.rule}"
        return f"{self.field}: {self.rule}, got {shown(self.value)}"


class HeadwaterError(Exception):
    """The root of the tree; never raised itself."""


class Invalid(HeadwaterError):
    """Input that breaks a rule; `faults` names every field, its value and the rule."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        more = len(self.faults) - _SHOWN_FAULTS
        told = "; ".join(map(str, self.faults[:_SHOWN_FAULTS]))
        super().__init__(f"{told}; and {more} more" if more > 0 else told)

    @classmethod
    def because(cls, field: str, value: object, rule: str) -> Invalid:
        """One fault as an error."""
        return cls([Fault(field, value, rule)])


class Unauthorized(HeadwaterError):
    """No token, or none that is good; trying again with another may help."""


class Forbidden(HeadwaterError):
    """The token is good, but not for this."""


class NotFound(HeadwaterError):
    """Nothing of this name is known."""


class Conflict(HeadwaterError):
    """The thing is held by someone else, or settled already."""


class TooLarge(HeadwaterError):
    """A correct demand above a documented bound."""


class Unavailable(HeadwaterError):
    """An AWS service kept refusing; nothing was lost, the caller tries again."""


def shown(value: object) -> str:
    """The value as an error message prints it: its repr, cut so that a log line stays one.

    >>> shown("a" * 200)[-20:]
    'aa… (202 characters)'
    """
    try:
        text = repr(value)
    except RecursionError:
        return "something nested too deep to print"
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}… ({len(text)} characters)"

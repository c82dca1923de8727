"""Every error the service raises on purpose.

    HeadwaterError
    ├── Invalid       the caller's input breaks a rule; trying again cannot help
    ├── Unauthorized  the caller sent no valid token
    ├── Forbidden     the caller's token does not allow this
    ├── NotFound      the requested thing does not exist
    ├── Conflict      another caller holds it, or it was decided before
    ├── TooLarge      it is correct, but above a bound of this part
    ├── OverBudget    it is correct, but the caller's budget is spent; trying again later helps
    └── Unavailable   an AWS service refused for now; trying again may help

`headwater.api.http.errors` maps them to HTTP. Step Functions catches them by these class names.
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
        text = "; ".join(map(str, self.faults[:_SHOWN_FAULTS]))
        super().__init__(f"{text}; and {more} more" if more > 0 else text)

    @classmethod
    def because(cls, field: str, value: object, rule: str) -> Invalid:
        """Return one fault as an error."""
        return cls([Fault(field, value, rule)])


class Unauthorized(HeadwaterError):
    """A request without a valid token; trying again with another may help."""


class Forbidden(HeadwaterError):
    """A request that a valid token does not allow."""


class NotFound(HeadwaterError):
    """A request for something unknown."""


class Conflict(HeadwaterError):
    """A request for something that another caller holds, or that was decided before."""


class TooLarge(HeadwaterError):
    """A correct request above a documented bound."""


class OverBudget(HeadwaterError):
    """A correct request above the caller's budget for now; `retry_after_s` seconds later there is a new one."""

    def __init__(self, text: str, *, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(text)


class Unavailable(HeadwaterError):
    """A failure of an AWS service that kept refusing; nothing was lost, the caller tries again."""


def shown(value: object) -> str:
    """Return the value as an error message prints it: its repr, cut so that a log line stays one.

    >>> shown("a" * 200)[-20:]
    'aa… (202 characters)'
    """
    try:
        text = repr(value)
    except RecursionError:
        return "something nested too deep to print"
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}… ({len(text)} characters)"

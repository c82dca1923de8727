"""Every error the service raises on purpose.

    HeadwaterError
    ├── Invalid       the caller's input breaks a rule; trying again cannot help
    ├── Unauthorized  the caller sent no valid token
    ├── Forbidden     the caller's token does not allow the request
    ├── NotFound      the requested thing does not exist
    ├── Conflict      another caller holds the thing, or it is decided already
    ├── TooLarge      it is correct, but above a bound of this part
    ├── OverBudget    it is correct, but the caller's budget is spent; trying again later helps
    └── Unavailable   an AWS service refused for now; trying again may help

`headwater.api.http.errors` maps them to HTTP. Step Functions catches them by these class names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_SHOWN_CHARS = 80
# A batch of 10,000 bad records makes a single message: Step Functions takes 256 KiB.
_SHOWN_FAULTS = 20


@dataclass(frozen=True, slots=True)
class Fault:
    """A broken rule: the field (`records[3].node_id`), its value as given, and the rule."""

    field: str
    value: object
    rule: str
    missing: bool = False

    def __str__(self) -> str:
        if self.missing:
            return f"{self.field}: {self.rule}"
        return f"{self.field}: {self.rule}, got {print_value(self.value)}"


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
        """Build an error of a single fault."""
        return cls([Fault(field, value, rule)])


class Unauthorized(HeadwaterError):
    """A request without a valid token; a new token may help."""


class Forbidden(HeadwaterError):
    """A request that a valid token does not allow."""


class NotFound(HeadwaterError):
    """A request for something unknown."""


class Conflict(HeadwaterError):
    """A request for something held by another caller, or decided already."""


class TooLarge(HeadwaterError):
    """A correct request above a documented bound."""


class OverBudget(HeadwaterError):
    """A correct request above the caller's budget for now; a new budget begins after `retry_after_s` seconds."""

    def __init__(self, text: str, *, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(text)


class Unavailable(HeadwaterError):
    """A failure of an AWS service after all attempts; nothing was lost, the caller tries again."""


def print_value(value: object) -> str:
    """Print the value for an error message: its repr, cut to fit into a log line.

    >>> print_value("a" * 200)[-20:]
    'aa… (202 characters)'
    """
    try:
        text = repr(value)
    except RecursionError:
        return "something nested too deep to print"
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}… ({len(text)} characters)"

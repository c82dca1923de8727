"""The reading of context values: a reader that collects faults, and parsers for several values.

A parser takes a value of the CDK's context, from cdk.json or as text after `-c`. `ValueError` has the broken rule.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from headwater_model.errors import Fault

T = TypeVar("T")
# The variables of a function have 4 KB together. Lambda measures them as JSON, so a quotation mark counts twice.
VARIABLE_BYTES_MAX = 1_000


class Reader:
    """A reader of context values; it collects the faults, for a deployer to see all at once."""

    def __init__(self, context: Mapping[str, object], names: Sequence[str]) -> None:
        # Null sets nothing: cdk.json also describes values of features, and a copy may be without a feature.
        self._given = {name: value for name, value in context.items() if value is not None}
        self.faults = [_unknown(*item, names) for item in self._given.items() if not _is_claimed(item[0], names)]

    def read(self, name: str, parse: Callable[[object], T], default: T) -> T:
        """Parse the value; the default if it is missing or wrong."""
        try:
            return parse(self._given[name]) if name in self._given else default
        except ValueError as broken:
            self.faults.append(Fault(name, self._given[name], str(broken)))
            return default


def _is_claimed(name: str, names: Sequence[str]) -> bool:
    return name in names or any(mark in name for mark in "/:")


def _unknown(name: str, value: object, names: Sequence[str]) -> Fault:
    matches = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {matches[0]}?" if matches else ""
    return Fault(name, value, f"must be one of the context values {', '.join(names)}{hint}")


def text(form: re.Pattern[str], rule: str) -> Callable[[object], str]:
    """Make a parser of a text of some form: `text(_PATH, "must be a path of IAM")`."""

    def parse(value: object) -> str:
        if isinstance(value, str) and form.fullmatch(value):
            return value
        raise ValueError(rule)

    return parse


def or_none(parse: Callable[[object], T]) -> Callable[[object], T | None]:
    """Make a parser of a value or of none: `or_none(integer(1, 1_000_000))`."""

    def parse_or_none(value: object) -> T | None:
        try:
            return None if value in ("", "none") else parse(value)
        except ValueError as wrong:
            raise ValueError(f"{wrong}, or none") from wrong

    return parse_or_none


def text_or_none(form: re.Pattern[str], rule: str) -> Callable[[object], str | None]:
    """Make a parser of a text of some form, or of none: `text_or_none(_PATH, "a path of IAM")`."""
    return or_none(text(form, f"must be {rule}"))


def namespaces(value: object) -> tuple[str, ...]:
    """Parse names, or beginnings and then `*`; none for `none`."""
    patterns = listed(value, "namespaces")
    for pattern in patterns:
        if not isinstance(pattern, str) or not pattern or "*" in pattern[:-1]:
            raise ValueError("must be namespaces, each a name, or the beginning of names and then `*`")
    within(json.dumps(patterns))
    return tuple(patterns)


def listed(value: object, things: str = "regular expressions") -> list[str]:
    """Parse a list from cdk.json, from JSON text, or from text with commas: `"a, b"` is `["a", "b"]`."""
    if isinstance(value, str) and value.startswith("["):
        value = json.loads(value)
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        return [] if value == "none" else [part.strip() for part in value.split(",") if part.strip()]
    raise ValueError(f"must be a list of {things}, or text with commas between them")


def within(text: str, bytes_max: int = VARIABLE_BYTES_MAX) -> str:
    """Return the text if a function's environment has room for it as a variable.

    >>> within("a" * 1_100)
    Traceback (most recent call last):
    ValueError: must take at most 1000 bytes of a function's environment, and takes 1102
    """
    taken = len(json.dumps(text, ensure_ascii=False).encode())
    if taken > bytes_max:
        raise ValueError(f"must take at most {bytes_max} bytes of a function's environment, and takes {taken}")
    return text


def integer(least: int, most: int) -> Callable[[object], int]:
    """Make a parser of a whole number within bounds: `integer(1, 100)`."""

    def parse(value: object) -> int:
        if re.fullmatch(r"[0-9]{1,9}", str(value)) and least <= int(str(value)) <= most:
            return int(str(value))
        raise ValueError(f"must be a whole number from {least} to {most}")

    return parse


def either(*choices: str) -> Callable[[object], str]:
    """Make a parser of a text among a few: `either("5.0", "5.1")`."""

    def parse(value: object) -> str:
        if str(value) in choices:
            return str(value)
        raise ValueError(f"must be {' or '.join(choices)}")

    return parse


def choice(**choices: bool) -> Callable[[object], bool]:
    """Make a parser of a choice between texts: `choice(true=True, false=False)`."""

    def parse(value: object) -> bool:
        text = str(value).lower() if isinstance(value, bool) else value
        if isinstance(text, str) and text in choices:
            return choices[text]
        raise ValueError(f"must be {' or '.join(choices)}")

    return parse


flag = choice(true=True, false=False)

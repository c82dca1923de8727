"""IAM's evaluation of a policy, as far as the stack's own policies go: explicit denies first, then allows.

Written after the IAM user guide ("Policy evaluation logic", "IAM JSON policy elements: Condition operators" and
"Multivalued context keys"); what it does not know it refuses. moto evaluates no conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any


def decide(statements: Iterable[Mapping[str, Any]], action: str, resource: str, **context: object) -> str:
    """Return `denied`, `allowed` or `neither`; context keys have `_` for `:` and `-`, and a list for several values."""
    keys = {_plain(name): value for name, value in context.items()}
    effects = {statement["Effect"] for statement in statements if _applies(statement, action, resource, keys)}
    return "denied" if "Deny" in effects else "allowed" if "Allow" in effects else "neither"


def _plain(name: str) -> str:
    return name.replace(":", "_").replace("-", "_").lower()


def _applies(statement: Mapping[str, Any], action: str, resource: str, keys: Mapping[str, object]) -> bool:
    return (
        any(fnmatchcase(action.lower(), pattern.lower()) for pattern in as_list(statement["Action"]))
        and any(fnmatchcase(resource, pattern) for pattern in as_list(statement["Resource"]))
        and all(
            _holds(operator, keys.get(_plain(key)), as_list(patterns))
            for operator, conditions in statement.get("Condition", {}).items()
            for key, patterns in conditions.items()
        )
    )


def _holds(operator: str, value: object, patterns: list[str]) -> bool:
    """Return True if the condition holds of a key's value; None is a request without the key."""
    quantifier, _, name = operator.rpartition(":")
    if name == "Null":
        return str(value is None).lower() in patterns
    match, negated = _MATCHES[name.replace("Not", "")], "Not" in name
    values = [] if value is None else as_list(value)
    matching = [any(match(str(item), each) for each in patterns) is not negated for item in values]
    if quantifier == "ForAllValues":
        return all(matching)
    if quantifier == "ForAnyValue":
        return any(matching)
    assert len(values) <= 1, f"{operator} takes one value"
    return matching[0] if matching else negated


def _equal(value: str, expected: str) -> bool:
    return value == expected


_MATCHES = {
    "StringEquals": _equal,
    "StringLike": fnmatchcase,
    "ArnEquals": fnmatchcase,
    "ArnLike": fnmatchcase,
    "Bool": lambda value, expected: value.lower() == expected.lower(),
    "NumericLessThan": lambda value, expected: float(value) < float(expected),
}


def as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]

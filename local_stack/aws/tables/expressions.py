"""Expressions of DynamoDB: conditions, updates and projections of the forms in use; a different form is refused.

The texts of expressions are few, and each is parsed once. The key conditions of queries are parsed by moto.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

import orjson
from moto.dynamodb.exceptions import AttributeIsReservedKeyword, MockValidationException
from moto.dynamodb.parsing.key_condition_expression import parse_expression
from moto.dynamodb.parsing.reserved_keywords import ReservedKeywords

from local_stack.aws.limits import sort_key
from local_stack.aws.tables.schema import Column, Index, Item, Schema

Request = Mapping[str, Any]
Test = Callable[[Item | None], bool]
Value = Mapping[str, Any]
# An operand of an expression, an attribute or a value: found in an item by the names and values of a request.
Operand = Callable[[Item, Request], Value | None]
Parsed = Callable[[Item, Request], bool]

_COMPARISONS = {"=": "= ?", "<": "< ?", "<=": "<= ?", ">": "> ?", ">=": ">= ?", "BETWEEN": "BETWEEN ? AND ?"}
_OPERATORS = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_NAME = re.compile(r"#?\w+")
_PARAMETER = re.compile(r"[#:]\w+")
_TOKEN = re.compile(r"\s*([#:]?\w+|<>|<=|>=|[=<>(),])")
_CLAUSE = re.compile(r"\b(SET|ADD|REMOVE|DELETE)\b")
_RESERVED = {word.upper() for word in ReservedKeywords.get_reserved_keywords()}
_CHANGES = {
    "SET": re.compile(
        r"(?P<name>#?\w+)\s*=\s*(?:if_not_exists\((?P<kept>#?\w+)\s*,\s*(?P<value>:\w+)\)|(?P<plain>:\w+))"
    ),
    "ADD": re.compile(r"(?P<name>#?\w+)\s+(?P<value>:\w+)"),
    "REMOVE": re.compile(r"(?P<name>#?\w+)"),
}
_CHANGES["DELETE"] = _CHANGES["ADD"]


def parse_condition(request: Request, name: str = "ConditionExpression") -> Test | None:
    """Parse a condition or filter to a test of an item; None without such an expression.

    Raises:
        MockValidationException: the expression is unknown, or a name or value of the request is in no expression.
    """
    text = request.get(name)
    if text is None:
        return None
    _parameters(request)
    parsed = _parse_condition(text)
    return lambda item: parsed(item or {}, request)


@lru_cache
def _parse_condition(text: str) -> Parsed:
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != re.sub(r"\s", "", text):
        raise _unknown(text)
    try:
        parsed = _either(tokens)
    except IndexError as error:
        raise _unknown(text) from error
    if tokens:
        raise _unknown(text)
    return parsed


def _either(tokens: list[str]) -> Parsed:
    """Parse conditions joined by OR, each of them joined by AND."""
    choices = [[_single(tokens)]]
    while tokens and tokens[0].upper() in ("AND", "OR"):
        if tokens.pop(0).upper() == "OR":
            choices.append([])
        choices[-1].append(_single(tokens))
    return lambda item, request: any(all(each(item, request) for each in choice) for choice in choices)


def _single(tokens: list[str]) -> Parsed:
    """Parse a function, a comparison, or conditions in brackets."""
    token = tokens.pop(0)
    if token == "(":  # noqa: S105 - no secret
        parsed = _either(tokens)
        _expect(tokens, ")")
        return parsed
    if token in ("attribute_exists", "attribute_not_exists"):
        _expect(tokens, "(")
        attribute, there = _operand(tokens.pop(0)), token == "attribute_exists"  # noqa: S105 - no secret
        _expect(tokens, ")")
        return lambda item, request: (attribute(item, request) is not None) == there
    left, comparison, right = _operand(token), tokens.pop(0), _operand(tokens.pop(0))
    if comparison in ("=", "<>"):
        return lambda item, request: _is_equal(left(item, request), right(item, request)) == (comparison == "=")
    if comparison not in _OPERATORS:
        raise _unknown(comparison)
    return lambda item, request: _compare(left(item, request), comparison, right(item, request))


def _is_equal(left: Value | None, right: Value | None) -> bool:
    """Compare two values; numbers by their value, `1` and `1.0`."""
    return left == right or (bool(left and right and {*left, *right} == {"N"}) and _compare(left, "=", right))


def _compare(left: Value | None, comparison: str, right: Value | None) -> bool:
    """Compare values of a type in their order; values of two types, or a missing value, have none."""
    if left is None or right is None or left.keys() != right.keys():
        return False
    return bool(_OPERATORS[comparison](sort_key(left), sort_key(right)))


def _operand(token: str) -> Operand:
    if token.startswith(":"):
        return lambda _, request: request["ExpressionAttributeValues"][token]
    if token.startswith("#"):
        return lambda item, request: item.get(request["ExpressionAttributeNames"][token])
    if not _NAME.fullmatch(token):
        raise _unknown(token)
    return lambda item, _: item.get(token)


def _expect(tokens: list[str], token: str) -> None:
    if tokens.pop(0) != token:
        raise _unknown(token)


def _unknown(text: str) -> MockValidationException:
    return MockValidationException(f"the local stack does not know the expression {text!r}")


def parse_key_condition(request: Request, schema: Schema, index: Index) -> tuple[list[str], list[Column]]:
    """Parse the condition of a query to conditions of SQLite and their values.

    Raises:
        MockValidationException: the condition is wrong.
    """
    names, values = _parameters(request)
    text = request["KeyConditionExpression"]
    where, bound = list[str](), list[Column]()
    for attribute, comparison, operands in _parse_keys(text, tuple(names.items()), frozenset(values), index):
        column = schema.columns[attribute]
        keys = [schema.column(attribute, values.get(next(iter(operand))) or operand) for operand in operands]
        if comparison == "BEGINS_WITH":
            [begin] = keys
            if not isinstance(begin, bytes):
                raise MockValidationException("Invalid KeyConditionExpression: begins_with needs a string or bytes")
            # UTF-8 has no byte of 255.
            where.append(f"{column} >= ? AND {column} < ?")
            keys = [begin, begin + b"\xff"]
        else:
            where.append(f"{column} {_COMPARISONS[comparison]}")
        bound += keys
    return where, bound


@lru_cache
def _parse_keys(
    text: str, names: tuple[tuple[str, str], ...], values: frozenset[str], index: Index
) -> list[tuple[str, str, list[dict[str, str]]]]:
    """Parse a key condition by moto to attributes, comparisons and operands: `{":pk": ""}` names a value."""
    hashes, ranges, _ = parse_expression(text, {name: {name: ""} for name in values}, dict(names), index.key_schema)
    return [*((attribute, "=", [value]) for attribute, value in hashes), *ranges]


def update(item: Item | None, key: Item, request: Request) -> Item:
    """Apply the update of a request to an item; a missing item is new.

    Raises:
        MockValidationException: the update is unknown, or adds to an attribute of an unfit type.
    """
    names, values = _parameters(request)
    before = item or key
    changed = dict(before)
    for kind, name, other, value in _parse_update(request["UpdateExpression"]):
        attribute, by = names.get(name, name), values.get(value, {})
        if kind == "REMOVE":
            changed.pop(attribute, None)
        elif kind == "SET":
            changed[attribute] = before.get(names.get(other, other), by)
        elif kind == "ADD" and {*by, *before.get(attribute, by)} == {"N"}:
            changed[attribute] = {"N": str(Decimal(before.get(attribute, {"N": "0"})["N"]) + Decimal(by["N"]))}
        elif {*by, *before.get(attribute, by)} == {"SS"}:
            texts, given = before.get(attribute, {"SS": []})["SS"], by["SS"]
            merged = dict.fromkeys([*texts, *given]) if kind == "ADD" else [each for each in texts if each not in given]
            changed[attribute] = {"SS": [*merged]}
            if not merged:  # A set is never empty
                del changed[attribute]
        else:
            raise _unknown(f"{kind} of {by} to {before.get(attribute)}")
    return changed


@lru_cache
def _parse_update(text: str) -> list[tuple[str, str, str, str]]:
    """List the changes: a clause, the name of an attribute, perhaps of an attribute that is kept, and of a value."""
    first, *parts = _CLAUSE.split(text)
    changes = list[tuple[str, str, str, str]]()
    for kind, part in zip(parts[::2], parts[1::2], strict=True):
        for each in re.split(r",(?![^(]*\))", part):
            match = _CHANGES[kind].fullmatch(each.strip())
            if match is None:
                raise _unknown(text)
            groups = {name: group or "" for name, group in match.groupdict().items()}
            if reserved := {groups["name"].upper(), groups.get("kept", "").upper()} & _RESERVED:
                raise AttributeIsReservedKeyword(min(reserved))
            value = groups.get("plain") or groups.get("value", "")
            changes.append((kind, groups["name"], groups.get("kept", ""), value))
    if first.strip() or not changes:
        raise _unknown(text)
    return changes


def parse_projection(request: Request) -> Callable[[Item], Item] | None:
    """Parse a projection to attributes of an item; None without a projection.

    Raises:
        MockValidationException: the projection has a path into an attribute, unknown to the local stack.
    """
    if "ProjectionExpression" not in request:
        return None
    names, _ = _parameters(request)
    parts = [part.strip() for part in request["ProjectionExpression"].split(",")]
    if not all(map(_NAME.fullmatch, parts)):
        raise MockValidationException(f"the local stack projects whole attributes, got {', '.join(parts)}")
    attributes = [names.get(part, part) for part in parts]
    return lambda item: {attribute: item[attribute] for attribute in attributes if attribute in item}


def _parameters(request: Request) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Read the names and values of a request's expressions.

    Raises:
        MockValidationException: a name or value is in no expression.
    """
    names, values = request.get("ExpressionAttributeNames") or {}, request.get("ExpressionAttributeValues") or {}
    used = set(_PARAMETER.findall(" ".join(text for name, text in request.items() if name.endswith("Expression"))))
    if missing := used - names.keys() - values.keys():
        raise MockValidationException(f"Invalid expression: {min(missing)} in it is not defined")
    for kind, given in (("Names", names), ("Values", values)):
        if unused := given.keys() - used:
            rule = f"Value provided in ExpressionAttribute{kind} unused in expressions: keys: {{{min(unused)}}}"
            raise MockValidationException(rule)
    return names, values


def as_item(stored: bytes) -> Item:
    """Parse a stored item."""
    item: Item = orjson.loads(stored)
    return item

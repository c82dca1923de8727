"""Expressions of DynamoDB, parsed and evaluated by moto's parsers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import orjson
from moto.dynamodb.comparisons import create_condition_expression_parser
from moto.dynamodb.exceptions import MockValidationException
from moto.dynamodb.models.dynamo_type import DynamoType, LimitedSizeDict
from moto.dynamodb.models.dynamo_type import Item as MotoItem
from moto.dynamodb.parsing.executors import UpdateExpressionExecutor
from moto.dynamodb.parsing.expressions import UpdateExpressionParser  # type: ignore[attr-defined]
from moto.dynamodb.parsing.key_condition_expression import parse_expression
from moto.dynamodb.parsing.validators import UpdateExpressionValidator

from local_stack.aws.tables.schema import Column, Index, Item, Schema

Request = Mapping[str, Any]
Test = Callable[[Item | None], bool]

_COMPARISONS = {"=": "= ?", "<": "< ?", "<=": "<= ?", ">": "> ?", ">=": ">= ?", "BETWEEN": "BETWEEN ? AND ?"}
_NAME = re.compile(r"#?\w+")
_PARAMETER = re.compile(r"[#:]\w+")


def parse_condition(request: Request, name: str = "ConditionExpression") -> Test | None:
    """Parse a condition or filter to a test of an item; None without such an expression.

    Raises:
        MockValidationException: the expression is wrong, or a name or value of the request is in no expression.
    """
    text = request.get(name)
    if text is None:
        return None
    names, values = _parameters(request)
    condition = create_condition_expression_parser(text, names, values).parse()
    return lambda item: bool(condition.expr(None if item is None else _in_moto(item)))


def parse_key_condition(request: Request, schema: Schema, index: Index) -> tuple[list[str], list[Column]]:
    """Parse the condition of a query to conditions of SQLite and their values.

    Raises:
        MockValidationException: the condition is wrong.
    """
    names, values = _parameters(request)
    hashes, ranges, _ = parse_expression(request["KeyConditionExpression"], values, names, index.key_schema)
    where, bound = list[str](), list[Column]()
    for attribute, value in hashes:
        where.append(f"{schema.columns[attribute]} = ?")
        bound.append(schema.column(attribute, value))
    for attribute, comparison, operands in ranges:
        column, keys = schema.columns[attribute], [schema.column(attribute, operand) for operand in operands]
        if comparison.upper() == "BEGINS_WITH":
            [begin] = keys
            if not isinstance(begin, bytes):
                raise MockValidationException("Invalid KeyConditionExpression: begins_with needs a string or bytes")
            # UTF-8 has no byte of 255.
            where.append(f"{column} >= ? AND {column} < ?")
            keys = [begin, begin + b"\xff"]
        else:
            where.append(f"{column} {_COMPARISONS[comparison.upper()]}")
        bound += keys
    return where, bound


def update(item: Item | None, key: Item, request: Request, schema: Schema) -> Item:
    """Apply the update of a request to an item; a missing item is new.

    Raises:
        MockValidationException: the update is wrong, or does not fit the item.
    """
    names, values = _parameters(request)
    changed = _in_moto(item or key)
    parsed = UpdateExpressionParser.make(request["UpdateExpression"])
    valid = UpdateExpressionValidator(
        parsed,
        expression_attribute_names=names,
        expression_attribute_values=values,
        item=changed,
        table=schema.table,
    ).validate()
    valid.normalize()
    UpdateExpressionExecutor(valid, changed, names).execute()
    result: Item = changed.to_json()["Attributes"]
    return result


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
    for kind, given in (("Names", names), ("Values", values)):
        if unused := given.keys() - used:
            rule = f"Value provided in ExpressionAttribute{kind} unused in expressions: keys: {{{min(unused)}}}"
            raise MockValidationException(rule)
    return names, values


def _in_moto(item: Item) -> MotoItem:
    """Convert an item; moto's own constructor measures the whole item for each attribute."""
    converted: Any = MotoItem.__new__(MotoItem)
    converted.attrs = LimitedSizeDict()
    dict.update(converted.attrs, {name: DynamoType(dict(value)) for name, value in item.items()})
    moto_item: MotoItem = converted
    return moto_item


def as_item(stored: bytes) -> Item:
    """Parse a stored item."""
    item: Item = orjson.loads(stored)
    return item

"""Expressions of a template for CloudFormation: found, and replaced by known or resolved values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_stack.errors import UnknownInTemplate
from local_stack.template.properties import Expression

Attributes = Mapping[str, str]
"""The values of references to a resource: `Ref`, and the attributes of `Fn::GetAtt`."""


def expressions_in(value: object) -> Iterator[Expression]:
    """Yield every outermost `Ref` or `Fn::...` of the JSON, in its order.

    >>> list(expressions_in({"a": {"Ref": "Bucket"}, "b": [1, {"Fn::Join": ["", [{"Ref": "Table"}]]}]}))
    [{'Ref': 'Bucket'}, {'Fn::Join': ['', [{'Ref': 'Table'}]]}]
    """
    if _is_expression(value):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from expressions_in(item)


def with_values(value: object, values: Iterator[str]) -> Any:
    """Replace each expression of `expressions_in` by the next of `values`.

    >>> with_values({"a": {"Ref": "Bucket"}, "b": 1}, iter(["local-bucket"]))
    {'a': 'local-bucket', 'b': 1}
    """
    if _is_expression(value):
        return next(values)
    match value:
        case dict():
            return {key: with_values(item, values) for key, item in value.items()}
        case list():
            return [with_values(item, values) for item in value]
        case _:
            return value


def with_references(value: object, known: Mapping[str, Attributes]) -> Any:
    """Replace each reference to a resource of `known` by its value.

    Raises:
        UnknownInTemplate: It refers to an unknown attribute.
    """
    match value:
        case {"Ref": str(logical_id)} if logical_id in known:
            return known[logical_id]["Ref"]
        case {"Fn::GetAtt": [str(logical_id), str(attribute)]} if logical_id in known:
            if attribute not in known[logical_id]:
                raise UnknownInTemplate(f"{logical_id}: attribute {attribute} is not known to the local stack")
            return known[logical_id][attribute]
        case dict():
            return {key: with_references(item, known) for key, item in value.items()}
        case list():
            return [with_references(item, known) for item in value]
        case _:
            return value


def _is_expression(value: object) -> bool:
    return isinstance(value, dict) and len(value) == 1 and next(iter(value)).startswith(("Ref", "Fn::"))

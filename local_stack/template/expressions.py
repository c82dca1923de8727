"""Expressions of a template, as CloudFormation resolves them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from local_stack.errors import UnknownInTemplate

Attributes = Mapping[str, str]
"""The values of references to a resource: `Ref`, and the attributes of `Fn::GetAtt`."""


def resolve(value: object, known: Mapping[str, Attributes]) -> Any:
    """Replace the expressions in a value, at any depth.

    >>> resolve({"Location": {"Fn::Join": ["/", ["s3:/", {"Ref": "Bucket"}]]}}, {"Bucket": {"Ref": "logs"}})
    {'Location': 's3://logs'}

    Raises:
        UnknownInTemplate: an expression has an unknown function, or refers to an unknown resource or attribute.
    """
    match value:
        case {"Ref": str(name)}:
            return _find(known, name, "Ref")
        case {"Fn::GetAtt": [str(name), str(attribute)]}:
            return _find(known, name, attribute)
        case {"Fn::Sub": str(text)}:
            return re.sub(r"\$\{([^}]+)\}", lambda name: _find(known, name[1], "Ref"), text)
        case dict():
            return _call({name: resolve(part, known) for name, part in value.items()})
        case list():
            return [resolve(part, known) for part in value]
    return value


def _call(value: dict[str, Any]) -> Any:
    """Call the function of an expression, whose arguments are resolved; return any other object."""
    match value:
        case {"Fn::Join": [separator, parts]}:
            return separator.join(parts)
        case {"Fn::Select": [number, parts]}:
            return parts[int(number)]
        case {"Fn::Split": [separator, text]}:
            return text.split(separator)
    if unknown := [name for name in value if name.startswith("Fn::")]:
        raise UnknownInTemplate(f"{unknown[0]}: this function is not known to the local stack")
    return value


def _find(known: Mapping[str, Attributes], name: str, attribute: str) -> str:
    if name not in known:
        raise UnknownInTemplate(f"{name}: an output or a variable refers to a resource that is not made locally")
    if attribute not in known[name]:
        raise UnknownInTemplate(f"{name}: attribute {attribute} is not known to the local stack")
    return known[name][attribute]

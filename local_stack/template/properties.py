"""The base of the models of resources: known properties, refusals, references to further resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator
from pydantic.alias_generators import to_pascal

NO_IAM = "permissions are not checked on one machine"
NO_ENCRYPTION = "the data lives in the memory of one process"
NO_LOGS = "functions log to .headwater/logs"
NO_TAGS = "tags bill and search accounts"
NOT_READ = "has no effect"


def referred_id(expression: object) -> str:
    """Read the logical id behind `{"Ref": id}` or `{"Fn::GetAtt": [id, attribute]}`.

    >>> referred_id({"Fn::GetAtt": ["RecordsQueue", "Arn"]})
    'RecordsQueue'
    """
    match expression:
        case {"Ref": str(logical_id)}:
            return logical_id
        case {"Fn::GetAtt": [str(logical_id), str()]}:
            return logical_id
        case _:
            raise ValueError("must be a Ref or Fn::GetAtt of a resource in this template")


def referred_ids(expression: object) -> frozenset[str]:
    """Collect every logical id in the expression, at any depth.

    >>> referred_ids({"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, {"Fn::GetAtt": ["Api", "Arn"]}]]})
    frozenset({'Api'})
    """
    match expression:
        case {"Ref": str(logical_id)}:
            return frozenset() if logical_id.startswith("AWS::") else frozenset({logical_id})
        case {"Fn::GetAtt": [str(logical_id), str()]}:
            return frozenset({logical_id})
        case dict():
            return frozenset().union(*map(referred_ids, expression.values()))
        case list():
            return frozenset().union(*map(referred_ids, expression))
        case _:
            return frozenset()


def _only_id(expression: object) -> str:
    """Find the only resource in a longer expression, such as an integration's URI."""
    ids = referred_ids(expression)
    if len(ids) != 1:
        raise ValueError(f"must refer to exactly one resource of this template, refers to {sorted(ids)}")
    return next(iter(ids))


# A property with a reference to a resource, as the resource's logical id.
Target = Annotated[str, BeforeValidator(referred_id)]
Within = Annotated[str, BeforeValidator(_only_id)]
# A value for CloudFormation to resolve.
Expression = Any


class Properties(BaseModel):
    """The properties of a resource; unknown properties are refused, ignored properties dropped."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_pascal)
    ignored: ClassVar[Mapping[str, str]] = {"Tags": NO_TAGS}

    @model_validator(mode="before")
    @classmethod
    def _drop_ignored(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if name not in cls.ignored}

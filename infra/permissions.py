"""The permissions of a synthesized stack: every statement of every role, with the reasons of wildcards."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam

_ACCEPTED = "aws:cdk:acknowledged-rules"
_WILDCARD = "Annotation::AwsSolutions-IAM5[Resource::{}]"
_ASSET = re.compile(r"s3:cdk-[^/]*/(\w{8})\w{56}(\.\w+)$")


@dataclass(frozen=True, slots=True)
class Grant:
    """A statement: the service's role, and the allowed actions, resources and conditions.

    `reasons` has the recorded reasons of its wildcards, by resource; a wildcard without a reason is missing.
    """

    principal: str
    service: str
    actions: Sequence[str]
    resources: Sequence[str]
    wildcards: Sequence[str]
    reasons: Mapping[str, str]
    conditions: Mapping[str, Any]


def grants_of(stack: cdk.Stack) -> list[Grant]:
    """List a synthesized stack's allowing statements of roles and policies: `Grant("Ingestion/LoadFunction", ...)`."""
    app = stack.node.root
    assert isinstance(app, cdk.App)  # noqa: S101 - the root of a synthesized stack
    template = json.loads((Path(app.outdir) / stack.template_file).read_text(encoding="utf-8"))
    names = {
        stack.get_logical_id(element): _name(element)
        for element in stack.node.find_all()
        if isinstance(element, cdk.CfnElement)
    }
    reasons = {stack.get_logical_id(_cfn(role)): _reasons(role) for role in _roles(stack)}
    grants = [
        _grant(statement, role, template["Resources"], names, reasons)
        for role, statement in _statements(template["Resources"])
    ]
    return sorted(grants, key=lambda grant: (grant.principal, grant.resources))


def _roles(stack: cdk.Stack) -> Iterator[iam.Role]:
    return (role for role in stack.node.find_all() if isinstance(role, iam.Role))


def _cfn(role: iam.Role) -> cdk.CfnElement:
    resource = role.node.default_child
    assert isinstance(resource, cdk.CfnElement)  # noqa: S101 - a role is one resource
    return resource


def _reasons(role: iam.Role) -> Mapping[str, str]:
    accepted = (entry.data for entry in role.node.metadata if entry.type == _ACCEPTED)
    return {rule: reason for rules in accepted for rule, reason in rules.items()}


def _statements(resources: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each statement with the logical id of its role, or of a managed policy without a role in the stack."""
    for logical_id, resource in resources.items():
        properties = resource.get("Properties", {})
        if resource["Type"] == "AWS::IAM::Policy":
            owners = [role["Ref"] for role in properties["Roles"]]
        elif resource["Type"] == "AWS::IAM::ManagedPolicy":
            owners = [logical_id]
        else:
            continue
        for statement in properties["PolicyDocument"]["Statement"]:
            if statement["Effect"] == "Allow":
                yield from ((owner, statement) for owner in owners)


def _grant(
    statement: Mapping[str, Any],
    owner: str,
    resources: Mapping[str, Any],
    names: Mapping[str, str],
    reasons: Mapping[str, Mapping[str, str]],
) -> Grant:
    shown = {_shown(each, names): _as_nag_names_it(each) for each in _many(statement["Resource"])}
    wildcards = [resource for resource in shown if "*" in resource]
    written = reasons.get(owner, {})
    return Grant(
        principal=names[owner],
        service=_service(resources[owner]),
        actions=_many(statement["Action"]),
        resources=sorted(shown),
        wildcards=wildcards,
        reasons={
            resource: written[_WILDCARD.format(shown[resource])]
            for resource in wildcards
            if _WILDCARD.format(shown[resource]) in written
        },
        conditions=statement.get("Condition", {}),
    )


def _service(resource: Mapping[str, Any]) -> str:
    """Name the service of the role: `lambda`, `glue`, `states`; policies are attached by the deployer."""
    trust = resource["Properties"].get("AssumeRolePolicyDocument")
    if trust is None:
        return "attached by hand"
    service: str = trust["Statement"][0]["Principal"]["Service"]
    return service.partition(".")[0]


def _name(element: cdk.CfnElement) -> str:
    """Shorten the construct's path: without the stack and generic parts, as in `Ingestion/LoadFunction`."""
    parts = element.node.path.split("/")[1:]
    text = [part for part in parts if part not in ("Resource", "Default", "Role")]
    return "/".join(text).removesuffix("Role")


def _shown(resource: object, names: Mapping[str, str]) -> str:
    """Shorten the ARN: names for ids, and no account, region or partition."""
    text = _text(resource, lambda logical_id, _: names.get(logical_id, logical_id))
    text = re.sub(r"^arn:AWS::Partition:(\w+):(AWS::Region)?:(AWS::AccountId)?:", r"\1:", text)
    return _ASSET.sub(r"assets/\1\2", text)


def _as_nag_names_it(resource: object) -> str:
    return _text(resource, lambda logical_id, attribute: f"<{logical_id}{attribute}>")


def _text(expression: object, name: Any) -> str:
    match expression:
        case {"Ref": str(logical_id)}:
            return str(name(logical_id, ""))
        case {"Fn::GetAtt": [str(logical_id), str(attribute)]}:
            return str(name(logical_id, f".{attribute}"))
        case {"Fn::Join": [str(separator), list(parts)]}:
            return separator.join(_text(part, name) for part in parts)
        case {"Fn::Sub": str(text)}:
            return text
    return str(expression)


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]

"""Make what the template describes on the endpoint, and resolve its names.

CloudFormation of moto makes what it makes properly; the rest goes through each service's own API. Event source
mappings never reach moto: its own would swallow messages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import boto3

from local.catalog import RawProperties, catalog_names, make_catalog, make_signing_keys
from local.endpoint import ACCOUNT, REGION, Endpoint, settings_at
from local.errors import UnknownInTemplate
from local.expressions import Attributes, expressions_in, with_references, with_values
from local.functions import Function
from local.properties import Properties, referred_ids
from local.resources import MODELS, ApiResource, Bucket, FunctionProperties, Queue, RestApi, Stage, StateMachine, Table
from local.search_resources import CatalogTable, Database, Job, NamedQuery, WorkGroup
from local.template import Template

_STACK = "Local"
_ROLE_ARN = f"arn:aws:iam::{ACCOUNT}:role/local"
_MADE_BY_MOTO: tuple[type[Properties], ...] = (Bucket, FunctionProperties, Queue, Table)
# Made from properties that moto's CloudFormation has resolved.
_MADE_AFTER: tuple[type[Properties], ...] = (CatalogTable, Database, Job, NamedQuery, StateMachine, WorkGroup)
_TYPE_NAMES = {model: name for name, model in MODELS.items()}


@dataclass(frozen=True)
class Deployed:
    """The stack on the endpoint: physical ids by logical id (queues' are URLs), and the template's outputs."""

    ids: Mapping[str, str]
    functions: list[Function]
    outputs: Mapping[str, str]


def deploy(template: Template, endpoint: Endpoint, *, api_urls: Mapping[str, str]) -> Deployed:
    """Create everything; outputs about an API say its url, by logical id."""
    names = _names(template, endpoint)
    body = _moto_template(template, names, api_urls)
    _make_role(endpoint)
    formation = boto3.client("cloudformation", **client_settings(endpoint))
    formation.create_stack(StackName=_STACK, TemplateBody=json.dumps(body))
    listed = formation.describe_stack_resources(StackName=_STACK)["StackResources"]
    ids = {found["LogicalResourceId"]: _local(found["PhysicalResourceId"], endpoint) for found in listed}
    ids |= {logical_id: known["Ref"] for logical_id, known in names.items()}
    stack = formation.describe_stacks(StackName=_STACK)["Stacks"][0]
    outputs = {found["OutputKey"]: _local(found["OutputValue"], endpoint) for found in stack.get("Outputs", [])}
    _finish_tables(template, ids, endpoint)
    _finish_buckets(template, ids, endpoint)
    _make_the_rest(template, _resolved(template, names, outputs), endpoint)
    functions = _read_functions(template, ids, endpoint)
    return Deployed(ids, functions, {name: outputs[name] for name in template.outputs})


def _names(template: Template, endpoint: Endpoint) -> dict[str, Attributes]:
    """What is referred to by names that moto's CloudFormation does not give."""
    arns = {logical_id: _machine_arn(logical_id) for logical_id in template.of(StateMachine)}
    return {
        **{logical_id: {"Ref": arn, "Arn": arn} for logical_id, arn in arns.items()},
        **catalog_names(template),
        **make_signing_keys(template, client_settings(endpoint)),
    }


def _local(value: str, endpoint: Endpoint) -> str:
    """A queue's URL at the endpoint's own address, which any SDK and curl can use; any other value as it is."""
    return value.replace(f"https://sqs.{REGION}.amazonaws.com", endpoint.url)


def client_settings(endpoint: Endpoint) -> dict[str, Any]:
    """What `boto3.client` needs to talk to the endpoint."""
    return settings_at(endpoint.url)


def _make_role(endpoint: Endpoint) -> None:
    """One role for all: moto wants a function's role to exist and to trust Lambda, and asks no more of it."""
    trust = {"Statement": [{"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}}]}
    iam = boto3.client("iam", **client_settings(endpoint))
    iam.create_role(RoleName=_ROLE_ARN.rpartition("/")[2], AssumeRolePolicyDocument=json.dumps(trust))


def _machine_arn(logical_id: str) -> str:
    return f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:{_STACK}-{logical_id}"


def _moto_template(template: Template, names: Mapping[str, Attributes], api_urls: Mapping[str, str]) -> dict[str, Any]:
    """The part that moto's CloudFormation makes, with what has to be resolved as its outputs."""
    resources = {
        logical_id: {"Type": _TYPE_NAMES[type(found)], "Properties": _moto_properties(template, logical_id)}
        for logical_id, found in template.resources.items()
        if isinstance(found, _MADE_BY_MOTO)
    }
    outputs = {name: _output(value, template, api_urls) for name, value in template.outputs.items()}
    for logical_id, properties in _unresolved(template, names).items():
        outputs |= {_asked(logical_id, n): found for n, found in enumerate(expressions_in(properties))}
    whole = {"Resources": resources, "Outputs": {name: {"Value": value} for name, value in outputs.items()}}
    known: dict[str, Any] = with_references(whole, names)
    missing = referred_ids(known) - resources.keys()
    if missing:
        raise UnknownInTemplate(
            f"{', '.join(sorted(missing))}: an output or a variable refers to what is not made locally"
        )
    return known


def _moto_properties(template: Template, logical_id: str) -> dict[str, Any]:
    kept = _kept(template, logical_id)
    if isinstance(template.resources[logical_id], FunctionProperties):
        return {**kept, "Code": {"ZipFile": "# see local/worker.py"}, "Role": _ROLE_ARN, "Runtime": "python3.13"}
    kept.pop("TimeToLiveSpecification", None)  # moto's CloudFormation would ignore it
    return kept


def _output(value: object, template: Template, api_urls: Mapping[str, str]) -> object:
    """An output as written or, if it prints an API's address, the local one."""
    apis = {api_id: api_id for api_id in template.of(RestApi)}
    apis |= {stage_id: stage.rest_api_id for stage_id, stage in template.of(Stage).items()}
    apis |= {part_id: part.rest_api_id for part_id, part in template.of(ApiResource).items()}
    return next((api_urls[apis[found]] for found in sorted(referred_ids(value)) if found in apis), value)


def _kept(template: Template, logical_id: str) -> dict[str, Any]:
    """The properties as written, without those that are ignored."""
    ignored = template.resources[logical_id].ignored
    given = template.raw[logical_id].get("Properties", {})
    return {name: value for name, value in given.items() if name not in ignored}


def _unresolved(template: Template, names: Mapping[str, Attributes]) -> dict[str, RawProperties]:
    """The properties of what is made after CloudFormation, with the names that are known already."""
    made = [logical_id for logical_id, found in template.resources.items() if isinstance(found, _MADE_AFTER)]
    return {logical_id: with_references(_kept(template, logical_id), names) for logical_id in made}


def _resolved(
    template: Template, names: Mapping[str, Attributes], outputs: Mapping[str, str]
) -> dict[str, RawProperties]:
    """The same, with the values that CloudFormation put among its outputs."""
    return {
        logical_id: with_values(properties, (outputs[_asked(logical_id, n)] for n in count()))
        for logical_id, properties in _unresolved(template, names).items()
    }


def _asked(logical_id: str, number: int) -> str:
    """The output by which one expression of a resource is resolved."""
    return f"{logical_id}Value{number}"


def _finish_tables(template: Template, ids: Mapping[str, str], endpoint: Endpoint) -> None:
    dynamodb = boto3.client("dynamodb", **client_settings(endpoint))
    for logical_id, table in template.of(Table).items():
        ttl = table.time_to_live_specification
        if ttl is not None and ttl.enabled:
            dynamodb.update_time_to_live(
                TableName=ids[logical_id],
                TimeToLiveSpecification={"Enabled": True, "AttributeName": ttl.attribute_name},
            )


def _finish_buckets(template: Template, ids: Mapping[str, str], endpoint: Endpoint) -> None:
    """Versions, which moto's CloudFormation leaves out."""
    s3 = boto3.client("s3", **client_settings(endpoint))
    for logical_id, bucket in template.of(Bucket).items():
        if bucket.versioning_configuration is not None:
            status = bucket.versioning_configuration.status
            s3.put_bucket_versioning(Bucket=ids[logical_id], VersioningConfiguration={"Status": status})


def _make_the_rest(template: Template, resolved: Mapping[str, RawProperties], endpoint: Endpoint) -> None:
    make_catalog(template, resolved, client_settings(endpoint))
    states = boto3.client("stepfunctions", **client_settings(endpoint))
    for logical_id in template.of(StateMachine):
        definition = resolved[logical_id]["DefinitionString"]
        for name, value in resolved[logical_id].get("DefinitionSubstitutions", {}).items():
            definition = definition.replace(f"${{{name}}}", value)
        states.create_state_machine(name=f"{_STACK}-{logical_id}", definition=definition, roleArn=_ROLE_ARN)


def _read_functions(template: Template, ids: Mapping[str, str], endpoint: Endpoint) -> list[Function]:
    """The functions, their variables resolved by CloudFormation."""
    found = []
    client = boto3.client("lambda", **client_settings(endpoint))
    for logical_id, properties in template.of(FunctionProperties).items():
        made = client.get_function_configuration(FunctionName=ids[logical_id])
        variables = made.get("Environment", {}).get("Variables", {})
        found.append(
            Function(
                logical_id=logical_id,
                name=made["FunctionName"],
                arn=made["FunctionArn"],
                handler=properties.handler,
                timeout_s=properties.timeout,
                memory_mb=properties.memory_size,
                environment={name: _local(value, endpoint) for name, value in variables.items()},
            )
        )
    return found

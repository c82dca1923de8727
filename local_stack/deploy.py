"""Deployment of the template's resources on the endpoint, with their names resolved.

moto's CloudFormation makes its fully supported resources; the rest goes through each service's own API. Event source
mappings never reach moto: it would consume messages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import boto3

from local_stack.aws.endpoint import ACCOUNT, REGION, Endpoint, settings_at
from local_stack.catalog import RawProperties, catalog_names, make_catalog, make_signing_keys
from local_stack.compute.functions import Function
from local_stack.errors import UnknownInTemplate
from local_stack.template.event_resources import EventBus
from local_stack.template.expressions import Attributes, expressions_in, with_references, with_values
from local_stack.template.properties import Properties, referred_ids
from local_stack.template.resources import (
    MODELS,
    ApiResource,
    Bucket,
    CorsRule,
    FunctionProperties,
    Queue,
    RestApi,
    Stage,
    StateMachine,
    Table,
)
from local_stack.template.search_resources import CatalogTable, Database, Job, NamedQuery, WorkGroup
from local_stack.template.template import Template

if TYPE_CHECKING:
    from mypy_boto3_s3.type_defs import CORSRuleTypeDef

_STACK = "Local"
# S3 user guide, "Bucket naming rules".
_BUCKET_NAME_MAX = 63
_ROLE_ARN = f"arn:aws:iam::{ACCOUNT}:role/local"
_MADE_BY_MOTO: tuple[type[Properties], ...] = (Bucket, FunctionProperties, Queue, Table)
# Made from properties resolved by moto's CloudFormation.
_MADE_AFTER: tuple[type[Properties], ...] = (CatalogTable, Database, Job, NamedQuery, StateMachine, WorkGroup)
_TYPE_NAMES = {model: name for name, model in MODELS.items()}


@dataclass(frozen=True)
class Deployed:
    """The stack on the endpoint: physical ids by logical id (URLs of queues), and the template's outputs."""

    ids: Mapping[str, str]
    functions: list[Function]
    outputs: Mapping[str, str]


def deploy(template: Template, endpoint: Endpoint, *, api_urls: Mapping[str, str]) -> Deployed:
    """Create everything; outputs about an API get its URL from `api_urls`, by logical id."""
    names = _names(template, endpoint)
    body = _moto_template(template, names, api_urls)
    _make_role(endpoint)
    formation = boto3.client("cloudformation", **settings_at(endpoint.url))
    formation.create_stack(StackName=_STACK, TemplateBody=json.dumps(body))
    listed = formation.describe_stack_resources(StackName=_STACK)["StackResources"]
    ids = {resource["LogicalResourceId"]: _local(resource["PhysicalResourceId"], endpoint) for resource in listed}
    ids |= {logical_id: known["Ref"] for logical_id, known in names.items()}
    stack = formation.describe_stacks(StackName=_STACK)["Stacks"][0]
    outputs = {output["OutputKey"]: _local(output["OutputValue"], endpoint) for output in stack.get("Outputs", [])}
    _finish_tables(template, ids, endpoint)
    _finish_buckets(template, ids, endpoint)
    _make_the_rest(template, _resolve(template, names, outputs), endpoint)
    functions = _read_functions(template, ids, endpoint, _addresses(template, api_urls))
    return Deployed(ids, functions, {name: outputs[name] for name in template.outputs})


def _names(template: Template, endpoint: Endpoint) -> dict[str, Attributes]:
    """List the values of references beyond moto's CloudFormation."""
    arns = {logical_id: _machine_arn(logical_id) for logical_id in template.of(StateMachine)}
    return {
        **{logical_id: {"Ref": arn, "Arn": arn} for logical_id, arn in arns.items()},
        **{logical_id: {"Ref": logical_id} for logical_id in template.of(RestApi)},
        **{logical_id: {"Ref": bus.name} for logical_id, bus in template.of(EventBus).items()},
        **{logical_id: {"Ref": stage.stage_name} for logical_id, stage in template.of(Stage).items()},
        **catalog_names(template),
        **make_signing_keys(template, settings_at(endpoint.url)),
    }


def _local(value: str, endpoint: Endpoint) -> str:
    """Move a queue's URL to the endpoint's own address, for any SDK and curl; further values stay."""
    return value.replace(f"https://sqs.{REGION}.amazonaws.com", endpoint.url)


def _addresses(template: Template, api_urls: Mapping[str, str]) -> dict[str, str]:
    """Map each API stage's address in the template to its local address."""
    stages = [(stage.rest_api_id, stage.stage_name) for stage in template.of(Stage).values()]
    return {f"https://{api}.execute-api.{REGION}.amazonaws.com/{stage}/": api_urls[api] for api, stage in stages}


def _make_role(endpoint: Endpoint) -> None:
    """Make a role for all functions: moto only requires a role that trusts Lambda."""
    trust = {"Statement": [{"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}}]}
    iam = boto3.client("iam", **settings_at(endpoint.url))
    iam.create_role(RoleName=_ROLE_ARN.rpartition("/")[2], AssumeRolePolicyDocument=json.dumps(trust))


def _machine_arn(logical_id: str) -> str:
    return f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:{_STACK}-{logical_id}"


def _moto_template(template: Template, names: Mapping[str, Attributes], api_urls: Mapping[str, str]) -> dict[str, Any]:
    """Build the part for moto's CloudFormation, with expressions to resolve as its outputs."""
    resources = {
        logical_id: {"Type": _TYPE_NAMES[type(resource)], "Properties": _moto_properties(template, logical_id)}
        for logical_id, resource in template.resources.items()
        if isinstance(resource, _MADE_BY_MOTO)
    }
    outputs = {name: _output(value, template, api_urls) for name, value in template.outputs.items()}
    for logical_id, properties in _find_unresolved(template, names).items():
        outputs |= {_output_name(logical_id, n): expression for n, expression in enumerate(expressions_in(properties))}
    whole = {"Resources": resources, "Outputs": {name: {"Value": value} for name, value in outputs.items()}}
    known: dict[str, Any] = with_references(whole, names)
    missing = referred_ids(known) - resources.keys()
    if missing:
        raise UnknownInTemplate(
            f"{', '.join(sorted(missing))}: an output or a variable refers to a resource that is not made locally"
        )
    return known


def _moto_properties(template: Template, logical_id: str) -> dict[str, Any]:
    kept = _kept(template, logical_id)
    if isinstance(template.resources[logical_id], FunctionProperties):
        return {
            **kept,
            "Code": {"ZipFile": "# see local_stack/compute"},
            "Role": _ROLE_ARN,
            "Runtime": "python3.13",
        }
    kept.pop("TimeToLiveSpecification", None)  # moto's CloudFormation would ignore it
    return {**_name_of(template.resources[logical_id], logical_id), **kept}


def _name_of(properties: Properties, logical_id: str) -> dict[str, str]:
    """Choose the property that names a resource: an equal name at each start finds the kept state."""
    if isinstance(properties, Bucket):
        return {"BucketName": f"{_STACK}-{logical_id}".lower()[:_BUCKET_NAME_MAX]}
    if isinstance(properties, Queue):
        return {"QueueName": f"{_STACK}-{logical_id}{'.fifo' if properties.fifo_queue else ''}"}
    return {"TableName": f"{_STACK}-{logical_id}"}


def _output(value: object, template: Template, api_urls: Mapping[str, str]) -> object:
    """Keep an output as written or, for an API's address, return the local address."""
    apis = {api_id: api_id for api_id in template.of(RestApi)}
    apis |= {stage_id: stage.rest_api_id for stage_id, stage in template.of(Stage).items()}
    apis |= {part_id: part.rest_api_id for part_id, part in template.of(ApiResource).items()}
    return next((api_urls[apis[api_id]] for api_id in sorted(referred_ids(value)) if api_id in apis), value)


def _kept(template: Template, logical_id: str) -> dict[str, Any]:
    """Copy the properties as written, without the ignored properties."""
    ignored = template.resources[logical_id].ignored
    given = template.raw[logical_id].get("Properties", {})
    return {name: value for name, value in given.items() if name not in ignored}


def _find_unresolved(template: Template, names: Mapping[str, Attributes]) -> dict[str, RawProperties]:
    """List the properties of resources made after CloudFormation, with known names replaced."""
    logical_ids = [
        logical_id for logical_id, resource in template.resources.items() if isinstance(resource, _MADE_AFTER)
    ]
    return {logical_id: with_references(_kept(template, logical_id), names) for logical_id in logical_ids}


def _resolve(
    template: Template, names: Mapping[str, Attributes], outputs: Mapping[str, str]
) -> dict[str, RawProperties]:
    """Fill the properties with values from CloudFormation's outputs."""
    return {
        logical_id: with_values(properties, (outputs[_output_name(logical_id, n)] for n in count()))
        for logical_id, properties in _find_unresolved(template, names).items()
    }


def _output_name(logical_id: str, number: int) -> str:
    return f"{logical_id}Value{number}"


def _finish_tables(template: Template, ids: Mapping[str, str], endpoint: Endpoint) -> None:
    dynamodb = boto3.client("dynamodb", **settings_at(endpoint.url))
    for logical_id, table in template.of(Table).items():
        ttl = table.time_to_live_specification
        if ttl is not None and ttl.enabled:
            dynamodb.update_time_to_live(
                TableName=ids[logical_id],
                TimeToLiveSpecification={"Enabled": True, "AttributeName": ttl.attribute_name},
            )


def _finish_buckets(template: Template, ids: Mapping[str, str], endpoint: Endpoint) -> None:
    """Switch on versioning and CORS, left out by moto's CloudFormation."""
    s3 = boto3.client("s3", **settings_at(endpoint.url))
    for logical_id, bucket in template.of(Bucket).items():
        if bucket.versioning_configuration is not None:
            status = bucket.versioning_configuration.status
            s3.put_bucket_versioning(Bucket=ids[logical_id], VersioningConfiguration={"Status": status})
        if bucket.cors_configuration is not None:
            rules = [_cors_rule(rule) for rule in bucket.cors_configuration.cors_rules]
            s3.put_bucket_cors(Bucket=ids[logical_id], CORSConfiguration={"CORSRules": rules})


def _cors_rule(rule: CorsRule) -> CORSRuleTypeDef:
    """Translate a rule for moto without its check of signatures: moto would answer requests of any page."""
    return {
        "AllowedMethods": rule.allowed_methods,
        "AllowedOrigins": ["http://127.0.0.1:*", "http://localhost:*"],
        "ExposeHeaders": rule.exposed_headers,
        "MaxAgeSeconds": rule.max_age,
    }


def _make_the_rest(template: Template, resolved: Mapping[str, RawProperties], endpoint: Endpoint) -> None:
    make_catalog(template, resolved, settings_at(endpoint.url))
    for bus in template.of(EventBus).values():
        boto3.client("events", **settings_at(endpoint.url)).create_event_bus(Name=bus.name)
    states = boto3.client("stepfunctions", **settings_at(endpoint.url))
    for logical_id in template.of(StateMachine):
        definition = resolved[logical_id]["DefinitionString"]
        for name, value in resolved[logical_id].get("DefinitionSubstitutions", {}).items():
            definition = definition.replace(f"${{{name}}}", value)
        states.create_state_machine(name=f"{_STACK}-{logical_id}", definition=definition, roleArn=_ROLE_ARN)


def _read_functions(
    template: Template, ids: Mapping[str, str], endpoint: Endpoint, addresses: Mapping[str, str]
) -> list[Function]:
    """Build the functions, with variables resolved by CloudFormation, and local addresses of APIs."""

    def local(value: str) -> str:
        for address, url in addresses.items():
            value = value.replace(address, url)
        return _local(value, endpoint)

    functions = []
    client = boto3.client("lambda", **settings_at(endpoint.url))
    for logical_id, properties in template.of(FunctionProperties).items():
        configuration = client.get_function_configuration(FunctionName=ids[logical_id])
        variables = configuration.get("Environment", {}).get("Variables", {})
        functions.append(
            Function(
                logical_id=logical_id,
                name=configuration["FunctionName"],
                arn=configuration["FunctionArn"],
                handler=properties.handler,
                timeout_s=properties.timeout,
                memory_mb=properties.memory_size,
                environment={name: local(value) for name, value in variables.items()},
            )
        )
    return functions

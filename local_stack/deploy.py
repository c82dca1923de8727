"""Deployment of the template's resources on the endpoint, by each service's own API.

A resource is made after the resources in its properties. Event source mappings never reach moto: it would consume
messages.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import boto3

from local_stack.aws.endpoint import ACCOUNT, REGION, Endpoint, settings_at
from local_stack.compute.functions import Function
from local_stack.template.event_resources import EventBus
from local_stack.template.expressions import Attributes, resolve
from local_stack.template.properties import Properties
from local_stack.template.resources import (
    Bucket,
    CorsRule,
    FunctionProperties,
    Queue,
    RestApi,
    Stage,
    StateMachine,
    Table,
)
from local_stack.template.search_resources import CatalogTable, Database, Job, Key, NamedQuery, WorkGroup
from local_stack.template.template import Template

if TYPE_CHECKING:
    from mypy_boto3_s3.type_defs import CORSRuleTypeDef

_STACK = "Local"
# S3 user guide, "Bucket naming rules".
_BUCKET_NAME_MAX = 63
_ROLE_ARN = f"arn:aws:iam::{ACCOUNT}:role/local"
_PSEUDO_PARAMETERS = {
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::Region": REGION,
    "AWS::StackId": f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/{_STACK}/0-0-0-0-local",
    "AWS::StackName": _STACK,
    "AWS::URLSuffix": "amazonaws.com",
}


@dataclass(frozen=True)
class Deployed:
    """The stack on the endpoint: physical ids by logical id (URLs of queues), and the template's outputs."""

    ids: Mapping[str, str]
    functions: list[Function]
    outputs: Mapping[str, str]


def deploy(template: Template, endpoint: Endpoint, *, api_urls: Mapping[str, str]) -> Deployed:
    """Create everything; an API's address becomes its URL in `api_urls`, by logical id."""
    stages = template.of(Stage)
    known: dict[str, Attributes] = {name: {"Ref": value} for name, value in _PSEUDO_PARAMETERS.items()}
    known |= {logical_id: {"Ref": logical_id} for logical_id in template.of(RestApi)}
    known |= {logical_id: {"Ref": stage.stage_name} for logical_id, stage in stages.items()}
    addresses = {
        f"https://{stage.rest_api_id}.execute-api.{REGION}.amazonaws.com/{stage.stage_name}/": stage.rest_api_id
        for stage in stages.values()
    }
    client = cache(partial(boto3.client, **settings_at(endpoint.url)))
    deployment = _Deployment(template, client, {name: api_urls[api] for name, api in addresses.items()}, known)
    deployment.make_stores()
    deployment.make_archive_search()
    deployment.make_functions()
    deployment.make_machines()
    outputs = deployment.name_outputs()
    return Deployed({each: attributes["Ref"] for each, attributes in known.items()}, deployment.functions, outputs)


@dataclass
class _Deployment:
    """A deployment under way.

    `addresses` are the local addresses by an API's address, `known` the values of references to resources so far.
    """

    template: Template
    client: Callable[[Any], Any]
    addresses: Mapping[str, str]
    known: dict[str, Attributes]
    functions: list[Function] = field(default_factory=list)

    def _each(self, kind: type[Properties]) -> Iterator[tuple[str, Any]]:
        """Yield the resources of a type: the logical id, and the resolved properties without those ignored."""
        for logical_id in self.template.of(kind):
            yield logical_id, self._resolve(kind.kept(self.template.raw[logical_id].get("Properties", {})))

    def _resolve(self, value: object) -> Any:
        text = json.dumps(resolve(value, self.known))
        for address, url in self.addresses.items():
            text = text.replace(address, url)
        return json.loads(text)

    def make_stores(self) -> None:
        """Make queues, tables, buckets and buses."""
        sqs = self.client("sqs")
        for logical_id, queue in self.template.of(Queue).items():
            name = f"{_name(logical_id)}{'.fifo' if queue.fifo_queue else ''}"
            url, arn = f"{sqs.meta.endpoint_url}/{ACCOUNT}/{name}", f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}"
            self.known[logical_id] = {"Ref": url, "Arn": arn, "QueueName": name}
        # Dead letters come before the queues that name them.
        for logical_id, given in sorted(self._each(Queue), key=lambda each: "RedrivePolicy" in each[1]):
            texts = {name: json.dumps(value) for name, value in given.items()}
            sqs.create_queue(QueueName=self.known[logical_id]["QueueName"], Attributes=texts)
        for logical_id, given in self._each(Table):
            self._make_table(_name(logical_id), given)
            self.known[logical_id] = {"Ref": _name(logical_id)}
        for logical_id, bucket in self.template.of(Bucket).items():
            name = _name(logical_id).lower()[:_BUCKET_NAME_MAX]
            _make_bucket(name, bucket, self.client("s3"))
            self.known[logical_id] = {"Ref": name, "Arn": f"arn:aws:s3:::{name}"}
        for logical_id, bus in self.template.of(EventBus).items():
            self.client("events").create_event_bus(Name=bus.name)
            self.known[logical_id] = {"Ref": bus.name}

    def _make_table(self, name: str, given: dict[str, Any]) -> None:
        ttl, dynamodb = given.pop("TimeToLiveSpecification", None), self.client("dynamodb")
        dynamodb.create_table(TableName=name, **given)
        if ttl is not None and ttl["Enabled"]:
            dynamodb.update_time_to_live(TableName=name, TimeToLiveSpecification=ttl)

    def make_archive_search(self) -> None:
        """Make the keys of signatures, the databases with their tables and jobs, and the workgroups with queries."""
        for logical_id, key in self.template.of(Key).items():
            if key.key_usage == "SIGN_VERIFY":
                about = self.client("kms").create_key(KeySpec=key.key_spec, KeyUsage=key.key_usage)["KeyMetadata"]
                self.known[logical_id] = {"Ref": about["KeyId"], "KeyId": about["KeyId"], "Arn": about["Arn"]}
        for logical_id, given in self._each(Database):
            self.client("glue").create_database(DatabaseInput=given["DatabaseInput"])
            self.known[logical_id] = {"Ref": given["DatabaseInput"]["Name"]}
        for logical_id, given in self._each(CatalogTable):
            self.client("glue").create_table(DatabaseName=given["DatabaseName"], TableInput=given["TableInput"])
            self.known[logical_id] = {"Ref": given["TableInput"]["Name"]}
        for logical_id, given in self._each(Job):
            kept = {name: given[name] for name in ("DefaultArguments", "ExecutionProperty", "Timeout") if name in given}
            command = {"Name": given["Command"]["Name"]}
            self.client("glue").create_job(Name=_name(logical_id), Role="local", Command=command, **kept)
            self.known[logical_id] = {"Ref": _name(logical_id)}
        for logical_id, given in self._each(WorkGroup):
            configuration = given["WorkGroupConfiguration"]
            self.client("athena").create_work_group(Name=given["Name"], Configuration=configuration)
            self.known[logical_id] = {"Ref": given["Name"]}
        for _, given in self._each(NamedQuery):
            self.client("athena").create_named_query(**given)

    def make_functions(self) -> None:
        """Make the functions, which run elsewhere."""
        # moto only requires a role that trusts Lambda.
        trust = {"Statement": [{"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}}]}
        role = {"RoleName": _ROLE_ARN.rpartition("/")[2], "AssumeRolePolicyDocument": json.dumps(trust)}
        self.client("iam").create_role(**role)
        functions = self.template.of(FunctionProperties)
        for logical_id, given in self._each(FunctionProperties):
            environment, function = given.get("Environment", {"Variables": {}}), functions[logical_id]
            about = self.client("lambda").create_function(
                FunctionName=_name(logical_id),
                Role=_ROLE_ARN,
                Runtime="python3.13",
                Handler=function.handler,
                Code={"ZipFile": b"see local_stack/compute"},
                Environment=environment,
            )
            name, arn, limits = about["FunctionName"], about["FunctionArn"], (function.timeout, function.memory_size)
            self.known[logical_id] = {"Ref": name, "Arn": arn}
            variables = environment["Variables"]
            self.functions.append(Function(logical_id, name, arn, function.handler, *limits, variables))

    def make_machines(self) -> None:
        """Make the state machines."""
        for logical_id, given in self._each(StateMachine):
            definition = given["DefinitionString"]
            for name, value in given.get("DefinitionSubstitutions", {}).items():
                definition = definition.replace(f"${{{name}}}", value)
            machine = {"name": _name(logical_id), "definition": definition, "roleArn": _ROLE_ARN}
            arn = self.client("stepfunctions").create_state_machine(**machine)["stateMachineArn"]
            self.known[logical_id] = {"Ref": arn, "Arn": arn}

    def name_outputs(self) -> Mapping[str, str]:
        """Resolve the outputs, and make a stack of nothing else in CloudFormation: commands read the outputs there."""
        outputs = {name: self._resolve(value) for name, value in self.template.outputs.items()}
        stack = {"Resources": {}, "Outputs": {name: {"Value": value} for name, value in outputs.items()}}
        self.client("cloudformation").create_stack(StackName=_STACK, TemplateBody=json.dumps(stack))
        return outputs


def _name(logical_id: str) -> str:
    """Name a resource: an equal name at each start finds the kept state."""
    return f"{_STACK}-{logical_id}"


def _make_bucket(name: str, bucket: Bucket, s3: Any) -> None:
    s3.create_bucket(Bucket=name)
    if bucket.versioning_configuration is not None:
        status = bucket.versioning_configuration.status
        s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": status})
    if bucket.cors_configuration is not None:
        rules = [_cors_rule(rule) for rule in bucket.cors_configuration.cors_rules]
        s3.put_bucket_cors(Bucket=name, CORSConfiguration={"CORSRules": rules})


def _cors_rule(rule: CorsRule) -> CORSRuleTypeDef:
    """Translate a rule for moto without its check of signatures: moto would answer requests of any page."""
    return {
        "AllowedMethods": rule.allowed_methods,
        "AllowedOrigins": ["http://127.0.0.1:*", "http://localhost:*"],
        "ExposeHeaders": rule.exposed_headers,
        "MaxAgeSeconds": rule.max_age,
    }

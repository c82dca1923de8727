"""What the local stack knows of CloudFormation: every resource type and property, honoured or ignored with a reason.

A property that is neither is refused (`local.template`), so that the local stack cannot drift from what is deployed
without anyone noticing. Honoured properties are the fields of the models; `ignored` says why the others do not matter
on one machine. Values are checked as well: a mode that has no local meaning is as wrong as an unknown name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_pascal

_NO_IAM = "nothing checks permissions on one machine"
_NO_ENCRYPTION = "the data lives in the memory of one process"
_NO_LOGS = "functions log to .headwater/logs"
_NO_TAGS = "tags bill and search accounts"
_PASSES_AWAY = "the data lives as long as the process"

# Whole types that the local stack does without.
IGNORED_TYPES: Mapping[str, str] = {
    "AWS::ApiGateway::Account": _NO_LOGS,
    "AWS::ApiGateway::Deployment": "the API is served as it is in the template",
    "AWS::CDK::Metadata": "says which constructs were used",
    "AWS::CloudWatch::Alarm": "no metrics are kept; failures are printed",
    "AWS::CloudWatch::CompositeAlarm": "no metrics are kept; failures are printed",
    "AWS::CloudWatch::Dashboard": "no metrics are kept",
    "AWS::IAM::ManagedPolicy": _NO_IAM,
    "AWS::IAM::Policy": _NO_IAM,
    "AWS::IAM::Role": _NO_IAM,
    "AWS::KMS::Alias": _NO_ENCRYPTION,
    "AWS::KMS::Key": _NO_ENCRYPTION,
    "AWS::Lambda::LayerVersion": "the environment of this project holds what the layer holds",
    "AWS::Lambda::Permission": _NO_IAM,
    "AWS::Logs::LogGroup": _NO_LOGS,
    "AWS::Logs::ResourcePolicy": _NO_IAM,
    "AWS::S3::BucketPolicy": _NO_IAM,
    "AWS::SNS::Subscription": "nobody is notified of a machine's own failures",
    "AWS::SNS::Topic": "nobody is notified of a machine's own failures",
    "AWS::SNS::TopicPolicy": _NO_IAM,
    "AWS::SQS::QueuePolicy": _NO_IAM,
}


def referred_id(expression: object) -> str:
    """The logical id behind `{"Ref": id}` or `{"Fn::GetAtt": [id, attribute]}`.

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
    """Every logical id that the expression refers to, at any depth.

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
    """The one resource that a longer expression, an integration's URI, is about."""
    found = referred_ids(expression)
    if len(found) != 1:
        raise ValueError(f"must refer to exactly one resource of this template, refers to {sorted(found)}")
    return next(iter(found))


# A property that points to another resource, held as that resource's logical id.
Target = Annotated[str, BeforeValidator(referred_id)]
Within = Annotated[str, BeforeValidator(_only_id)]
# A value that CloudFormation resolves.
Expression = Any


class Properties(BaseModel):
    """The properties of one resource; unknown ones are refused, ignored ones dropped."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_pascal)
    ignored: ClassVar[Mapping[str, str]] = {"Tags": _NO_TAGS}

    @model_validator(mode="before")
    @classmethod
    def _drop_ignored(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if name not in cls.ignored}


class RedrivePolicy(Properties):
    """After how many receives a message goes to which queue."""

    ignored: ClassVar[Mapping[str, str]] = {}
    dead_letter_target_arn: Target = Field(alias="deadLetterTargetArn")
    max_receive_count: int = Field(alias="maxReceiveCount")


class Queue(Properties):
    """AWS::SQS::Queue, made by moto."""

    ignored: ClassVar[Mapping[str, str]] = {
        "KmsDataKeyReusePeriodSeconds": _NO_ENCRYPTION,
        "KmsMasterKeyId": _NO_ENCRYPTION,
        "RedriveAllowPolicy": _NO_IAM,
        "SqsManagedSseEnabled": _NO_ENCRYPTION,
        "Tags": _NO_TAGS,
    }
    redrive_policy: RedrivePolicy | None = None
    visibility_timeout: int = 30
    message_retention_period: int = 345_600
    maximum_message_size: int = 1_048_576
    receive_message_wait_time_seconds: int = 0
    delay_seconds: int = 0


class TimeToLive(Properties):
    """The attribute that holds an item's last second."""

    attribute_name: str
    enabled: bool


class Table(Properties):
    """AWS::DynamoDB::Table, made by moto; its TTL is kept by `local.streams`."""

    ignored: ClassVar[Mapping[str, str]] = {
        "DeletionProtectionEnabled": _PASSES_AWAY,
        "PointInTimeRecoverySpecification": _PASSES_AWAY,
        "SSESpecification": _NO_ENCRYPTION,
        "StreamSpecification": "of a stream, only TTL removals are delivered, and those by local.streams",
        "Tags": _NO_TAGS,
    }
    key_schema: list[dict[str, str]]
    attribute_definitions: list[dict[str, str]]
    billing_mode: Literal["PAY_PER_REQUEST"]
    global_secondary_indexes: list[dict[str, Any]] = []
    local_secondary_indexes: list[dict[str, Any]] = []
    time_to_live_specification: TimeToLive | None = None


class Versioning(Properties):
    """Whether a bucket keeps what is overwritten or deleted."""

    ignored: ClassVar[Mapping[str, str]] = {}
    status: Literal["Enabled", "Suspended"]


class Bucket(Properties):
    """AWS::S3::Bucket, made by moto."""

    ignored: ClassVar[Mapping[str, str]] = {
        "AccessControl": _NO_IAM,
        "BucketEncryption": _NO_ENCRYPTION,
        "LifecycleConfiguration": _PASSES_AWAY,
        "LoggingConfiguration": "access logs are for an account's auditors",
        "OwnershipControls": _NO_IAM,
        "PublicAccessBlockConfiguration": "the endpoint is bound to loopback",
        "Tags": _NO_TAGS,
    }
    versioning_configuration: Versioning | None = None


class Variables(Properties):
    """A function's environment, unresolved."""

    ignored: ClassVar[Mapping[str, str]] = {}
    variables: dict[str, Expression] = {}


class FunctionProperties(Properties):
    """AWS::Lambda::Function, run by `local.functions`."""

    ignored: ClassVar[Mapping[str, str]] = {
        "Architectures": "this machine's",
        "Code": "the checked-out source runs, so that an edit is tried without a deployment",
        "DeadLetterConfig": "asynchronous invocations that fail are printed",
        "Description": "says nothing to a machine",
        "EphemeralStorage": "this machine's disk",
        "Layers": "the environment of this project holds what the layer holds",
        "LoggingConfig": _NO_LOGS,
        "Role": _NO_IAM,
        "Runtime": "the interpreter of this project; the stack's own tests pin the deployed one",
        "Tags": _NO_TAGS,
        "TracingConfig": "no X-Ray on one machine",
    }
    handler: str
    timeout: int = 3
    memory_size: int = 128
    environment: Variables = Variables()


class ScalingConfig(Properties):
    """How many invocations one mapping may have at a time."""

    maximum_concurrency: int = Field(ge=2)


class Filter(Properties):
    """One event pattern, as JSON text."""

    pattern: str


class FilterCriteria(Properties):
    """Patterns of which one must match."""

    filters: list[Filter]


class OnFailure(Properties):
    """The bucket that takes what could not be delivered."""

    destination: Target


class DestinationConfig(Properties):
    """Where undeliverable stream records go."""

    on_failure: OnFailure


class EventSourceMapping(Properties):
    """AWS::Lambda::EventSourceMapping, polled by `local.queues` or `local.streams`; never given to moto."""

    ignored: ClassVar[Mapping[str, str]] = {
        "ParallelizationFactor": "one shard, one reader",
        "StartingPosition": "the stream begins with the stack",
        "Tags": _NO_TAGS,
    }
    event_source_arn: Target
    function_name: Target
    enabled: bool = True
    batch_size: int = 10
    maximum_batching_window_in_seconds: int = 0
    function_response_types: list[Literal["ReportBatchItemFailures"]] = []
    scaling_config: ScalingConfig | None = None
    filter_criteria: FilterCriteria | None = None
    bisect_batch_on_function_error: bool = False
    maximum_record_age_in_seconds: int = -1
    maximum_retry_attempts: int = -1
    destination_config: DestinationConfig | None = None


class StateMachine(Properties):
    """AWS::StepFunctions::StateMachine, executed by moto."""

    ignored: ClassVar[Mapping[str, str]] = {
        "EncryptionConfiguration": _NO_ENCRYPTION,
        "LoggingConfiguration": _NO_LOGS,
        "RoleArn": _NO_IAM,
        "Tags": _NO_TAGS,
        "TracingConfiguration": "no X-Ray on one machine",
    }
    definition_string: str
    definition_substitutions: dict[str, Expression] = {}
    state_machine_type: Literal["STANDARD"] = "STANDARD"


class ScheduleTarget(Properties):
    """What a schedule starts, and with which input."""

    ignored: ClassVar[Mapping[str, str]] = {
        "DeadLetterConfig": "a start that fails is printed",
        "Id": "names the target within its rule",
        "RetryPolicy": "a start that fails is printed",
        "RoleArn": _NO_IAM,
    }
    arn: Target
    input: str = "{}"


class Rule(Properties):
    """AWS::Events::Rule with a schedule; run by `local.schedules`."""

    ignored: ClassVar[Mapping[str, str]] = {"Description": "says nothing to a machine", "Tags": _NO_TAGS}
    schedule_expression: str
    state: Literal["ENABLED", "DISABLED"] = "ENABLED"
    targets: list[ScheduleTarget]


class FlexibleTimeWindow(Properties):
    """Off: schedules fire on their minute."""

    mode: Literal["OFF"]


class Schedule(Properties):
    """AWS::Scheduler::Schedule; run by `local.schedules`."""

    ignored: ClassVar[Mapping[str, str]] = {
        "Description": "says nothing to a machine",
        "FlexibleTimeWindow": "fires on the minute",
        "GroupName": "names a folder of schedules",
    }
    schedule_expression: str
    schedule_expression_timezone: Literal["UTC", "Etc/UTC"] = "UTC"
    state: Literal["ENABLED", "DISABLED"] = "ENABLED"
    target: ScheduleTarget


class RestApi(Properties):
    """AWS::ApiGateway::RestApi, served by `local.http_api`."""

    ignored: ClassVar[Mapping[str, str]] = {
        "Description": "says nothing to a machine",
        "DisableExecuteApiEndpoint": "one port, no domain",
        "EndpointConfiguration": "one port on loopback",
        "Name": "says nothing to a machine",
        "Policy": _NO_IAM,
        "Tags": _NO_TAGS,
    }
    binary_media_types: list[str] = []
    minimum_compression_size: int | None = None


class ApiResource(Properties):
    """AWS::ApiGateway::Resource: one part of a path."""

    ignored: ClassVar[Mapping[str, str]] = {}
    parent_id: Target
    path_part: str
    rest_api_id: Target


class Integration(Properties):
    """What answers a method: a function, given the whole request."""

    ignored: ClassVar[Mapping[str, str]] = {
        "IntegrationHttpMethod": "POST, as the Lambda integration demands",
        "Credentials": _NO_IAM,
    }
    type: Literal["AWS_PROXY"]
    uri: Within
    timeout_in_millis: int = 29_000


class ApiMethod(Properties):
    """AWS::ApiGateway::Method; loopback asks nobody for credentials."""

    ignored: ClassVar[Mapping[str, str]] = {
        "ApiKeyRequired": _NO_IAM,
        "AuthorizationType": "loopback asks nobody for credentials",
        "AuthorizerId": "loopback asks nobody for credentials",
        "OperationName": "says nothing to a machine",
    }
    http_method: Literal["ANY"]
    integration: Integration
    resource_id: Target
    rest_api_id: Target


class Stage(Properties):
    """AWS::ApiGateway::Stage: the name and the variables that requests see."""

    ignored: ClassVar[Mapping[str, str]] = {
        "AccessLogSetting": _NO_LOGS,
        "DeploymentId": "the API is served as it is in the template",
        "Description": "says nothing to a machine",
        "MethodSettings": "no throttling and no metrics on loopback",
        "Tags": _NO_TAGS,
        "TracingEnabled": "no X-Ray on one machine",
    }
    rest_api_id: Target
    stage_name: str
    variables: dict[str, str] = {}


MODELS: Mapping[str, type[Properties]] = {
    "AWS::ApiGateway::Method": ApiMethod,
    "AWS::ApiGateway::Resource": ApiResource,
    "AWS::ApiGateway::RestApi": RestApi,
    "AWS::ApiGateway::Stage": Stage,
    "AWS::DynamoDB::Table": Table,
    "AWS::Events::Rule": Rule,
    "AWS::Lambda::EventSourceMapping": EventSourceMapping,
    "AWS::Lambda::Function": FunctionProperties,
    "AWS::S3::Bucket": Bucket,
    "AWS::SQS::Queue": Queue,
    "AWS::Scheduler::Schedule": Schedule,
    "AWS::StepFunctions::StateMachine": StateMachine,
}

"""The CloudFormation resource types and properties of the local stack, honoured or ignored with a reason.

An unknown property is refused (`local_stack.template.template`): the local stack cannot drift silently from the
deployed stack. Honoured properties are the fields of the models; `ignored` has the reasons why properties do not matter
on one machine. Values are checked as well: a mode without local meaning is refused like an unknown name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from local_stack.template import event_resources, search_resources
from local_stack.template.properties import (
    NO_ENCRYPTION,
    NO_IAM,
    NO_LOGS,
    NOT_READ,
    Expression,
    Properties,
    Target,
    Within,
)

# Whole types left out on one machine.
IGNORED_TYPES: Mapping[str, str] = {
    "AWS::ApiGateway::Account": NO_LOGS,
    "AWS::ApiGateway::Deployment": "the API is served as it is in the template",
    "AWS::CDK::Metadata": "lists the constructs used",
    "AWS::CloudWatch::Alarm": "no metrics are kept; failures are printed",
    "AWS::CloudWatch::CompositeAlarm": "no metrics are kept; failures are printed",
    "AWS::Chatbot::SlackChannelConfiguration": event_resources.SHOWN,
    "AWS::CloudWatch::Dashboard": "no metrics are kept",
    "AWS::Events::ApiDestination": event_resources.SHOWN,
    "AWS::Events::Connection": event_resources.SHOWN,
    "AWS::Glue::SecurityConfiguration": NO_ENCRYPTION,
    "AWS::IAM::ManagedPolicy": NO_IAM,
    "AWS::IAM::Policy": NO_IAM,
    "AWS::IAM::Role": NO_IAM,
    "AWS::KMS::Alias": NO_ENCRYPTION,
    "AWS::Lambda::LayerVersion": "the environment of this project holds what the layer holds",
    "AWS::Lambda::Permission": NO_IAM,
    "AWS::Logs::LogGroup": NO_LOGS,
    "AWS::Logs::MetricFilter": NO_LOGS,
    "AWS::Logs::ResourcePolicy": NO_IAM,
    "AWS::S3::BucketPolicy": NO_IAM,
    "AWS::SNS::Subscription": "there are no notifications on one machine",
    "AWS::SNS::Topic": "there are no notifications on one machine",
    "AWS::SNS::TopicPolicy": NO_IAM,
    "AWS::SQS::QueuePolicy": NO_IAM,
    "AWS::SecretsManager::Secret": "holds the key of a webhook, which gets nothing here",
    "AWS::WAFv2::WebACL": "the API is bound to loopback",
    "AWS::WAFv2::WebACLAssociation": "the API is bound to loopback",
}


class RedrivePolicy(Properties):
    """The dead-letter queue of a queue, and the number of receives before it."""

    dead_letter_target_arn: Target = Field(alias="deadLetterTargetArn")
    max_receive_count: int = Field(alias="maxReceiveCount")


class Queue(Properties):
    """AWS::SQS::Queue, made by moto."""

    redrive_policy: RedrivePolicy | None = None
    visibility_timeout: int = 30
    message_retention_period: int = 345_600
    maximum_message_size: int = 1_048_576
    receive_message_wait_time_seconds: int = 0
    delay_seconds: int = 0
    fifo_queue: bool = False


class TimeToLive(Properties):
    """The attribute with an item's last second."""

    attribute_name: str
    enabled: bool


class Table(Properties):
    """AWS::DynamoDB::Table, made by moto; its TTL is kept by `local_stack.compute.streams`."""

    key_schema: list[dict[str, str]]
    attribute_definitions: list[dict[str, str]]
    billing_mode: Literal["PAY_PER_REQUEST"]
    global_secondary_indexes: list[dict[str, Any]] = Field(default_factory=list)
    local_secondary_indexes: list[dict[str, Any]] = Field(default_factory=list)
    time_to_live_specification: TimeToLive | None = None


class Versioning(Properties):
    """The versioning of a bucket: it keeps overwritten and deleted objects."""

    status: Literal["Enabled", "Suspended"]


class CorsRule(Properties):
    """Permission for pages of foreign origins to read objects behind a redirect."""

    allowed_methods: list[str]
    exposed_headers: list[str] = Field(default_factory=list)
    max_age: int


class Cors(Properties):
    """The rules of a bucket for pages."""

    cors_rules: list[CorsRule]


class Bucket(Properties):
    """AWS::S3::Bucket, made by moto."""

    versioning_configuration: Versioning | None = None
    cors_configuration: Cors | None = None


class Variables(Properties):
    """A function's environment, unresolved."""

    variables: dict[str, Expression] = Field(default_factory=dict)


class FunctionProperties(Properties):
    """AWS::Lambda::Function, run by `local_stack.compute.functions`."""

    handler: str
    timeout: int = 3
    memory_size: int = 128
    environment: Variables = Variables()


class ScalingConfig(Properties):
    """The number of invocations of a mapping at a time."""

    maximum_concurrency: int = Field(ge=2)


class Filter(Properties):
    """An event pattern, as JSON text."""

    pattern: str


class FilterCriteria(Properties):
    """A list of patterns: a record must match at least one."""

    filters: list[Filter]


class OnFailure(Properties):
    """The bucket for undeliverable records."""

    destination: Target


class DestinationConfig(Properties):
    """The destination of undeliverable stream records."""

    on_failure: OnFailure


class EventSourceMapping(Properties):
    """AWS::Lambda::EventSourceMapping, polled by `local_stack.compute`; never given to moto."""

    event_source_arn: Target
    function_name: Target
    enabled: bool = True
    batch_size: int = 10
    maximum_batching_window_in_seconds: int = 0
    function_response_types: list[Literal["ReportBatchItemFailures"]] = Field(default_factory=list)
    scaling_config: ScalingConfig | None = None
    filter_criteria: FilterCriteria | None = None
    bisect_batch_on_function_error: bool = False
    maximum_record_age_in_seconds: int = -1
    maximum_retry_attempts: int = -1
    destination_config: DestinationConfig | None = None


class StateMachine(Properties):
    """AWS::StepFunctions::StateMachine, executed by moto."""

    definition_string: str
    definition_substitutions: dict[str, Expression] = Field(default_factory=dict)
    state_machine_type: Literal["STANDARD"] = "STANDARD"


class RestApi(Properties):
    """AWS::ApiGateway::RestApi, served by `local_stack.compute.http_api`."""

    ignored: ClassVar[Mapping[str, str]] = {"Name": NOT_READ}
    binary_media_types: list[str] = Field(default_factory=list)
    minimum_compression_size: int | None = None


class ApiResource(Properties):
    """AWS::ApiGateway::Resource: a part of a path."""

    parent_id: Target
    path_part: str
    rest_api_id: Target


class Integration(Properties):
    """The integration of a method: a function that gets the whole request."""

    type: Literal["AWS_PROXY"]
    uri: Within
    timeout_in_millis: int = 29_000


class ApiMethod(Properties):
    """AWS::ApiGateway::Method; loopback requires no credentials, but an API without any has its own port."""

    authorization_type: Literal["AWS_IAM", "CUSTOM", "NONE"] = "NONE"
    http_method: Literal["ANY"]
    integration: Integration
    resource_id: Target
    rest_api_id: Target


class ApiAuthorizer(Properties):
    """AWS::ApiGateway::Authorizer: the function that says whether a token may pass."""

    ignored: ClassVar[Mapping[str, str]] = {"Name": NOT_READ}
    authorizer_result_ttl_in_seconds: float
    authorizer_uri: Within
    rest_api_id: Target
    type: Literal["TOKEN"]


class GatewayResponse(Properties):
    """AWS::ApiGateway::GatewayResponse: the text of a refusal."""

    response_templates: dict[str, str]
    response_type: str
    rest_api_id: Target
    status_code: Literal["401"]


class Stage(Properties):
    """AWS::ApiGateway::Stage: the name and the variables in requests."""

    rest_api_id: Target
    stage_name: str
    variables: dict[str, str] = Field(default_factory=dict)


MODELS: Mapping[str, type[Properties]] = {
    "AWS::ApiGateway::Authorizer": ApiAuthorizer,
    "AWS::ApiGateway::GatewayResponse": GatewayResponse,
    "AWS::ApiGateway::Method": ApiMethod,
    "AWS::ApiGateway::Resource": ApiResource,
    "AWS::ApiGateway::RestApi": RestApi,
    "AWS::ApiGateway::Stage": Stage,
    "AWS::Athena::NamedQuery": search_resources.NamedQuery,
    "AWS::Athena::WorkGroup": search_resources.WorkGroup,
    "AWS::DynamoDB::Table": Table,
    "AWS::Events::EventBus": event_resources.EventBus,
    "AWS::Events::Rule": event_resources.Rule,
    "AWS::Glue::Database": search_resources.Database,
    "AWS::Glue::Job": search_resources.Job,
    "AWS::Glue::Table": search_resources.CatalogTable,
    "AWS::KMS::Key": search_resources.Key,
    "AWS::Lambda::EventSourceMapping": EventSourceMapping,
    "AWS::Lambda::Function": FunctionProperties,
    "AWS::S3::Bucket": Bucket,
    "AWS::SQS::Queue": Queue,
    "AWS::Scheduler::Schedule": event_resources.Schedule,
    "AWS::StepFunctions::StateMachine": StateMachine,
}

"""The HTTP API: one function behind every route, and a log of callers and paths, never of bodies."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import cast

import aws_cdk as cdk
from aws_cdk import Size
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_wafv2 as wafv2
from constructs import Construct

from headwater import settings
from infra.archive_search import ArchiveSearch
from infra.context import StackContext
from infra.events import Events
from infra.function import LOG_RETENTION, FunctionDefaults, ServiceFunction
from infra.ingestion import Ingestion
from infra.nag import accept
from infra.storage import Storage

_TIMEOUT_S = 29  # API Gateway gives up after 29 seconds
# A looping caller is slowed before it takes the account's concurrency: 1,000 by default, shared with everything.
_REQUESTS_PER_S = 200
_REQUESTS_BURST = 400
_RATE_WINDOW_S = 300
# TLS 1.2 and 1.3 alone, with authenticated ciphers. Without it the default endpoint also takes TLS 1.0.
_SECURITY_POLICY = "SecurityPolicy_TLS13_1_2_2021_06"
# STRICT also refuses clients with an SNI other than their Host header, as behind proxies.
_ACCESS_MODE = "BASIC"
# The stage in logical ids of a template with the stage as a parameter.
_STAGE_IN_IDS = "prod"
_COMPRESS_FROM = Size.kibibytes(1)
# The function's writes to the graph table. `ForAllValues` is true for no values, too; `Null` requires a value.
_USES_OF_TOKENS_ALONE: Mapping[str, Mapping[str, str | Sequence[str]]] = {
    "ForAllValues:StringEquals": {
        "dynamodb:LeadingKeys": [settings.TOKEN_USES, settings.TOKEN_BUDGETS],
        "dynamodb:Attributes": [
            settings.PK,
            settings.SK,
            settings.LAST_USED,
            settings.EVENTS_SENT,
            settings.EXPIRES_AT,
        ],
    },
    "Null": {"dynamodb:LeadingKeys": "false", "dynamodb:Attributes": "false"},
}


class QueryApi(Construct):
    """The REST APIs, since HTTP APIs decode `%2F` in the path: root ids and node ids are full of slashes.

    Requests to `api` are signed, and API Gateway checks the signature. `token_api`, if given, serves the same function
    to clients with nothing but a bearer token: there the function checks the token.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        defaults: FunctionDefaults,
        ingestion: Ingestion,
        events: Events,
        trace_queue: sqs.Queue,
        search: ArchiveSearch,
    ) -> None:
        super().__init__(scope, construct_id)
        context, storage = defaults.context, defaults.storage
        self.function = ServiceFunction(
            self,
            "ApiFunction",
            module="api",
            description="Answers the HTTP API.",
            timeout_s=_TIMEOUT_S,
            memory_mb=1024,
            defaults=defaults,
            concurrency=context.api_concurrency,
            snap_start=context.snap_start,
        )
        # The API accepts requests, events and changes, and queries everything.
        ingestion.open_to(self.function)
        events.open_to(self.function)
        events.open_changes_to(self.function)
        self._let_query(storage, trace_queue, context)
        search.open_to(self.function)
        self.access_log = logs.LogGroup(self, "AccessLog", retention=LOG_RETENTION)
        self.api = _rest_api(self, "RestApi", context.name, context.stage, self.function, self.access_log, signed=True)
        # Bearer tokens have an API of their own; the function counts their uses.
        self.token_api: apigateway.RestApi | None = None
        if context.token_api:
            name, log = f"{context.name}-tokens", logs.LogGroup(self, "TokenAccessLog", retention=LOG_RETENTION)
            self.token_api = _rest_api(self, "TokenApi", name, context.stage, self.function, log, signed=False)
            # Without the account's role for logs, API Gateway refuses a stage with a log.
            self.token_api.deployment_stage.node.add_dependency(self.api.node.find_child("Account"))
            graph_arns = [storage.graph_table.table_arn]
            self.function.rights.allow(["dynamodb:UpdateItem"], graph_arns, conditions=_USES_OF_TOKENS_ALONE)
        self._protect(context)

    def _let_query(self, storage: Storage, trace_queue: sqs.Queue, context: StackContext) -> None:
        """Give the function its tables, buckets and trace queue, and the rights to read them and to queue traces."""
        records_table, graph_table, archive_bucket = storage.records_table, storage.graph_table, storage.archive_bucket
        self.function.set(
            {
                **storage.names(settings.RECORDS_TABLE, settings.GRAPH_TABLE, settings.ARCHIVE_BUCKET),
                settings.TRACE_QUEUE_URL: trace_queue.queue_url,
                settings.STRICT_NAMESPACES: "true" if context.strict_namespaces else "false",
                settings.PARTITION_TRIMMING: "true" if context.partition_trimming else "false",
            }
        )
        self.function.allow(["dynamodb:GetItem", "dynamodb:Query"], [records_table.table_arn])
        self.function.allow(["dynamodb:Query"], _index_arns(records_table))
        self.function.allow(["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"], [graph_table.table_arn])
        self.function.allow(["sqs:SendMessage"], [trace_queue.queue_arn])
        for prefix in ("traces/", "digests/", settings.FACTS_PREFIX, settings.EVENTS_PREFIX):
            self.function.allow_objects(["s3:GetObject"], archive_bucket, prefix)
        self.function.allow_objects(["s3:GetObject", "s3:PutObject"], storage.ingest_bucket, "answers/")

    def _protect(self, context: StackContext) -> None:
        """Attach a web ACL to the stages of both APIs: a rule by address, or the deployer's own."""
        web_acl_arn = context.web_acl_arn
        if context.requests_per_address:
            web_acl_arn = _rate_rule(self, context.requests_per_address).attr_arn
        if web_acl_arn is None:
            return
        for api in filter(None, (self.api, self.token_api)):
            stage_arn = api.deployment_stage.stage_arn
            wafv2.CfnWebACLAssociation(api, "WebAcl", resource_arn=stage_arn, web_acl_arn=web_acl_arn)


def _index_arns(records_table: dynamodb.Table) -> Sequence[str]:
    return [f"{records_table.table_arn}/index/{name}" for name in (settings.NODE_INDEX, settings.ACTION_INDEX)]


def _rate_rule(scope: Construct, requests: int) -> wafv2.CfnWebACL:
    """Make a web ACL that refuses an address above this number of requests in the last five minutes."""
    metrics = {"cloud_watch_metrics_enabled": True, "sampled_requests_enabled": True}
    return wafv2.CfnWebACL(
        scope,
        "WebAcl",
        scope="REGIONAL",
        default_action=wafv2.CfnWebACL.DefaultActionProperty(allow={}),
        visibility_config=wafv2.CfnWebACL.VisibilityConfigProperty(metric_name="HeadwaterApi", **metrics),
        rules=[
            wafv2.CfnWebACL.RuleProperty(
                name="requests-per-address",
                priority=0,
                action=wafv2.CfnWebACL.RuleActionProperty(block={}),
                statement=wafv2.CfnWebACL.StatementProperty(
                    rate_based_statement=wafv2.CfnWebACL.RateBasedStatementProperty(
                        aggregate_key_type="IP", limit=requests, evaluation_window_sec=_RATE_WINDOW_S
                    )
                ),
                visibility_config=wafv2.CfnWebACL.VisibilityConfigProperty(
                    metric_name="HeadwaterRequestsPerAddress", **metrics
                ),
            )
        ],
    )


def _rest_api(
    scope: Construct,
    construct_id: str,
    name: str,
    stage: str,
    function: ServiceFunction,
    access_log: logs.LogGroup,
    *,
    signed: bool,
) -> apigateway.RestApi:
    """Make an API; a stage variable, out of reach of callers, says whether API Gateway checks them."""
    authorization = apigateway.AuthorizationType.IAM if signed else apigateway.AuthorizationType.NONE
    api = apigateway.RestApi(
        scope,
        construct_id,
        rest_api_name=name,  # metrics name the API so: two stages must differ
        description="Headwater: where data came from.",
        endpoint_types=[apigateway.EndpointType.REGIONAL],
        # As text, a request's bytes in no UTF-8 would be replaced: a damaged event would look like a good event.
        binary_media_types=["*/*"],
        # Also makes API Gateway unpack requests that come with Content-Encoding: gzip.
        min_compression_size=_COMPRESS_FROM,
        cloud_watch_role=signed,  # one for the account
        default_integration=apigateway.LambdaIntegration(function.called, allow_test_invoke=False),
        default_method_options=apigateway.MethodOptions(authorization_type=authorization),
        deploy_options=_stage_options(stage, access_log, signed=signed),
    )
    resource = cast(apigateway.CfnRestApi, api.node.default_child)
    resource.security_policy, resource.endpoint_access_mode = _SECURITY_POLICY, _ACCESS_MODE
    # The CDK derives this resource's logical id from the name, so a parameter takes its place afterwards.
    cast(apigateway.CfnStage, api.deployment_stage.node.default_child).stage_name = stage
    api.node.try_remove_child("Endpoint")  # the stack names its outputs itself
    api.root.add_method("ANY")
    api.root.add_resource("{proxy+}").add_method("ANY")
    _accept_findings(api, signed)
    return api


def _stage_options(stage: str, access_log: logs.LogGroup, *, signed: bool) -> apigateway.StageOptions:
    return apigateway.StageOptions(
        stage_name=_STAGE_IN_IDS if cdk.Token.is_unresolved(stage) else stage,
        access_log_destination=apigateway.LogGroupLogDestination(access_log),
        access_log_format=_access_log_format(),
        data_trace_enabled=False,
        logging_level=apigateway.MethodLoggingLevel.ERROR,
        tracing_enabled=True,
        throttling_rate_limit=_REQUESTS_PER_S,
        throttling_burst_limit=_REQUESTS_BURST,
        variables={settings.AUTH_STAGE_VARIABLE: settings.IAM_AUTH if signed else settings.TOKEN_AUTH},
    )


def _access_log_format() -> apigateway.AccessLogFormat:
    """Make CDK's standard fields with the path: the resource is `/{proxy+}` for every request."""
    field = apigateway.AccessLogField
    fields = {
        "requestId": field.context_request_id(),
        "ip": field.context_identity_source_ip(),
        "caller": field.context_identity_caller(),
        "user": field.context_identity_user(),
        "requestTime": field.context_request_time(),
        "httpMethod": field.context_http_method(),
        "resourcePath": field.context_resource_path(),
        "path": field.context_path(),
        "status": field.context_status(),
        "protocol": field.context_protocol(),
        "responseLength": field.context_response_length(),
    }
    return apigateway.AccessLogFormat.custom(json.dumps(fields))


def _accept_findings(api: apigateway.RestApi, signed: bool) -> None:
    if signed:
        accept(api, "APIG3", "Callers are IAM principals that sign each request; throttling bounds what one may ask.")
        accept(api, "COG4", "Callers are jobs with IAM roles, not people with a user pool.")
    else:
        accept(api, "APIG3", "The function refuses who brings no valid token; throttling bounds what one may ask.")
        accept(api, "APIG4", "The function checks a bearer token, which standard OpenLineage transports can send.")
        accept(api, "COG4", "Callers are jobs with tokens, not people with a user pool.")
    accept(api, "APIG2", "The function checks requests and names field, value and rule; a JSON schema here could not.")
    accept(
        api,
        "IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
        "API Gateway writes its logs through this role, and AWS keeps the policy for it.",
    )

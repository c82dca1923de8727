"""The rules of a company's account for the resources of the stack: roles, keys, logs, doors, and a budget.

Aspects see every resource at synth, also resources of other features.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

import aws_cdk as cdk
import jsii
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_athena as athena
from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from constructs import IConstruct

from headwater.features.company.context import CompanyRules
from infra.addition import Addition

if TYPE_CHECKING:
    from infra.stack import LineageStack

# S3 delivers access logs into no bucket with a key of KMS.
_ACCESS_LOGS = "AccessLogsBucket/Resource"
# The rights of a role to use a key, by all services.
_USES_OF_KEY = ("Decrypt", "DescribeKey", "Encrypt", "GenerateDataKey", "ReEncryptFrom", "ReEncryptTo")
_INVOKE = "execute-api:Invoke"


def add(stack: LineageStack, rules: CompanyRules) -> Addition:
    """Add the rules to the stack; the outputs are the parameters of `spoke.template.json`."""
    for name, value in rules.tags.items():
        stack.tags.set_tag(name, value)
    if rules.permissions_boundary:
        boundary = iam.ManagedPolicy.from_managed_policy_arn(stack, "Boundary", rules.permissions_boundary)
        iam.PermissionsBoundary.of(stack).apply(boundary)
    changes = [*_changes_of_names(rules), *(_changes_by_key(rules.kms_key_arn) if rules.kms_key_arn else ())]
    cdk.Aspects.of(stack).add(_Changes(changes))
    if rules.private:
        _make_private(stack, rules.vpc_endpoints)
    if rules.budget_usd:
        _add_budget(stack, rules.budget_usd)
    return Addition(outputs=_open_to_producers(stack, rules.producers) if rules.producers else {})


_Change = tuple[type, Callable[[IConstruct], None]]


@jsii.implements(cdk.IAspect)
class _Changes:
    """An aspect with a change for each type of resource."""

    def __init__(self, changes: Sequence[_Change]) -> None:
        self._changes = changes

    def visit(self, node: IConstruct) -> None:
        """Change a construct."""
        for kind, change in self._changes:
            if isinstance(node, kind):
                change(node)


def _overriding(**properties: object) -> Callable[[IConstruct], None]:
    """Make a change of properties: None removes a property."""

    def change(node: IConstruct) -> None:
        for name, value in properties.items():
            if value is None:
                cast(cdk.CfnResource, node).add_property_deletion_override(name)
            else:
                cast(cdk.CfnResource, node).add_property_override(name, value)

    return change


def _changes_of_names(rules: CompanyRules) -> Sequence[_Change]:
    """List the changes of roles' paths, and of the logs' retention."""
    changes: list[_Change] = []
    if rules.role_path:
        path = _overriding(Path=rules.role_path)
        changes += [(iam.CfnRole, path), (iam.CfnManagedPolicy, path)]
    if rules.log_retention_days:
        changes.append((logs.CfnLogGroup, _overriding(RetentionInDays=rules.log_retention_days)))
    return changes


def _changes_by_key(arn: str) -> Sequence[_Change]:
    """List the changes for encryption by the key: of stores and logs, and of the rights of roles and producers."""
    uses = iam.PolicyStatement(actions=[f"kms:{use}" for use in _USES_OF_KEY], resources=[arn])
    by_key = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": arn}
    rule = {"ServerSideEncryptionByDefault": by_key, "BucketKeyEnabled": True}
    in_bucket = _overriding(BucketEncryption={"ServerSideEncryptionConfiguration": [rule]})
    in_table = {"SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": arn}
    results = "WorkGroupConfiguration.ResultConfiguration.EncryptionConfiguration"
    return (
        (dynamodb.CfnTable, _overriding(SSESpecification=in_table)),
        (s3.CfnBucket, lambda node: None if node.node.path.endswith(_ACCESS_LOGS) else in_bucket(node)),
        (sqs.CfnQueue, _overriding(KmsMasterKeyId=arn, SqsManagedSseEnabled=None)),
        (sns.CfnTopic, _overriding(KmsMasterKeyId=arn)),
        (logs.CfnLogGroup, _overriding(KmsKeyId=arn)),
        (athena.CfnWorkGroup, _overriding(**{results: {"EncryptionOption": "SSE_KMS", "KmsKey": arn}})),
        # Roles without own statements have a managed policy of AWS.
        (iam.Role, lambda node: _let_use(cast(iam.Role, node), uses)),
        (iam.ManagedPolicy, lambda node: cast(iam.ManagedPolicy, node).add_statements(uses)),
    )


def _let_use(role: iam.Role, uses: iam.PolicyStatement) -> None:
    if role.node.try_find_child("DefaultPolicy"):
        role.add_to_principal_policy(uses)


def _make_private(stack: LineageStack, vpc_endpoints: Sequence[str]) -> None:
    """Move both APIs into the VPC endpoints of API Gateway."""
    configuration: dict[str, object] = {"Types": ["PRIVATE"]}
    conditions: dict[str, dict[str, object]] = {}
    if vpc_endpoints:
        configuration["VpcEndpointIds"] = list(vpc_endpoints)
        conditions["StringEquals"] = {"aws:SourceVpce": list(vpc_endpoints)}
    # A VPC endpoint of a stranger leads to the API, too: signatures of other accounts stay out.
    own = {"aws:PrincipalAccount": cdk.Aws.ACCOUNT_ID}
    of_account = {**conditions, "StringEquals": {**conditions.get("StringEquals", {}), **own}}
    for api, allowed in ((stack.query_api.api, of_account), (stack.query_api.token_api, conditions)):
        if api is not None:
            cast(cdk.CfnResource, api.node.default_child).add_property_override("EndpointConfiguration", configuration)
            _allow_calls(api, iam.AnyPrincipal(), allowed)


def _allow_calls(api: apigateway.RestApi, principal: iam.IPrincipal, conditions: Mapping[str, object]) -> None:
    """Add a statement to the policy of an API."""
    statement = iam.PolicyStatement(
        principals=[principal], actions=[_INVOKE], resources=["execute-api:/*"], conditions=dict(conditions)
    )
    api.add_to_resource_policy(statement)


def _open_to_producers(stack: LineageStack, principals: Sequence[str]) -> Mapping[str, str]:
    """Let accounts or organizations send to the queues, invoke the input function, and call the signed API."""
    function = stack.producers.function.resource
    for name in principals:
        organization = name.startswith("o-")
        principal = iam.OrganizationPrincipal(name) if organization else iam.AccountPrincipal(name)
        for queue in stack.producers.queues:
            statement = iam.PolicyStatement(
                principals=[principal], actions=["sqs:SendMessage"], resources=[queue.queue_arn]
            )
            queue.add_to_resource_policy(statement)
        function.add_permission(f"Producer{name.replace('-', '')}", principal=principal)
        _allow_calls(stack.query_api.api, principal, {})
    packed, events = stack.producers.queues
    return {
        "EventsQueueArn": events.queue_arn,
        "PackedQueueArn": packed.queue_arn,
        "InputFunctionArn": function.function_arn,
        "ApiArn": stack.query_api.api.arn_for_execute_api(),
    }


def _add_budget(stack: LineageStack, usd: int) -> None:
    """Add a budget of the month's costs with the stack's tag; a mail comes at 80 %, and at a forecast of more."""
    mail = budgets.CfnBudget.SubscriberProperty(subscription_type="EMAIL", address=stack.context.alarm_email or "")
    budgets.CfnBudget(
        stack,
        "Budget",
        budget=budgets.CfnBudget.BudgetDataProperty(
            budget_type="COST",
            time_unit="MONTHLY",
            budget_limit=budgets.CfnBudget.SpendProperty(amount=usd, unit="USD"),
            cost_filters={"TagKeyValue": ["user:service$headwater"]},
        ),
        notifications_with_subscribers=[
            budgets.CfnBudget.NotificationWithSubscribersProperty(
                notification=budgets.CfnBudget.NotificationProperty(
                    comparison_operator="GREATER_THAN", notification_type=kind, threshold=percent
                ),
                subscribers=[mail],
            )
            for kind, percent in (("ACTUAL", 80), ("FORECASTED", 100))
        ],
    )

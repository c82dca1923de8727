"""The state machines of the night: their roles, their logs, and their schedules."""

from __future__ import annotations

from collections.abc import Mapping

import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.function import LOG_RETENTION
from infra.log_names import log_name
from infra.nag import accept
from infra.role_permissions import Rights

# Loaders have the day's last events by then.
_MINUTE = 30


def machine_rights(scope: Construct, name: str) -> Rights:
    """Make the role of a state machine, such as `machine_rights(self, "StateMachine")`."""
    role = iam.Role(scope, f"{name}Role", assumed_by=iam.ServicePrincipal("states.amazonaws.com"))
    reason = "X-Ray segments and the delivery of logs belong to no resource that a policy could name."
    accept(role, "IAM5[Resource::*]", reason)
    return Rights(role)


def make_machine(
    scope: Construct, name: str, rights: Rights, *, definition: str, substitutions: Mapping[str, str], of: str = ""
) -> sfn.StateMachine:
    """Make a state machine of a definition in Amazon's States Language; `of` is a part of its log's name."""
    # Under this prefix, Step Functions needs no entry of its own in the resource policy of CloudWatch Logs: it has at
    # most 5,120 characters for all state machines of an account.
    place = log_name(f"/aws/vendedlogs/states{of}")
    log_group = logs.LogGroup(scope, f"{name}Logs", log_group_name=place, retention=LOG_RETENTION)
    return sfn.StateMachine(
        scope,
        name,
        definition_body=sfn.DefinitionBody.from_string(definition),
        definition_substitutions=substitutions,
        role=rights.role,
        logs=sfn.LogOptions(destination=log_group, level=sfn.LogLevel.ALL, include_execution_data=False),
        tracing_enabled=True,
    )


def start_nightly(
    scope: Construct, construct_id: str, machine: sfn.StateMachine, *, hour_utc: int, about: str
) -> events.Rule:
    """Start a state machine at half past the hour, `start_nightly(self, "Daily", machine, hour_utc=0, about="...")`."""
    return events.Rule(
        scope,
        construct_id,
        description=about,
        schedule=events.Schedule.cron(hour=cdk.Tokenization.stringify_number(hour_utc), minute=str(_MINUTE)),
        targets=[targets.SfnStateMachine(machine, input=events.RuleTargetInput.from_object({}))],
    )

"""The daily compaction: traces of the day's roots, a digest as the day's seal, tables of the sealed objects."""

from __future__ import annotations

from pathlib import Path

import aws_cdk as cdk
from aws_cdk import RemovalPolicy
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_logs as logs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from headwater import settings
from infra.archive_search import ArchiveSearch
from infra.function import LOG_RETENTION, FunctionDefaults, ServiceFunction
from infra.log_names import log_name
from infra.nag import accept
from infra.queues import RECEIVES_MAX, dead_letter_queue, work_queue
from infra.role_permissions import Rights
from infra.spark_jobs import COMPACTION_JOBS, SparkJobs
from infra.trace_resources import TraceResources

STATE_MACHINE_FILE = Path(__file__).with_name("compaction.asl.json")
_TRACE_TIMEOUT_S = 900
_COMPACT_TIMEOUT_S = 900
_MINUTE = 30


class Compaction(Construct):
    """The compaction: schedule, state machine, compact and trace functions, trace queue, and Spark jobs."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        defaults: FunctionDefaults,
        traced: TraceResources,
        search: ArchiveSearch,
        spark_jobs: SparkJobs,
        hour_utc: int,
        signing: bool,
    ) -> None:
        super().__init__(scope, construct_id)
        self._defaults, self._traced, self._search, self._spark_jobs = defaults, traced, search, spark_jobs
        # The trace queue has a message for each root to trace.
        self.dead_letters = dead_letter_queue(self, "TraceDeadLetters", removal=defaults.removal)
        self.trace_queue = work_queue(
            self,
            "TraceQueue",
            dead_letters=self.dead_letters,
            receives_max=RECEIVES_MAX,
            function_timeout_s=_TRACE_TIMEOUT_S,
            removal=defaults.removal,
        )
        self.trace = self._make_trace()
        # The signing key names the compact function's role, and the function the key.
        self.signing_key = _signing_key(self, removal=defaults.removal) if signing else None
        self.compact = self._make_compact()
        if self.signing_key is not None:
            _let_sign_alone(self.signing_key, self.compact.role)
        self.state_machine = self._make_state_machine()
        self.schedule = events.Rule(
            self,
            "Daily",
            description="Starts the compaction of the day before.",
            schedule=events.Schedule.cron(hour=cdk.Tokenization.stringify_number(hour_utc), minute=str(_MINUTE)),
            targets=[targets.SfnStateMachine(self.state_machine, input=events.RuleTargetInput.from_object({}))],
        )

    def _make_trace(self) -> ServiceFunction:
        function = ServiceFunction(
            self,
            "TraceFunction",
            module="trace",
            description="Retraces one root's records and archives the trace.",
            timeout_s=_TRACE_TIMEOUT_S,
            memory_mb=3008,  # the most that a new account may give a function
            storage_gb=4,
            defaults=self._defaults,
        )
        function.set(
            {
                settings.RECORDS_TABLE: self._traced.records_table.table_name,
                settings.GRAPH_TABLE: self._traced.graph_table.table_name,
                settings.ARCHIVE_BUCKET: self._traced.archive_bucket.bucket_name,
                settings.RECORDS_DLQ_URL: self._traced.records_dead_letters.queue_url,
                settings.TRACE_QUEUE_URL: self.trace_queue.queue_url,
                settings.TRACE_RECORDS_MAX: str(settings.DEFAULT_TRACE_RECORDS_MAX),
            }
        )
        self._traced.open_to(function.rights)
        function.consume("Roots", queue=self.trace_queue, batch_size=1)
        return function

    def _make_compact(self) -> ServiceFunction:
        function = ServiceFunction(
            self,
            "CompactFunction",
            module="compact",
            description="The steps of the daily compaction.",
            timeout_s=_COMPACT_TIMEOUT_S,
            memory_mb=1024,
            defaults=self._defaults,
        )
        function.set(
            {
                settings.GRAPH_TABLE: self._traced.graph_table.table_name,
                settings.TRACE_QUEUE_URL: self.trace_queue.queue_url,
                settings.ARCHIVE_BUCKET: self._traced.archive_bucket.bucket_name,
            }
        )
        # The steps read and write the night's work in the graph table.
        function.rights.allow_partitions(
            [
                "dynamodb:Query",
                "dynamodb:GetItem",
                "dynamodb:BatchGetItem",
                "dynamodb:PutItem",
                "dynamodb:UpdateItem",
                "dynamodb:DeleteItem",
            ],
            self._traced.graph_table,
            settings.COMPACTION_PARTITIONS,
        )
        function.allow(["sqs:SendMessage"], [self.trace_queue.queue_arn])
        # A sweep hides traces without a commit; digests are written once.
        function.allow_objects(["s3:GetObject", "s3:PutObject"], self._traced.archive_bucket, "digests/")
        function.allow_objects(["s3:DeleteObject"], self._traced.archive_bucket, "traces/")
        self._search.published_by(function)
        if self.signing_key is not None:
            function.set({settings.SIGNING_KEY: self.signing_key.key_arn})
            function.allow(["kms:Sign"], [self.signing_key.key_arn])
        return function

    def _make_state_machine(self) -> sfn.StateMachine:
        role = iam.Role(self, "StateMachineRole", assumed_by=iam.ServicePrincipal("states.amazonaws.com"))
        rights = Rights(role)
        rights.allow(["lambda:InvokeFunction"], [self.compact.resource.function_arn])
        self._spark_jobs.engine.open_to(rights, *COMPACTION_JOBS)
        accept(
            role,
            "IAM5[Resource::*]",
            "X-Ray segments and the delivery of logs belong to no resource that a policy could name.",
        )
        # Under this prefix, Step Functions needs no entry of its own in the resource policy of CloudWatch Logs: it
        # has at most 5,120 characters for all state machines of an account.
        log_group = logs.LogGroup(
            self,
            "StateMachineLogs",
            log_group_name=log_name("/aws/vendedlogs/states"),
            retention=LOG_RETENTION,
            removal_policy=self._defaults.removal,
        )
        return sfn.StateMachine(
            self,
            "StateMachine",
            definition_body=sfn.DefinitionBody.from_string(STATE_MACHINE_FILE.read_text(encoding="utf-8")),
            definition_substitutions={
                "InvokeFunction": f"arn:{cdk.Aws.PARTITION}:states:::lambda:invoke",
                "CompactFunctionArn": self.compact.resource.function_arn,
                **self._spark_jobs.engine.substitutions_of(*COMPACTION_JOBS),
            },
            role=role,
            logs=sfn.LogOptions(destination=log_group, level=sfn.LogLevel.ALL, include_execution_data=False),
            tracing_enabled=True,
            removal_policy=self._defaults.removal,
        )


def _signing_key(scope: Construct, *, removal: RemovalPolicy) -> kms.Key:
    """Make the key of the digests' signatures: its private half never leaves KMS; AWS cannot rotate such keys."""
    return kms.Key(
        scope,
        "SigningKey",
        description="Signs the digests of Headwater's archive.",
        key_spec=kms.KeySpec.ECC_NIST_P256,
        key_usage=kms.KeyUsage.SIGN_VERIFY,
        removal_policy=removal,
    )


def _let_sign_alone(key: kms.Key, role: iam.IRole) -> None:
    """Deny signing, and grants of it, to every other principal of the account, its administrators included.

    A principal with the right to change the key's policy can remove the statement. CloudTrail records the change, and
    the digests signed before stay proved.
    """
    key.add_to_resource_policy(
        iam.PolicyStatement(
            sid="TheCompactionSignsAlone",
            effect=iam.Effect.DENY,
            principals=[iam.AnyPrincipal()],
            actions=["kms:Sign", "kms:CreateGrant"],
            resources=["*"],
            conditions={"ArnNotEquals": {"aws:PrincipalArn": role.role_arn}},
        )
    )

"""The daily compaction: traces of the day's roots, a digest as the day's seal, tables of the sealed objects."""

from __future__ import annotations

from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from headwater import settings
from infra.archive_search import ArchiveSearch
from infra.function import FunctionDefaults, ServiceFunction
from infra.nightly import machine_rights, make_machine, start_nightly
from infra.queues import work_queue
from infra.role_permissions import denial
from infra.spark_jobs import COMPACTION_JOBS, SparkJobs
from infra.trace_resources import TraceResources

STATE_MACHINE_FILE = Path(__file__).with_name("compaction.asl.json")
_TRACE_TIMEOUT_S = 900
# Small roots of a batch wait for AWS together, and share a commit. Above 10 a batch needs a window.
_TRACE_BATCH = 10
_COMPACT_TIMEOUT_S = 900


class Compaction(Construct):
    """The compaction: schedule, state machine, compact and trace functions, trace queue, and Spark jobs."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        defaults: FunctionDefaults,
        traced: TraceResources,
        search: ArchiveSearch,
        spark_jobs: SparkJobs,
    ) -> None:
        super().__init__(scope, construct_id)
        self._defaults, self._traced, self._search, self._spark_jobs = defaults, traced, search, spark_jobs
        # The trace queue has a message for each root to trace.
        self.trace_queue, self.dead_letters = work_queue(self, "Trace", function_timeout_s=_TRACE_TIMEOUT_S)
        self.trace = self._make_trace()
        # The signing key names the compact function's role, and the function the key.
        self.signing_key = _signing_key(self) if defaults.context.sign_digests else None
        self.compact = self._make_compact()
        if self.signing_key is not None:
            _let_sign_alone(self.signing_key, self.compact.role)
        self.state_machine = self._make_state_machine()
        about, hour_utc = "Starts the compaction of the day before.", defaults.context.compaction_hour_utc
        start_nightly(self, "Daily", self.state_machine, hour_utc=hour_utc, about=about)

    def _make_trace(self) -> ServiceFunction:
        function = ServiceFunction(
            self,
            "TraceFunction",
            module="trace",
            description="Retraces the records of roots and archives the traces.",
            timeout_s=_TRACE_TIMEOUT_S,
            memory_mb=3008,  # the most that a new account may give a function
            storage_gb=4,
            defaults=self._defaults,
            variables={
                **self._traced.storage.names(settings.RECORDS_TABLE, settings.GRAPH_TABLE, settings.ARCHIVE_BUCKET),
                settings.RECORDS_DLQ_URL: self._traced.records_dead_letters.queue_url,
                settings.TRACE_QUEUE_URL: self.trace_queue.queue_url,
                settings.TRACE_RECORDS_MAX: str(settings.DEFAULT_TRACE_RECORDS_MAX),
            },
        )
        self._traced.open_to(function.rights)
        function.consume("Roots", queue=self.trace_queue, batch_size=_TRACE_BATCH)
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
            variables={
                **self._traced.storage.names(settings.GRAPH_TABLE, settings.ARCHIVE_BUCKET),
                settings.TRACE_QUEUE_URL: self.trace_queue.queue_url,
            },
        )
        archive_bucket = self._traced.storage.archive_bucket
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
            self._traced.storage.graph_table,
            settings.COMPACTION_PARTITIONS,
        )
        function.allow(["sqs:SendMessage"], [self.trace_queue.queue_arn])
        # A sweep hides traces without a commit; digests are written once.
        function.allow_objects(["s3:GetObject", "s3:PutObject"], archive_bucket, "digests/")
        function.allow_objects(["s3:DeleteObject"], archive_bucket, "traces/")
        self._search.published_by(function)
        if self.signing_key is not None:
            function.set({settings.SIGNING_KEY: self.signing_key.key_arn})
            function.allow(["kms:Sign"], [self.signing_key.key_arn])
        return function

    def _make_state_machine(self) -> sfn.StateMachine:
        rights = machine_rights(self, "StateMachine")
        rights.allow(["lambda:InvokeFunction"], [self.compact.resource.function_arn])
        self._spark_jobs.engine.open_to(rights, *COMPACTION_JOBS)
        substitutions = {
            "InvokeFunction": f"arn:{cdk.Aws.PARTITION}:states:::lambda:invoke",
            "CompactFunctionArn": self.compact.resource.function_arn,
            **self._spark_jobs.engine.substitutions_of(*COMPACTION_JOBS),
        }
        definition = STATE_MACHINE_FILE.read_text(encoding="utf-8")
        return make_machine(self, "StateMachine", rights, definition=definition, substitutions=substitutions)


def _signing_key(scope: Construct) -> kms.Key:
    """Make the key of the digests' signatures: its private half never leaves KMS; AWS cannot rotate such keys."""
    return kms.Key(
        scope,
        "SigningKey",
        description="Signs the digests of Headwater's archive.",
        key_spec=kms.KeySpec.ECC_NIST_P256,
        key_usage=kms.KeyUsage.SIGN_VERIFY,
    )


def _let_sign_alone(key: kms.Key, role: iam.IRole) -> None:
    """Deny signing, and grants of it, to every other principal of the account, its administrators included.

    A principal with the right to change the key's policy can remove the statement. CloudTrail records the change, and
    the digests signed before stay proved.
    """
    conditions = {"ArnNotEquals": {"aws:PrincipalArn": role.role_arn}}
    key.add_to_resource_policy(denial("TheCompactionSignsAlone", ["kms:Sign", "kms:CreateGrant"], ["*"], conditions))

"""The construct of every Lambda function, with its role, its log group and its rights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import Duration, Size
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from headwater import settings
from infra.context import StackContext
from infra.nag import accept
from infra.role_permissions import Rights
from infra.storage import Storage

PYTHON_VERSION = "3.13"
RUNTIME = lam.Runtime.PYTHON_3_13
ARCHITECTURE = lam.Architecture.ARM_64
LOG_RETENTION = logs.RetentionDays.THREE_MONTHS
# Consumers of a queue at once: enough for thousands of records a second, few enough that a flood leaves the account's
# other functions their concurrency.
QUEUE_CONCURRENCY = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionDefaults:
    """The code, the stores and the settings of all functions of a stack."""

    code: lam.Code
    layer: lam.ILayerVersion | None
    storage: Storage
    context: StackContext

    @property
    def metrics_namespace(self) -> str:
        """The namespace of our own metrics."""
        return f"Headwater/{self.context.stage}"

    def environment(self, module: str) -> dict[str, str]:
        """Make the first environment variables of a function."""
        return {
            "POWERTOOLS_SERVICE_NAME": module,
            "POWERTOOLS_METRICS_NAMESPACE": self.metrics_namespace,
            "LOG_LEVEL": "INFO",
            # The layer has no plugins of Pydantic; looking for them takes a cold start about 5 ms.
            "PYDANTIC_DISABLE_PLUGINS": "true",
            **({settings.DYNAMODB_CLIENT: "boto3"} if self.context.boto3_client else {}),
        }


class ServiceFunction(Construct):
    """The function `lambdas.<module>.handler`, or the handler of a `feature`, without rights until they are allowed."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        module: str,
        description: str,
        timeout_s: int,
        memory_mb: int,
        defaults: FunctionDefaults,
        variables: Mapping[str, str] | None = None,
        feature: str | None = None,
        storage_gb: float = 0.5,
        concurrency: int | None = None,
        snap_start: bool = False,
    ) -> None:
        super().__init__(scope, construct_id)
        self.module = module
        self.timeout_s = timeout_s
        self.role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        self.rights = Rights(self.role)
        self.rights.deny_token_writes(defaults.storage.graph_table)  # no function may write tokens
        self.log_group = logs.LogGroup(self, "Logs", retention=LOG_RETENTION)
        self.log_group.grant_write(self.role)
        self.resource = lam.Function(
            self,
            "Default",
            runtime=RUNTIME,
            architecture=ARCHITECTURE,
            handler=f"headwater.features.{feature}.function.handler" if feature else f"lambdas.{module}.handler",
            description=description,
            code=defaults.code,
            layers=[defaults.layer] if defaults.layer else None,
            timeout=Duration.seconds(timeout_s),
            memory_size=memory_mb,
            ephemeral_storage_size=Size.mebibytes(int(storage_gb * 1024)),
            role=self.role,
            log_group=self.log_group,
            reserved_concurrent_executions=concurrency,
            environment={**defaults.environment(module), **(variables or {})},
            snap_start=lam.SnapStartConf.ON_PUBLISHED_VERSIONS if snap_start else None,
        )
        self.called: lam.IFunction = self._make_alias() if snap_start else self.resource
        accept(self.resource, "L1", f"The layer is locked and compiled for Python {PYTHON_VERSION}.")

    def _make_alias(self) -> lam.IFunction:
        """Make the alias of the newest version: a snapshot is of a published version."""
        return lam.Alias(self, "Live", alias_name="live", version=self.resource.current_version)

    def set(self, environment: Mapping[str, str]) -> None:
        """Add environment variables."""
        for name, value in environment.items():
            self.resource.add_environment(name, value)

    def allow(self, actions: Sequence[str], resources: Sequence[str]) -> None:
        """Allow actions, as `Rights.allow`."""
        self.rights.allow(actions, resources)

    def allow_objects(self, actions: Sequence[str], bucket: s3.IBucket, prefix: str) -> None:
        """Allow actions on objects, as `Rights.allow_objects`."""
        self.rights.allow_objects(actions, bucket, prefix)

    def consume(
        self, construct_id: str, *, queue: sqs.IQueue, batch_size: int, window_s: int = 0
    ) -> lam.EventSourceMapping:
        """Feed the function from a queue; the handler returns the failed messages of a batch."""
        self.allow(
            ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:GetQueueAttributes"],
            [queue.queue_arn],
        )
        return lam.EventSourceMapping(
            self,
            construct_id,
            target=self.resource,
            event_source_arn=queue.queue_arn,
            batch_size=batch_size,
            max_batching_window=Duration.seconds(window_s) if window_s else None,
            max_concurrency=QUEUE_CONCURRENCY,
            report_batch_item_failures=True,
        )

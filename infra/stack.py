"""The stack: storage, ingest, the daily compaction, queries, and alarms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from headwater import settings
from headwater.features import FEATURES
from infra.addition import Addition
from infra.archive_policy import keep_from
from infra.archive_search import ArchiveSearch
from infra.compaction import Compaction
from infra.context import StackContext
from infra.dashboard import Parts
from infra.events import Events
from infra.function import FunctionDefaults
from infra.ingestion import Ingestion
from infra.observability import Observability
from infra.package import code_asset, layer_version
from infra.producers import Producers
from infra.query_api import QueryApi
from infra.queues import accept_from_alone
from infra.spark_jobs import SparkJobs
from infra.storage import Storage
from infra.trace_resources import TraceResources

# The types of resources with data, logs or messages: retained or destroyed with the stack.
_KEPT = (
    *("AWS::DynamoDB::Table", "AWS::KMS::Key", "AWS::Logs::LogGroup", "AWS::S3::Bucket", "AWS::SQS::Queue"),
    *("AWS::SecretsManager::Secret", "AWS::StepFunctions::StateMachine"),
)


class LineageStack(cdk.Stack):
    """Headwater in one account and region.

    `layer` is the functions' folder of `infra.package`, `libraries` the Spark jobs' folder of `infra.spark_code`; None
    to go without. `synthesizer` says where assets are; None for the CDK's bootstrap bucket. Features add to the public
    attributes.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        context: StackContext,
        layer: Path | None,
        libraries: Path | None,
        synthesizer: cdk.IStackSynthesizer | None = None,
    ) -> None:
        # The tags of a stack are no part of its template: a stage as a parameter cannot be a tag.
        stage = {} if cdk.Token.is_unresolved(context.stage) else {"stage": context.stage}
        super().__init__(
            scope,
            construct_id,
            description="Headwater: serverless data lineage",
            tags={"service": "headwater", **stage},
            synthesizer=synthesizer,
            termination_protection=context.retain,
            analytics_reporting=False,
        )
        self.context = context
        # RETAIN would also keep the resources of a failed creation: the next try makes them once more beside the old.
        removal = cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if context.retain else cdk.RemovalPolicy.DESTROY
        cdk.RemovalPolicies.of(self).apply(removal, apply_to_resource_types=list(_KEPT))
        self.storage = Storage(self, "Storage", protected=context.retain, object_lock=context.object_lock)
        version = layer_version(self, "Dependencies", layer) if layer else None
        self.defaults = FunctionDefaults(code=code_asset(), layer=version, storage=self.storage, context=context)
        self._add_ingest()
        self._add_archive(libraries)
        self._add_queries()
        additions = self._add_features()
        topics = self._observe(additions)
        roles = [role for role in self.node.find_all() if isinstance(role, iam.Role)]
        keep_from(self.storage.archive_bucket, roles, sweeper=self.compaction.compact.role)
        self._name_outputs(additions, topics)

    def _add_ingest(self) -> None:
        """Add the ways in for records and events, and the policy of their producers."""
        self.ingestion = Ingestion(self, "Ingestion", self.defaults)
        self.events = Events(self, "Events", self.defaults)
        self.events.open_to(self.ingestion.input)
        queues = [self.ingestion.packed_queue, self.events.queue]
        self.producers = Producers(self, "Producers", queues=queues, function=self.ingestion.input)

    def _add_archive(self, libraries: Path | None) -> None:
        """Add the archive: the compaction, the Spark jobs, and the search."""
        traced = TraceResources(storage=self.storage, records_dead_letters=self.ingestion.dead_letters)
        self.search = ArchiveSearch(self, "ArchiveSearch", self.storage, self.context)
        self.spark_jobs = SparkJobs(self, "SparkJobs", traced, libraries, self.context.glue_version)
        self.compaction = Compaction(self, "Compaction", self.defaults, traced, self.search, self.spark_jobs)

    def _add_queries(self) -> None:
        """Add the HTTP API."""
        trace_queue = self.compaction.trace_queue
        self.query_api = QueryApi(
            self, "QueryApi", self.defaults, self.ingestion, self.events, trace_queue, self.search
        )
        self.ingestion.close_queues(self.ingestion.input, self.query_api.function)
        starters = [self.compaction.compact.role, self.query_api.function.role]
        accept_from_alone(trace_queue, starters, tags=[settings.OPERATOR])

    def _add_features(self) -> Sequence[Addition]:
        """Add the active features of the context."""
        given = self.context.features
        return [
            import_module(feature.construct).add(self, given[feature.name])
            for feature in FEATURES
            if feature.construct and feature.name in given
        ]

    def _observe(self, additions: Sequence[Addition]) -> Mapping[str, str]:
        """Add the alarms and the optional dashboard; return the outputs of the alarms' topics."""
        defaults, compaction, api = self.defaults, self.compaction, self.query_api
        parts = Parts(defaults.metrics_namespace, self.storage, self.ingestion, self.events, compaction, api, additions)
        return Observability(self, "Observability", context=self.context, parts=parts).topics

    def _name_outputs(self, additions: Sequence[Addition], topics: Mapping[str, str]) -> None:
        """Define the outputs for deployers, clients and the local stack."""
        storage, ingestion, events, compaction = self.storage, self.ingestion, self.events, self.compaction
        outputs = {
            "InputFunctionName": ingestion.input.resource.function_name,
            "EventsFunctionName": events.function.resource.function_name,
            "ApiUrl": self.query_api.api.url,
            "RecordsQueueUrl": ingestion.records_queue.queue_url,
            "PackedQueueUrl": ingestion.packed_queue.queue_url,
            "RecordsDeadLettersUrl": ingestion.dead_letters.queue_url,
            "EventsQueueUrl": events.queue.queue_url,
            "EventsDeadLettersUrl": events.dead_letters.queue_url,
            "ChangesQueueUrl": events.changes.queue_url,
            "ChangesDeadLettersUrl": events.change_dead_letters.queue_url,
            "ProducersPolicyArn": self.producers.policy.managed_policy_arn,
            "TraceQueueUrl": compaction.trace_queue.queue_url,
            "TraceDeadLettersUrl": compaction.dead_letters.queue_url,
            "RecordsTableName": storage.records_table.table_name,
            "GraphTableName": storage.graph_table.table_name,
            "ArchiveBucketName": storage.archive_bucket.bucket_name,
            "IntakeBucketName": storage.ingest_bucket.bucket_name,
            "CompactionStateMachineArn": compaction.state_machine.state_machine_arn,
            "SearchDatabase": self.search.database.ref,
            "SearchWorkgroup": self.search.workgroup.ref,
            **self.spark_jobs.engine.outputs,
            **topics,
        }
        # Outputs of optional parts.
        if compaction.signing_key is not None:
            outputs["SigningKeyArn"] = compaction.signing_key.key_arn
        if self.query_api.token_api is not None:
            outputs["TokenApiUrl"] = self.query_api.token_api.url
        for addition in additions:
            outputs |= addition.outputs
        for name, value in outputs.items():
            cdk.CfnOutput(self, name, value=value)

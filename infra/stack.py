"""The stack: storage, ingest, the daily compaction, queries, and alarms."""

from __future__ import annotations

from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from headwater import settings
from infra.alerts import Alerts
from infra.archive_policy import keep_from
from infra.archive_search import ArchiveSearch
from infra.compaction import Compaction
from infra.context import StackContext
from infra.events import Events
from infra.forwarding import Forwarding
from infra.function import FunctionDefaults
from infra.graph_tables import GraphTables
from infra.ingestion import Ingestion
from infra.observability import Observability
from infra.package import code_asset, layer_version
from infra.producers import Producers
from infra.query_api import QueryApi
from infra.queues import accept_from_alone
from infra.spark_jobs import SparkJobs
from infra.storage import Storage
from infra.trace_resources import TraceResources


class LineageStack(cdk.Stack):
    """Headwater in one account and region.

    `layer` is the folder that `infra.package` built for the functions, `libraries` that of `infra.spark_code` for the
    Spark jobs; None to go without. `synthesizer` says where assets are; None for the CDK's bootstrap bucket.
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
        # The tags of a stack are no part of its template: a stage that is a parameter cannot be among them.
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
        # RETAIN would keep what a failed creation made as well: the next try makes it once more beside it.
        self._removal = cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if context.retain else cdk.RemovalPolicy.DESTROY
        self._storage = Storage(self, "Storage", removal=self._removal, object_lock=context.object_lock)
        self._defaults = FunctionDefaults(
            code=code_asset(),
            layer=layer_version(self, "Dependencies", layer) if layer else None,
            metrics_namespace=f"Headwater/{context.stage}",
            removal=self._removal,
            tokens=self._storage.graph_table,
            environment={settings.DYNAMODB_CLIENT: "boto3"} if context.boto3_client else {},
        )
        self._add_ingest(context)
        self._add_archive(context, libraries)
        self._add_queries(context)
        roles = [role for role in self.node.find_all() if isinstance(role, iam.Role)]
        keep_from(self._storage.archive_bucket, roles, sweeper=self._compaction.compact.role)
        self._name_outputs()

    def _add_ingest(self, context: StackContext) -> None:
        """Add the ways in for records and events, and the policy of their producers."""
        self._ingestion = Ingestion(
            self,
            "Ingestion",
            defaults=self._defaults,
            records_table=self._storage.records_table,
            graph_table=self._storage.graph_table,
            ingest_bucket=self._storage.ingest_bucket,
            records_ttl_s=context.records_ttl_s,
        )
        self._events = Events(
            self,
            "Events",
            defaults=self._defaults,
            graph_table=self._storage.graph_table,
            archive_bucket=self._storage.archive_bucket,
            ingest_bucket=self._storage.ingest_bucket,
            partition_trimming=context.partition_trimming,
            temporary_patterns=context.temporary_patterns,
            drop_running_events=context.drop_running_events,
        )
        self._events.open_to(self._ingestion.input)
        self._forwarding = self._make_forwarding(context)
        queues = [self._ingestion.packed_queue, self._events.queue]
        self._producers = Producers(self, "Producers", queues=queues, function=self._ingestion.input)

    def _make_forwarding(self, context: StackContext) -> Forwarding | None:
        """Return the forwarding of events, where the context names an endpoint."""
        if context.forward_to is None:
            return None
        return Forwarding(
            self,
            "Forwarding",
            defaults=self._defaults,
            to=context.forward_to,
            events=self._events,
            archive_bucket=self._storage.archive_bucket,
            graph_table=self._storage.graph_table,
        )

    def _add_archive(self, context: StackContext, libraries: Path | None) -> None:
        """Add what fills the archive, daily and on Spark, and the search in it."""
        traced = TraceResources(
            records_table=self._storage.records_table,
            graph_table=self._storage.graph_table,
            archive_bucket=self._storage.archive_bucket,
            records_dead_letters=self._ingestion.dead_letters,
        )
        self._search = ArchiveSearch(
            self,
            "ArchiveSearch",
            archive_bucket=self._storage.archive_bucket,
            ingest_bucket=self._storage.ingest_bucket,
            stage=context.stage,
            scan_gb=context.search_scan_gb,
        )
        self._spark_jobs = SparkJobs(
            self,
            "SparkJobs",
            traced=traced,
            search=self._search,
            libraries=libraries,
            graph_tables=context.graph_tables,
            removal=self._removal,
        )
        self._compaction = Compaction(
            self,
            "Compaction",
            defaults=self._defaults,
            traced=traced,
            search=self._search,
            spark_jobs=self._spark_jobs,
            hour_utc=context.compaction_hour_utc,
            signing=context.sign_digests,
        )
        self._graph_tables = self._make_graph_tables(context) if context.graph_tables else None

    def _make_graph_tables(self, context: StackContext) -> GraphTables:
        """Return the graph's tables, a night's work of their own."""
        return GraphTables(
            self,
            "GraphTables",
            search=self._search,
            engine=self._spark_jobs.engine,
            hour_utc=context.compaction_hour_utc,
            removal=self._removal,
        )

    def _add_queries(self, context: StackContext) -> None:
        """Add the HTTP API, and the alarms and dashboard of everything."""
        self._query_api = QueryApi(
            self,
            "QueryApi",
            defaults=self._defaults,
            ingestion=self._ingestion,
            events=self._events,
            storage=self._storage,
            trace_queue=self._compaction.trace_queue,
            search=self._search,
            context=context,
        )
        self._ingestion.close_queues(self._ingestion.input, self._query_api.function)
        starters = [self._compaction.compact.role, self._query_api.function.role]
        accept_from_alone(self._compaction.trace_queue, starters, tags=[settings.OPERATOR])
        self._alerts = self._make_alerts(context)
        Observability(
            self,
            "Observability",
            metrics_namespace=self._defaults.metrics_namespace,
            alarm_email=context.alarm_email,
            storage=self._storage,
            ingestion=self._ingestion,
            events=self._events,
            compaction=self._compaction,
            graph_tables=self._graph_tables,
            query_api=self._query_api,
            forwarding=self._forwarding,
            alerts=self._alerts,
        )

    def _make_alerts(self, context: StackContext) -> Alerts | None:
        """Return the alerts, where the context names a way to their readers."""
        if context.alerts is None:
            return None
        api = self._query_api.token_api or self._query_api.api
        return Alerts(
            self,
            "Alerts",
            defaults=self._defaults,
            graph_table=self._storage.graph_table,
            archive_bucket=self._storage.archive_bucket,
            loader=self._events,
            target=context.alerts,
            rules=context.alert_rules,
            explorer_url=f"{api.url}explore/",
            stage=context.stage,
        )

    def _name_outputs(self) -> None:
        """Define the outputs that a deployer, a client and the local stack look up by name."""
        storage, ingestion, events, compaction = self._storage, self._ingestion, self._events, self._compaction
        outputs = {
            "InputFunctionName": ingestion.input.resource.function_name,
            "EventsFunctionName": events.function.resource.function_name,
            "ApiUrl": self._query_api.api.url,
            "RecordsQueueUrl": ingestion.records_queue.queue_url,
            "PackedQueueUrl": ingestion.packed_queue.queue_url,
            "RecordsDeadLettersUrl": ingestion.dead_letters.queue_url,
            "EventsQueueUrl": events.queue.queue_url,
            "EventsDeadLettersUrl": events.dead_letters.queue_url,
            "ChangesQueueUrl": events.changes.queue_url,
            "ChangesDeadLettersUrl": events.change_dead_letters.queue_url,
            "ProducersPolicyArn": self._producers.policy.managed_policy_arn,
            "TraceQueueUrl": compaction.trace_queue.queue_url,
            "TraceDeadLettersUrl": compaction.dead_letters.queue_url,
            "RecordsTableName": storage.records_table.table_name,
            "GraphTableName": storage.graph_table.table_name,
            "ArchiveBucketName": storage.archive_bucket.bucket_name,
            "IntakeBucketName": storage.ingest_bucket.bucket_name,
            "CompactionStateMachineArn": compaction.state_machine.state_machine_arn,
            "SearchDatabase": self._search.database.ref,
            "SearchWorkgroup": self._search.workgroup.ref,
            **self._spark_jobs.engine.substitutions,
        }
        if compaction.signing_key is not None:
            outputs["SigningKeyArn"] = compaction.signing_key.key_arn
        if self._forwarding is not None:
            outputs["ForwardQueueUrl"] = self._forwarding.queue.queue_url
            outputs["ForwardDeadLettersUrl"] = self._forwarding.dead_letters.queue_url
        if self._graph_tables is not None:
            outputs["GraphTablesStateMachineArn"] = self._graph_tables.state_machine.state_machine_arn
        if self._alerts is not None:
            outputs["AlertsBusName"] = self._alerts.bus.event_bus_name
            outputs["AlertsDeadLettersUrl"] = self._alerts.dead_letters.queue_url
        if self._query_api.token_api is not None:
            outputs["TokenApiUrl"] = self._query_api.token_api.url
        for name, value in outputs.items():
            cdk.CfnOutput(self, name, value=value)

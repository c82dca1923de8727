"""The stack: storage, ingest, the daily compaction, queries, and alarms."""

from __future__ import annotations

from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.archive_policy import keep_from
from infra.archive_search import ArchiveSearch
from infra.compaction import Compaction
from infra.context import StackContext
from infra.events import Events
from infra.function import FunctionDefaults
from infra.ingestion import Ingestion
from infra.observability import Observability
from infra.package import code_asset, layer_version
from infra.producers import Producers
from infra.query_api import QueryApi
from infra.spark_jobs import SparkJobs
from infra.storage import Storage
from infra.trace_resources import TraceResources


class LineageStack(cdk.Stack):
    """Headwater in one account and region.

    `layer` is the folder that `infra.package` built for the functions, `libraries` that of `infra.spark_code` for the
    Spark jobs; None to go without.
    """

    def __init__(
        self, scope: Construct, construct_id: str, *, context: StackContext, layer: Path | None, libraries: Path | None
    ) -> None:
        super().__init__(
            scope,
            construct_id,
            description="Headwater: serverless data lineage",
            tags={"service": "headwater", "stage": context.stage},
            termination_protection=context.retain,
            analytics_reporting=False,
        )
        # RETAIN would keep what a failed creation made as well: the next try makes it once more beside it.
        removal = cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if context.retain else cdk.RemovalPolicy.DESTROY
        storage = Storage(self, "Storage", removal=removal, object_lock=context.object_lock)
        defaults = FunctionDefaults(
            code=code_asset(),
            layer=layer_version(self, "Dependencies", layer) if layer else None,
            metrics_namespace=f"Headwater/{context.stage}",
            removal=removal,
            tokens=storage.graph_table,
        )
        ingestion = Ingestion(
            self,
            "Ingestion",
            defaults=defaults,
            records_table=storage.records_table,
            graph_table=storage.graph_table,
            ingest_bucket=storage.ingest_bucket,
            records_ttl_s=context.records_ttl_s,
        )
        events = Events(
            self,
            "Events",
            defaults=defaults,
            graph_table=storage.graph_table,
            archive_bucket=storage.archive_bucket,
            ingest_bucket=storage.ingest_bucket,
            partition_trimming=context.partition_trimming,
            temporary_patterns=context.temporary_patterns,
        )
        events.open_to(ingestion.input)
        producers = Producers(
            self, "Producers", queues=[ingestion.packed_queue, events.queue], function=ingestion.input
        )
        traced = TraceResources(
            records_table=storage.records_table,
            graph_table=storage.graph_table,
            archive_bucket=storage.archive_bucket,
            records_dead_letters=ingestion.dead_letters,
        )
        search = ArchiveSearch(
            self,
            "ArchiveSearch",
            archive_bucket=storage.archive_bucket,
            ingest_bucket=storage.ingest_bucket,
            stage=context.stage,
            scan_gb=context.search_scan_gb,
        )
        spark_jobs = SparkJobs(
            self,
            "SparkJobs",
            traced=traced,
            emr_serverless=context.emr_serverless,
            libraries=libraries,
            removal=removal,
        )
        compaction = Compaction(
            self,
            "Compaction",
            defaults=defaults,
            traced=traced,
            search=search,
            spark_jobs=spark_jobs,
            hour_utc=context.compaction_hour_utc,
            signing=context.sign_digests,
        )
        query_api = QueryApi(
            self,
            "QueryApi",
            defaults=defaults,
            ingestion=ingestion,
            events=events,
            records_table=storage.records_table,
            graph_table=storage.graph_table,
            archive_bucket=storage.archive_bucket,
            ingest_bucket=storage.ingest_bucket,
            trace_queue=compaction.trace_queue,
            search=search,
            stage=context.stage,
            token_api=context.token_api,
            strict_namespaces=context.strict_namespaces,
            web_acl_arn=context.web_acl_arn,
            requests_per_address=context.requests_per_address,
            concurrency=context.api_concurrency,
        )
        Observability(
            self,
            "Observability",
            metrics_namespace=defaults.metrics_namespace,
            alarm_email=context.alarm_email,
            storage=storage,
            ingestion=ingestion,
            events=events,
            compaction=compaction,
            query_api=query_api,
        )
        keep_from(storage.archive_bucket, [one for one in self.node.find_all() if isinstance(one, iam.Role)])
        self._name_outputs(storage, ingestion, events, producers, search, spark_jobs, compaction, query_api)

    def _name_outputs(
        self,
        storage: Storage,
        ingestion: Ingestion,
        events: Events,
        producers: Producers,
        search: ArchiveSearch,
        spark_jobs: SparkJobs,
        compaction: Compaction,
        query_api: QueryApi,
    ) -> None:
        """Define the outputs that a deployer, a client and the local stack look up by name."""
        outputs = {
            "InputFunctionName": ingestion.input.resource.function_name,
            "EventsFunctionName": events.function.resource.function_name,
            "ApiUrl": query_api.api.url,
            "RecordsQueueUrl": ingestion.records_queue.queue_url,
            "PackedQueueUrl": ingestion.packed_queue.queue_url,
            "RecordsDeadLettersUrl": ingestion.dead_letters.queue_url,
            "EventsQueueUrl": events.queue.queue_url,
            "EventsDeadLettersUrl": events.dead_letters.queue_url,
            "DeletionsQueueUrl": events.deletions.queue_url,
            "DeletionsDeadLettersUrl": events.deletion_dead_letters.queue_url,
            "ProducersPolicyArn": producers.policy.managed_policy_arn,
            "TraceQueueUrl": compaction.trace_queue.queue_url,
            "TraceDeadLettersUrl": compaction.dead_letters.queue_url,
            "RecordsTableName": storage.records_table.table_name,
            "GraphTableName": storage.graph_table.table_name,
            "ArchiveBucketName": storage.archive_bucket.bucket_name,
            "IntakeBucketName": storage.ingest_bucket.bucket_name,
            "CompactionStateMachineArn": compaction.state_machine.state_machine_arn,
            "SearchDatabase": search.database.ref,
            "SearchWorkgroup": search.workgroup.ref,
            **spark_jobs.engine.outputs,
        }
        if compaction.signing_key is not None:
            outputs["SigningKeyArn"] = compaction.signing_key.key_arn
        if query_api.token_api is not None:
            outputs["TokenApiUrl"] = query_api.token_api.url
        for name, value in outputs.items():
            cdk.CfnOutput(self, name, value=value)

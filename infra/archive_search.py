"""The archive as SQL tables: a Glue database without a crawler, and an Athena workgroup for queries."""

from __future__ import annotations

from collections.abc import Sequence

import aws_cdk as cdk
from aws_cdk import aws_athena as athena
from aws_cdk import aws_glue as glue
from aws_cdk import aws_s3 as s3
from constructs import Construct

from headwater import settings
from headwater_model.archive_tables import DAY, PREFIX, PUBLISHED_PREFIX, TABLES, VERSION, ArchiveTable, TableColumn
from infra.context import StackContext
from infra.function import ServiceFunction
from infra.saved_queries import NAMED_QUERIES, NamedQuery
from infra.storage import Storage

_ENGINE = "Athena engine version 3"
_GB = 1_000_000_000
_HIVE = "org.apache.hadoop.hive.ql.io.parquet"
# Athena's actions in S3 in its caller's name: results are written in parts, and read back.
_RESULTS = ("s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts")


class ArchiveSearch(Construct):
    """Tables and workgroup; they are removed with the stack, whatever `retention` is: they only describe files."""

    def __init__(self, scope: Construct, construct_id: str, storage: Storage, context: StackContext) -> None:
        super().__init__(scope, construct_id)
        self._archive_bucket, self._ingest_bucket = storage.archive_bucket, storage.ingest_bucket
        self.database = _database(self, context.name)
        self.tables = [_table(self, table, self.database, self._archive_bucket) for table in TABLES]
        self.workgroup = _workgroup(self, context.name, self._ingest_bucket, context.search_scan_gb)
        self._save(self, NAMED_QUERIES)

    def register(self, scope: Construct, tables: Sequence[ArchiveTable], queries: Sequence[NamedQuery]) -> None:
        """Add tables to the database, and queries of them to the workgroup."""
        for table in tables:
            _table(scope, table, self.database, self._archive_bucket)
        self._save(scope, queries)

    def _save(self, scope: Construct, queries: Sequence[NamedQuery]) -> None:
        for query in queries:
            saved = athena.CfnNamedQuery(
                scope,
                query.name,
                name=query.name,
                description=f"{query.about} Parameters: {', '.join(query.parameters)}.",
                database=self.database.ref,
                query_string=query.sql,
                work_group=self.workgroup.ref,
            )
            saved.add_resource_dependency(self.workgroup)

    def open_to(self, function: ServiceFunction) -> None:
        """Let a function query the tables in SQL."""
        function.set({settings.SEARCH_DATABASE: self.database.ref, settings.SEARCH_WORKGROUP: self.workgroup.ref})
        function.allow(
            [
                "athena:StartQueryExecution",
                "athena:GetQueryExecution",
                "athena:GetQueryResults",
                "athena:GetWorkGroup",
            ],
            [self._arn("athena", f"workgroup/{self.workgroup.ref}")],
        )
        function.allow(["glue:GetDatabase", "glue:GetTable", "glue:GetPartitions"], self.catalog_arns(TABLES))
        # Athena looks at the default database before any other.
        function.allow(["glue:GetDatabase"], [self._arn("glue", "database/default")])
        function.allow_objects(["s3:GetObject"], self._archive_bucket, PREFIX)
        function.allow_objects(_RESULTS, self._ingest_bucket, settings.SEARCH_PREFIX)
        buckets = [bucket.bucket_arn for bucket in (self._archive_bucket, self._ingest_bucket)]
        function.allow(["s3:GetBucketLocation"], buckets)

    def published_by(self, function: ServiceFunction) -> None:
        """Let a function publish an attempt of a day, and remove older attempts."""
        function.set({settings.SEARCH_DATABASE: self.database.ref})
        function.allow(["glue:GetTable", "glue:CreatePartition", "glue:UpdatePartition"], self.catalog_arns(TABLES))
        function.allow_objects(["s3:GetObject"], self._archive_bucket, f"{PREFIX}manifests/")
        function.allow_objects(["s3:PutObject"], self._archive_bucket, PUBLISHED_PREFIX)
        for table in TABLES:
            function.allow_objects(["s3:DeleteObject"], self._archive_bucket, f"{PREFIX}{table.name}/")

    def catalog_arns(self, tables: Sequence[ArchiveTable]) -> Sequence[str]:
        """List the ARNs in Glue's checks of rights: the tables, the database, and the catalog around both."""
        names = [f"table/{self.database.ref}/{table.name}" for table in tables]
        return [self._arn("glue", resource) for resource in ("catalog", f"database/{self.database.ref}", *names)]

    def _arn(self, service: str, resource: str) -> str:
        return cdk.Stack.of(self).format_arn(
            service=service, resource=resource, arn_format=cdk.ArnFormat.SLASH_RESOURCE_NAME
        )


def _database(scope: Construct, name: str) -> glue.CfnDatabase:
    return glue.CfnDatabase(
        scope,
        "Database",
        catalog_id=cdk.Aws.ACCOUNT_ID,
        database_input=glue.CfnDatabase.DatabaseInputProperty(
            name=name.replace("-", "_"), description="Headwater: the archive of record lineage."
        ),
    )


def _table(
    scope: Construct, table: ArchiveTable, database: glue.CfnDatabase, archive_bucket: s3.IBucket
) -> glue.CfnTable:
    """Make a table of Parquet; its partitions are registered day by day, when a day is published."""
    return glue.CfnTable(
        scope,
        table.name.capitalize(),
        catalog_id=cdk.Aws.ACCOUNT_ID,
        database_name=database.ref,
        table_input=glue.CfnTable.TableInputProperty(
            name=table.name,
            description=table.about,
            table_type="EXTERNAL_TABLE",
            parameters={"EXTERNAL": "TRUE", "classification": "parquet", "headwater.version": str(VERSION)},
            partition_keys=[_column(DAY)],
            storage_descriptor=glue.CfnTable.StorageDescriptorProperty(
                columns=[_column(column) for column in table.columns],
                location=archive_bucket.s3_url_for_object(f"{PREFIX}{table.name}/"),
                input_format=f"{_HIVE}.MapredParquetInputFormat",
                output_format=f"{_HIVE}.MapredParquetOutputFormat",
                serde_info=glue.CfnTable.SerdeInfoProperty(serialization_library=f"{_HIVE}.serde.ParquetHiveSerDe"),
            ),
        ),
    )


def _column(column: TableColumn) -> glue.CfnTable.ColumnProperty:
    return glue.CfnTable.ColumnProperty(name=column.name, type=column.type, comment=column.about)


def _workgroup(scope: Construct, name: str, ingest_bucket: s3.IBucket, scan_gb: int) -> athena.CfnWorkGroup:
    """Make a workgroup with the location of results, and with the most bytes that a query may read."""
    return athena.CfnWorkGroup(
        scope,
        "Workgroup",
        name=name,
        description="Headwater: questions to the archive.",
        recursive_delete_option=True,
        work_group_configuration=athena.CfnWorkGroup.WorkGroupConfigurationProperty(
            bytes_scanned_cutoff_per_query=scan_gb * _GB,
            enforce_work_group_configuration=True,
            engine_version=athena.CfnWorkGroup.EngineVersionProperty(selected_engine_version=_ENGINE),
            publish_cloud_watch_metrics_enabled=True,
            result_configuration=athena.CfnWorkGroup.ResultConfigurationProperty(
                encryption_configuration=athena.CfnWorkGroup.EncryptionConfigurationProperty(
                    encryption_option="SSE_S3"
                ),
                output_location=ingest_bucket.s3_url_for_object(settings.SEARCH_PREFIX),
            ),
        ),
    )

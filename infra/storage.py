"""The storage: the records table, the graph table, the archive and the ingest bucket."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import Duration
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_s3 as s3
from constructs import Construct

from headwater import settings
from headwater_model.archive_tables import PREFIX as TABLES_PREFIX
from infra.archive_policy import require_new_keys
from infra.context import ObjectLock

_STRING = dynamodb.AttributeType.STRING


class Storage(Construct):
    """The tables and buckets. Their logical ids are their identity: under a new id, a table is new and empty."""

    def __init__(self, scope: Construct, construct_id: str, *, protected: bool, object_lock: ObjectLock | None) -> None:
        super().__init__(scope, construct_id)
        self.records_table = _records_table(self, protected)
        self.graph_table = _table(
            self,
            "GraphTable",
            partition_key=settings.PK,
            sort_key=settings.SK,
            ttl_attribute=settings.EXPIRES_AT,
            protected=protected,
        )
        expiry = s3.LifecycleRule(id="a-year-of-logs", expiration=Duration.days(365))
        access_logs = _bucket(self, "AccessLogsBucket", rules=[expiry])
        self.archive_bucket = _archive_bucket(self, access_logs, object_lock)
        require_new_keys(self.archive_bucket)
        self.ingest_bucket = _ingest_bucket(self, access_logs)
        for bucket in (self.archive_bucket, self.ingest_bucket):
            _let_pages_follow_links(bucket)

    def names(self, *variables: str) -> Mapping[str, str]:
        """Map variables of a function to the names of tables and buckets: `names(settings.GRAPH_TABLE)`."""
        names = {
            settings.RECORDS_TABLE: self.records_table.table_name,
            settings.GRAPH_TABLE: self.graph_table.table_name,
            settings.ARCHIVE_BUCKET: self.archive_bucket.bucket_name,
            settings.INTAKE_BUCKET: self.ingest_bucket.bucket_name,
        }
        return {variable: names[variable] for variable in variables}


def _records_table(scope: Construct, protected: bool) -> dynamodb.Table:
    """Make Carbonlake's table, to the letter; a local index can never be added to an existing table."""
    table = _table(
        scope,
        "RecordsTable",
        partition_key=settings.ROOT_ID,
        sort_key=settings.NODE_ID,
        ttl_attribute=settings.TTL_EXPIRY,
        protected=protected,
        stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
    )
    table.add_global_secondary_index(
        index_name=settings.NODE_INDEX,
        partition_key=dynamodb.Attribute(name=settings.NODE_ID, type=_STRING),
        projection_type=dynamodb.ProjectionType.ALL,
    )
    table.add_local_secondary_index(
        index_name=settings.ACTION_INDEX,
        sort_key=dynamodb.Attribute(name=settings.ACTION_TAKEN, type=_STRING),
        projection_type=dynamodb.ProjectionType.ALL,
    )
    return table


def _table(
    scope: Construct,
    construct_id: str,
    *,
    partition_key: str,
    sort_key: str,
    ttl_attribute: str,
    protected: bool,
    stream: dynamodb.StreamViewType | None = None,
) -> dynamodb.Table:
    return dynamodb.Table(
        scope,
        construct_id,
        partition_key=dynamodb.Attribute(name=partition_key, type=_STRING),
        sort_key=dynamodb.Attribute(name=sort_key, type=_STRING),
        time_to_live_attribute=ttl_attribute,
        stream=stream,
        billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
        encryption=dynamodb.TableEncryption.AWS_MANAGED,
        point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
            point_in_time_recovery_enabled=True
        ),
        deletion_protection=protected,
    )


def _archive_bucket(scope: Construct, access_logs: s3.IBucket, object_lock: ObjectLock | None) -> s3.Bucket:
    """Make the archive bucket: traces, digests and events never expire; a delete only hides them.

    Derived objects can be made again: replaced or deleted, they go after 90 days.
    """
    return _bucket(
        scope,
        "ArchiveBucket",
        versioned=True,
        access_logs=access_logs,
        object_lock=object_lock,
        rules=[
            s3.LifecycleRule(
                id=f"replaced-{prefix[:-1]}", prefix=prefix, noncurrent_version_expiration=Duration.days(90)
            )
            for prefix in (TABLES_PREFIX, settings.FACTS_PREFIX)
        ]
        + [s3.LifecycleRule(id="markers-of-nothing", expired_object_delete_marker=True)],
    )


def _ingest_bucket(scope: Construct, access_logs: s3.IBucket) -> s3.Bucket:
    """Make the bucket of requests too big for a message, large responses, SQL results, and unstaged stream batches.

    A request outlives the message that points to it: 14 days in its queue, then 14 among the dead letters.
    """
    return _bucket(
        scope,
        "IntakeBucket",
        access_logs=access_logs,
        rules=[
            s3.LifecycleRule(id="requests", prefix="requests/", expiration=Duration.days(30)),
            s3.LifecycleRule(id="answers", prefix="answers/", expiration=Duration.days(1)),
            s3.LifecycleRule(id="search", prefix=settings.SEARCH_PREFIX, expiration=Duration.days(1)),
        ],
    )


def _let_pages_follow_links(bucket: s3.Bucket) -> None:
    """Let web pages read the target of a redirect, from any origin: a signed link is the secret, not the origin."""
    bucket.add_cors_rule(
        allowed_methods=[s3.HttpMethods.GET, s3.HttpMethods.HEAD],
        allowed_origins=["*"],
        exposed_headers=["Content-Encoding", "Content-Length", "ETag"],
        max_age=3600,
    )


def _bucket(
    scope: Construct,
    construct_id: str,
    *,
    rules: list[s3.LifecycleRule],
    versioned: bool = False,
    access_logs: s3.IBucket | None = None,
    object_lock: ObjectLock | None = None,
) -> s3.Bucket:
    broken_uploads = s3.LifecycleRule(id="broken-uploads", abort_incomplete_multipart_upload_after=Duration.days(7))
    return s3.Bucket(
        scope,
        construct_id,
        block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        encryption=s3.BucketEncryption.S3_MANAGED,
        enforce_ssl=True,
        minimum_tls_version=1.2,
        object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
        versioned=versioned,
        server_access_logs_bucket=access_logs,
        server_access_logs_prefix=f"{construct_id}/" if access_logs else None,
        lifecycle_rules=[*rules, broken_uploads],
        object_lock_enabled=True if object_lock else None,
        object_lock_default_retention=_retention(object_lock) if object_lock else None,
    )


def _retention(object_lock: ObjectLock) -> s3.ObjectLockRetention:
    days = Duration.days(object_lock.days)
    return (
        s3.ObjectLockRetention.compliance(days) if object_lock.compliance else s3.ObjectLockRetention.governance(days)
    )

"""The jobs on Spark: a day's archive into tables, and a root too large for the trace function."""

from __future__ import annotations

from pathlib import Path

from aws_cdk import aws_s3 as s3
from constructs import Construct

from headwater import settings
from headwater_model.archive_tables import TABLES
from infra.glue_engine import GlueEngine
from infra.role_permissions import Rights
from infra.spark_code import SparkCode
from infra.spark_job import SparkJob, open_folders
from infra.trace_resources import TraceResources

# The waits of the state machine.
_COMPACT_TIMEOUT_MIN = 120
_TRACE_TIMEOUT_MIN = 45
# Runs of a job at a time: a day has one run, and a second where someone compacts an old day by hand.
_COMPACT_RUNS_MAX = 3
_TRACE_RUNS_MAX = 10
# The jobs started by the compaction.
COMPACTION_JOBS = ("CompactArchive", "TraceRoot")


class SparkJobs(Construct):
    """`jobs.compact_archive` and `jobs.trace_root`, on Glue, each with its own role; features add to the engine."""

    def __init__(
        self, scope: Construct, construct_id: str, traced: TraceResources, libraries: Path | None, glue_version: str
    ) -> None:
        super().__init__(scope, construct_id)
        storage = traced.storage
        compact_archive = SparkJob(
            self,
            "CompactArchive",
            module="compact_archive",
            about="Makes the archive's tables of a sealed day.",
            arguments={"--archive": f"s3://{storage.archive_bucket.bucket_name}"},
            timeout_min=_COMPACT_TIMEOUT_MIN,
            runs_max=_COMPACT_RUNS_MAX,
        )
        _open_archive(compact_archive.rights, storage.archive_bucket)
        # The tables of a root are local checkpoints, lost with a worker: the job keeps its workers.
        trace_root = SparkJob(
            self,
            "TraceRoot",
            module="trace_root",
            about="Traces one root that is too large for the trace function.",
            arguments={
                "--graph-table": storage.graph_table.table_name,
                "--records-table": storage.records_table.table_name,
                "--archive-bucket": storage.archive_bucket.bucket_name,
                "--records-dlq-url": traced.records_dead_letters.queue_url,
            },
            timeout_min=_TRACE_TIMEOUT_MIN,
            runs_max=_TRACE_RUNS_MAX,
            scales=False,
        )
        traced.open_to(trace_root.rights)
        trace_root.rights.deny_token_writes(storage.graph_table)
        trace_root.rights.allow_objects(["s3:AbortMultipartUpload"], storage.archive_bucket, "traces/")
        # Both jobs share the code and the engine.
        code = SparkCode(self, "Code", libraries=libraries)
        self.engine = GlueEngine(self, "Engine", code=code, version=glue_version)
        self.engine.add(compact_archive)
        self.engine.add(trace_root)


def _open_archive(rights: Rights, archive_bucket: s3.Bucket) -> None:
    """Allow reading sealed days and writing tables, but no published manifests nor other parts of the archive."""
    for prefix in ("digests/", "traces/", settings.REMOVED_PREFIX):
        rights.allow_objects(["s3:GetObject"], archive_bucket, prefix)
    open_folders(rights, archive_bucket, [*(table.name for table in TABLES), "manifests"])

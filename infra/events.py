"""The way in for events about runs: their queue, its dead letters, and the function that turns events into facts."""

from __future__ import annotations

import json
from collections.abc import Sequence

from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.function import FunctionDefaults, ServiceFunction
from infra.queues import dead_letter_queue, work_queue
from lineage import settings

_TIMEOUT_S = 120
# Events of a batch share reads and writes. Lambda closes a batch earlier where its messages reach the 6 MB that an
# invocation may have ("Using Lambda with Amazon SQS": batch size, window, or payload size, whichever comes first).
_BATCH = 100
# Above 10 a batch needs a window; this is the shortest. An event is to be readable within seconds.
_WINDOW_S = 1
_RECEIVES_MAX = 5


class Events(Construct):
    """Events queue -> events function -> raw log in the archive bucket, and facts in the graph table."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        defaults: FunctionDefaults,
        graph_table: dynamodb.Table,
        archive_bucket: s3.Bucket,
        intake_bucket: s3.Bucket,
        partition_trimming: bool,
        temporary_patterns: Sequence[str] | None,
    ) -> None:
        super().__init__(scope, construct_id)
        self._defaults = defaults
        self._graph_table, self._archive_bucket = graph_table, archive_bucket
        self._intake_bucket = intake_bucket
        self._rules = {settings.PARTITION_TRIMMING: "true" if partition_trimming else "false"}
        if temporary_patterns is not None:
            self._rules[settings.TEMPORARY_PATTERNS] = json.dumps(list(temporary_patterns))
        self.dead_letters = dead_letter_queue(self, "EventsDeadLetters", removal=defaults.removal)
        self.queue = work_queue(
            self,
            "EventsQueue",
            dead_letters=self.dead_letters,
            receives_max=_RECEIVES_MAX,
            function_timeout_s=_TIMEOUT_S,
            window_s=_WINDOW_S,
            removal=defaults.removal,
        )
        self.function = self._make_function()

    def open_to(self, function: ServiceFunction) -> None:
        """Make the function a door: it may queue events; those too big for a message go where requests go."""
        function.set({settings.EVENTS_QUEUE_URL: self.queue.queue_url})
        function.allow(["sqs:SendMessage"], [self.queue.queue_arn])

    def _make_function(self) -> ServiceFunction:
        function = ServiceFunction(
            self,
            "EventsFunction",
            module="events",
            description="Keeps queued events about runs, and loads what they say into the graph table.",
            timeout_s=_TIMEOUT_S,
            memory_mb=1024,
            defaults=self._defaults,
        )
        function.set(
            {
                settings.GRAPH_TABLE: self._graph_table.table_name,
                settings.ARCHIVE_BUCKET: self._archive_bucket.bucket_name,
                settings.EVENTS_QUEUE_URL: self.queue.queue_url,
                **self._rules,
            }
        )
        # A transaction asks for the rights of what is in it.
        reads, writes = ("BatchGetItem", "Query"), ("BatchWriteItem", "PutItem", "UpdateItem", "DeleteItem")
        actions = [f"dynamodb:{action}" for action in (*reads, *writes)]
        function.rights.allow_partitions(actions, self._graph_table, settings.GRAPH_PARTITIONS)
        function.allow_objects(["s3:GetObject", "s3:PutObject"], self._archive_bucket, settings.FACTS_PREFIX)
        # A batch that comes again is compared with what is there.
        function.allow_objects(["s3:GetObject", "s3:PutObject"], self._archive_bucket, settings.EVENTS_PREFIX)
        function.allow_objects(["s3:GetObject"], self._intake_bucket, "requests/")
        function.consume("Events", queue=self.queue, batch_size=_BATCH, window_s=_WINDOW_S)
        return function

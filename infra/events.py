"""The ingest of events, and of changes through the API: queues, dead letters, the function that makes facts.

Producers may send to the queue of events. A deletion hides, and a tag adds to, data of several producers: changes
through the API have a queue of their own.
"""

from __future__ import annotations

import json

from constructs import Construct

from headwater import settings
from infra.function import FunctionDefaults, ServiceFunction
from infra.queues import accept_from_alone, deliver_to_alone, work_queue

_TIMEOUT_S = 120
# Events of a batch share reads and writes. Lambda closes a batch earlier where its messages reach 6 MB, the limit of an
# invocation ("Using Lambda with Amazon SQS": batch size, window, or payload size, whichever comes first).
_BATCH = 100
# Above 10 a batch needs a window; this is the shortest. An event is to be readable within seconds.
_WINDOW_S = 1
# Changes through the API are requests of people: few, and each is to be seen at once. Up to 10 a batch needs no window.
_CHANGES_BATCH = 10


class Events(Construct):
    """The queues of events and of changes, and the function that loads both into the raw log and the graph table."""

    def __init__(self, scope: Construct, construct_id: str, defaults: FunctionDefaults) -> None:
        super().__init__(scope, construct_id)
        self._defaults, self._storage, context = defaults, defaults.storage, defaults.context
        self._rules = {settings.PARTITION_TRIMMING: "true" if context.partition_trimming else "false"}
        if context.temporary_patterns is not None:
            self._rules[settings.TEMPORARY_PATTERNS] = json.dumps(list(context.temporary_patterns))
        self._drops: dict[str, str] = {}
        if context.drop_running_events:
            self._drops[settings.DROP_RUNNING_EVENTS] = json.dumps(list(context.drop_running_events))
        self.queue, self.dead_letters = work_queue(self, "Events", function_timeout_s=_TIMEOUT_S, window_s=_WINDOW_S)
        self.changes, self.change_dead_letters = work_queue(self, "Changes", function_timeout_s=_TIMEOUT_S)
        self.function = self._make_function()
        for queue in (self.queue, self.changes):  # a foreign receiver could delete a message before it is loaded
            deliver_to_alone(queue, self.function.role)

    def open_to(self, function: ServiceFunction) -> None:
        """Let the function queue events; events too big for a message go to the ingest bucket."""
        function.set({settings.EVENTS_QUEUE_URL: self.queue.queue_url, **self._drops})
        function.allow(["sqs:SendMessage"], [self.queue.queue_arn])

    def open_changes_to(self, function: ServiceFunction) -> None:
        """Let this function alone queue changes, and operators who redrive them."""
        function.set({settings.CHANGES_QUEUE_URL: self.changes.queue_url})
        function.allow(["sqs:SendMessage"], [self.changes.queue_arn])
        accept_from_alone(self.changes, [function.role], tags=[settings.OPERATOR])

    def _make_function(self) -> ServiceFunction:
        function = ServiceFunction(
            self,
            "EventsFunction",
            module="events",
            description="Keeps queued events and changes through the API, and loads them into the graph table.",
            timeout_s=_TIMEOUT_S,
            memory_mb=1024,
            defaults=self._defaults,
            variables={
                **self._storage.names(settings.GRAPH_TABLE, settings.ARCHIVE_BUCKET, settings.INTAKE_BUCKET),
                settings.EVENTS_QUEUE_URL: self.queue.queue_url,
                settings.CHANGES_QUEUE_URL: self.changes.queue_url,
                **self._rules,
            },
        )
        # A transaction requires the rights of its single writes.
        reads, writes = ("BatchGetItem", "Query"), ("BatchWriteItem", "PutItem", "UpdateItem", "DeleteItem")
        # BatchExecuteStatement requires the rights of its statements.
        statements = ("PartiQLInsert", "PartiQLUpdate")
        actions = [f"dynamodb:{action}" for action in (*reads, *writes, *statements)]
        graph_table, archive_bucket = self._storage.graph_table, self._storage.archive_bucket
        function.rights.allow_partitions(actions, graph_table, settings.GRAPH_PARTITIONS)
        function.rights.allow_partitions(["dynamodb:BatchGetItem"], graph_table, [settings.NAMING])
        # A repeated batch is compared with the stored batch.
        for prefix in (settings.FACTS_PREFIX, settings.EVENTS_PREFIX):
            function.allow_objects(["s3:GetObject", "s3:PutObject"], archive_bucket, prefix)
        function.allow_objects(["s3:GetObject"], self._storage.ingest_bucket, "requests/")
        function.consume("Events", queue=self.queue, batch_size=_BATCH, window_s=_WINDOW_S)
        function.consume("Changes", queue=self.changes, batch_size=_CHANGES_BATCH)
        return function

"""Observability: an alarm for everything that needs a person, and an optional dashboard."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import Duration
from constructs import Construct

from infra.addition import WatchedQueue
from infra.alarms import Alarms
from infra.context import StackContext
from infra.dashboard import Parts, make_dashboard
from infra.function import ServiceFunction
from infra.query_api import QueryApi

# A record should be in the table after a minute or two; half an hour is a day's records at risk of a late trace.
_RECORDS_LATE = Duration.minutes(30)
# An event should be readable after seconds; until then, responses lack it.
_EVENTS_LATE = Duration.minutes(15)
# A day's roots are enqueued at once, and the slowest of them may take a few quarters of an hour.
_TRACES_LATE = Duration.hours(2)
# The stream keeps 24 hours; this leaves most of a day to act.
_EXPIRY_LATE = Duration.hours(1)
# Metrics of our own with the value zero in health: name, publishing function, meaning.
_ZERO_METRICS = (
    ("RecordsDisplaced", "load", "One node was recorded twice with different content; the later one is a dead letter."),
    ("RootsTooLarge", "trace", "A root is left to Spark: it has more records than the trace function takes on."),
    ("RootsRefused", "trace", "A root is not archived: its lines have too many steps for its records."),
    ("RootsMissed", "compact", "A day was sealed without all its traces; the rest is carried over."),
)
# Each night counts its own day; a third day without tables means two failed nights before.
_DAYS_UNPUBLISHED = 3


class Observability(Construct):
    """The alarms of queues, functions, stream, compaction and API, and an optional dashboard of their metrics."""

    def __init__(self, scope: Construct, construct_id: str, *, context: StackContext, parts: Parts) -> None:
        super().__init__(scope, construct_id)
        functions = _functions_of(parts)
        alarms = Alarms(
            self, "Alarms", metrics_namespace=parts.namespace, email=context.alarm_email, ok_actions=context.alarm_ok
        )
        self.topics = {"PageTopicArn": alarms.pages.topic_arn, "MailTopicArn": alarms.mails.topic_arn}
        # Alarms by kind: the core's resources, then those of the features.
        alarms.watch_queues(_queues_of(parts))
        alarms.watch_functions(functions)
        alarms.watch_stream("Expiry", parts.ingestion.expired, age_max=_EXPIRY_LATE)
        alarms.watch_compaction(parts.compaction.state_machine)
        alarms.watch_machines(machine for addition in parts.additions for machine in addition.machines)
        alarms.watch_tables({"records": parts.storage.records_table, "graph": parts.storage.graph_table})
        _watch_apis(alarms, parts.query_api)
        _watch_metrics(alarms)
        if context.dashboard:
            make_dashboard(self, parts, alarms.alarms, functions)


def _functions_of(parts: Parts) -> Sequence[ServiceFunction]:
    """List all functions of the parts."""
    return (
        *(parts.ingestion.input, parts.ingestion.load, parts.ingestion.expired),
        *(parts.events.function, parts.compaction.trace, parts.compaction.compact, parts.query_api.function),
        *(function for addition in parts.additions for function in addition.functions),
    )


def _queues_of(parts: Parts) -> Sequence[WatchedQueue]:
    """List all queues of the parts."""
    ingestion, events, compaction = parts.ingestion, parts.events, parts.compaction
    return (
        WatchedQueue("RecordsDeadLetters", ingestion.dead_letters),
        WatchedQueue("EventsDeadLetters", events.dead_letters),
        WatchedQueue("ChangesDeadLetters", events.change_dead_letters),
        WatchedQueue("TraceDeadLetters", compaction.dead_letters),
        WatchedQueue("RecordsQueue", ingestion.records_queue, _RECORDS_LATE),
        WatchedQueue("PackedQueue", ingestion.packed_queue, _RECORDS_LATE),
        WatchedQueue("EventsQueue", events.queue, _EVENTS_LATE),
        WatchedQueue("ChangesQueue", events.changes, _EVENTS_LATE),
        WatchedQueue("TraceQueue", compaction.trace_queue, _TRACES_LATE),
        *(queue for addition in parts.additions for queue in addition.queues),
    )


def _watch_apis(alarms: Alarms, query_api: QueryApi) -> None:
    """Add alarms of failures and refusals of both APIs."""
    alarms.watch_api("Api", query_api.api)
    if query_api.token_api is not None:
        alarms.watch_api("TokenApi", query_api.token_api)
    alarms.watch_refusals(query_api.access_log, query_api.function.log_group if query_api.token_api else None)


def _watch_metrics(alarms: Alarms) -> None:
    """Add alarms of our own metrics."""
    for metric, service, meaning in _ZERO_METRICS:
        alarms.watch_metric(metric, service=service, meaning=meaning)
    meaning = "The archive's tables are days behind its traces."
    alarms.watch_metric("DaysUnpublished", service="compact", meaning=meaning, least=_DAYS_UNPUBLISHED)

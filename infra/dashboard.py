"""The dashboard, top to bottom as data flows: alarms, requests, events, queues, functions, tables, traces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.addition import Addition, WatchedQueue
from infra.alarms import FIVE_MINUTES, UNAUTHORIZED, forbidden, our_metric
from infra.compaction import Compaction
from infra.events import Events
from infra.function import ServiceFunction
from infra.ingestion import Ingestion
from infra.query_api import QueryApi
from infra.storage import Storage

_WIDTH = 24  # CloudWatch's grid


class Parts(NamedTuple):
    """The parts of a stack to watch, and the namespace of its metrics."""

    namespace: str
    storage: Storage
    ingestion: Ingestion
    events: Events
    compaction: Compaction
    query_api: QueryApi
    additions: Sequence[Addition]


def make_dashboard(
    scope: Construct,
    parts: Parts,
    alarms: Sequence[cloudwatch.Alarm],
    functions: Sequence[ServiceFunction],
) -> cloudwatch.Dashboard:
    """Make a page of the alarms' metrics, and of metrics that explain them."""
    namespace = parts.namespace
    rows: list[list[cloudwatch.IWidget]] = [
        [cloudwatch.AlarmStatusWidget(title="Alarms", width=_WIDTH, alarms=list(alarms))],
        _records(namespace, parts.query_api),
        _events(namespace),
        *(row for addition in parts.additions for row in addition.rows),
        _queues(parts.ingestion, parts.events, parts.compaction),
        _functions(functions),
        _tables(parts.storage),
        _traces(namespace, parts.compaction),
    ]
    return cloudwatch.Dashboard(scope, "Dashboard", default_interval=Duration.days(1), widgets=rows)


def _records(namespace: str, query_api: QueryApi) -> list[cloudwatch.IWidget]:
    accepted = [our_metric(namespace, "RecordsAccepted", service) for service in ("input", "api")]
    fates = [our_metric(namespace, f"Records{fate}", "load") for fate in ("Loaded", "Displaced", "Refused")]
    staged = our_metric(namespace, "RecordsStaged", "expired")
    stages = [api.deployment_stage for api in (query_api.api, query_api.token_api) if api]
    calls = [
        metric
        for stage in stages
        for metric in (
            stage.metric_count(period=FIVE_MINUTES),
            stage.metric_client_error(period=FIVE_MINUTES, statistic="Sum"),
            stage.metric_server_error(period=FIVE_MINUTES, statistic="Sum"),
        )
    ]
    refused = [our_metric(namespace, UNAUTHORIZED, "api"), forbidden(namespace)]
    return [
        graph("Records", [*accepted, *fates, staged], width=16),
        graph("HTTP calls", [*calls, *refused], width=8),
    ]


def _events(namespace: str) -> list[cloudwatch.IWidget]:
    accepted = [our_metric(namespace, "EventsAccepted", service) for service in ("input", "api")]
    accepted += [our_metric(namespace, "EventsDropped", service) for service in ("input", "api")]
    fates = [our_metric(namespace, f"Events{fate}", "events") for fate in ("Loaded", "Refused")]
    return [graph("Events", [*accepted, *fates], width=_WIDTH)]


def _queues(ingestion: Ingestion, events: Events, compaction: Compaction) -> list[cloudwatch.IWidget]:
    work = (ingestion.records_queue, ingestion.packed_queue, events.queue, events.changes, compaction.trace_queue)
    dead = (
        ingestion.dead_letters,
        events.dead_letters,
        events.change_dead_letters,
        compaction.dead_letters,
    )
    ages = [queue.metric_approximate_age_of_oldest_message(period=FIVE_MINUTES) for queue in work]
    return [
        graph("Messages waiting", [_waiting(queue) for queue in work]),
        graph("Age of the oldest message, s", ages),
        graph("Dead letters", [_waiting(queue) for queue in dead]),
    ]


def _functions(functions: Sequence[ServiceFunction]) -> list[cloudwatch.IWidget]:
    resources = [(function.module, function.resource) for function in functions]
    return [
        graph("Function errors", [each.metric_errors(label=name) for name, each in resources]),
        graph("Function throttles", [each.metric_throttles(label=name) for name, each in resources]),
        graph(
            "Function duration p99, ms", [each.metric_duration(label=name, statistic="p99") for name, each in resources]
        ),
    ]


def _tables(storage: Storage) -> list[cloudwatch.IWidget]:
    tables = (("records", storage.records_table), ("graph", storage.graph_table))
    return [
        graph(title, [table.metric(metric, label=name, statistic="Sum", period=FIVE_MINUTES) for name, table in tables])
        for title, metric in (
            ("Write units", "ConsumedWriteCapacityUnits"),
            ("Throttled writes", "WriteThrottleEvents"),
            ("Rows expired by TTL", "TimeToLiveDeletedItemCount"),
        )
    ]


def _traces(namespace: str, compaction: Compaction) -> list[cloudwatch.IWidget]:
    machine = compaction.state_machine
    roots = [our_metric(namespace, f"Roots{fate}", "trace") for fate in ("Traced", "TooLarge")]
    return [
        graph("Roots", [*roots, our_metric(namespace, "RootsMissed", "compact")]),
        graph("Compactions", [machine.metric_succeeded(), machine.metric_failed(), machine.metric_timed_out()]),
        graph("Days", [our_metric(namespace, f"Days{fate}", "compact") for fate in ("Unpublished", "Published")]),
    ]


def _waiting(queue: sqs.Queue) -> cloudwatch.Metric:
    """Count a queue's messages: `ApproximateNumberOfMessagesVisible`."""
    return queue.metric_approximate_number_of_messages_visible(period=FIVE_MINUTES)


def graph(title: str, metrics: Sequence[cloudwatch.IMetric], width: int = 8) -> cloudwatch.GraphWidget:
    """Draw a graph, `graph("HTTP calls", metrics)`; a row has room for a width of 24."""
    return cloudwatch.GraphWidget(title=title, left=list(metrics), width=width)


def watched_work(
    name: str,
    function: ServiceFunction,
    queues: tuple[sqs.Queue, sqs.Queue],
    late: Duration,
    titles: Sequence[str],
    metrics: Sequence[cloudwatch.IMetric],
    ages: Sequence[cloudwatch.IMetric] = (),
) -> Addition:
    """Watch a function of a feature, its queue and its dead letters, and show three graphs with these titles.

    return watched_work("Forward", function, (queue, dead_letters), Duration.hours(1), titles, metrics)
    """
    queue, dead_letters = queues
    oldest = queue.metric_approximate_age_of_oldest_message(period=FIVE_MINUTES, statistic="Maximum")
    shown: Sequence[Sequence[cloudwatch.IMetric]] = (metrics, [*ages, oldest], [_waiting(dead_letters)])
    graphs: list[cloudwatch.IWidget] = [graph(title, of_graph) for title, of_graph in zip(titles, shown, strict=True)]
    return Addition(
        functions=[function],
        queues=[WatchedQueue(f"{name}DeadLetters", dead_letters), WatchedQueue(f"{name}Queue", queue, late)],
        rows=[graphs],
        outputs={f"{name}QueueUrl": queue.queue_url, f"{name}DeadLettersUrl": dead_letters.queue_url},
    )

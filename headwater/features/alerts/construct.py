"""Alerts: the function, called after each load, with its queue, the event bus and its target.

A stack without the context value `alerts` has nothing of it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from aws_cdk import Aws, Duration
from aws_cdk import aws_chatbot as chatbot
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_secretsmanager as secretsmanager
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from headwater import settings
from headwater.features.alerts.cause import KINDS, MANY
from headwater.features.alerts.context import AlertTarget
from headwater.features.alerts.settings import ALERT_RULES, ALERTS, ALERTS_BUS, ALERTS_QUEUE_URL, DUE
from infra.addition import Addition, WatchedQueue
from infra.alarms import our_metric
from infra.dashboard import watched_work
from infra.function import ServiceFunction
from infra.nag import accept
from infra.queues import accept_from_alone, dead_letter_queue, work_queue

if TYPE_CHECKING:
    from infra.stack import LineageStack

# Looks at a hundred nodes of a batch, each with its downstream.
_TIMEOUT_S = 300
# Several looks at a node within the window become a single look; an alert comes seconds later.
_BATCH = 100
_WINDOW_S = 20
_DUE_EVERY = Duration.minutes(15)
# After an hour the damage is done.
_LATE = Duration.hours(1)
# EventBridge tries a target for a day, and then leaves the event to the dead letters.
_TARGET_AGE_MAX = Duration.hours(24)
# A line for people: for a mail, and for Slack (`headwater.features.alerts.message`).
_MAIL, _MRKDWN = "$.detail.mail", "$.detail.mrkdwn"


def add(stack: LineageStack, target: AlertTarget) -> Addition:
    """Add the alerts, and the way to their readers."""
    alerts = Alerts(stack, "Alerts", stack=stack, target=target)
    namespace = stack.defaults.metrics_namespace
    fates = [our_metric(namespace, name, "alerts") for name in ("AlertsSent", "AlertsMuted", "AlertsFailed")]
    titles = ("Alerts", "Alerts: age of the oldest message, s", "Alerts: dead letters")
    addition = watched_work("Alerts", alerts.function, (alerts.queue, alerts.dead_letters), _LATE, titles, fates)
    queues = list(addition.queues)
    if alerts.target_dead_letters is not None:
        queues.append(WatchedQueue("AlertTargetsDeadLetters", alerts.target_dead_letters))
    outputs = {"AlertsBusName": alerts.bus.event_bus_name, "AlertsDeadLettersUrl": alerts.dead_letters.queue_url}
    return replace(addition, queues=queues, outputs=outputs)


class Alerts(Construct):
    """The alerts function with its queue and schedule, the bus, and the target in the context."""

    def __init__(self, scope: Construct, construct_id: str, *, stack: LineageStack, target: AlertTarget) -> None:
        super().__init__(scope, construct_id)
        self.queue, self.dead_letters = work_queue(self, "Alerts", function_timeout_s=_TIMEOUT_S, window_s=_WINDOW_S)
        self.bus = events.EventBus(self, "Bus", description="Headwater's alerts: the source is `headwater`.")
        api = stack.query_api.token_api or stack.query_api.api
        rules = _with_explorer(target.rules, f"{api.url}explore/")
        self.function = self._make_function(stack, rules)
        self._open_to(stack.events.function)
        self.target_dead_letters = None if target.kind == "eventbridge" else self._make_target_dead_letters()
        if self.target_dead_letters is not None:
            self._send_to(target, stack.context.name, self.target_dead_letters)

    def _make_function(self, stack: LineageStack, rules: str) -> ServiceFunction:
        function = ServiceFunction(
            self,
            "AlertsFunction",
            module="alerts",
            feature="alerts",
            description="Finds what is wrong with jobs and datasets, and sends each cause once.",
            timeout_s=_TIMEOUT_S,
            memory_mb=1024,
            defaults=stack.defaults,
            variables={
                **stack.storage.names(settings.GRAPH_TABLE, settings.ARCHIVE_BUCKET),
                ALERTS_QUEUE_URL: self.queue.queue_url,
                ALERTS_BUS: self.bus.event_bus_name,
                ALERT_RULES: rules,
            },
        )
        graph_table = stack.storage.graph_table
        ours = (ALERTS, DUE)
        reads = ["dynamodb:BatchGetItem", "dynamodb:Query"]
        function.rights.allow_partitions(reads, graph_table, (*settings.GRAPH_PARTITIONS, *ours))
        writes = ["dynamodb:PutItem", "dynamodb:BatchWriteItem"]
        function.rights.allow_partitions(writes, graph_table, ours)
        function.allow_objects(["s3:GetObject"], stack.storage.archive_bucket, settings.FACTS_PREFIX)
        function.allow(["events:PutEvents"], [self.bus.event_bus_arn])
        function.consume("Looks", queue=self.queue, batch_size=_BATCH, window_s=_WINDOW_S)
        events.Rule(
            self,
            "Due",
            description="Has the alerts function look at what is due: late datasets, and what waited for quiet hours.",
            schedule=events.Schedule.rate(_DUE_EVERY),
            targets=[targets.LambdaFunction(function.resource, event=events.RuleTargetInput.from_object({}))],
        )
        return function

    def _open_to(self, loader: ServiceFunction) -> None:
        """Let the events function, and operators who redrive, queue jobs and datasets."""
        loader.set({ALERTS_QUEUE_URL: self.queue.queue_url})
        loader.allow(["sqs:SendMessage"], [self.queue.queue_arn])
        accept_from_alone(self.queue, [loader.role], tags=[settings.OPERATOR])

    def _make_target_dead_letters(self) -> sqs.Queue:
        queue = dead_letter_queue(self, "AlertTargetsDeadLetters")
        accept(queue, "SQS3", "It is the dead-letter queue of the target of a rule.")
        return queue

    def _send_to(self, target: AlertTarget, name: str, dead_letters: sqs.Queue) -> None:
        """Send all alerts to the target; on the bus alone, rules of other people match."""
        rule = events.Rule(
            self,
            "All",
            description="Sends every alert to the target that the context names.",
            event_bus=self.bus,
            event_pattern=events.EventPattern(source=["headwater"], detail_type=[*KINDS, MANY]),
        )
        if target.kind == "webhook":
            rule.add_target(self._webhook(target.address, dead_letters))
            return
        topic = self._make_topic()
        message = events.RuleTargetInput.from_event_path(_MAIL)
        if target.kind == "slack":
            workspace, channel = target.address.split("/")
            chatbot.SlackChannelConfiguration(
                self,
                "Slack",
                slack_channel_configuration_name=f"{name}-alerts-{Aws.REGION}",
                slack_workspace_id=workspace,
                slack_channel_id=channel,
                notification_topics=[topic],
                guardrail_policies=[iam.ManagedPolicy.from_aws_managed_policy_name("AWSDenyAll")],
            )
            message = events.RuleTargetInput.from_object(_chatbot_message())
        rule.add_target(
            targets.SnsTopic(topic, message=message, dead_letter_queue=dead_letters, max_event_age=_TARGET_AGE_MAX)
        )

    def _webhook(self, url: str, dead_letters: sqs.Queue) -> events.IRuleTarget:
        """Make the target of an HTTPS endpoint: the event as JSON, with a key of the sender."""
        secret = secretsmanager.Secret(
            self,
            "WebhookSecret",
            description="The key that Headwater's alerts send to the webhook, in the header X-Headwater-Key.",
            generate_secret_string=secretsmanager.SecretStringGenerator(exclude_punctuation=True, password_length=40),
        )
        accept(secret, "SMG4", "The webhook's owner compares the key by hand: a new one would be refused.")
        connection = events.Connection(
            self,
            "WebhookKey",
            authorization=events.Authorization.api_key("X-Headwater-Key", secret.secret_value),
        )
        destination = events.ApiDestination(
            self, "Webhook", connection=connection, endpoint=url, http_method=events.HttpMethod.POST
        )
        return targets.ApiDestination(destination, dead_letter_queue=dead_letters, max_event_age=_TARGET_AGE_MAX)

    def _make_topic(self) -> sns.Topic:
        """Make an encrypted topic to which the bus's rules may publish."""
        bus = iam.ServicePrincipal("events.amazonaws.com")
        key = kms.Key(
            self,
            "TopicKey",
            description="Encrypts Headwater's alerts.",
            enable_key_rotation=True,
        )
        key.grant(bus, "kms:Decrypt", "kms:GenerateDataKey*")
        return sns.Topic(self, "Topic", master_key=key, enforce_ssl=True)


def _with_explorer(rules: str, url: str) -> str:
    """Add the explorer's address to the rules, unless they have an address."""
    return json.dumps({"explorer": url, **json.loads(rules or "{}")})


def _chatbot_message() -> dict[str, object]:
    """Make a custom notification of AWS Chatbot (version 1.0) for an event of the bus."""
    kind, text = events.EventField.from_path("$.detail-type"), events.EventField.from_path(_MRKDWN)
    return {
        "version": "1.0",
        "source": "custom",
        "content": {"textType": "client-markdown", "title": kind, "description": text},
    }

"""Alarms for each kind of failure, and their two topics: some alarms page a person, the rest is mailed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import aws_cdk as cdk
from aws_cdk import Duration
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.addition import WatchedMachine, WatchedQueue
from infra.function import ServiceFunction

FIVE_MINUTES = Duration.minutes(5)
GUIDE = "docs/operations.md"
# Failed deliveries are tried again: only errors of more than a quarter of an hour are a person's business.
_LASTING_PERIODS = 3
UNAUTHORIZED, FORBIDDEN = "RequestsUnauthorized", "RequestsForbidden"
_REFUSALS_MAX = 20
# The share of failed responses, in two of three periods: a single failure of a quiet night is no cause.
_SERVER_ERRORS_SHARE, _SERVER_ERRORS_PERIODS = 0.05, 2
_DEAD_LETTER_AGE_MAX = Duration.days(7)  # half of SQS's retention


class Alarms(Construct):
    """The alarms, by the watched resources; each names its heading in the guide, with the remedy."""

    def __init__(
        self, scope: Construct, construct_id: str, *, metrics_namespace: str, email: str | None, ok_actions: bool
    ) -> None:
        super().__init__(scope, construct_id)
        self._namespace, self._ok_actions = metrics_namespace, ok_actions
        self.alarms: list[cloudwatch.Alarm] = []
        # The id of the first topic is older than the second: people subscribed to it stay subscribed.
        self.pages, self.mails = _topic(self, "Topic"), _topic(self, "MailTopic")
        if email:
            for topic in (self.pages, self.mails):
                topic.add_subscription(subscriptions.EmailSubscription(email))

    def watch_queues(self, watched: Iterable[WatchedQueue]) -> None:
        """Watch queues for messages older than `age_max`: their functions are too slow, or fail.

        Of dead letters, a message is enough, and none may reach the age at which SQS drops messages.
        """
        for name, queue, age_max in ((each.name, each.queue, each.age_max) for each in watched):
            age = queue.metric_approximate_age_of_oldest_message(period=FIVE_MINUTES, statistic="Maximum")
            if age_max is not None:
                meaning = "The queue's function does not keep up, or fails."
                self._alarm(f"{name}Late", age, age_max.to_seconds(), meaning, pages=True)
                continue
            depth = queue.metric_approximate_number_of_messages_visible(period=FIVE_MINUTES, statistic="Maximum")
            meaning = "Messages failed again and again and wait for a person."
            self._alarm(f"{name}Waiting", depth, 1, meaning, pages=True)
            meaning, least = "SQS drops a message after 14 days.", _DEAD_LETTER_AGE_MAX.to_seconds()
            self._alarm(f"{name}Old", age, least, meaning, guide="DeadLettersOld", pages=True)

    def watch_functions(self, functions: Iterable[ServiceFunction]) -> None:
        """Watch each function for errors beyond the cure of retries, and the account for throttles."""
        for function in functions:
            errors = function.resource.metric_errors(period=FIVE_MINUTES)
            self._alarm(f"{function.node.id}Errors", errors, 1, "The function keeps failing.", periods=_LASTING_PERIODS)
        throttles = lam.Function.metric_all_throttles(period=FIVE_MINUTES)
        meaning = "The account has no concurrency left."
        self._alarm("FunctionThrottles", throttles, 1, meaning, periods=_LASTING_PERIODS)

    def watch_stream(self, name: str, function: ServiceFunction, *, age_max: Duration) -> None:
        """Watch a stream: it loses a record after 24 hours."""
        age = function.resource.metric("IteratorAge", period=FIVE_MINUTES, statistic="Maximum")
        self._alarm(
            f"{name}Late", age, age_max.to_milliseconds(), "Expired records are not staged in time.", pages=True
        )

    def watch_compaction(self, machine: sfn.StateMachine) -> None:
        """Watch for every day without a seal: failed, timed out, stopped, never begun."""
        failures = _failures(machine, "compactions that did not succeed")
        self._alarm("CompactionFailed", failures, 1, "The day is not sealed, or no tables were made of it.", pages=True)
        succeeded = machine.metric_succeeded(period=Duration.days(1))
        self._alarm(
            "CompactionMissing",
            succeeded,
            1,
            "No compaction has succeeded for a day.",
            comparison=cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
            missing=cloudwatch.TreatMissingData.BREACHING,
            pages=True,
        )

    def watch_machines(self, watched: Iterable[WatchedMachine]) -> None:
        """Watch state machines of features for failed, timed out and stopped executions."""
        for each in watched:
            self._alarm(each.name, _failures(each.machine, each.label), 1, each.meaning)

    def watch_metric(self, metric_name: str, *, service: str, meaning: str, least: int = 1) -> None:
        """Watch a metric of Headwater's functions; the alarm begins at `least`."""
        self._alarm(metric_name, our_metric(self._namespace, metric_name, service), least, meaning)

    def watch_tables(self, tables: Mapping[str, dynamodb.Table]) -> None:
        """Watch tables for writes that DynamoDB keeps refusing because of load, each by a name."""
        throttled = cloudwatch.MathExpression(
            expression=" + ".join(tables),
            label="throttled writes",
            period=FIVE_MINUTES,
            using_metrics={
                name: table.metric("WriteThrottleEvents", statistic="Sum", period=FIVE_MINUTES)
                for name, table in tables.items()
            },
        )
        meaning = "DynamoDB keeps refusing writes because of load."
        self._alarm("WritesThrottled", throttled, 1, meaning, periods=_LASTING_PERIODS)

    def watch_api(self, name: str, api: apigateway.RestApi) -> None:
        """Watch the share of an API's responses of 500 and above: no caller's mistake."""
        # API Gateway's average of the metric is the share.
        share = api.deployment_stage.metric_server_error(period=FIVE_MINUTES, statistic="Average")
        self._alarm(
            f"{name}ServerErrors",
            share,
            _SERVER_ERRORS_SHARE,
            "The HTTP API fails.",
            guide="ApiServerErrors",
            periods=_LASTING_PERIODS,
            breaching=_SERVER_ERRORS_PERIODS,
        )

    def watch_refusals(self, signed: logs.LogGroup, of_tokens: logs.LogGroup | None) -> None:
        """Watch for refusals of callers with a credential; scanners of the internet bring none.

        `signed` is the access log of the signed API: `caller` is `-` without a valid signature. `of_tokens` is the log
        of the function behind the token API: it answers 403 to valid tokens alone, and counts refused tokens itself.
        """
        meaning = "Requests come with a token that is unknown, expired or revoked."
        self._alarm(UNAUTHORIZED, our_metric(self._namespace, UNAUTHORIZED, "api"), _REFUSALS_MAX, meaning)
        filters = [(signed, '{ $.status = "403" && $.caller != "-" }')]
        if of_tokens is not None:
            filters.append((of_tokens, '{ $.message = "request" && $.status = 403 }'))
        for log, pattern in filters:
            log.add_metric_filter(
                FORBIDDEN,
                filter_pattern=logs.FilterPattern.literal(pattern),
                metric_namespace=self._namespace,
                metric_name=FORBIDDEN,
            )
        meaning = "Callers sign without the right to call, or ask for more than their token allows."
        self._alarm(FORBIDDEN, forbidden(self._namespace), _REFUSALS_MAX, meaning)

    def _alarm(
        self,
        name: str,
        metric: cloudwatch.IMetric,
        threshold: float,
        meaning: str,
        *,
        guide: str = "",
        periods: int = 1,
        breaching: int | None = None,
        pages: bool = False,
        comparison: cloudwatch.ComparisonOperator = cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        missing: cloudwatch.TreatMissingData = cloudwatch.TreatMissingData.NOT_BREACHING,
    ) -> None:
        alarm = cloudwatch.Alarm(
            self,
            name,
            metric=metric,
            threshold=threshold,
            alarm_description=f"{meaning} What to do: {GUIDE}#{(guide or name).lower()}",
            evaluation_periods=periods,
            datapoints_to_alarm=breaching,
            comparison_operator=comparison,
            treat_missing_data=missing,
        )
        notify = actions.SnsAction(self.pages if pages else self.mails)
        alarm.add_alarm_action(notify)
        if self._ok_actions:
            alarm.add_ok_action(notify)
        self.alarms.append(alarm)


def _failures(machine: sfn.StateMachine, label: str) -> cloudwatch.MathExpression:
    """Count the failed, timed out and stopped executions."""
    return cloudwatch.MathExpression(
        expression="failed + timed_out + aborted",
        label=label,
        period=FIVE_MINUTES,
        using_metrics={
            "failed": machine.metric_failed(),
            "timed_out": machine.metric_timed_out(),
            "aborted": machine.metric_aborted(),
        },
    )


def our_metric(namespace: str, name: str, service: str) -> cloudwatch.Metric:
    """Name a metric of our own, as the function `lambdas.<service>` publishes it."""
    return cloudwatch.Metric(
        namespace=namespace,
        metric_name=name,
        dimensions_map={"service": service},
        statistic="Sum",
        period=FIVE_MINUTES,
    )


def forbidden(namespace: str) -> cloudwatch.Metric:
    """Name the metric of responses 403, counted from logs."""
    return cloudwatch.Metric(namespace=namespace, metric_name=FORBIDDEN, statistic="Sum", period=FIVE_MINUTES)


_ALARMS = iam.ServicePrincipal("cloudwatch.amazonaws.com")
_OF_THIS_ACCOUNT = {"StringEquals": {"aws:SourceAccount": cdk.Aws.ACCOUNT_ID}}


def _topic(scope: Construct, construct_id: str) -> sns.Topic:
    """Make a topic to which the alarms of this account may publish; `kms_key_arn` gives it a key."""
    topic = sns.Topic(scope, construct_id, enforce_ssl=True)
    # A policy of the topic's own replaces the account's right to publish, alarms included.
    topic.add_to_resource_policy(
        iam.PolicyStatement(
            principals=[_ALARMS], actions=["sns:Publish"], resources=[topic.topic_arn], conditions=_OF_THIS_ACCOUNT
        )
    )
    return topic

"""Transports for openlineage-python: any of its producers (Airflow, dbt, Spark's listener, ...) sends to Headwater.

    transport:
      type: spark_client.openlineage.SqsTransport
      queueUrl: https://sqs.eu-west-1.amazonaws.com/123456789012/events

    transport:
      type: spark_client.openlineage.LambdaTransport
      function: arn:aws:lambda:eu-west-1:123456789012:function:input

`SqsTransport` puts events on the stack's events queue (its output EventsQueueUrl); `LambdaTransport` invokes the input
function (InputFunctionName), and it checks each event before it responds. Both also take `region`, if neither the
address nor the AWS session names it, and `timeout`: the seconds of all tries of an event together (60). Options may be
spelled `queueUrl`, `queue_url` or `queueurl`: openlineage-python writes environment options in lower case. boto3 is
loaded with the first transport.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import attr
from openlineage.client.transport import Config, Transport

from spark_client.errors import Misconfigured, Refused, Undelivered
from spark_client.event_payloads import rendered
from spark_client.transport.retry import Clock, RetryPolicy, retry

if TYPE_CHECKING:
    from openlineage.client.client import Event

# SQS's quota of a message; the stack's queue takes as much.
_MESSAGE_BYTES_MAX = 1024 * 1024
# Characters valid in JSON and refused by SQS (the non-characters of XML 1.0).
_REFUSED_BY_SQS = {0xFFFE: "\\ufffe", 0xFFFF: "\\uffff"}


@attr.define
class SqsConfig(Config):
    """Options of `SqsTransport`."""

    queue_url: str
    region: str | None = None
    timeout: float = RetryPolicy.deadline_s

    @classmethod
    def from_dict(cls, params: dict[str, Any]) -> SqsConfig:
        """Read the options by any of their spellings; `Misconfigured` names the wrong option."""
        return cls(_text(params, "queueUrl"), _optional_text(params, "region"), _seconds(params, "timeout"))


@attr.define
class LambdaConfig(Config):
    """Options of `LambdaTransport`."""

    function: str
    region: str | None = None
    timeout: float = RetryPolicy.deadline_s

    @classmethod
    def from_dict(cls, params: dict[str, Any]) -> LambdaConfig:
        """Read the options by any of their spellings; `Misconfigured` names the wrong option."""
        return cls(_text(params, "function"), _optional_text(params, "region"), _seconds(params, "timeout"))


class SqsTransport(Transport):
    """Transport to the events queue, a message for each event; usable by many threads."""

    kind = "sqs"
    config_class = SqsConfig

    def __init__(self, config: SqsConfig) -> None:
        from spark_client.transport.queue import SqsQueue

        self._policy = _retry_policy(config.timeout)
        self._queue = SqsQueue(config.queue_url, self._policy, config.region)

    def emit(self, event: Event) -> None:
        """Send an event; try again after temporary failures.

        An event against a rule of the service is not refused here: its message ends in the dead-letter queue.

        Raises:
            Refused: the event has no JSON, is above 1 MiB (`TooLarge`), or SQS refused it.
            Undelivered: the event did not arrive within the timeout.
            Misconfigured: there is no region, or no credentials.
        """
        text = rendered(event).decode().translate(_REFUSED_BY_SQS)
        size_bytes = len(text.encode())
        if size_bytes > _MESSAGE_BYTES_MAX:
            raise Refused("TooLarge", f"event: must be at most {_MESSAGE_BYTES_MAX} bytes for SQS, got {size_bytes}")
        _retry(lambda: self._send(text), self._policy)

    def close(self, timeout: float = -1) -> bool:  # noqa: ARG002 - nothing is left to wait for
        """Close the connections; every event accepted by `emit` was sent."""
        self._queue.close()
        return True

    def _send(self, text: str) -> None:
        for unsent in self._queue.send([text]):
            raise Refused("SQS", unsent.reason) if unsent.final else Undelivered(unsent.reason)


class LambdaTransport(Transport):
    """Transport to the input function, a call for each event; usable by many threads."""

    kind = "lambda"
    config_class = LambdaConfig

    def __init__(self, config: LambdaConfig) -> None:
        from spark_client.transport import function

        self._policy = _retry_policy(config.timeout)
        self._function = function.LambdaTransport(config.function, self._policy, config.region)

    def emit(self, event: Event) -> None:
        """Send an event; try again after temporary failures.

        Raises:
            Refused: the event has no JSON, breaks a rule, or is above Lambda's 6 MB.
            Undelivered: the event did not arrive within the timeout.
            Misconfigured: there is no region, or no credentials.
        """
        body = rendered(event)
        _retry(lambda: self._function.send_event(body, self._policy.attempt_s), self._policy)

    def close(self, timeout: float = -1) -> bool:  # noqa: ARG002 - nothing is left to wait for
        """Close the connections; every event accepted by `emit` was sent."""
        self._function.close()
        return True


def _retry_policy(timeout_s: float) -> RetryPolicy:
    usual = RetryPolicy()
    return replace(usual, deadline_s=timeout_s, attempt_s=min(usual.attempt_s, timeout_s))


def _retry(attempt: Callable[[], None], policy: RetryPolicy) -> None:
    retry(lambda timeout_s: attempt(), policy, Clock())  # noqa: ARG005 - botocore sets time-outs once for a client


def _text(params: Mapping[str, Any], option: str) -> str:
    value = _optional_text(params, option)
    if value is None:
        raise Misconfigured(f"transport.{option}: is required")
    return value


def _optional_text(params: Mapping[str, Any], option: str) -> str | None:
    value = _option(params, option)
    if value is None or (isinstance(value, str) and value):
        return value
    raise Misconfigured(f"transport.{option}: must be a text, got {value!r}")


def _seconds(params: Mapping[str, Any], option: str) -> float:
    value = _option(params, option)
    try:
        seconds = RetryPolicy.deadline_s if value is None else float(value)
    except (TypeError, ValueError):
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise Misconfigured(f"transport.{option}: must be a number of seconds above 0, got {value!r}")
    return seconds


def _option(params: Mapping[str, Any], option: str) -> Any:
    """Look up an option's value by any spelling of its name."""
    return next((value for name, value in params.items() if name.replace("_", "").lower() == option.lower()), None)

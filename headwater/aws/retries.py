"""botocore's standard retries, for a client of our own; and the kinds of passing refusals."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from botocore.exceptions import BotoCoreError, ClientError
from botocore.model import ServiceId
from botocore.retries.standard import register_retry_handler

from headwater_model.errors import Unavailable

if TYPE_CHECKING:
    from botocore.client import BaseClient

    from headwater.aws.connections import Response

_SERVICE = "DynamoDB"
# Besides the throttles: a rival transaction holds an item; S3 is busy.
_PASSING = frozenset({"TransactionConflictException", "TransactionInProgressException", "SlowDown", "RequestTimeout"})
_SERVER_FAULT = 500


class StandardRetries:
    """The rules of retries: kinds of failures, attempts, delays, and the common quota of all calls.

    botocore registers this mode's handlers on the events of a client; this class calls them.
    """

    def __init__(self, attempts_max: int) -> None:
        handlers: dict[str, Callable[..., None]] = {}
        events = SimpleNamespace(register=lambda event, handler, **_: handlers.setdefault(event, handler))
        meta = SimpleNamespace(events=events, service_model=SimpleNamespace(service_id=ServiceId(_SERVICE)))
        self._handler = register_retry_handler(cast("BaseClient", SimpleNamespace(meta=meta)), attempts_max)
        self._release = handlers["after-call.dynamodb"]
        # DynamoDB's model marks no error as retryable.
        service = SimpleNamespace(service_name=_SERVICE.lower())
        self._operation = SimpleNamespace(name="", service_model=service, error_shapes=())

    def delay_s(
        self,
        attempt: int,
        context: dict[str, Any],
        response: tuple[Response, dict[str, Any]] | None,
        error: Exception | None,
    ) -> float | None:
        """Compute the seconds to wait before the next attempt, or None if the failure stays.

        `attempt` counts from 1; `context` is the call's own, empty at first; `response` is a refusal, parsed.
        """
        delay: float | None = self._handler.needs_retry(
            response=response,
            attempts=attempt,
            operation=self._operation,
            caught_exception=error,
            request_dict={"context": context},
        )
        return delay

    def return_quota(self, context: dict[str, Any], response: Response) -> None:
        """Give the quota spent on the call's retries back."""
        self._release(context=context, http_response=response)


def is_throttle(error: ClientError) -> bool:
    """True if DynamoDB refused for now because of load."""
    return error.response["Error"]["Code"] in {
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
        "RequestLimitExceeded",
    }


def is_passing(error: Exception) -> bool:
    """True if AWS refused for now, because of load or a fault of its own: the request is not at fault."""
    if isinstance(error, ClientError):
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        return is_throttle(error) or error.response["Error"]["Code"] in _PASSING or status >= _SERVER_FAULT
    return isinstance(error, (Unavailable, BotoCoreError))


def is_of_request(error: ClientError) -> bool:
    """True if AWS refuses this request at any time: its content breaks a rule, such as a size."""
    return error.response["Error"]["Code"] in {
        "ItemCollectionSizeLimitExceededException",
        "SerializationException",
        "TransactionCanceledException",
        "ValidationException",
    }

"""botocore's standard retries, for a client of our own."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from headwater.aws.botocore_internals import ServiceId, register_retry_handler

if TYPE_CHECKING:
    from botocore.client import BaseClient

    from headwater.aws.connections import Response

_SERVICE = "DynamoDB"


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

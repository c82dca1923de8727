"""Transport that invokes the input function."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from spark_client.errors import Refused, Undelivered
from spark_client.transport.aws_calls import AwsConnection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy_boto3_lambda import LambdaClient

    from spark_client.transport.destination import Json
    from spark_client.transport.retry import RetryPolicy

# The function's refusals; any other error (a time-out, a crash, `Unavailable`) may pass.
_REFUSALS = frozenset({"Invalid", "NotFound", "Conflict", "TooLarge"})


class LambdaTransport:
    """Transport by synchronous calls of a function; the client retries, botocore does not.

    Without a `region` it is the one in the function's ARN, else the session's.
    """

    def __init__(self, function: str, policy: RetryPolicy, region: str | None = None) -> None:
        self._function = function
        self._connection: AwsConnection[LambdaClient] = AwsConnection(
            "lambda", function, region or _region(function), policy
        )

    def send(self, body: bytes, timeout_s: float) -> Json:
        """Invoke the function with one request; its errors carry its own names."""
        with self._connection.use(timeout_s) as functions:
            response = functions.invoke(FunctionName=self._function, Payload=body)
            payload: object = json.loads(response["Payload"].read())
        result: Json = payload if isinstance(payload, dict) else {}
        if response.get("FunctionError"):
            raise _function_error(result)
        return result

    def send_event(self, event: bytes, timeout_s: float) -> None:
        """Invoke the function with one event."""
        self.send(event, timeout_s)

    def send_events(self, events: Sequence[bytes], timeout_s: float) -> Json:
        """Invoke the function with several events."""
        return self.send(b'{"events": [' + b",".join(events) + b"]}", timeout_s)

    def close(self) -> None:
        """Close the connections; the next request makes a new client."""
        self._connection.close()


def _region(function: str) -> str | None:
    """Find the region in an ARN; None leaves it to the session."""
    return function.split(":")[3] if function.startswith("arn:") else None


def _function_error(result: Json) -> Refused | Undelivered:
    name, message = str(result.get("errorType", "Unknown")), str(result.get("errorMessage", ""))
    return Refused(name, message) if name in _REFUSALS else Undelivered(f"{name}: {message}")

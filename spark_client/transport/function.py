"""Requests by invoking the input function."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from spark_client.errors import Refused, Undelivered
from spark_client.transport.aws_calls import AwsConnection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy_boto3_lambda import LambdaClient

    from spark_client.transport.destination import Json
    from spark_client.transport.retry import Patience

# The function's own errors that say no; any other (a time-out, a crash, `Unavailable`) may pass.
_REFUSALS = frozenset({"Invalid", "NotFound", "Conflict", "TooLarge"})


class LambdaTransport:
    """Invokes one function synchronously; the retries are the client's, not botocore's.

    Without a `region` it is the one in the function's ARN, else the session's.
    """

    def __init__(self, function: str, patience: Patience, region: str | None = None) -> None:
        self._function = function
        self._connection: AwsConnection[LambdaClient] = AwsConnection(
            "lambda", function, region or _region(function), patience
        )

    def send(self, body: bytes, timeout_s: float) -> Json:  # noqa: ARG002 - botocore sets time-outs once for a client
        """Invoke the function with one request; its errors carry its own names."""
        with self._connection.use() as functions:
            response = functions.invoke(FunctionName=self._function, Payload=body)
            payload: object = json.loads(response["Payload"].read())
        answer: Json = payload if isinstance(payload, dict) else {}
        if response.get("FunctionError"):
            raise _function_error(answer)
        return answer

    def send_event(self, event: bytes, timeout_s: float) -> None:
        """Invoke the function with one event."""
        self.send(event, timeout_s)

    def send_events(self, events: Sequence[bytes], timeout_s: float) -> Json:
        """Invoke the function with several."""
        return self.send(b'{"events": [' + b",".join(events) + b"]}", timeout_s)

    def close(self) -> None:
        """Close the connections; the next request makes a new client."""
        self._connection.close()


def _region(function: str) -> str | None:
    """The region that an ARN names; None leaves it to the session."""
    return function.split(":")[3] if function.startswith("arn:") else None


def _function_error(answer: Json) -> Refused | Undelivered:
    name, message = str(answer.get("errorType", "Unknown")), str(answer.get("errorMessage", ""))
    return Refused(name, message) if name in _REFUSALS else Undelivered(f"{name}: {message}")

"""Requests by invoking the input function; the one module that loads boto3."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NotConnected

from spark_client.errors import Misconfigured, Refused, Undelivered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy_boto3_lambda import LambdaClient

    from spark_client.retry import Patience
    from spark_client.transports import Json

# The function's own errors that say no; any other (a time-out, a crash, `Unavailable`) may pass.
_REFUSALS = frozenset({"Invalid", "NotFound", "Conflict", "TooLarge"})


class LambdaTransport:
    """Invokes one function synchronously; the retries are the client's, not botocore's."""

    def __init__(self, function: str, patience: Patience) -> None:
        self._function = function
        self._config = Config(
            connect_timeout=patience.connect_s, read_timeout=patience.attempt_s, retries={"total_max_attempts": 1}
        )
        self._lock = threading.Lock()
        self._client: LambdaClient | None = None

    def send(self, body: bytes, timeout_s: float) -> Json:  # noqa: ARG002 - botocore sets time-outs once for a client
        """Invoke the function with one request; its errors carry its own names."""
        try:
            response = self._connected().invoke(FunctionName=self._function, Payload=body)
            payload: object = json.loads(response["Payload"].read())
        except ClientError as error:
            raise _service_error(error) from error
        except (NotConnected, HTTPClientError) as error:
            raise Undelivered(f"{self._function}: {error}") from error
        except BotoCoreError as error:
            raise Misconfigured(f"{self._function}: {error}") from error
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
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._client = None

    def _connected(self) -> LambdaClient:
        with self._lock:
            if self._client is None:
                self._client = boto3.session.Session().client(
                    "lambda", region_name=_region(self._function), config=self._config
                )
            return self._client


def _region(function: str) -> str | None:
    """The region that an ARN names; None leaves it to the session."""
    return function.split(":")[3] if function.startswith("arn:") else None


def _service_error(error: ClientError) -> Refused | Undelivered:
    code, message = error.response["Error"].get("Code", ""), error.response["Error"].get("Message", "")
    status = error.response["ResponseMetadata"]["HTTPStatusCode"]
    return Undelivered(f"{code}: {message}") if status == 429 or status >= 500 else Refused(code, message)


def _function_error(answer: Json) -> Refused | Undelivered:
    name, message = str(answer.get("errorType", "Unknown")), str(answer.get("errorMessage", ""))
    return Refused(name, message) if name in _REFUSALS else Undelivered(f"{name}: {message}")

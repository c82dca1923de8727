"""AWS calls within the client's own time limits and with its own errors; the one module that loads boto3."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NotConnected

from spark_client.errors import Misconfigured, Refused, Undelivered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_client.transport.retry import RetryPolicy

# Codes of 400 responses that mean "later": SQS's and its key's.
_LATER = frozenset({"RequestThrottled", "ThrottlingException", "Throttling", "OverLimit", "KmsThrottled"})


C = TypeVar("C")


class AwsConnection(Generic[C]):
    """Lazy boto3 client of one service; `name` stands in error messages.

    Usable by many threads. The caller retries, botocore does not.
    """

    def __init__(self, service: Literal["lambda", "sqs"], name: str, region: str | None, policy: RetryPolicy) -> None:
        self._service, self._name, self._region = service, name, region
        self._config = Config(
            connect_timeout=policy.connect_s, read_timeout=policy.attempt_s, retries={"total_max_attempts": 1}
        )
        self._lock = threading.Lock()
        self._client: Any = None

    @contextmanager
    def use(self) -> Iterator[C]:
        """Yield the boto3 client, for calls whose errors become this package's.

        Raises:
            Refused: the service refused the call.
            Undelivered: no response, or a failure that may pass.
            Misconfigured: no region or no credentials.
        """
        try:
            yield self._connected()
        except ClientError as error:
            raise _service_error(error) from error
        except (NotConnected, HTTPClientError) as error:
            raise Undelivered(f"{self._name}: {error}") from error
        except BotoCoreError as error:
            raise Misconfigured(f"{self._name}: {error}") from error

    def close(self) -> None:
        """Close the connections; the next call makes a new client."""
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._client = None

    def _connected(self) -> C:
        with self._lock:
            if self._client is None:
                session = boto3.session.Session()
                self._client = session.client(self._service, region_name=self._region, config=self._config)
            client: C = self._client
            return client


def _service_error(error: ClientError) -> Refused | Undelivered:
    code, message = error.response["Error"].get("Code", ""), error.response["Error"].get("Message", "")
    status = error.response["ResponseMetadata"]["HTTPStatusCode"]
    later = status == 429 or status >= 500 or code.rpartition(".")[2] in _LATER
    return Undelivered(f"{code}: {message}") if later else Refused(code, message)

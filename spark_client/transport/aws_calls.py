"""AWS calls within the client's own time limits and with its own errors; no other module loads boto3."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    HTTPClientError,
    ReadTimeoutError,
)
from botocore.exceptions import ConnectionError as NotConnected

from spark_client.errors import Misconfigured, Refused, Undelivered
from spark_client.transport.proxy import refused_tunnel
from spark_client.transport.retry import PROBE_S
from spark_client.version import USER_AGENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_client.transport.retry import RetryPolicy

# Codes of 400 responses for "later": SQS's and its key's.
_LATER = frozenset({"RequestThrottled", "ThrottlingException", "Throttling", "OverLimit", "KmsThrottled"})


C = TypeVar("C")


class AwsConnection(Generic[C]):
    """Lazy boto3 clients of a service, for usual and for short calls; `name` stands in error messages.

    Usable by many threads. The caller retries, botocore does not. botocore sets time-outs once for a client.
    """

    def __init__(
        self, service: Literal["lambda", "sqs", "sts"], name: str, region: str | None, policy: RetryPolicy
    ) -> None:
        self._service, self._name, self._region = service, name, region
        self._policy = policy
        self._lock = threading.Lock()
        self._clients: dict[float, Any] = {}

    @contextmanager
    def use(self, timeout_s: float | None = None) -> Iterator[C]:
        """Yield the boto3 client, and turn its errors into this package's; a short time has a client of its own.

        Raises:
            Refused: the service refused the call.
            Undelivered: no response, or a temporary failure.
            Misconfigured: no region or no credentials.
        """
        try:
            yield self._connected(timeout_s)
        except ClientError as error:
            raise _service_error(error) from error
        except (NotConnected, HTTPClientError) as error:
            # botocore's own message of a proxy hides the status.
            if refusal := refused_tunnel(str(error.kwargs.get("error")), f"{self._name}: proxy"):
                raise refusal from error
            timed_out = isinstance(error, (ConnectTimeoutError, ReadTimeoutError))
            raise Undelivered(f"{self._name}: {error}", timed_out=timed_out) from error
        except BotoCoreError as error:
            raise Misconfigured(f"{self._name}: {error}") from error

    def close(self) -> None:
        """Close the connections; the next call makes a new client."""
        with self._lock:
            for client in self._clients.values():
                client.close()
            self._clients = {}

    def _connected(self, timeout_s: float | None) -> C:
        usual_s = self._policy.attempt_s
        read_s = min(PROBE_S, usual_s) if timeout_s is not None and timeout_s <= PROBE_S else usual_s
        with self._lock:
            if read_s not in self._clients:
                config = Config(
                    user_agent_extra=USER_AGENT,
                    connect_timeout=min(self._policy.connect_s, read_s),
                    read_timeout=read_s,
                    retries={"total_max_attempts": 1},
                )
                session = boto3.session.Session()
                self._clients[read_s] = session.client(self._service, region_name=self._region, config=config)
            client: C = self._clients[read_s]
            return client


def _service_error(error: ClientError) -> Refused | Undelivered:
    code, message = error.response["Error"].get("Code", ""), error.response["Error"].get("Message", "")
    status = error.response["ResponseMetadata"]["HTTPStatusCode"]
    later = status == 429 or status >= 500 or code.rpartition(".")[2] in _LATER
    return Undelivered(f"{code}: {message}") if later else Refused(code, message)

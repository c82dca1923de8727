"""The AWS endpoint: moto, in a process of its own so that its state and its clock are its own."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

from botocore.config import Config

from local_stack.errors import ChildFailed, DataInUse, DataUnusable, PortInUse
from local_stack.processes.child_process import Child, Message

REGION = "us-east-1"
ACCOUNT = "123456789012"
# The path of the functions' port for the events of moto's event buses.
EVENTS_PATH = "/events"
_ROOT = Path(__file__).resolve().parents[2]
_START_S = 60.0
_RESPONSE_S = 120.0
_RESTORE_S = 600.0
# Variables of programs for HTTP proxies; some programs use them even for this machine.
_PROXY_VARIABLES = frozenset({"http_proxy", "https_proxy", "all_proxy"})


def settings_at(url: str) -> dict[str, Any]:
    """Build the settings of `boto3.client` for the endpoint at `url`, whatever the process's environment.

    No proxy of the environment comes between: no proxy reaches a port on loopback.
    """
    return {
        "endpoint_url": url,
        "region_name": REGION,
        "aws_access_key_id": "local",
        "aws_secret_access_key": "local",
        "config": Config(proxies={}),
    }


def without_proxies(environment: Mapping[str, str]) -> dict[str, str]:
    """Clean the environment of a child with requests to this machine alone.

    >>> without_proxies({"PATH": "/bin", "HTTP_PROXY": "http://proxy:3128", "https_proxy": "http://proxy:3128"})
    {'PATH': '/bin'}
    """
    return {name: value for name, value in environment.items() if name.lower() not in _PROXY_VARIABLES}


class Endpoint:
    """moto over HTTP on 127.0.0.1, from construction until `stop`; with a `state` its items, objects and messages stay.

    Raises:
        DataInUse: another process has the state.
        DataUnusable: the state cannot be kept there, or not be read.
    """

    def __init__(self, *, port: int, functions_url: str, logs: Path, state: Path | None = None) -> None:
        self._state, self._lock = state, None if state is None else _lock(state)
        env = {**without_proxies(os.environ), "MOTO_DISABLE_GLOBAL_CORS": "true", "PYTHONPATH": str(_ROOT)}
        self._child = Child("local_stack.aws.moto_server", [], env=env, cwd=_ROOT, log=logs / "moto.log")
        self._scratch = TemporaryDirectory(prefix="headwater-", ignore_cleanup_errors=True)
        listen = {"port": port, "functions_url": functions_url, "scratch": self._scratch.name}
        kept = None if state is None else str(state)
        response = self._child.request({"listen": {**listen, "state": kept}}, timeout_s=_START_S)
        self._check_state(response)
        if response.get("in_use"):
            self.stop()
            raise PortInUse(port, "--aws-port")
        self.url = f"http://127.0.0.1:{response['port']}"

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of a process with boto3 or the AWS CLI for this endpoint."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def restore(self) -> None:
        """Put the content of the state into the new tables, buckets and queues; raise `DataUnusable`."""
        self._check_state(self._child.request({"restore": True}, timeout_s=_RESTORE_S))

    def _check_state(self, response: Message) -> None:
        if self._state and "unusable" in response:
            self.stop()
            raise DataUnusable(self._state.parent, response["unusable"])

    def skip_to(self, offset_s: float) -> None:
        """Move moto's clock so far ahead of the machine's."""
        self._child.request({"offset_s": offset_s}, timeout_s=_RESPONSE_S)

    def expire(self) -> list[dict[str, Any]]:
        """Remove expired items from every table with a TTL; return each as `{"table", "keys", "image"}`."""
        response: Message = self._child.request({"expire": True}, timeout_s=_RESPONSE_S)
        removed: list[dict[str, Any]] = response["removed"]
        return removed

    def count_messages(self) -> Mapping[str, int]:
        """Count the messages of each queue, by its name, with delayed messages and messages in flight."""
        response: Message = self._child.request({"messages": True}, timeout_s=_RESPONSE_S)
        counts: Mapping[str, int] = response["messages"]
        return counts

    def let_go(self) -> None:
        """Respond to all waiting requests for a message, now and later."""
        with contextlib.suppress(ChildFailed):  # It lets go of them, too
            self._child.request({"let_go": True}, timeout_s=_RESPONSE_S)

    def stop(self) -> None:
        """End the process, and with it its state."""
        self._child.stop()
        self._scratch.cleanup()
        if self._lock:
            self._lock.close()


def _lock(state: Path) -> TextIO:
    """Lock the folder of the state for this process, until its end of any kind."""
    try:
        state.parent.mkdir(parents=True, exist_ok=True)
        lock = (state.parent / "lock").open("w")
    except OSError as error:
        raise DataUnusable(state.parent, f"must be a folder that can be written to ({error.strerror})") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        lock.close()
        raise DataInUse(state.parent) from error
    return lock

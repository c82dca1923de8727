"""The AWS endpoint: moto, in a process of its own so that its state and its clock are nobody else's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from local.child_process import Child, Message
from local.errors import PortInUse

REGION = "us-east-1"
ACCOUNT = "123456789012"
_ROOT = Path(__file__).resolve().parent.parent
_START_S = 60.0
_ANSWER_S = 120.0


def settings_at(url: str) -> dict[str, Any]:
    """What `boto3.client` needs to talk to the endpoint at `url`, whatever its process's own environment says."""
    return {
        "endpoint_url": url,
        "region_name": REGION,
        "aws_access_key_id": "local",
        "aws_secret_access_key": "local",
    }


class Endpoint:
    """moto over HTTP on 127.0.0.1, from construction until `stop`."""

    def __init__(self, *, port: int, functions_url: str, logs: Path) -> None:
        env = {**os.environ, "MOTO_DISABLE_GLOBAL_CORS": "true", "PYTHONPATH": str(_ROOT)}
        self._child = Child("local.moto_server", [], env=env, cwd=_ROOT, log=logs / "moto.log")
        self._scratch = TemporaryDirectory(prefix="headwater-", ignore_cleanup_errors=True)
        listen = {"listen": {"port": port, "functions_url": functions_url, "scratch": self._scratch.name}}
        said = self._child.ask(listen, timeout_s=_START_S)
        if said.get("in_use"):
            self.stop()
            raise PortInUse(port, "--aws-port")
        self.url = f"http://127.0.0.1:{said['port']}"

    @property
    def environment(self) -> Mapping[str, str]:
        """What a process needs so that its boto3 or AWS CLI talks to this endpoint."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def skip_to(self, offset_s: float) -> None:
        """Let moto's clock run that far ahead of the machine's."""
        self._child.ask({"offset_s": offset_s}, timeout_s=_ANSWER_S)

    def expire(self) -> list[dict[str, Any]]:
        """Remove what has expired from every table that has a TTL; each `{"table", "keys", "image"}`."""
        said: Message = self._child.ask({"expire": True}, timeout_s=_ANSWER_S)
        removed: list[dict[str, Any]] = said["removed"]
        return removed

    def stop(self) -> None:
        """End the process; what it held is gone."""
        self._child.stop()
        self._scratch.cleanup()

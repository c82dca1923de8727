"""One function's process: imports its handler once, then runs one invocation at a time, as a Lambda sandbox does.

Started by `local.functions` as `python -m local.worker lambdas.load.handler`, by
the protocol of `local.child_process`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from local.child_process import Message, answer_lines
from local.time_skip import Skipping

Handler = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Context:
    """What a handler is given beside its event; attributes as in the Python runtime of Lambda."""

    function_name: str
    invoked_function_arn: str
    memory_limit_in_mb: str
    aws_request_id: str
    deadline_s: float
    function_version: str = "$LATEST"
    log_group_name: str = "local"
    log_stream_name: str = "local"
    identity: None = None
    client_context: None = None

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the process is killed; measured on a clock that `advance` does not move."""
        return max(0, round((self.deadline_s - time.monotonic()) * 1000))


class Worker:
    """Answers `{"event", "request_id", "arn", "memory_mb", "timeout_s", "clock_offset_s"}`, or `{}` to import."""

    def __init__(self, handler: str) -> None:
        self._path = handler
        self._handler: Handler | None = None
        self._skipping = Skipping()

    def answer(self, question: Message) -> Message:
        """`{"payload": <the handler's>}` or `{"error": <as Lambda shows it>}`; `{}` for the import."""
        request_id = question.get("request_id", "")
        try:
            handler = self._load()
        except Exception as error:  # noqa: BLE001 - whatever the module raises at import is told to the caller
            return {"error": _error_payload(error, request_id, "Runtime.ImportModuleError")}
        if not question:
            return {}
        self._skipping.to(question["clock_offset_s"])
        try:
            payload = handler(question["event"], _context(question))
        except BaseException as error:  # noqa: BLE001 - a handler may raise anything, SystemExit too
            return {"error": _error_payload(error, request_id)}
        return _marshalled(payload, request_id)

    def _load(self) -> Handler:
        if self._handler is None:
            module, _, name = self._path.rpartition(".")
            self._handler = getattr(importlib.import_module(module), name)
        return self._handler


def _context(question: Message) -> Context:
    return Context(
        function_name=os.environ["AWS_LAMBDA_FUNCTION_NAME"],
        invoked_function_arn=question["arn"],
        memory_limit_in_mb=str(question["memory_mb"]),
        aws_request_id=question["request_id"],
        deadline_s=time.monotonic() + question["timeout_s"],
    )


def _marshalled(payload: object, request_id: str) -> Message:
    try:
        json.dumps(payload)
    except (TypeError, ValueError) as error:
        return {"error": _error_payload(error, request_id, "Runtime.MarshalError")}
    return {"payload": payload}


def _error_payload(error: BaseException, request_id: str, error_type: str = "") -> Message:
    """The JSON that Lambda answers for an error, and the trace in the log as Lambda would write it."""
    traceback.print_exception(error)
    return {
        "errorMessage": str(error),
        "errorType": error_type or type(error).__name__,
        "requestId": request_id,
        "stackTrace": traceback.format_tb(error.__traceback__),
    }


if __name__ == "__main__":
    answer_lines(Worker(sys.argv[1]).answer)

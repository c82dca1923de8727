"""The process of a function: it imports its handler once, then runs invocations in turn, as a Lambda sandbox does.

Started by `local_stack.compute.functions` as `python -m local_stack.compute.worker lambdas.load.handler`, with the
protocol of `local_stack.processes.child_process`.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from local_stack.processes.child_process import Message, render_line, serve_lines
from local_stack.processes.time_skip import Skipping

Handler = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Context:
    """The context argument of a handler; attributes as in the Python runtime of Lambda."""

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
        """Compute the milliseconds until the process is killed, on a clock that `advance` does not move."""
        return max(0, round((self.deadline_s - time.monotonic()) * 1000))


class Worker:
    """A function's worker: `{"event", "request_id", "arn", "memory_mb", "timeout_s", "clock_offset_s"}`, or `{}`."""

    def __init__(self, handler: str) -> None:
        self._path = handler
        self._handler: Handler | None = None
        self._skipping = Skipping()

    def respond(self, request: Message) -> Message | bytes:
        """Run the handler to `{"payload": <its result>}` or `{"error": <Lambda's payload>}`; for `{}`, import it."""
        request_id = request.get("request_id", "")
        try:
            handler = self._load()
        except Exception as error:  # noqa: BLE001 - any error at import goes to the caller
            return {"error": _error_payload(error, request_id, "Runtime.ImportModuleError")}
        if not request:
            return {}
        self._skipping.to(request["clock_offset_s"])
        try:
            payload = handler(request["event"], _context(request))
        except BaseException as error:  # noqa: BLE001 - a handler may raise anything, SystemExit too
            return {"error": _error_payload(error, request_id)}
        return _marshal(payload, request_id)

    def _load(self) -> Handler:
        if self._handler is None:
            module, _, name = self._path.rpartition(".")
            self._handler = getattr(importlib.import_module(module), name)
        return self._handler


def _context(request: Message) -> Context:
    return Context(
        function_name=os.environ["AWS_LAMBDA_FUNCTION_NAME"],
        invoked_function_arn=request["arn"],
        memory_limit_in_mb=str(request["memory_mb"]),
        aws_request_id=request["request_id"],
        deadline_s=time.monotonic() + request["timeout_s"],
    )


def _marshal(payload: object, request_id: str) -> Message | bytes:
    try:
        return render_line({"payload": payload})
    except (TypeError, ValueError) as error:
        return {"error": _error_payload(error, request_id, "Runtime.MarshalError")}


def _error_payload(error: BaseException, request_id: str, error_type: str = "") -> Message:
    """Render Lambda's JSON for an error, and print the trace as in Lambda's log."""
    traceback.print_exception(error)
    return {
        "errorMessage": str(error),
        "errorType": error_type or type(error).__name__,
        "requestId": request_id,
        "stackTrace": traceback.format_tb(error.__traceback__),
    }


if __name__ == "__main__":
    serve_lines(Worker(sys.argv[1]).respond)

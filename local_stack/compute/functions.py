"""Lambda: the template's functions, each in its own processes, invoked with Lambda's limits."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from local_stack.errors import ChildFailed, ChildTimedOut
from local_stack.processes.child_process import Child, render_line
from local_stack.processes.clock import Clock

# Lambda quotas: "invocation payload (request and response) 6 MB each (synchronous)".
PAYLOAD_BYTES_MAX = 6 * 1024 * 1024
_IMPORT_S = 60.0
_WORKERS_MAX = 2
_INHERITED = ("PATH", "HOME", "LANG", "TMPDIR", "VIRTUAL_ENV", "SSL_CERT_FILE")


@dataclass(frozen=True)
class Function:
    """A function of the template, names resolved."""

    logical_id: str
    name: str
    arn: str
    handler: str
    timeout_s: int
    memory_mb: int
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def log_name(self) -> str:
        """The log file's name: `load.log` for `lambdas.load.handler`, `alerts.log` for `….alerts.function.handler`."""
        return self.handler.removesuffix(".handler").removesuffix(".function").rpartition(".")[2] + ".log"


@dataclass(frozen=True)
class InvocationResult:
    """An invocation's outcome: the handler's result or, with `failed`, Lambda's error payload."""

    payload: Any
    failed: bool = False

    @property
    def error_type(self) -> str:
        """`errorType` of a failed invocation; Step Functions catches it by name."""
        return str(self.payload.get("errorType", "")) if self.failed else ""


class Functions:
    """All functions of the stack, by logical id, physical name or ARN."""

    def __init__(
        self, functions: list[Function], *, env: Mapping[str, str], code: Path, logs: Path, clock: Clock
    ) -> None:
        self._pools = {f.logical_id: _Pool(f, env=env, code=code, logs=logs, clock=clock) for f in functions}
        self._ids = {alias: f.logical_id for f in functions for alias in (f.logical_id, f.name, f.arn)}

    def __contains__(self, function: str) -> bool:
        return function in self._ids

    @property
    def busy(self) -> int:
        """The number of invocations under way or waiting for a worker."""
        return sum(pool.counted.now for pool in self._pools.values())

    def describe(self, function: str) -> Function:
        """Find the function by logical id, name or ARN; KeyError names an unknown function."""
        return self._pools[self._ids[function]].function

    def invoke(self, function: str, event: object) -> InvocationResult:
        """Run the handler on `event` and wait; a failure is a result too, never an exception."""
        return self._pools[self._ids[function]].invoke(event)

    def stop(self) -> None:
        """End every worker, even during an invocation."""
        for pool in self._pools.values():
            pool.stop()


class Counted:
    """A count of the threads in a block."""

    def __init__(self) -> None:
        self._lock, self.now = threading.Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            self.now += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.now -= 1


class _Pool:
    """Up to two workers of a function, started when first needed, reused for the next invocation."""

    def __init__(self, function: Function, *, env: Mapping[str, str], code: Path, logs: Path, clock: Clock) -> None:
        self.function = function
        self.counted = Counted()
        self._env = _worker_env(function, env, code)
        self._code = code
        self._log = logs / function.log_name
        self._clock = clock
        self._free = threading.BoundedSemaphore(_WORKERS_MAX)
        self._lock = threading.Lock()
        self._idle: list[Child] = []
        self._all: set[Child] = set()
        self._stopped = False

    def invoke(self, event: object) -> InvocationResult:
        request_id = str(uuid.uuid4())
        with self.counted, self._free:
            payload = render_line(event)
            if len(payload) > PAYLOAD_BYTES_MAX + len("\n"):
                return _render_refusal("Function.RequestTooLarge", "Request", request_id)
            try:
                return self._run(payload, request_id)
            except ChildTimedOut:
                return _render_failure(
                    "Sandbox.Timedout", f"Task timed out after {self.function.timeout_s:.2f} seconds", request_id
                )
            except ChildFailed as error:
                return _render_failure("Runtime.ExitError", f"Runtime exited: {error}", request_id)

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            children, self._all = self._all, set()
        for child in children:
            child.stop(wait_s=0.5)

    def _run(self, payload: bytes, request_id: str) -> InvocationResult:
        child = self._get_worker()
        try:
            response = child.request(self._request(payload, request_id), timeout_s=self.function.timeout_s)
        except ChildFailed:
            self._all.discard(child)
            raise
        with self._lock:
            self._idle.append(child)
        if "error" in response:
            return InvocationResult(response["error"], failed=True)
        if child.line_bytes > PAYLOAD_BYTES_MAX + len('{"payload":}'):
            return _render_refusal("Function.ResponseSizeTooLarge", "Response", request_id)
        return InvocationResult(response["payload"])

    def _get_worker(self) -> Child:
        with self._lock:
            if self._stopped:
                raise ChildFailed(f"{self.function.logical_id}: the stack has stopped")
            if self._idle:
                return self._idle.pop()
            child = Child(
                "local_stack.compute.worker", [self.function.handler], env=self._env, cwd=self._code, log=self._log
            )
            self._all.add(child)
        child.request({}, timeout_s=_IMPORT_S)  # The init phase; Lambda does not count it either
        return child

    def _request(self, payload: bytes, request_id: str) -> bytes:
        context = {
            "request_id": request_id,
            "arn": self.function.arn,
            "memory_mb": self.function.memory_mb,
            "timeout_s": self.function.timeout_s,
            "clock_offset_s": self._clock.offset_s,
        }
        return b'{"event":%b,%b' % (payload.rstrip(), render_line(context)[1:])


def python_environment(env: Mapping[str, str], code: Path) -> dict[str, str]:
    """Build a child's environment to run `code`: `env`, and Python's variables of this process."""
    here = Path(__file__).resolve().parents[2]
    return {
        **{name: os.environ[name] for name in _INHERITED if name in os.environ},
        **env,
        "PYTHONPATH": os.pathsep.join(dict.fromkeys([str(code), str(here)])),
        "PYTHONUNBUFFERED": "1",
        "TZ": "UTC",
    }


def _worker_env(function: Function, env: Mapping[str, str], code: Path) -> dict[str, str]:
    """Build the function's variables and Lambda's own."""
    return {
        **python_environment(env, code),
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory_mb),
        "_HANDLER": function.handler,
        **function.environment,
    }


def _render_failure(error_type: str, message: str, request_id: str) -> InvocationResult:
    payload = {"errorType": error_type, "errorMessage": f"RequestId: {request_id} Error: {message}"}
    return InvocationResult(payload, failed=True)


def _render_refusal(error_type: str, side: str, request_id: str) -> InvocationResult:
    rule = f"{side} payload size exceeded maximum allowed payload size ({PAYLOAD_BYTES_MAX} bytes)."
    return _render_failure(error_type, rule, request_id)

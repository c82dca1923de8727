"""The local stack's changes to moto, here and in the modules `moto_*` of this package.

`moto_glue` is Glue's, `moto_athena` Athena's, `moto_events` EventBridge's, `moto_kms` KMS's. moto is pinned, and
tests/unit/local_stack compares each change with stock behaviour. Here, three changes make functions and executions true
to AWS, a fourth shortens the pauses of executions, a fifth saves memory, and the last saves time in hundreds of tests,
each with a new stack.
"""

from __future__ import annotations

import urllib.request
import uuid
from collections.abc import Mapping, MutableMapping
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from moto.awslambda_simple.models import LambdaSimpleBackend
from moto.core.common_models import BaseModel
from moto.core.config import default_user_config
from moto.stepfunctions.parser.asl.component.common.error_name.custom_error_name import CustomErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.error_name import ErrorName
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration import iteration_worker
from moto.stepfunctions.parser.asl.component.state.wait.wait_function.wait_function import WaitFunction
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.models import StepFunctionsParserBackend

_stock_start = StepFunctionsParserBackend.start_execution
_stock_wait = WaitFunction._wait_interval


def post(url: str, body: bytes, headers: Mapping[str, str] = MappingProxyType({})) -> Any:
    """Post to the stack's own port on loopback; return the response to read."""
    return urllib.request.urlopen(urllib.request.Request(url, body, dict(headers), method="POST"))  # noqa: S310 - loopback


def run_functions_at(url: str) -> None:
    """Let `lambda.invoke`, from boto3 and from a state machine, run our function; moto would echo the payload."""

    def invoke(
        self: LambdaSimpleBackend,  # noqa: ARG001 - the signature is moto's
        function_name: str,
        qualifier: str | None,  # noqa: ARG001 - the signature is moto's
        body: bytes | str | None,
        headers: MutableMapping[str, str],
        response_headers: dict[str, Any],
    ) -> bytes | None:
        address = f"{url}/2015-03-31/functions/{quote(function_name, safe='')}/invocations"
        sent = body.encode() if isinstance(body, str) else body or b"{}"
        kind = headers.get("X-Amz-Invocation-Type") or "RequestResponse"
        with post(address, sent, {"X-Amz-Invocation-Type": kind}) as response:
            if "X-Amz-Function-Error" in response.headers:
                response_headers["x-amz-function-error"] = response.headers["X-Amz-Function-Error"]
            payload: bytes = response.read()
            return payload

    # The simple backend is moto's choice without Docker.
    LambdaSimpleBackend.invoke = invoke  # type: ignore[method-assign]
    default_user_config["lambda"] = {"use_docker": False}


def name_every_execution() -> None:
    """Name nameless executions, as AWS does; moto calls the first "None" and refuses the next."""

    def start_execution(
        self: StepFunctionsParserBackend, arn: str, name: str | None = None, *args: Any, **kw: Any
    ) -> Any:
        return _stock_start(self, arn, name or str(uuid.uuid4()), *args, **kw)

    StepFunctionsParserBackend.start_execution = start_execution  # type: ignore[assignment, method-assign]


class _AnyErrorName(CustomErrorName):
    """The name of an error that is passed on, whatever its source."""

    def __init__(self, error_name: str | None) -> None:
        ErrorName.__init__(self, error_name=error_name)


def pass_errors_on_out_of_a_map() -> None:
    """Let a Map fail with its state's error, `States.TaskFailed` too; moto refuses the name."""
    vars(iteration_worker)["CustomErrorName"] = _AnyErrorName


def wait_at_most(seconds: int) -> None:
    """End each Wait state of an execution after so many seconds: its subject takes no longer here."""

    def wait_interval(self: WaitFunction, env: Environment, wait_seconds: int) -> None:
        _stock_wait(self, env=env, wait_seconds=min(wait_seconds, seconds))

    WaitFunction._wait_interval = wait_interval  # type: ignore[method-assign]


def forget_models() -> None:
    """Let moto forget what a request has made; it lists every model ever made, for a page of its own API."""
    BaseModel.__new__ = staticmethod(lambda cls, *_, **__: object.__new__(cls))  # type: ignore[method-assign]

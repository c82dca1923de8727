"""The local stack's changes to moto, here and in the modules `moto_*` of this package.

`moto_glue` is Glue's, `moto_athena` Athena's, `moto_events` EventBridge's, `moto_kms` KMS's; DynamoDB's items are in
`local_stack.aws.tables`. moto is pinned, and tests/unit/local_stack compares each change with stock behaviour. Here,
three changes make functions and executions true to AWS, and a fourth shortens the pauses of executions. The rest only
make moto fast enough, for queues of ten thousand messages and for hundreds of tests, each with a new stack. (moto's
missing locks around DynamoDB, S3 and SQS need no patch: see `local_stack.aws.moto_server`.)
"""

from __future__ import annotations

import copy
import json
import threading
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from moto.awslambda_simple.models import LambdaSimpleBackend
from moto.cloudformation.models import Stack
from moto.core.config import default_user_config
from moto.core.responses import ActionResult
from moto.sqs import models as sqs_models
from moto.sqs.models import Message, Queue, SQSBackend
from moto.sqs.responses import SQSResponse
from moto.stepfunctions.parser.asl.component.common.error_name.custom_error_name import CustomErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.error_name import ErrorName
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration import iteration_worker
from moto.stepfunctions.parser.asl.component.state.wait.wait_function.wait_function import WaitFunction
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.models import StepFunctionsParserBackend

_stock_attributes: Callable[[Queue], dict[str, Any]] = vars(Queue)["attributes"].fget
_stock_get_attributes = SQSResponse.get_queue_attributes
_stock_delete = Queue.delete_message
_stock_millis: Callable[[datetime | None], float] = vars(sqs_models)["unix_time_millis"]
_stock_start = StepFunctionsParserBackend.start_execution
_stock_parse = Stack.parse_template
_stock_wait = WaitFunction._wait_interval


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
        name = quote(function_name, safe="")
        request = urllib.request.Request(  # noqa: S310 - our own loopback address
            f"{url}/2015-03-31/functions/{name}/invocations",
            data=body.encode() if isinstance(body, str) else body or b"{}",
            headers={"X-Amz-Invocation-Type": headers.get("X-Amz-Invocation-Type") or "RequestResponse"},
            method="POST",
        )
        with urllib.request.urlopen(request) as response:  # noqa: S310 - our own loopback address
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


def read_templates_as_json_first() -> None:
    """Let CloudFormation read a JSON template as JSON; moto reads it as YAML, a hundred times slower: 0.1 s."""

    def parse_template(template: str) -> dict[str, Any]:
        try:
            parsed: dict[str, Any] = json.loads(template)
        except ValueError:
            return _stock_parse(template)
        return parsed

    Stack.parse_template = staticmethod(parse_template)  # type: ignore[method-assign]


def keep_queues_fast_when_they_are_long() -> None:
    """Make sending, receiving and deleting as fast with 10,000 messages as with a single message.

    moto reads all of them, several times: 30 ms a message at 1,000 messages.
    """

    def millis(moment: datetime | None = None) -> float:
        return time.time() * 1000 if moment is None else _stock_millis(moment)

    def delete_message(self: Queue, receipt_handle: str) -> None:
        for index, message in enumerate(self._messages):
            if message.had_receipt_handle(receipt_handle):
                self.pending_messages.discard(message)
                self.deleted_messages.update(handle for handle in message.all_receipt_handles if handle)
                del self._messages[index]
                return
        _stock_delete(self, receipt_handle)

    counting = threading.local()

    def attributes(self: Queue) -> dict[str, Any]:
        # Sending and receiving look an attribute up as well, but none of the three counts.
        if getattr(counting, "now", False):
            return _stock_attributes(self)
        uncounted = copy.copy(self)
        uncounted.BASE_ATTRIBUTES = [name for name in self.BASE_ATTRIBUTES if not name.startswith("ApproximateNumber")]
        return _stock_attributes(uncounted)

    def get_queue_attributes(self: SQSResponse) -> ActionResult:
        counting.now = True
        try:
            return _stock_get_attributes(self)
        finally:
            counting.now = False

    vars(sqs_models)["unix_time_millis"] = millis
    SQSBackend.is_message_valid_based_on_retention_period = _is_retained  # type: ignore[method-assign]
    Queue.delete_message = delete_message  # type: ignore[method-assign]
    Queue.attributes = property(attributes)  # type: ignore[assignment, method-assign]
    Queue.messages = property(_Visible)  # type: ignore[assignment, method-assign]
    SQSResponse.get_queue_attributes = get_queue_attributes  # type: ignore[method-assign]


def keep_the_order_of_groups() -> None:
    """Let a group of a FIFO queue wait for its messages in flight alone.

    moto counts a message as in flight until it is received again: if two messages become visible together, it skips the
    first because of the second, and delivers the second. Now it delivers the first, and afterwards the second.
    """

    def pending_message_groups(self: Queue) -> set[str]:
        in_flight = (message for message in self.pending_messages if not message.visible)
        return {message.group_id for message in in_flight if message.group_id is not None}

    Queue.pending_message_groups = property(pending_message_groups)  # type: ignore[assignment, method-assign]


def _is_retained(self: SQSBackend, queue_name: str, message: Message) -> bool:
    kept_s: float = vars(self.get_queue(queue_name))["message_retention_period"]
    return kept_s + message.sent_timestamp / 1000 > time.time()  # type: ignore[operator]


@dataclass(frozen=True)
class _Visible:
    """A queue's visible messages, read lazily."""

    queue: Queue

    def __iter__(self) -> Iterator[Message]:
        return (message for message in list(self.queue._messages) if message.visible and not message.delayed)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return any(True for _ in self)

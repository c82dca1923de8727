"""Faults at the edge of AWS, by botocore's own events: before a call takes effect, or after it did."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import contextmanager
from typing import Any

from botocore.awsrequest import AWSResponse
from botocore.exceptions import ReadTimeoutError


class Killed(BaseException):
    """The function died: no handler of ours may answer this."""


def refused(code: str, message: str = "injected", **more: object) -> tuple[AWSResponse, dict[str, Any]]:
    """A response of AWS: the call is refused for good, botocore's own retries included."""
    response = AWSResponse("http://injected", 400, {}, None)
    returned = {"Error": {"Code": code, "Message": message}, "ResponseMetadata": {"HTTPStatusCode": 400}}
    return response, {**returned, **more}


def timed_out() -> ReadTimeoutError:
    """No answer in time."""
    return ReadTimeoutError(endpoint_url="http://injected")


@contextmanager
def before(client, operation: str, fault: object, *, times: int = 1, only: Callable[[dict[str, Any]], bool] = bool):
    """Refuse the operation's first `times` calls picked by `only`; no refused call takes effect."""
    left = [times]

    def act(params, **_):
        if left[0] and only(params):
            left[0] -= 1
            return _strike(fault)
        return None

    with _registered(client, f"before-call.{client.meta.service_model.service_id.hyphenize()}.{operation}", act):
        yield left


@contextmanager
def after(client, operation: str, fault: BaseException, *, times: int = 1):
    """Let the operation's first calls take effect, then lose their answers."""
    left = [times]

    def act(**_):
        if left[0]:
            left[0] -= 1
            _strike(fault)

    with _registered(client, f"after-call.{client.meta.service_model.service_id.hyphenize()}.{operation}", act):
        yield left


@contextmanager
def meanwhile(client, operation: str, act: Callable[[], object]):
    """Do something once, just before the operation's next call is sent."""
    left = [1]

    def once(**_):
        if left[0]:
            left[0] -= 1
            act()

    with _registered(client, f"before-call.{client.meta.service_model.service_id.hyphenize()}.{operation}", once):
        yield left


@contextmanager
def killed_at(clients, number: int, *, effective: bool, operations: Collection[str] | None = None):
    """Die at the number-th call of any of the clients, before it takes effect or after it did; counts the calls.

    With `operations`, only calls of these operations count.
    """
    counted = [0]

    def act(model, **_):
        if operations is not None and model.name not in operations:
            return
        counted[0] += 1
        if counted[0] == number:
            raise Killed(f"call {number}")

    moment = "after-call" if effective else "before-call"
    for client in clients:
        client.meta.events.register(moment, act)
    try:
        yield counted
    finally:
        for client in clients:
            client.meta.events.unregister(moment, act)


@contextmanager
def _registered(client, event, act):
    client.meta.events.register_first(event, act)
    try:
        yield
    finally:
        client.meta.events.unregister(event, act)


def _strike(fault):
    if isinstance(fault, BaseException):
        raise fault
    return fault

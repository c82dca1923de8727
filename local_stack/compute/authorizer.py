"""A token authorizer of API Gateway: its function's word on each token, kept for a while, and the refusals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from local_stack.aws.endpoint import ACCOUNT, REGION
from local_stack.compute.functions import Functions
from local_stack.processes.clock import Clock
from local_stack.web.server import Reply, Request, render_message

_HEADER = "authorization"
_REASON = "$context.authorizer.reason"
_UNAUTHORIZED, _DENIED = "UNAUTHORIZED", "ACCESS_DENIED"


@dataclass(frozen=True)
class Authorizer:
    """The authorizer of an API, without the paths below `open_path`; `refusals` are texts by type of response."""

    function: str
    ttl_s: float
    open_path: str
    refusals: Mapping[str, str] = field(default_factory=dict)

    def is_open(self, path: str) -> bool:
        """True for `/explore/map` where `open_path` is `explore`."""
        return path.strip("/").split("/")[0] == self.open_path


class Authorization:
    """The authorizer's words, by token."""

    def __init__(self, authorizer: Authorizer, *, api_id: str, stage: str, functions: Functions, clock: Clock) -> None:
        self._authorizer, self._functions, self._clock = authorizer, functions, clock
        self._arn = f"arn:aws:execute-api:{REGION}:{ACCOUNT}:{api_id}/{stage}"
        self._kept: dict[str, tuple[float, Mapping[str, Any]]] = {}

    def authorize(self, request: Request, path: str) -> Mapping[str, Any] | Reply:
        """Return the context for the request's event, or the refusal."""
        token = request.header(_HEADER)
        if not token:
            return self._refuse(_UNAUTHORIZED, {})
        until, word = self._kept.get(token, (0.0, {}))
        if self._clock.now() >= until:
            event = {"type": "TOKEN", "authorizationToken": token, "methodArn": f"{self._arn}/{request.method}{path}"}
            result = self._functions.invoke(self._authorizer.function, event)
            if result.failed:
                return render_message(500, "Internal server error")
            word = result.payload
            self._kept[token] = (self._clock.now() + self._authorizer.ttl_s, word)
        context = {**word.get("context", {}), "principalId": word["principalId"]}
        if word["policyDocument"]["Statement"][0]["Effect"] != "Allow":
            return self._refuse(_DENIED, context)
        return context

    def _refuse(self, kind: str, context: Mapping[str, Any]) -> Reply:
        text = self._authorizer.refusals[kind].replace(_REASON, str(context.get("reason", "")))
        headers = [("Content-Type", "application/json"), ("WWW-Authenticate", "Bearer")]
        return Reply(401, headers, text.encode())

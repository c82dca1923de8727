"""API Gateway's REST API on loopback: requests to the function as proxy events, its results back as HTTP.

The same server serves Lambda's Invoke API: moto's `lambda.invoke` reaches our functions there.
"""

from __future__ import annotations

import base64
import gzip
import json
import time
import uuid
import zlib
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote

from local_stack.aws.endpoint import ACCOUNT
from local_stack.compute.authorizer import Authorization, Authorizer
from local_stack.compute.functions import PAYLOAD_BYTES_MAX, Functions, InvocationResult
from local_stack.processes.clock import Clock
from local_stack.web.server import BODY_BYTES_MAX, Reply, Request, render_message

# On loopback time matters, not size.
_GZIP_LEVEL = 1
_INVOKE_PREFIX = "/2015-03-31/functions/"


@dataclass(frozen=True)
class Route:
    """The function behind the API, and the API's part of its events.

    With compression, API Gateway unpacks compressed bodies, and compresses bodies of `compress_from` bytes or more for
    clients with support (guide, "Enable payload compression for an API"). A `signed` API accepts only requests with a
    signature, unchecked on loopback.
    """

    function: str
    stage: str
    api_id: str
    timeout_s: float
    binary: bool
    compress_from: int | None
    variables: Mapping[str, str] = field(default_factory=dict)
    signed: bool = True
    authorizer: Authorizer | None = None


class RestApi:
    """An API whose function handles the requests."""

    def __init__(self, route: Route, *, functions: Functions, clock: Clock) -> None:
        self._route = route
        self._functions = functions
        self._clock = clock
        self._executor = ThreadPoolExecutor(8, thread_name_prefix="api")
        self._authorization = route.authorizer and Authorization(
            route.authorizer, api_id=route.api_id, stage=route.stage, functions=functions, clock=clock
        )

    def reply_to(self, request: Request) -> Reply:
        """Answer with the function's response, or API Gateway's error in its place."""
        event = self.event_for(request)
        if self._authorization and not self._is_open(event["path"]):
            authorized = self._authorization.authorize(request, event["path"])
            if isinstance(authorized, Reply):
                return authorized
            event["requestContext"]["authorizer"] = authorized
        if len(json.dumps(event, ensure_ascii=False).encode()) > PAYLOAD_BYTES_MAX:
            return render_message(413, "Request Too Long")
        running: Future[InvocationResult] = self._executor.submit(self._functions.invoke, self._route.function, event)
        try:
            result = running.result(self._route.timeout_s)
        except FutureTimeoutError:
            return render_message(504, "Endpoint request timed out")
        return self._compress(request, _reply_of(result))

    def _is_open(self, path: str) -> bool:
        """True for a path before the authorizer."""
        return self._route.authorizer is not None and self._route.authorizer.is_open(path)

    def _compress(self, request: Request, reply: Reply) -> Reply:
        """Compress the reply as API Gateway does: if it is large enough and the client accepts it."""
        least = self._route.compress_from
        if least is None or len(reply.body) < least or "gzip" not in request.header("accept-encoding"):
            return reply
        if any(name.lower() == "content-encoding" for name, _ in reply.headers):
            return reply
        return reply._replace(
            headers=[*reply.headers, ("Content-Encoding", "gzip")], body=gzip.compress(reply.body, _GZIP_LEVEL)
        )

    def stop(self) -> None:
        """Stop responding."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def event_for(self, request: Request) -> dict[str, Any]:
        """Build the Lambda proxy event: the path as sent, `%2F` and all; query values decoded."""
        path, _, query = request.target.partition("?")
        proxy, folder = path.lstrip("/"), ""
        if self._is_open(path):
            folder, _, proxy = proxy.partition("/")
        pairs = parse_qsl(query, keep_blank_values=True)
        sent = request.body
        # API Gateway unpacks known encodings, and sends binary bodies in base64.
        if self._route.compress_from is not None and request.header("content-encoding") == "gzip":
            sent = _unpack(sent)
        binary = self._route.binary and bool(sent)
        body = base64.b64encode(sent).decode() if binary else sent.decode("utf-8", "replace")
        return {
            "resource": "/".join(["", *filter(None, [folder, "{proxy+}" if proxy else ""])]) or "/",
            "path": path,
            "httpMethod": request.method,
            "headers": dict(request.headers) or None,
            "multiValueHeaders": _multi(request.headers) or None,
            "queryStringParameters": dict(pairs) or None,
            "multiValueQueryStringParameters": _multi(pairs) or None,
            "pathParameters": {"proxy": proxy} if proxy else None,
            "stageVariables": dict(self._route.variables) or None,
            "requestContext": self._context(request, path),
            "body": body or None,
            "isBase64Encoded": binary,
        }

    def _context(self, request: Request, path: str) -> dict[str, Any]:
        stage = self._route.stage
        return {
            "accountId": ACCOUNT,
            "apiId": self._route.api_id,
            "domainName": request.header("host"),
            "httpMethod": request.method,
            "identity": {"sourceIp": request.source_ip, "userAgent": request.header("user-agent") or None},
            "path": f"/{stage}{path}",
            "protocol": "HTTP/1.1",
            "requestId": str(uuid.uuid4()),
            "requestTimeEpoch": int(self._clock.now() * 1000),
            "resourcePath": "/{proxy+}" if path.strip("/") else "/",
            "stage": stage,
        }


def _unpack(body: bytes) -> bytes:
    """Unpack the body; a body that is no gzip, or too large, is left for the function to refuse."""
    inflator = zlib.decompressobj(31)
    try:
        unpacked = inflator.decompress(body, BODY_BYTES_MAX)
    except zlib.error:
        return body
    return body if inflator.unconsumed_tail or not inflator.eof else unpacked


def _multi(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return values


def _reply_of(result: InvocationResult) -> Reply:
    """Translate the proxy response into HTTP; an invalid response is 502, as in API Gateway."""
    payload = result.payload
    if result.failed or not isinstance(payload, dict) or not isinstance(payload.get("statusCode"), int):
        return render_message(502, "Internal server error")
    text = payload.get("body") or ""
    body = base64.b64decode(text) if payload.get("isBase64Encoded") else text.encode()
    headers = _headers_of(payload)
    if "content-type" not in {name.lower() for name, _ in headers}:
        headers.append(("Content-Type", "application/json"))
    return Reply(payload["statusCode"], headers, body)


def _headers_of(payload: Mapping[str, Any]) -> list[tuple[str, str]]:
    multi = payload.get("multiValueHeaders") or {}
    single = {name: value for name, value in (payload.get("headers") or {}).items() if name not in multi}
    named = [(name, str(value)) for name, value in single.items()]
    named += [(name, str(value)) for name, values in multi.items() for value in values]
    return [(name, value) for name, value in named if name.lower() not in {"content-length", "connection"}]


class InvokeApi:
    """Lambda's Invoke API, for moto."""

    def __init__(self, functions: Callable[[], Functions], report: Callable[[str, InvocationResult], None]) -> None:
        self._functions = functions
        self._report = report
        self._executor = ThreadPoolExecutor(4, thread_name_prefix="async")

    def reply_to(self, request: Request) -> Reply:
        """Run the function and return its payload; for `Event`, return at once and run it in the background."""
        name = unquote(request.target.removeprefix(_INVOKE_PREFIX).removesuffix("/invocations"))
        functions = self._functions()
        if name not in functions:
            return render_message(404, f"Function not found: {name}")
        try:
            event = json.loads(request.body or b"{}")
        except ValueError as error:
            return render_message(400, f"Could not parse request body into json: {error}")
        kind = request.header("x-amz-invocation-type")
        if kind == "Event":
            self.start(name, event)
            return Reply(202, [], b"")
        if kind == "DryRun":
            return Reply(204, [], b"")
        result = functions.invoke(name, event)
        flags = [("X-Amz-Function-Error", "Unhandled")] if result.failed else []
        return Reply(200, [("Content-Type", "application/json"), *flags], json.dumps(result.payload).encode())

    def start(self, name: str, event: object) -> None:
        """Run a function in the background."""
        self._executor.submit(self._run_behind, name, event)

    def _run_behind(self, name: str, event: object) -> None:
        """Run like an asynchronous event of Lambda: up to three times (without its waits)."""
        for _ in range(3):
            result = self._functions().invoke(name, event)
            if not result.failed:
                return
            time.sleep(0.1)
        self._report(name, result)

    def stop(self) -> None:
        """Stop running functions."""
        self._executor.shutdown(wait=False, cancel_futures=True)

"""API Gateway's REST API on loopback: requests to the function as proxy events, its results back as HTTP.

The same server serves Lambda's Invoke API, through which moto's `lambda.invoke` reaches our functions.
"""

from __future__ import annotations

import base64
import gzip
import hmac
import json
import sys
import threading
import time
import uuid
import zlib
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote

from local.clock import Clock
from local.endpoint import ACCOUNT
from local.errors import PortInUse
from local.functions import PAYLOAD_BYTES_MAX, Functions, InvocationResult
from local.request_body import BodyRefused, read_body
from local.web_guard import find_refusal

# API Gateway quotas: "payload size 10 MB"; the integration timeout is the method's.
BODY_BYTES_MAX = 10 * 1024 * 1024
# On loopback time matters, not size.
_GZIP_LEVEL = 1
_INVOKE_PREFIX = "/2015-03-31/functions/"


@dataclass(frozen=True)
class Route:
    """The function behind the API, and the API's part of its events.

    Where compression is switched on, API Gateway unpacks bodies that come compressed, and compresses those of
    `compress_from` bytes or more for clients that accept it (guide, "Enable payload compression for an API"). A
    `signed` API accepts only requests with a signature, which is not checked on loopback.
    """

    function: str
    stage: str
    api_id: str
    timeout_s: float
    binary: bool
    compress_from: int | None
    variables: Mapping[str, str] = field(default_factory=dict)
    signed: bool = True


@dataclass(frozen=True)
class Reply:
    """An HTTP response."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Server(ThreadingHTTPServer):
    """A server on 127.0.0.1 that calls `reply_to`, unless a web page may have sent the request (`web_guard`).

    It takes its port at once, but refuses connections until `open`: clients that wait for it find the whole stack.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, port: int, reply_to: Callable[[Request], Reply], *, option: str = "--api-port") -> None:
        self.reply_to = reply_to
        self._option = option
        self._thread: threading.Thread | None = None
        super().__init__(("127.0.0.1", port), _Handler, bind_and_activate=False)
        self._take(self.server_bind)

    def open(self) -> Server:
        """Respond from now on. Raises PortInUse if another process took the port meanwhile."""
        self._take(self.server_activate)
        # The longest that a stop may take.
        seconds = {"poll_interval": 0.05}
        self._thread = threading.Thread(target=self.serve_forever, kwargs=seconds, name="http", daemon=True)
        self._thread.start()
        return self

    def _take(self, step: Callable[[], None]) -> None:
        """Bind or listen; either may find another process there, which shares a port until one of the two listens."""
        try:
            step()
        except OSError as error:
            self.server_close()
            raise PortInUse(self.server_address[1], self._option) from error

    @property
    def url(self) -> str:
        """The address of the server, without a slash at the end."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def stop(self) -> None:
        """Close the port."""
        if self._thread is not None:
            self.shutdown()
            self._thread.join()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Print the error of a handler, unless the client closed the connection: it waits for no response."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # of the base class's own making


@dataclass(frozen=True)
class Request:
    """An HTTP request as it came: `target` is the path and query, undecoded."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes
    source_ip: str

    def header(self, name: str) -> str:
        """Return the last value of a header; empty if it was not sent."""
        values = [value for key, value in self.headers if key.lower() == name]
        return values[-1] if values else ""


class _Handler(BaseHTTPRequestHandler):
    """The handler of a connection: reads a request, and writes its response."""

    server: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Return the one handler of all methods; the base class calls `do_<method>`, and sends HTML without one."""
        if name.startswith("do_"):
            return self.handle_any
        raise AttributeError(name)

    def handle_any(self) -> None:
        """Handle a request of any method."""
        try:
            body = read_body(self.headers, self.rfile, bytes_max=BODY_BYTES_MAX)
        except BodyRefused as refused:
            self.close_connection = True  # the rest of the body is still on the wire
            self._write(_message(refused.status, refused.message))
            return
        if "Transfer-Encoding" in self.headers:  # API Gateway passes the body on in one piece
            del self.headers["Transfer-Encoding"]
            self.headers["Content-Length"] = str(len(body))
        request = Request(self.command, self.path, self.headers.items(), body, self.client_address[0])
        refusal = find_refusal(request.method, request.target, request.headers)
        self._write(_message(403, refusal) if refusal is not None else self.server.reply_to(request))

    def _write(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parameter's name is the base class's
        """Log nothing: the function logs its requests."""


class RestApi:
    """An API whose function handles the requests."""

    def __init__(self, route: Route, *, functions: Functions, clock: Clock) -> None:
        self._route = route
        self._functions = functions
        self._clock = clock
        self._executor = ThreadPoolExecutor(8, thread_name_prefix="api")

    def reply_to(self, request: Request) -> Reply:
        """Return the function's response, or API Gateway's error in its place."""
        event = self.event_for(request)
        if len(json.dumps(event, ensure_ascii=False).encode()) > PAYLOAD_BYTES_MAX:
            return _message(413, "Request Too Long")
        running: Future[InvocationResult] = self._executor.submit(self._functions.invoke, self._route.function, event)
        try:
            result = running.result(self._route.timeout_s)
        except FutureTimeoutError:
            return _message(504, "Endpoint request timed out")
        return self._compress(request, _reply_of(result))

    def _compress(self, request: Request, reply: Reply) -> Reply:
        """Return the reply as API Gateway sends it: compressed, if it is large enough and the client accepts it."""
        least = self._route.compress_from
        if least is None or len(reply.body) < least or "gzip" not in request.header("accept-encoding"):
            return reply
        if any(name.lower() == "content-encoding" for name, _ in reply.headers):
            return reply
        return replace(
            reply, headers=[*reply.headers, ("Content-Encoding", "gzip")], body=gzip.compress(reply.body, _GZIP_LEVEL)
        )

    def stop(self) -> None:
        """Stop responding."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def event_for(self, request: Request) -> dict[str, Any]:
        """Return the Lambda proxy event: the path as sent, `%2F` and all; query values decoded."""
        path, _, query = request.target.partition("?")
        proxy = path.lstrip("/")
        pairs = parse_qsl(query, keep_blank_values=True)
        sent = request.body
        if self._route.compress_from is not None and request.header("content-encoding") == "gzip":
            sent = _unpacked(sent)
        binary = self._route.binary and bool(sent)
        body = base64.b64encode(sent).decode() if binary else sent.decode("utf-8", "replace")
        return {
            "resource": "/{proxy+}" if proxy else "/",
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


def _unpacked(body: bytes) -> bytes:
    """Return the body unpacked; leave a body that is no gzip, or too large, for the function to refuse."""
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


def _message(status: int, message: str) -> Reply:
    body = json.dumps({"message": message}).encode()
    return Reply(status, [("Content-Type", "application/json")], body)


def _reply_of(result: InvocationResult) -> Reply:
    """Return the proxy response as HTTP; for an invalid one, 502 as API Gateway does."""
    payload = result.payload
    if result.failed or not isinstance(payload, dict) or not isinstance(payload.get("statusCode"), int):
        return _message(502, "Internal server error")
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


def behind_secret(secret: str, reply_to: Callable[[Request], Reply]) -> Callable[[Request], Reply]:
    """Return a function that passes requests under `/<secret>` to `reply_to` without it; all others get 404."""

    def reply(request: Request) -> Reply:
        given, slash, rest = request.target.removeprefix("/").partition("/")
        if not hmac.compare_digest(given.encode(), secret.encode()):
            return _message(404, "Not Found")
        return reply_to(replace(request, target=f"{slash}{rest}"))

    return reply


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
            return _message(404, f"Function not found: {name}")
        try:
            event = json.loads(request.body or b"{}")
        except ValueError as error:
            return _message(400, f"Could not parse request body into json: {error}")
        kind = request.header("x-amz-invocation-type")
        if kind == "Event":
            self._executor.submit(self._run_behind, name, event)
            return Reply(202, [], b"")
        if kind == "DryRun":
            return Reply(204, [], b"")
        result = functions.invoke(name, event)
        flags = [("X-Amz-Function-Error", "Unhandled")] if result.failed else []
        return Reply(200, [("Content-Type", "application/json"), *flags], json.dumps(result.payload).encode())

    def _run_behind(self, name: str, event: object) -> None:
        """Run as Lambda runs an asynchronous event: three times before it gives up (without its waits)."""
        for _ in range(3):
            result = self._functions().invoke(name, event)
            if not result.failed:
                return
            time.sleep(0.1)
        self._report(name, result)

    def stop(self) -> None:
        """Stop running functions."""
        self._executor.shutdown(wait=False, cancel_futures=True)

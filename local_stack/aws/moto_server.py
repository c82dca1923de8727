"""The AWS endpoint's process: moto over HTTP on loopback, a clock that can skip ahead, and DynamoDB's TTL.

Started by `local_stack.aws.endpoint`; serves one request at a time on its pipes (`child_process`):

    {"listen": {"port", "functions_url", "scratch", "state"}}  ->  {"port"} or {"in_use": true} or {"unusable": why}
    {"restore": true}                      ->  {} or {"unusable": why}    what the file `state` holds is back
    {"offset_s": 86400.0}                  ->  {}                 moto's time is so far ahead
    {"expire": true}                       ->  {"removed": [{"table", "keys", "image"}]}
    {"messages": true}                     ->  {"messages": {queue name: count}}, in flight and delayed included
    {"let_go": true}                       ->  {}                 waits for a message end

Items and messages are ours (`local_stack.aws.tables`, `local_stack.aws.queues`). moto runs requests in threads without
locks: so DynamoDB, Glue, S3 and SQS have a lock each.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import sqlite3
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from email.message import Message
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from moto.core.config import default_user_config
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server

from local_stack.aws import moto_athena, moto_events, moto_glue, moto_kms, moto_patches
from local_stack.aws.disk import Disk, Newer
from local_stack.aws.durable import Durable
from local_stack.aws.endpoint import settings_at
from local_stack.aws.limits import refusal_of, s3_refusal_of
from local_stack.aws.queues import Queues
from local_stack.aws.tables.operations import Tables
from local_stack.processes.child_process import Message as Document
from local_stack.processes.child_process import serve_lines
from local_stack.processes.time_skip import Skipping
from local_stack.web.web_guard import find_refusal

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
Headers = list[tuple[str, str]]

# A Wait state on this machine: the compaction checks its roots once a second.
_WAIT_S = 1
_READ_BYTES = 65_536
_JSON = [("Content-Type", "application/x-amz-json-1.0")]
_STATUSES = {200: "200 OK", 400: "400 Bad Request"}
_TABLES = "tables.sqlite"
_LOCKED = {"dynamodb", "glue", "s3", "sqs"}


class _Handler(MotoRequestHandler):
    """moto's request handler on open connections; httptools reads requests, as strictly as RFC 9112.

    Werkzeug closes each connection, at a millisecond or more, and reads a request by the parser of mails.
    """

    protocol_version = request_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    command = ""

    def handle(self) -> None:
        """Respond to all requests of a connection, in turn."""
        self._parser = HttpRequestParser(self)
        self._whole, self.close_connection = list[tuple[str, str, Message, bytes]](), False
        fault = ""
        with suppress(OSError):  # The client is gone
            while not (self.close_connection or fault) and (received := self.connection.recv(_READ_BYTES)):
                try:
                    self._parser.feed_data(received)
                except (HttpParserError, HttpParserUpgrade) as error:
                    fault = str(error)
                while self._whole and not self.close_connection:
                    self._respond(*self._whole.pop(0))
            if fault and not self.close_connection:
                self._write("400 Bad Request", [("Connection", "close")], fault.encode())

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._target, self._headers, self._body = "", Message(), list[bytes]()

    def on_url(self, part: bytes) -> None:
        """Read a part of the target."""
        self._target += part.decode("latin-1")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Read a header."""
        self._headers[name.decode("latin-1")] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """Ask for an announced body."""
        if "Expect" in self._headers:
            self.connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, part: bytes) -> None:
        """Read a part of the body."""
        self._body.append(part)

    def on_message_complete(self) -> None:
        """End a request."""
        if not self._parser.should_keep_alive():
            self._headers["Connection"] = "close"
        self._whole.append((self._parser.get_method().decode(), self._target, self._headers, b"".join(self._body)))

    def _respond(self, method: str, target: str, headers: Message, body: bytes) -> None:
        self.command, self.path, self.headers = method, target, headers
        self.close_connection = "close" in headers.get_all("Connection", ())
        app = cast("Ours", self.server.app)
        refusal = find_refusal(method, target, headers.items())
        try:
            response = _forbid(refusal) if refusal else app.find(headers, body) or _run(app, self._environ(body))
        except Exception as error:  # noqa: BLE001 - a bug must not cost the connection
            traceback.print_exception(error)
            response = "500 Internal Server Error", [("Content-Type", "text/plain")], str(error).encode()
        self._write(*response)

    def _environ(self, body: bytes) -> Environ:
        environ: Environ = self.make_environ()
        return {**environ, "wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body))}

    def _write(self, status: str, headers: Headers, body: bytes) -> None:
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers)]
        if self.command == "HEAD":
            body = b""
        elif "content-length" not in {name.lower() for name, _ in headers}:
            lines.append(f"Content-Length: {len(body)}")
        # A single write: after each write, the thread waits for its turn.
        self.connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + body)


def _forbid(refusal: str) -> tuple[str, Headers, bytes]:
    return "403 Forbidden", [("Content-Type", "application/json")], json.dumps({"message": refusal}).encode()


def _run(application: Application, environ: Environ) -> tuple[str, Headers, bytes]:
    """Run the application to a response in one piece; a POST to moto's own API would wipe every table."""
    if (path := environ["PATH_INFO"]).lower().startswith("/moto-api"):
        return _forbid(f"{path[:100]!r}: moto's own API is closed")
    started = list[tuple[str, Headers]]()

    def start_response(status: str, headers: Headers, _: object = None) -> Callable[[bytes], object]:
        started.append((status, headers))
        return BytesIO().write

    body = b"".join(application(environ, start_response))
    return *started[-1], body


class Dispatcher(DomainDispatcherApplication):
    """moto's choice of the service, once for each: it lists a folder of its own for every request."""

    def __init__(self) -> None:
        super().__init__(create_backend_app)
        self.get_backend_for_host = cache(self.get_backend_for_host)  # type: ignore[method-assign]


class Ours:
    """A WSGI application with the local stack's own tables and queues, and AWS's refusals that moto lacks."""

    def __init__(self, application: Application, tables: Tables, queues: Queues) -> None:
        self._application, self._tables, self._queues = application, tables, queues

    def find(self, headers: Message, body: bytes) -> tuple[str, Headers, bytes] | None:
        """Find the response to a request about items or messages, or AWS's refusal; None for a request of moto's."""
        target = headers.get("X-Amz-Target", "")
        if not target and _service(headers.get("Authorization", "")) == "sqs":
            return "400 Bad Request", [], b"the local stack's SQS takes JSON, the protocol of SDKs since 2023"
        if refusal := refusal_of(target, body):
            document = {"__type": refusal[0], "message": refusal[1]}
            return "400 Bad Request", _JSON, json.dumps(document).encode()
        responded = self._tables.respond(target, body) or self._queues.respond(target, body)
        if responded is None:
            return None
        status, result, more = responded
        return _STATUSES.get(status, str(status)), [*_JSON, *more.items()], result

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Handle a WSGI request of moto's."""
        if _service(environ.get("HTTP_AUTHORIZATION", "")) == "s3" and (refusal := s3_refusal_of(environ["RAW_URI"])):
            start_response("400 Bad Request", [("Content-Type", "application/xml")])
            return [f"<Error><Code>{refusal[0]}</Code><Message>{refusal[1]}</Message></Error>".encode()]
        return self._application(environ, start_response)


class OneAtATime:
    """A WSGI application that runs requests to a service in turn."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._locks = {service: threading.Lock() for service in _LOCKED}

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Handle a WSGI request."""
        lock = self._locks.get(_service_of(environ))
        if lock is None:
            return self._application(environ, start_response)
        with lock:
            return self._application(environ, start_response)


def _service(authorization: str) -> str:
    """Find the service of a request's signature; an unsigned request is S3's.

    >>> _service("AWS4-HMAC-SHA256 Credential=k/20130101/us-east-1/sqs/aws4_request, ...")
    'sqs'
    """
    scope = authorization.partition("Credential=")[2].partition(",")[0].split("/")
    return scope[3] if len(scope) == 5 else "s3"


def _service_of(environ: Environ) -> str:
    return _service(environ.get("HTTP_AUTHORIZATION", ""))


class Server:
    """The endpoint's server: moto, its clock, and the removal of expired items."""

    def __init__(self) -> None:
        self._skipping = Skipping()
        self._durable: Durable | None = None

    def respond(self, request: Document) -> Document:
        """Carry out a request of the module's docstring."""
        if "listen" in request:
            return self._listen(**request["listen"])
        if "offset_s" in request:
            self._skipping.to(request["offset_s"])
            self._queues.wake()
            return {}
        if "restore" in request:
            return self._restore()
        if "let_go" in request:
            self._queues.let_go()
            return {}
        if "messages" in request:
            return {"messages": self._queues.count()}
        return {"removed": self._tables.expire(time.time())}

    def _restore(self) -> Document:
        try:
            if self._durable:
                self._durable.restore(self._tables)
                self._queues.restore()
        except (sqlite3.Error, ValueError, LookupError, TypeError) as error:
            return {"unusable": f"its state is damaged ({type(error).__name__}: {error})"}
        return {}

    def _listen(self, port: int, functions_url: str, scratch: str, state: str | None) -> Document:
        file = Path(state) if state else None
        try:
            self._tables = Tables(disk := Disk(file and file.with_name(_TABLES)))
            self._queues = Queues(Disk(file), before=disk.sync)
            self._queues.take_deliveries()
            application: Application = Dispatcher()
            if file is not None:
                application = self._durable = Durable(application, file, _service_of, before=disk.sync)
        except (sqlite3.Error, Newer) as error:
            return {"unusable": f"{file.name if file else _TABLES}: {error}"}
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            listener.close()
            return {"in_use": True}
        port = listener.getsockname()[1]
        os.environ["MOTO_PORT"] = str(port)  # The address of moto's services for moto's state machines
        _change_moto(functions_url, moto_athena.duckdb_over(settings_at(f"http://127.0.0.1:{port}"), Path(scratch)))
        ours = Ours(OneAtATime(application), self._tables, self._queues)
        listener.listen(128)
        server = make_server("127.0.0.1", port, ours, threaded=True, request_handler=_Handler, fd=listener.detach())
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return {"port": port}


def _change_moto(functions_url: str, run_query: moto_athena.RunQuery) -> None:
    """Apply the changes of the modules `moto_*` to moto."""
    moto_patches.run_functions_at(functions_url)
    moto_glue.run_jobs_at(functions_url)
    moto_events.show_events_at(functions_url)
    moto_athena.run_queries_by(run_query)
    moto_kms.sign_digests_as_they_are()
    moto_kms.make_no_private_key_for_symmetric_keys()
    moto_patches.read_templates_as_json_first()
    moto_patches.name_every_execution()
    moto_patches.pass_errors_on_out_of_a_map()
    moto_patches.wait_at_most(_WAIT_S)
    default_user_config["stepfunctions"] = {"execute_state_machine": True}


if __name__ == "__main__":
    logging.disable(logging.INFO)
    serve_lines(Server().respond)

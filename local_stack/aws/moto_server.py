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

import email.errors
import email.message
import json
import logging
import os
import socket
import sqlite3
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

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
from local_stack.processes.child_process import Message, serve_lines
from local_stack.processes.time_skip import Skipping
from local_stack.web.web_guard import find_refusal

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

# A Wait state on this machine: the compaction checks its roots once a second.
_WAIT_S = 1
_NO_HEADERS = (
    email.errors.FirstHeaderLineIsContinuationDefect,
    email.errors.MisplacedEnvelopeHeaderDefect,
    email.errors.MissingHeaderBodySeparatorDefect,
)
_TABLES = "tables.sqlite"
_LOCKED = {"dynamodb", "glue", "s3", "sqs"}


class _Handler(MotoRequestHandler):
    """moto's request handler on open connections: Werkzeug's own closes each, at a millisecond or more."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    # A response is a single write: after each write, the thread waits for its turn.
    wbufsize = -1

    def run_wsgi(self) -> None:
        """Read the whole request, then respond: the next request starts on a clean connection."""
        environ: Environ = self.make_environ()
        if fault := _framing_fault(self.headers):
            self.close_connection = True
            self._write("400 Bad Request", [("Connection", "close")], fault.encode())
            return
        length = environ.get("CONTENT_LENGTH")
        chunked = environ.get("wsgi.input_terminated", False)
        body = environ["wsgi.input"].read(*([] if chunked else [int(length or 0)]))
        environ["wsgi.input"] = BytesIO(body)
        refusal = find_refusal(self.command, self.path, self.headers.items()) or _control_refusal(environ)
        self._write(*(_forbid(refusal) if refusal is not None else _run(self.server.app, environ)))

    def _write(self, status: str, headers: list[tuple[str, str]], body: bytes) -> None:
        code, _, reason = status.partition(" ")
        self.send_response_only(int(code), reason)
        for name, value in headers:
            self.send_header(name, value)
        if self.command != "HEAD" and "content-length" not in {name.lower() for name, _ in headers}:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()


def _framing_fault(headers: email.message.Message) -> str:
    """Find the reason why a request's end is unclear (RFC 9112, sections 5 and 6); empty if it is clear."""
    lengths = headers.get_all("Content-Length", [])
    # Behind a line that is no header all lines are lost. Further defects are about bodies, unread here.
    if faults := [type(defect).__name__ for defect in headers.defects if isinstance(defect, _NO_HEADERS)]:
        return f"a header must be a name, a colon and a value ({faults[0]})"
    if len(lengths) > 1 or not all(length.isascii() and length.isdigit() for length in lengths):
        return "Content-Length must be one number of bytes"
    return "Content-Length beside Transfer-Encoding" if lengths and "Transfer-Encoding" in headers else ""


def _control_refusal(environ: Environ) -> str | None:
    """Find the refusal of moto's own API: a POST to it wipes every table, and the stack never calls it."""
    path = environ["PATH_INFO"]
    return f"{path[:100]!r}: moto's own API is closed" if path.lower().startswith("/moto-api") else None


def _forbid(refusal: str) -> tuple[str, list[tuple[str, str]], bytes]:
    return "403 Forbidden", [("Content-Type", "application/json")], json.dumps({"message": refusal}).encode()


def _run(application: Application, environ: Environ) -> tuple[str, list[tuple[str, str]], bytes]:
    """Run the application to a response in one piece; an exception in moto is a 500, and clients retry."""
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], _: object = None) -> Callable[[bytes], object]:
        started.append((status, headers))
        return BytesIO().write

    try:
        chunks = application(environ, start_response)
        body = b"".join(chunks)
    except Exception as error:  # noqa: BLE001 - a bug in moto must not cost the connection
        traceback.print_exception(error)
        return "500 Internal Server Error", [("Content-Type", "text/plain")], str(error).encode()
    return *started[-1], body


class Dispatcher(DomainDispatcherApplication):
    """moto's choice of the service, once for each: it lists a folder of its own for every request."""

    def __init__(self) -> None:
        super().__init__(create_backend_app)
        self.get_backend_for_host = cache(self.get_backend_for_host)  # type: ignore[method-assign]


class Guarded:
    """A WSGI application with AWS's refusals that moto lacks; see `local_stack.aws.limits`."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Handle a WSGI request."""
        target = environ.get("HTTP_X_AMZ_TARGET", "")
        if not target and _service(environ) == "s3":
            if refusal := s3_refusal_of(environ.get("RAW_URI", "")):
                start_response("400 Bad Request", [("Content-Type", "application/xml")])
                return [f"<Error><Code>{refusal[0]}</Code><Message>{refusal[1]}</Message></Error>".encode()]
        elif refusal := refusal_of(target, environ["wsgi.input"].getvalue()):
            start_response("400 Bad Request", [("Content-Type", "application/x-amz-json-1.0")])
            return [json.dumps({"__type": refusal[0], "message": refusal[1]}).encode()]
        return self._application(environ, start_response)


class OnOurs:
    """A WSGI application for operations on items and messages, in the local stack's own tables and queues."""

    def __init__(self, application: Application, tables: Tables, queues: Queues) -> None:
        self._application, self._tables, self._queues = application, tables, queues

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Handle a WSGI request."""
        target, sent = environ.get("HTTP_X_AMZ_TARGET", ""), environ["wsgi.input"].getvalue()
        if not target and _service(environ) == "sqs":
            start_response("400 Bad Request", [])
            return [b"the local stack's SQS takes JSON, the protocol of SDKs since 2023"]
        responded = self._tables.respond(target, sent) or self._queues.respond(target, sent)
        if responded is None:
            return self._application(environ, start_response)
        status, body, headers = responded
        start_response(str(status), [("Content-Type", "application/x-amz-json-1.0"), *headers.items()])
        return [body]


class OneAtATime:
    """A WSGI application that runs requests to a service in turn."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._locks = {service: threading.Lock() for service in _LOCKED}

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Handle a WSGI request."""
        lock = self._locks.get(_service(environ))
        if lock is None:
            return self._application(environ, start_response)
        with lock:
            return self._application(environ, start_response)


def _service(environ: Environ) -> str:
    """Find the service of the request's signature; an unsigned request is S3's.

    >>> _service({"HTTP_AUTHORIZATION": "AWS4-HMAC-SHA256 Credential=k/20130101/us-east-1/sqs/aws4_request, ..."})
    'sqs'
    """
    scope = environ.get("HTTP_AUTHORIZATION", "").partition("Credential=")[2].partition(",")[0].split("/")
    return scope[3] if len(scope) == 5 else "s3"


class Server:
    """The endpoint's server: moto, its clock, and the removal of expired items."""

    def __init__(self) -> None:
        self._skipping = Skipping()
        self._durable: Durable | None = None

    def respond(self, request: Message) -> Message:
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

    def _restore(self) -> Message:
        try:
            if self._durable:
                self._durable.restore(self._tables)
                self._queues.restore()
        except (sqlite3.Error, ValueError, LookupError, TypeError) as error:
            return {"unusable": f"its state is damaged ({type(error).__name__}: {error})"}
        return {}

    def _listen(self, port: int, functions_url: str, scratch: str, state: str | None) -> Message:
        file = Path(state) if state else None
        try:
            self._tables = Tables(disk := Disk(file and file.with_name(_TABLES)))
            self._queues = Queues(Disk(file), before=disk.sync)
            application: Application = Dispatcher()
            if file is not None:
                application = self._durable = Durable(application, file, _service, before=disk.sync)
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
        guarded = Guarded(OnOurs(OneAtATime(application), self._tables, self._queues))
        listener.listen(128)
        server = make_server("127.0.0.1", port, guarded, threaded=True, request_handler=_Handler, fd=listener.detach())
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

"""The AWS endpoint's process: moto over HTTP on loopback, a clock that can skip ahead, and DynamoDB's TTL.

Started by `local_stack.aws.endpoint`; serves one request at a time on its pipes (`child_process`):

    {"listen": {"port", "functions_url", "scratch", "state"}}  ->  {"port"} or {"in_use": true} or {"unusable": why}
    {"restore": true}                      ->  {} or {"unusable": why}    kept messages are in their queues
    {"offset_s": 86400.0}                  ->  {}                 moto's time is so far ahead
    {"expire": true}                       ->  {"removed": [{"table", "keys", "image"}]}
    {"messages": true}                     ->  {"messages": {queue name: count}}, in flight and delayed included
    {"let_go": true}                       ->  {}                 waits for a message end

Items, messages and objects are in databases of ours: `tables`, `queues` and `objects` of this package. moto runs
requests in threads without locks: so DynamoDB, Glue, S3 and SQS have a lock each.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from email.message import Message
from functools import cache
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from moto.core.config import default_user_config
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app

from local_stack.aws import moto_athena, moto_events, moto_glue, moto_kms, moto_patches
from local_stack.aws.disk import Disk, UnknownVersion
from local_stack.aws.endpoint import settings_at
from local_stack.aws.limits import s3_refusal_of
from local_stack.aws.objects import Application, Environ, Objects
from local_stack.aws.queues import Queues
from local_stack.aws.tables.operations import Tables
from local_stack.errors import PortInUse
from local_stack.processes.child_process import Message as Document
from local_stack.processes.child_process import serve_lines
from local_stack.processes.time_skip import Skipping
from local_stack.web.server import Reply, Request, render_message
from local_stack.web.server import Server as HttpServer

Headers = list[tuple[str, str]]

# A Wait state on this machine: the compaction checks its roots once a second.
_WAIT_S = 1
_JSON = [("Content-Type", "application/x-amz-json-1.0")]
# The server of a request for werkzeug.
_SERVER = SimpleNamespace(
    ssl_context=None, multithread=True, multiprocess=False, server_address=("127.0.0.1", 80), _server_version="moto"
)
_TABLES = "tables.sqlite"
_LOCKED = {"dynamodb", "glue", "s3", "sqs"}


class Ours:
    """Replies by the local stack's own tables and queues, by AWS's refusals that moto lacks, or by moto."""

    def __init__(self, application: Application, tables: Tables, queues: Queues) -> None:
        self._application, self._tables, self._queues = application, tables, queues

    def reply_to(self, request: Request) -> Reply:
        """Reply to a request; a bug must not cost the connection."""
        try:
            return self._find(request) or self._run(request)
        except Exception as error:  # noqa: BLE001 - see above
            traceback.print_exception(error)
            return Reply(500, [("Content-Type", "text/plain")], str(error).encode())

    def _find(self, request: Request) -> Reply | None:
        """Find the reply to a request about items or messages, or S3's refusal; None for a request of moto's."""
        target, service = request.header("x-amz-target"), _service(request.header("authorization"))
        if service == "s3" and (refusal := s3_refusal_of(request.target)):
            text = f"<Error><Code>{refusal[0]}</Code><Message>{refusal[1]}</Message></Error>"
            return Reply(400, [("Content-Type", "application/xml")], text.encode())
        if not target and service == "sqs":
            return Reply(400, [], b"the local stack's SQS takes JSON, the protocol of SDKs since 2023")
        responded = self._tables.respond(target, request.body) or self._queues.respond(target, request.body)
        return responded and Reply(responded[0], [*_JSON, *responded[2].items()], responded[1])

    def _run(self, request: Request) -> Reply:
        """Run moto to a response in one piece; a POST to moto's own API would wipe every table."""
        environ = _environ(request)
        if (path := environ["PATH_INFO"]).lower().startswith("/moto-api"):
            return render_message(403, f"{path[:100]!r}: moto's own API is closed")
        started = list[tuple[str, Headers]]()

        def start_response(status: str, headers: Headers, _: object = None) -> Callable[[bytes], object]:
            started.append((status, headers))
            return BytesIO().write

        body = b"".join(self._application(environ, start_response))
        status, headers = started[-1]
        return Reply(int(status.partition(" ")[0]), headers, body)


def _environ(request: Request) -> Environ:
    """Render a request for WSGI, by moto's handler of requests without its connection."""
    handler, handler.headers = MotoRequestHandler.__new__(MotoRequestHandler), Message()
    for name, value in [*request.headers, ("Content-Length", str(len(request.body)))]:
        handler.headers[name] = value
    handler.path, handler.command, handler.request_version = request.target, request.method, "HTTP/1.1"
    handler.server, handler.client_address = _SERVER, (request.source_ip, 0)  # type: ignore[assignment]
    handler.connection, handler.rfile = None, BytesIO(request.body)
    environ: Environ = handler.make_environ()
    return {**environ, "CONTENT_LENGTH": str(len(request.body))}


class OneAtATime:
    """A WSGI application that runs requests to a service in turn; a service may have an application of its own."""

    def __init__(self, application: Application, own: Mapping[str, Application]) -> None:
        self._application, self._own = application, own
        self._locks = {service: threading.Lock() for service in _LOCKED}

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Handle a WSGI request."""
        service = _service(environ.get("HTTP_AUTHORIZATION", ""))
        with self._locks.get(service, nullcontext()):
            return self._own.get(service, self._application)(environ, start_response)


def _service(authorization: str) -> str:
    """Find the service of a request's signature; an unsigned request is S3's.

    >>> _service("AWS4-HMAC-SHA256 Credential=k/20130101/us-east-1/sqs/aws4_request, ...")
    'sqs'
    """
    scope = authorization.partition("Credential=")[2].partition(",")[0].split("/")
    return scope[3] if len(scope) == 5 else "s3"


class Server:
    """The endpoint's server: moto, its clock, and the removal of expired items."""

    def __init__(self) -> None:
        self._skipping = Skipping()

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
            self._tables.restore()
            self._queues.restore()
            self._restore_partitions()
        except (sqlite3.Error, ValueError, LookupError, TypeError) as error:
            return {"unusable": f"its state is damaged ({type(error).__name__}: {error})"}
        return {}

    def _listen(self, port: int, functions_url: str, scratch: str, state: str | None) -> Document:
        file = Path(state) if state else None
        try:
            self._tables = Tables(disk := Disk(file and file.with_name(_TABLES)))
            self._queues = Queues(Disk(file), before=disk.sync)
            self._queues.take_deliveries()
            application = DomainDispatcherApplication(create_backend_app)
            # moto chooses the service of each request by listing a folder.
            application.get_backend_for_host = cache(application.get_backend_for_host)  # type: ignore[method-assign]
            objects = Objects(application, Disk(file), before=disk.sync)
            objects.take_buckets()
            self._restore_partitions = moto_glue.keep_partitions(Disk(file), before=disk.sync)
        except (sqlite3.Error, UnknownVersion) as error:
            return {"unusable": f"{file.name if file else _TABLES}: {error}"}
        ours = Ours(OneAtATime(application, {"s3": objects}), self._tables, self._queues)
        try:
            server = HttpServer(port, ours.reply_to, body_bytes_max=sys.maxsize, idle_s=None)
        except PortInUse:
            return {"in_use": True}
        port = server.server_address[1]
        os.environ["MOTO_PORT"] = str(port)  # The address of moto's services for moto's state machines
        _change_moto(functions_url, moto_athena.duckdb_over(settings_at(f"http://127.0.0.1:{port}"), Path(scratch)))
        server.open()
        return {"port": port}


def _change_moto(functions_url: str, run_query: moto_athena.RunQuery) -> None:
    """Apply the changes of the modules `moto_*` to moto."""
    moto_patches.forget_models()
    moto_patches.run_functions_at(functions_url)
    moto_glue.run_jobs_at(functions_url)
    moto_events.show_events_at(functions_url)
    moto_athena.run_queries_by(run_query)
    moto_kms.sign_digests_as_they_are()
    moto_kms.make_no_private_key_for_symmetric_keys()
    moto_patches.name_every_execution()
    moto_patches.pass_errors_on_out_of_a_map()
    moto_patches.wait_at_most(_WAIT_S)
    default_user_config["stepfunctions"] = {"execute_state_machine": True}


if __name__ == "__main__":
    logging.disable(logging.INFO)
    serve_lines(Server().respond)

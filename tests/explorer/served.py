"""The explorer and the API over HTTP on loopback, in this process."""

from __future__ import annotations

import base64
import os
import sys
import threading
from dataclasses import fields
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import boto3

from headwater.api.app import Api
from headwater.api.http.responses import Links
from headwater.api.route import Services
from headwater.api.tokens import Tokens, new_token
from headwater.events.api_change_queue import ApiChangeQueue
from headwater.events.api_changes import parse_change
from headwater.events.ingest import parse_event_message
from headwater.events.naming import NamingRules
from headwater.facts.apply import apply_statements
from headwater.loading.event_log import EventLog, RawEvent
from headwater.queries.service import LineageQueries
from headwater.times import from_seconds
from local_stack.demo import DEMO_PATH
from local_stack.web.server import Request
from tests.fakes.memory_table import MemoryS3, MemoryTable

CONTEXT = SimpleNamespace(
    function_name="f",
    memory_limit_in_mb=1024,
    invoked_function_arn="arn:f",
    aws_request_id="r",
    get_remaining_time_in_millis=lambda: 29_000,
)

# The running servers.
RUNNING = set()


class Served:
    """The page and an API at `url`; `refuse` makes the next calls of a path fail.

    API Gateway calls `resolve` with an event and a context, for the function's response.
    """

    def __init__(self, resolve, auth="iam", also=()):
        self._resolve = resolve
        self._auth = auth
        # Further origins of the page's requests.
        self.also = also
        self._lock = threading.RLock()
        self.restore()
        self.requested = []
        self._server = _Server(("127.0.0.1", 0), _handler_of(self))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        RUNNING.add(self)

    def restore(self):
        """Reset a test's changes: the demo, the user, the refusals."""
        # The local stack's routes of the demo; None: a deployed stack has none.
        self.demo = None
        # The caller, a user of IAM; None: requests name no caller, as on the local stack.
        self.user = None
        self._refusals = {}

    def refuse(self, path, status, times=1, **headers):
        self._refusals[path] = [(status, headers)] * times

    def stop(self):
        RUNNING.discard(self)
        self._server.shutdown()
        self._server.server_close()

    def respond(self, target, headers, method="GET", body=None):
        """Respond with status, headers and body."""
        url = urlsplit(target)
        if self.demo and target == DEMO_PATH:
            reply = self.demo.reply_to(Request(method, target, list(headers.items()), b"", "127.0.0.1"))
            return reply.status, dict(reply.headers), reply.body
        if not url.path.startswith("/explore"):
            self.requested.append(target)
        if waiting := self._refusals.get(url.path):
            status, sent = waiting.pop()
            return status, {"Content-Type": "application/json", **sent}, b'{"code": 503, "message": "busy for now"}'
        with self._lock:
            response = self._resolve(_event(url, headers, self._auth, method, body, self.user), CONTEXT)
        text = response["body"] or ""
        raw = base64.b64decode(text) if response.get("isBase64Encoded") else text.encode()
        return response["statusCode"], {name: texts[0] for name, texts in response["multiValueHeaders"].items()}, raw


class ServedGraph(Served):
    """The API of runs and columns, over a graph table in memory."""

    def __init__(self, auth="iam", now_s=1_763_640_000):
        self._table = MemoryTable()
        keys = {"aws_access_key_id": "x", "aws_secret_access_key": "x", "region_name": "eu-central-1"}
        self._now_s = now_s
        self._changes = count()
        self._event_log = EventLog(self._table, MemoryS3().client(), "archive")
        given = {
            "queries": LineageQueries(self._table),
            "event_log": self._event_log,
            "tokens": Tokens(self._table),
            "links": Links(boto3.client("s3", **keys), "archive", "intake"),
            "now_s": lambda: now_s,
            # Two changes never have the same time.
            "now": lambda: from_seconds(now_s + next(self._changes) / 1000),
            "changes": ApiChangeQueue(SimpleNamespace(send_message_batch=self._load_sent), "queue"),
            "sleep": lambda seconds: None,
        }
        services = Services(**{**{field.name: None for field in fields(Services)}, **given, "strict_namespaces": False})
        super().__init__(Api(lambda: services).resolve, auth)

    def _load_sent(self, *, QueueUrl, Entries):  # noqa: N803 - as in boto3
        self.load(*(parse_event_message(entry["MessageBody"]) for entry in Entries))
        return {}

    def load(self, *events):
        rules = NamingRules(trim_partitions=False)
        with self._lock:
            changes = [parse_change(event, rules) for event in events]
            apply_statements(changes, self._table)
            self._event_log.enlist(map(RawEvent, changes, events))

    def new_token(self, *scopes, lifetime_s=None, **limits):
        """Make a token, and return its text."""
        text, token = new_token(scopes=scopes, **limits, now_s=self._now_s, lifetime_s=lifetime_s, random=os.urandom)
        Tokens(self._table).put(token)
        return text


def _event(url, headers, auth, method, body, user):
    values = parse_qs(url.query, keep_blank_values=True)
    return {
        "resource": "/{proxy+}",
        "path": url.path,
        "httpMethod": method,
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": {name: texts[-1] for name, texts in values.items()} or None,
        "multiValueQueryStringParameters": values or None,
        "pathParameters": {"proxy": url.path[1:]},
        "stageVariables": {"auth": auth},
        "requestContext": {"stage": "prod", "path": url.path, "requestId": "r", "httpMethod": method}
        | {"identity": {"userArn": f"arn:aws:iam::123456789012:user/{user}"} if user else {}},
        "body": body,
        "isBase64Encoded": False,
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Print nothing when a page closes before its response."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def _handler_of(served):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.write(*served.respond(self.path, dict(self.headers.items())))

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode() or None
            self.write(*served.respond(self.path, dict(self.headers.items()), self.command, body))

        do_PUT = do_POST  # noqa: N815 - as the server calls it
        do_DELETE = do_POST  # noqa: N815

        def write(self, status, headers, body):
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Print nothing."""

    return Handler

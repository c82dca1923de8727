"""The explorer and the API over HTTP on loopback, in this process."""

from __future__ import annotations

import base64
import os
import threading
from dataclasses import fields
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
from headwater.records.root_ids import RootIdPage
from headwater.times import from_seconds
from local_stack.demo import DEMO_PATH
from local_stack.web.server import Reply, Server
from tests.fakes.memory_table import MemoryS3, MemoryTable
from tests.gateway import headers_of, proxy_event
from tests.unit.api.proxy import CONTEXT

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
        self._server = Server(0, self.reply_to).open()
        self.url = self._server.url
        RUNNING.add(self)

    def restore(self):
        """Reset a test's changes: the demo, the user, the refusals."""
        # The local stack's routes of the demo; None: a deployed stack has none.
        self.demo = None
        # The ARN of the caller; None: requests name no caller, as on the local stack.
        self.user = None
        self._refusals = {}

    def refuse(self, path, status, times=1, **headers):
        self._refusals[path] = [(status, headers)] * times

    def stop(self):
        RUNNING.discard(self)
        self._server.stop()

    def reply_to(self, request):
        """Respond to a request, as API Gateway does with the function."""
        url = urlsplit(request.target)
        if self.demo and request.target == DEMO_PATH:
            return self.demo.reply_to(request)
        if not url.path.startswith("/explore"):
            self.requested.append(request.target)
        if waiting := self._refusals.get(url.path):
            status, sent = waiting.pop()
            headers = {"Content-Type": "application/json", **sent}
            return Reply(status, list(headers.items()), b'{"code": 503, "message": "busy for now"}')
        query = parse_qs(url.query, keep_blank_values=True)
        given = {"headers": dict(request.headers), "body": request.body.decode() or None, "door": self._auth}
        event = proxy_event(request.method, url.path, query, **given)
        event["requestContext"] |= {"path": url.path, "identity": {"userArn": self.user}}
        with self._lock:
            response = self._resolve(event, CONTEXT)
        text = response["body"] or ""
        raw = base64.b64decode(text) if response.get("isBase64Encoded") else text.encode()
        return Reply(response["statusCode"], list(headers_of(response).items()), raw)


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
            # No records: the start and the list of records read an empty list of roots.
            "root_ids": SimpleNamespace(beginning_with=lambda prefix, **_: RootIdPage([], None)),
            "sources": SimpleNamespace(pointers=SimpleNamespace(find_many=lambda root_ids: {})),
        }
        services = Services(**{**{field.name: None for field in fields(Services)}, **given, "strict_namespaces": False})
        super().__init__(Api(lambda: services).resolve, auth)

    def _load_sent(self, *, QueueUrl, Entries):  # noqa: N803 - as in boto3
        self.load(*(event for entry in Entries for event in parse_event_message(entry["MessageBody"])))
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

"""The HTTP API's function, called as API Gateway calls it, on moto."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import partial
from urllib.parse import parse_qs, quote, unquote, urlsplit

import pytest

from headwater.aws.items import chunks
from headwater.records.record import LineageRecord
from headwater.records.table import render_item, render_life
from lambdas import api as api_function
from lambdas import load as load_function
from lambdas import trace as trace_function
from tests.api_contract import check_response
from tests.builders import HOUR
from tests.gateway import headers_of, proxy_event

ROOT = "flights/2013-01-01.csv"
RECORDS = "/api/v1/records"


@dataclass(frozen=True)
class Response:
    """A response of the API function."""

    status: int
    headers: dict[str, str]
    body: str

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def lines(self):
        return [json.loads(line) for line in self.body.splitlines()]

    @property
    def refusal(self):
        """Status and message of an error, whose code must be its status."""
        error = self.json
        assert error == {"code": self.status, "message": error["message"]}
        return self.status, error["message"]


def _text(form):
    return form if isinstance(form, (str, bytes)) else json.dumps(form)


class Caller:
    """Sends requests to the function; ids in paths are encoded as a client must."""

    def __init__(self, cloud):
        self.cloud = cloud

    def root(self, root_id=ROOT, **query):
        return self.send("GET", f"{RECORDS}/roots/{quote(root_id, safe='')}", query)

    def node(self, node_id):
        return self.send("GET", f"{RECORDS}/nodes/{quote(node_id, safe='')}")

    def trace_of(self, root_id=ROOT, *, method="GET", remaining_s=29, **query):
        return self.send(method, f"{RECORDS}/roots/{quote(root_id, safe='')}/trace", query, remaining_s=remaining_s)

    def outline_of(self, root_id=ROOT):
        return self.send("GET", f"{RECORDS}/roots/{quote(root_id, safe='')}/outline")

    def proof_of(self, node, root_id=ROOT, *, remaining_s=29, **query):
        path = f"{RECORDS}/roots/{quote(root_id, safe='')}/proof"
        return self.send("GET", path, {"node": node, **query}, remaining_s=remaining_s)

    def post(self, form, **headers):
        return self.send("POST", RECORDS, body=_text(form), headers=headers)

    def event(self, body, **headers):
        return self.send("POST", "/api/v1/lineage", body=_text(body), headers=headers)

    def events(self, bodies, **headers):
        return self.send("POST", "/api/v1/lineage/batch", body=_text(bodies), headers=headers)

    def get(self, path, **query):
        """Return the JSON of a response without fault."""
        response = self.send("GET", path, query)
        assert response.status == 200, response.body
        return response.json

    def send(self, method, path, query=None, *, body=None, headers=None, token=None, remaining_s=29):
        """Send a request, signed or with a token, and return the response."""
        named = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        named |= {"Authorization": f"Bearer {token}"} if token else {}
        event = proxy_event(method, path, query, headers=named, body=body, door="token" if token else "iam")
        responded = api_function.handler(event, self.cloud.context(remaining_s))
        assert len(json.dumps(responded, ensure_ascii=False).encode()) <= 6 * 1024 * 1024, "Lambda answers no more"
        headers = headers_of(responded)
        check_response(method, path, responded["statusCode"], headers, responded["body"])
        del headers["X-Content-Type-Options"], headers["Cache-Control"]
        return Response(responded["statusCode"], headers, responded["body"])

    def linked(self, response, content_type="application/x-ndjson"):
        """Key and lines of the S3 object behind a redirect, read as the link names it."""
        assert (response.status, response.json) == (303, {"location": response.headers["Location"]})
        link = urlsplit(response.headers["Location"])
        assert {"X-Amz-Signature", "X-Amz-Expires"} <= parse_qs(link.query).keys()
        bucket = link.netloc.partition(".")[0]
        key = unquote(link.path[1:])
        stored = self.cloud.s3.get_object(Bucket=bucket, Key=key)
        assert (stored["ContentType"], stored["ContentEncoding"]) == (content_type, "gzip")
        return key, gzip.decompress(stored["Body"].read()).splitlines(keepends=True)

    def poll(self, response):
        """Send the request named by the response's `Location`."""
        assert response.status == 202
        name, _, value = response.headers["Location"].removeprefix("?").partition("=")
        return self.trace_of(**{name: value})

    def put(self, *steps, root=ROOT, at=None, location=None):
        """Load records given as (parent, node, action)."""
        for parent, node, action in steps:
            form = {
                "root_id": root,
                "parent_id": parent,
                "node_id": node,
                "action_taken": action,
                "storage_location": location or f"s3://lake/{node}",
                "requested_at": self.cloud.now_s if at is None else at,
            }
            assert self.post(form).status == 201
        self.load()

    def put_many(self, parent, nodes, action, root=ROOT, location="s3://lake/many"):
        """Load a batch."""
        form = {"root_id": root, "parent_id": parent, "action_taken": action, "requested_at": self.cloud.now_s}
        records = [{"node_id": node, "storage_location": location} for node in nodes]
        assert self.post({**form, "records": records}).status == 201
        self.load()

    def put_rows(self, parent, nodes, action, root=ROOT, location="s3://lake/many"):
        """As `put_many`, past the queues and the load function: for thousands."""
        life = partial(render_life, ttl_s=24 * HOUR, loaded_at=self.cloud.now_s)
        for batch in chunks(nodes, 25):
            records = (LineageRecord(root, node, parent, action, location, self.cloud.now_s) for node in batch)
            puts = [{"PutRequest": {"Item": {**render_item(record), **life(record)}}} for record in records]
            self.cloud.dynamodb.batch_write_item(RequestItems={self.cloud.outputs["RecordsTableName"]: puts})

    def load(self):
        """Run the load function on the messages of its queues."""
        for queue in ("RecordsQueue", "PackedQueue"):
            if bodies := self.cloud.bodies(queue):
                responded = load_function.handler(self.cloud.event(queue, bodies), self.cloud.context())
                assert responded == {"batchItemFailures": []}

    def trace(self):
        """Run the trace function on the messages of its queue; count them."""
        bodies = self.cloud.bodies("TraceQueue")
        for body in bodies:
            responded = trace_function.handler(self.cloud.event("TraceQueue", [body]), self.cloud.context())
            assert responded == {"batchItemFailures": []}
        return len(bodies)


@pytest.fixture
def api(cloud):
    return Caller(cloud)

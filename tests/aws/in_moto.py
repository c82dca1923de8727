"""DynamoDB in the test's process: items in the local stack's tables, further operations in moto.

The functions' client has botocore's events, for faults and listeners.
"""

from binascii import b2a_base64
from contextlib import contextmanager
from types import SimpleNamespace

import orjson
import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ClientError
from botocore.hooks import HierarchicalEmitter
from botocore.model import ServiceId
from botocore.session import get_session
from moto.core.botocore_stubber import BotocoreStubber
from moto.dynamodb.responses import DynamoHandler

from headwater.aws.connections import Response
from headwater.aws.dynamodb import DynamoDB
from headwater.aws.signing import Signer
from headwater.aws.standard_retries import StandardRetries
from local_stack.aws.disk import Disk
from local_stack.aws.tables.operations import Tables

# The tests of a module, on the functions' own client and, in `make test-all`, on boto3's: both leave the same tables
# (test_same_table.py).
BOTH_CLIENTS = pytest.mark.parametrize("cloud", ["own", pytest.param("boto3", marks=pytest.mark.slow)], indirect=True)
_URL = "https://dynamodb.us-east-1.amazonaws.com"
_HOLDER = SimpleNamespace(tables=None)


@contextmanager
def tables_anew():
    """Keep items in empty tables of our own during the block."""
    _HOLDER.tables = Tables(Disk())
    yield
    _HOLDER.tables = None


class Raw:
    """A response to read once."""

    def __init__(self, body):
        self._body = body

    def stream(self, **_):
        body, self._body = self._body, b""
        return [body]


def respond_to_boto3(request):
    """Respond to a request about items; None for a different request."""
    if _HOLDER.tables is None or ".amazonaws.com" not in request.url:
        return None
    responded = _HOLDER.tables.respond(request.headers["X-Amz-Target"].decode(), request.body)
    return responded and AWSResponse(request.url, responded[0], responded[2], Raw(responded[1]))


def _respond_or_stub(self, event_name, request, **more):
    own = respond_to_boto3(request) if event_name.startswith("before-send.dynamodb.") else None
    return own or _stub(self, event_name, request, **more)


# In place of moto's handler: botocore calls every handler of a request, and takes the first response.
_stub, BotocoreStubber.__call__ = BotocoreStubber.__call__, _respond_or_stub


def serve_items(monkeypatch):
    """Let a server of moto in this process respond to requests about items, too."""
    act = DynamoHandler._dispatch

    def respond_or_act(self, request, full_url=None, headers=None):
        own = _HOLDER.tables.respond(request.headers["X-Amz-Target"], request.data)
        return (own[0], dict(own[2]), own[1]) if own else act(self, request, full_url, headers)

    monkeypatch.setattr(DynamoHandler, "_dispatch", respond_or_act)


class Moto:
    """A connection: it hands signed requests to the tables, unless AWS would refuse them."""

    def post(self, headers, body):
        status, content, _ = _HOLDER.tables.respond(headers["x-amz-target"], body)
        return Response(status, HTTPHeaders.from_dict({}), content)


class DynamoDBInMoto(DynamoDB):
    """The client with boto3's events around a call and its retries."""

    def __init__(self):
        signer = Signer(get_session().get_credentials(), url=_URL, region="us-east-1")
        super().__init__(Moto(), signer, StandardRetries(6))
        service = SimpleNamespace(service_name="dynamodb", service_id=ServiceId("DynamoDB"))
        self.meta = SimpleNamespace(events=HierarchicalEmitter(), service_model=service)

    def call(self, operation, request):
        name = f"dynamodb.{operation}"
        about = {"model": SimpleNamespace(name=operation, service_model=self.meta.service_model)}
        for moment in ("provide-client-params", "before-parameter-build"):
            self.meta.events.emit(f"{moment}.{name}", params=request, **about)
        # botocore's handlers get a part of the request: ours read no more.
        sent = {"body": orjson.dumps(request, default=lambda binary: b2a_base64(binary).decode())}
        _, refused = self.meta.events.emit_until_response(f"before-call.{name}", params=sent, **about)
        if refused is not None:
            raise self._error(operation, refused[1])
        try:
            result = super().call(operation, request)
        except ClientError as error:
            self.meta.events.emit(f"after-call.{name}", parsed=error.response, **about)
            raise
        self.meta.events.emit(f"after-call.{name}", parsed=result, **about)
        return result

    def _error(self, operation, refusal):
        return getattr(self.exceptions, refusal["Error"]["Code"], ClientError)(refusal, operation)

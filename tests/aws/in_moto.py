"""The functions' client of DynamoDB on moto in the test's process, with botocore's events for faults and listeners."""

import threading
from binascii import b2a_base64
from types import SimpleNamespace

import orjson
import pytest
from botocore.awsrequest import AWSPreparedRequest
from botocore.compat import HTTPHeaders
from botocore.exceptions import ClientError
from botocore.hooks import HierarchicalEmitter
from botocore.model import ServiceId
from botocore.session import get_session
from moto.core.request import normalize_request
from moto.dynamodb.responses import DynamoHandler

from headwater.aws.connections import Response
from headwater.aws.dynamodb import DynamoDB
from headwater.aws.signing import Signer
from headwater.aws.standard_retries import StandardRetries
from local_stack.aws.limits import refusal_of
from tests.aws import moto_tables

# The tests of a module, once on the functions' own client and, in `make test-all`, once on boto3's: both leave the same
# tables (test_same_table.py).
BOTH_CLIENTS = pytest.mark.parametrize("cloud", ["own", pytest.param("boto3", marks=pytest.mark.slow)], indirect=True)
# moto's tables know no threads.
ONE_AT_A_TIME = threading.RLock()
_URL = "https://dynamodb.us-east-1.amazonaws.com"


class Moto:
    """A connection that hands each signed request to moto, but for those that AWS would refuse."""

    def post(self, headers, body):
        if refusal := refusal_of(headers["x-amz-target"], body):
            document = {"__type": refusal[0], "message": refusal[1]}
            return Response(400, HTTPHeaders.from_dict({}), orjson.dumps(document))
        with ONE_AT_A_TIME:
            responded = moto_tables.respond(headers["x-amz-target"], body)
        if responded is not None:
            status, content = responded
            return Response(status, HTTPHeaders.from_dict({}), content)
        request = normalize_request(AWSPreparedRequest("POST", f"{_URL}/", HTTPHeaders.from_dict(headers), body, False))
        status, sent, content = DynamoHandler.dispatch(request, request.raw_url, request.headers)
        content = content.encode() if isinstance(content, str) else content
        return Response(status, HTTPHeaders.from_dict({name: str(value) for name, value in sent.items()}), content)


class DynamoDBInMoto(DynamoDB):
    """The client, which emits around a call, its retries included, what boto3's emits."""

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
        # In place of a whole request botocore's handlers get what ours look at.
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

"""Requests and parsed responses of the functions' client, beside botocore's (serializer, parser, signer)."""

from __future__ import annotations

import json
import ssl
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.client import BaseClient
from botocore.credentials import Credentials
from botocore.exceptions import SSLError
from botocore.parsers import create_parser
from botocore.serialize import create_serializer
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st

from headwater import settings
from headwater.aws import clients
from headwater.aws.dynamodb import _parse, _render
from headwater.aws.signing import Signer
from tests.unit.aws.service import serving

NAMES = st.text(min_size=1, max_size=5) | st.sampled_from(["B", "M", "L", "S", "Items"])
SCALARS = st.one_of(
    st.builds(lambda text: {"S": text}, st.text(max_size=9)),
    st.builds(lambda number: {"N": str(number)}, st.integers()),
    st.builds(lambda binary: {"B": binary}, st.binary(max_size=9)),
    st.builds(lambda truth: {"BOOL": truth}, st.booleans()),
    st.just({"NULL": True}),
    st.builds(lambda texts: {"SS": texts}, st.lists(st.text(max_size=3), min_size=1, max_size=3)),
    st.builds(lambda blobs: {"BS": blobs}, st.lists(st.binary(max_size=3), min_size=1, max_size=3)),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.builds(lambda values: {"L": values}, st.lists(inner, max_size=3))
        | st.builds(lambda members: {"M": members}, st.dictionaries(NAMES, inner, max_size=3))
    ),
    max_leaves=6,
)
ITEMS = st.dictionaries(NAMES, VALUES, max_size=4)


@pytest.fixture(scope="module")
def model():
    return boto3.Session("a", "b", region_name="us-east-1").client("dynamodb").meta.service_model


def requests_of(item):
    yield "PutItem", {"TableName": "B", "Item": item}
    yield "BatchWriteItem", {"RequestItems": {"B": [{"PutRequest": {"Item": item}}]}}
    yield (
        "TransactWriteItems",
        {"TransactItems": [{"Put": {"TableName": "t", "Item": item}}], "ClientRequestToken": "x"},
    )
    yield "Query", {"TableName": "t", "ExpressionAttributeValues": item, "ScanIndexForward": False, "Limit": 3}
    yield "BatchExecuteStatement", {"Statements": [{"Statement": "INSERT", "Parameters": list(item.values()) or [{}]}]}


@given(ITEMS)
def test_requests_say_what_botocores_say(model, item):
    for operation, request in requests_of(item):
        theirs = create_serializer("json").serialize_to_request(request, model.operation_model(operation))
        assert json.loads(_render(request)) == json.loads(theirs["body"])


def results_of(item):
    yield "GetItem", {"Item": item}
    yield "UpdateItem", {"Attributes": item}
    yield "Query", {"Items": [item, item], "Count": 2, "ScannedCount": 2}
    yield "BatchGetItem", {"Responses": {"B": [item], "t": [item]}, "UnprocessedKeys": {}}
    refused = {"Error": {"Code": "DuplicateItem", "Message": "B"}, "TableName": "B"}
    yield "BatchExecuteStatement", {"Responses": [refused, {"TableName": "t"}]}


@given(ITEMS)
def test_results_are_read_as_botocore_understands_them(model, item):
    for operation, result in results_of(item):
        body = _render(result)
        response = {"status_code": 200, "headers": {}, "body": body}
        theirs = create_parser("json").parse(response, model.operation_model(operation).output_shape)
        del theirs["ResponseMetadata"]
        assert _parse(body) == theirs == result


def test_a_lone_surrogate_is_sent_as_boto3_sends_it(model):
    request = {"TableName": "t", "Key": {"pk": {"S": "\ud800"}}}
    theirs = create_serializer("json").serialize_to_request(request, model.operation_model("GetItem"))
    assert json.loads(_render(request)) == json.loads(theirs["body"])


@given(
    st.binary(max_size=99),
    st.sampled_from([None, "", "token+/="]),
    st.integers(1_600_000_000, 2_200_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, timezone.utc)),
    st.sampled_from(["https://dynamodb.eu-central-1.amazonaws.com", "http://127.0.0.1:4566"]),
)
def test_signatures_are_botocores(body, token, time, url):
    credentials = Credentials("AKID", "s3cr3t", token)
    signer = Signer(credentials, url=url, region="eu-central-1", now=lambda: time)
    for _ in range(2):  # the second time the day's key is known
        ours = signer.headers("DynamoDB_20120810.Query", body)
        headers = {name: value for name, value in ours.items() if name != "authorization"}
        request = AWSRequest("POST", f"{url}/", headers=headers, data=body)
        request.context["timestamp"] = ours["x-amz-date"]
        theirs = SigV4Auth(credentials, "dynamodb", "eu-central-1")
        text = theirs.string_to_sign(request, theirs.canonical_request(request))
        assert ours["authorization"].endswith(f"Signature={theirs.signature(text, request)}")
        assert ours["x-amz-date"] == time.strftime("%Y%m%dT%H%M%SZ")
        assert ours.get("x-amz-security-token") == (token or None)


@pytest.fixture
def environment(monkeypatch):
    """No settings of AWS but the test's, and clients made from them."""
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_REGION", "AWS_PROFILE", "AWS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"ACCESS_KEY_ID": "a", "SECRET_ACCESS_KEY": "b", "DEFAULT_REGION": "us-east-1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    forget()
    yield monkeypatch
    if clients.dynamodb.cache_info().currsize:
        clients.dynamodb().connections.close()
    forget()


def forget():
    """Forget the client and its settings."""
    clients.dynamodb.cache_clear()
    clients.session.cache_clear()


@pytest.mark.parametrize(
    "variables",
    [
        {"AWS_DEFAULT_REGION": "eu-central-1"},
        {"AWS_DEFAULT_REGION": "cn-north-1"},
        {"AWS_DEFAULT_REGION": "us-gov-west-1"},
        {"AWS_DEFAULT_REGION": "xx-nowhere-1"},
        {"AWS_USE_FIPS_ENDPOINT": "true"},
        {"AWS_USE_DUALSTACK_ENDPOINT": "true"},
        {"AWS_ENDPOINT_URL": "http://127.0.0.1:4566"},
        {"AWS_ENDPOINT_URL": "http://127.0.0.1:4566", "AWS_ENDPOINT_URL_DYNAMODB": "http://127.0.0.1:8000"},
        {"AWS_ENDPOINT_URL": "http://127.0.0.1:4566", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"},
    ],
    ids=str,
)
def test_the_endpoint_is_boto3s(environment, variables):
    for name, value in variables.items():
        environment.setenv(name, value)
    assert clients.dynamodb().connections.url == boto3.Session().client("dynamodb").meta.endpoint_url


def test_boto3s_client_is_used_where_the_functions_variable_says_so(environment):
    environment.setenv(settings.DYNAMODB_CLIENT, "boto3")
    assert isinstance(clients.dynamodb(), BaseClient)
    clients.dynamodb.cache_clear()
    clients.client.cache_clear()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A file with a certificate of 127.0.0.1, signed by itself, and its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now, names = datetime.now(timezone.utc), x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    signed = builder.add_extension(names, critical=True).sign(key, hashes.SHA256())
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(signed.public_bytes(Encoding.PEM) + private)
    return str(path)


@pytest.fixture
def secure(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with serving(context) as service:
        yield service


def test_a_certificate_is_checked_against_the_bundle_that_the_environment_names(environment, secure, certificate):
    environment.setenv("AWS_ENDPOINT_URL", secure.url)
    environment.setenv("AWS_CA_BUNDLE", certificate)
    for _ in range(2):
        assert clients.dynamodb().get_item(TableName="t", Key={"pk": {"S": "P"}}) == {}
    assert [number for number, _, _ in secure.requests] == [1, 1]


def test_a_certificate_that_nobody_vouches_for_is_refused(environment, secure):
    environment.setenv("AWS_ENDPOINT_URL", secure.url)
    environment.setattr("time.sleep", lambda _: None)
    with pytest.raises(SSLError, match=r"self.signed"):
        clients.dynamodb().get_item(TableName="t", Key={"pk": {"S": "P"}})
    assert secure.requests == []

"""The HTTP API: requests as Lambda proxy events and back."""

import gzip
import http.client
import json
from urllib.parse import urlsplit

import pytest

from tests.waiting import LONG_S


def send(probe, method, target, *, body=None, host=None, **headers):
    address = urlsplit(probe.stack.api_url).netloc
    connection = http.client.HTTPConnection(address, timeout=LONG_S)
    try:
        connection.request(method, target, body, {"Host": host or address, "X-Sent": "1", **headers})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def event_of(probe, *args, **kwargs):
    status, _, body = send(probe, *args, **kwargs)
    assert status == 201
    return json.loads(body)


def test_a_request_is_the_event_that_api_gateway_makes_of_it(probe):
    event = event_of(probe, "POST", "/api/roots/a%2Fb%20c?x=1&x=%262&y=", body='{"é": 1}'.encode())
    assert event["path"] == "/api/roots/a%2Fb%20c"
    assert event["pathParameters"] == {"proxy": "api/roots/a%2Fb%20c"}
    assert (event["resource"], event["httpMethod"]) == ("/{proxy+}", "POST")
    assert event["queryStringParameters"] == {"x": "&2", "y": ""}
    assert event["multiValueQueryStringParameters"] == {"x": ["1", "&2"], "y": [""]}
    assert (event["headers"]["X-Sent"], event["multiValueHeaders"]["X-Sent"]) == ("1", ["1"])
    assert (event["body"], event["isBase64Encoded"]) == ('{"é": 1}', False)
    assert event["requestContext"]["stage"] == "prod"
    assert event["requestContext"]["path"] == "/prod/api/roots/a%2Fb%20c"
    assert event["requestContext"]["identity"]["sourceIp"] == "127.0.0.1"


@pytest.mark.parametrize(
    ("sent", "arrives"),
    [
        (gzip.compress('{"é": 1}'.encode()), '{"é": 1}'),
        (b'{"sent": "as it is"}', '{"sent": "as it is"}'),
        (gzip.compress(b"cut short")[:-4], None),
        (gzip.compress(bytes(11 * 1024 * 1024)), None),
    ],
    ids=["packed", "not packed at all", "damaged", "larger than API Gateway takes"],
)
def test_a_packed_body_is_unpacked_as_api_gateway_does(probe, sent, arrives):
    event = event_of(probe, "POST", "/api", body=sent, **{"Content-Encoding": "gzip"})
    assert event["body"] == (arrives or sent.decode("utf-8", "replace"))


def test_the_response_has_the_function_s_status_headers_and_body(probe):
    status, headers, _ = send(probe, "GET", "/x")
    assert (status, headers["X-One"], headers.get_all("X-Many")) == (201, "1", ["a", "b"])
    status, headers, body = send(probe, "GET", "/binary")
    assert (status, headers["Content-Type"], body) == (200, "application/x", b"\x00\x01\xff")


@pytest.mark.parametrize(
    ("request_line", "status", "message"),
    [
        ({"target": "/raise"}, 502, "Internal server error"),
        ({"target": "/x", "body": b"x" * (7 * 1024 * 1024)}, 413, "Request Too Long"),
    ],
)
def test_what_the_function_cannot_serve_api_gateway_does(probe, request_line, status, message):
    received, _, body = send(probe, "POST", **request_line)
    assert (received, json.loads(body)) == (status, {"message": message})


def test_the_output_with_the_api_s_address_is_the_local_one(probe):
    assert probe.stack.outputs["ApiUrl"] == f"{probe.stack.api_url}/"

"""Requests that a page in the developer's browser can send to a running stack, and those that must go on working."""

import http.client
from urllib.parse import urlsplit

import pytest

PAGE = {"Origin": "https://news.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
FORM = {"Content-Type": "application/x-www-form-urlencoded", **PAGE}
RESET = ["/moto-api/reset", "/%6doto-api/reset", "//moto-api/reset", "/moto-api/reset-auth", "/MOTO-API/reset"]


def send(url, method, target, body=None, **headers):
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    try:
        connection.request(method, target, body, headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


@pytest.fixture
def kept(probe):
    """An item, an object and a message that an attack must leave where they are; the test checks that."""
    probe.put(root="r", node="n")
    probe.s3.put_object(Bucket=probe.stack.outputs["BucketName"], Key="k", Body=b"kept")

    def are_there():
        table, bucket = probe.stack.outputs["TableName"], probe.stack.outputs["BucketName"]
        items = probe.dynamodb.scan(TableName=table)["Items"]
        return len(items) == 1 and probe.s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"kept"

    yield are_there
    probe.s3.delete_object(Bucket=probe.stack.outputs["BucketName"], Key="k")


@pytest.mark.parametrize("headers", [FORM, {}], ids=["a page", "anybody"])
@pytest.mark.parametrize("target", RESET)
def test_one_post_does_not_wipe_the_stack(probe, kept, target, headers):
    status, body = send(probe.stack.endpoint_url, "POST", target, b"", **headers)

    assert status == 403
    assert b"moto's own API is closed" in body or b"Origin: " in body
    assert kept()


def test_a_page_changes_nothing_by_the_api_and_the_explorer_does(probe):
    own = {"Origin": probe.stack.api_url, "Sec-Fetch-Site": "same-origin"}
    probe.until(lambda: send(probe.stack.api_url, "GET", "/x")[0] == 201)  # the function has started
    responses = [send(probe.stack.api_url, "POST", "/x", b"{}", **headers)[0] for headers in (FORM, own, {})]
    assert responses == [403, 201, 201]

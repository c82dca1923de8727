"""A domain of DataZone over a socket: the signed request by botocore's own model, its limits, and refusals."""

import hashlib
import json
import re

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.session import get_session
from botocore.validate import ParamValidator

from headwater.aws import clients
from headwater.features.forwarding import datazone
from headwater.features.forwarding.context import _DOMAIN
from headwater.features.forwarding.datazone import EVENT_BYTES_MAX, open_domain
from headwater.features.forwarding.endpoint import Unreachable, Unsendable
from tests.builders_events import a_dataset_event, a_run_event
from tests.features.forwarding.receiving import HANG, an_endpoint
from tests.features.forwarding.stacks import DOMAIN, SHARED

BODY = json.dumps(a_run_event()).encode()
# The model of the API's owner, as botocore has it.
OPERATION = get_session().get_service_model("datazone").operation_model("PostLineageEvent")


@pytest.fixture
def received(monkeypatch):
    with an_endpoint() as received:
        received.act = lambda event: 200
        monkeypatch.setenv("AWS_ENDPOINT_URL_DATAZONE", received.url.removesuffix("/api/v1/lineage"))
        for name, value in (("ACCESS_KEY_ID", "AKID"), ("SECRET_ACCESS_KEY", "key"), ("DEFAULT_REGION", "us-east-1")):
            monkeypatch.setenv(f"AWS_{name}", value)
        clients.session.cache_clear()
        yield received
        clients.session.cache_clear()


def refusing(received, status, code):
    received.act = lambda event: status
    received.more_headers = {"Content-Length": "0", "x-amzn-errortype": code}


def signature_of(received, region):
    """Sign the received request by botocore, with the headers that its sender signed."""
    [(path, body)], [headers] = received.requests, received.headers
    signed = re.search("SignedHeaders=([^,]+)", headers["authorization"])[1].split(";")
    request = AWSRequest("POST", received.url.removesuffix("/api/v1/lineage") + path, data=body)
    for name in signed:
        request.headers[name] = headers[name]
    request.context["timestamp"] = headers["x-amz-date"]
    auth = SigV4Auth(Credentials("AKID", "key"), "datazone", region)
    return auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)


@pytest.mark.parametrize(("domain", "region"), [(DOMAIN, "us-east-1"), (SHARED, "eu-west-1")])
def test_an_event_is_posted_as_it_is_signed_for_the_region_of_the_domain(received, domain, region):
    assert open_domain(domain).post(BODY) == 200
    assert received.requests == [(f"/v2/domains/{DOMAIN}/lineage/events", BODY)]
    [headers] = received.headers
    assert headers["client-token"] == hashlib.sha256(BODY).hexdigest()
    assert f"/{region}/datazone/aws4_request" in headers["authorization"]
    assert headers["authorization"].endswith(f"Signature={signature_of(received, region)}")


def test_the_request_and_its_limits_are_those_of_the_model(received):
    sent = []
    domain = open_domain(SHARED)
    domain.client.meta.events.register(
        "provide-client-params.datazone.PostLineageEvent", lambda params, **_: sent.append(params)
    )
    domain.post(BODY)
    [params] = sent
    report = ParamValidator().validate(params, OPERATION.input_shape)
    assert not report.has_errors(), report.generate_report()
    members = OPERATION.input_shape.members
    token = members["clientToken"].metadata
    assert re.fullmatch(token["pattern"], params["clientToken"])
    assert len(params["clientToken"]) <= token["max"]
    assert members["event"].metadata["max"] == EVENT_BYTES_MAX
    assert _DOMAIN.pattern.endswith(members["domainIdentifier"].metadata["pattern"])


@pytest.mark.parametrize(
    ("event", "rule"),
    [
        (a_dataset_event(), "must be a RunEvent for DataZone"),
        ({"job": {"namespace": "flights", "name": "read"}, "run": None}, "must be a RunEvent for DataZone"),
        (
            {"run": {}, "more": "é" * 150_000},
            "must have at most 300,000 bytes for DataZone, and has 300,023",
        ),
    ],
    ids=["dataset", "job", "large"],
)
def test_what_datazone_never_takes_is_not_sent(received, event, rule):
    with pytest.raises(Unsendable) as never:
        open_domain(DOMAIN).post(json.dumps(event, ensure_ascii=False).encode())
    assert str(never.value) == rule
    assert received.requests == []


@pytest.mark.parametrize(("status", "code"), [(400, "ValidationException"), (409, "ConflictException")])
def test_a_refusal_of_the_event_is_its_status(received, status, code):
    refusing(received, status, code)
    assert open_domain(DOMAIN).post(BODY) == status


def test_any_other_refusal_of_the_model_makes_the_lane_wait_and_is_tried_once(received):
    others = {error.name: error.metadata["error"]["httpStatusCode"] for error in OPERATION.error_shapes}
    assert {others.pop("ValidationException"), others.pop("ConflictException")} == {400, 409}
    for number, (code, status) in enumerate(others.items(), 1):
        refusing(received, status, code)
        with pytest.raises(Unreachable, match=rf"{code}|\({status}\)"):
            open_domain(DOMAIN).post(BODY)
        assert len(received.requests) == number


def test_a_domain_that_does_not_respond_in_time_is_unreachable(received, monkeypatch):
    received.act = lambda event: HANG
    monkeypatch.setattr(datazone, "TIMEOUT_S", datazone._CONNECT_S + 0.2)
    with pytest.raises(Unreachable, match=r"DataZone did not respond \(ReadTimeoutError\)"):
        open_domain(DOMAIN).post(BODY)
    assert len(received.requests) == 1

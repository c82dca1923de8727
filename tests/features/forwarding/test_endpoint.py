"""The endpoint over real sockets: statuses, time-outs, connections, and where the token goes."""

import json

import pytest

from headwater.features.forwarding.endpoint import Endpoint, Secret, Unreachable
from headwater_model.errors import Invalid
from tests.features.forwarding.receiving import DRIBBLE, HANG, HANG_UP, an_endpoint
from tests.waiting import LONG_S

BODY = json.dumps({"eventTime": "2025-11-20T12:00:00Z"}).encode()


@pytest.fixture
def received():
    with an_endpoint() as received:
        yield received


@pytest.fixture
def endpoint(received):
    opened = []

    def to(received, token="t0ken", **more):
        opened.append(Endpoint(received.url, token=lambda: token, **more))
        return opened[-1]

    yield to
    for each in opened:
        each._connection.close()


def test_an_event_is_sent_as_json_with_the_token_over_a_connection_that_stays_open(received, endpoint):
    to = endpoint(received)
    assert [to.post(BODY) for _ in range(3)] == [201, 201, 201]
    [headers] = {tuple(sorted(each.items())) for each in received.headers}
    assert dict(headers)["authorization"] == "Bearer t0ken"
    assert dict(headers)["content-type"] == "application/json"
    assert len(received.connections) == 1


def test_a_redirect_is_not_followed_so_the_token_goes_to_no_other_host(received, endpoint):
    with an_endpoint() as other:
        received.act = lambda event: 307
        received.more_headers = {"Location": other.url, "Content-Length": "0"}
        assert endpoint(received).post(BODY) == 307
        assert other.headers == []


@pytest.mark.parametrize("act", [HANG, DRIBBLE])
def test_an_endpoint_that_hangs_or_dribbles_costs_the_time_of_a_request(received, endpoint, act):
    """A time-out that begins again at each byte would let a dribbling endpoint hold its lane for hours."""
    received.act = lambda event: act
    with pytest.raises(Unreachable, match=r"did not respond \(TimeoutError\)"):
        endpoint(received, timeout_s=0.3).post(BODY)
    assert len(received.headers) == 1, "it is not tried again"


def test_after_a_request_that_was_left_the_next_has_a_connection_of_its_own(received, endpoint):
    acts = iter([DRIBBLE, 201])
    received.act = lambda event: next(acts)
    to = endpoint(received, timeout_s=0.3)
    with pytest.raises(Unreachable):
        to.post(BODY)
    assert received.left.wait(LONG_S), "the connection is closed"
    assert to.post(BODY) == 201


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Length": "1000000000000"},
        {"Transfer-Encoding": "chunked"},
        {"Content-Length": "1000", "Content-Encoding": "gzip"},
        {"Connection": "close"},
    ],
    ids=str,
)
def test_the_body_of_a_response_is_not_read(received, endpoint, headers):
    """None is ever sent here: whoever reads a byte of it waits for ever."""
    received.more_headers = headers
    to = endpoint(received)
    assert [to.post(BODY), to.post(BODY)] == [201, 201]
    assert len(received.connections) == 2


def test_a_connection_that_was_closed_is_made_again_once(received, endpoint):
    acts = iter([201, HANG_UP, 201, HANG_UP, HANG_UP])
    received.act = lambda event: next(acts)
    to = endpoint(received)
    assert [to.post(BODY), to.post(BODY)] == [201, 201]
    with pytest.raises(Unreachable, match="RemoteDisconnected"):
        to.post(BODY)


@pytest.mark.parametrize("url", ["http://marquez.example/", "http://169.254.169.254/", "ftp://127.0.0.1/", "//host/"])
def test_a_url_without_tls_is_refused_but_for_this_machine(url):
    with pytest.raises(ValueError, match="https alone"):
        Endpoint(url, token=lambda: None)


class Secrets:
    """Secrets Manager, with one secret."""

    def __init__(self, value):
        self.value, self.reads = value, 0

    def get_secret_value(self, *, SecretId):  # noqa: N803 - boto3's own names
        self.reads += 1
        return {"SecretString": self.value}


def test_a_token_is_read_once_in_five_minutes_and_anew_when_it_was_forgotten():
    secrets, now = Secrets("one\n"), [0.0]
    secret = Secret(secrets, "marquez/token", clock=lambda: now[0])
    assert [secret.token(), secret.token(), secrets.reads] == ["one", "one", 1]
    secrets.value = "two"
    secret.forget()
    assert [secret.token(), secrets.reads] == ["two", 2]
    now[0] = 301.0
    assert [secret.token(), secrets.reads] == ["two", 3]


@pytest.mark.parametrize("value", ["", "  ", "two words", "line\r\nX-Other: 1", "tökén"])
def test_a_secret_that_is_no_token_is_refused_without_being_shown(value):
    with pytest.raises(Invalid) as refused:
        Secret(Secrets(value), "marquez/token", clock=lambda: 0).token()
    assert str(refused.value) == "forward_secret: must hold a token as text, without spaces, got 'marquez/token'"

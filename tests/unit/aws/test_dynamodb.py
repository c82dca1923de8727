"""The functions' client of DynamoDB does as boto3's client does, under every fault of the network and of AWS."""

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import orjson
import pytest
from botocore.credentials import RefreshableCredentials
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    ReadTimeoutError,
    ResponseStreamingError,
)

from tests.unit.aws.conftest import SECRETS
from tests.unit.aws.service import hang_up, refuse, reset, respond, send, truncate
from tests.waiting import LONG_S, until

KEY = {"pk": {"S": "P"}, "sk": {"S": "S"}}
NOON = datetime(2025, 11, 20, 12, tzinfo=timezone.utc)

# Faults that pass: the act of the service, and what a caller gets if they do not pass.
PASSING = {
    "a reset": (reset, ConnectionClosedError),
    "no response": (hang_up, ConnectionClosedError),
    "a truncated body": (truncate, ResponseStreamingError),
    "no HTTP": (send(b"220 smtp.example.com ESMTP\r\n"), ResponseStreamingError),
    "a wrong checksum": (respond(document={"Item": KEY}, x_amz_crc32="1"), ResponseStreamingError),
    "throttled": (refuse("ThrottlingException"), ClientError),
    "a transaction in progress": (refuse("TransactionInProgressException"), ClientError),
    "a fault of DynamoDB": (refuse("InternalServerError", 500), ClientError),
    "a fault of something before it": (respond(503, content=b"<html>"), ClientError),
}
LASTING = {
    "a condition": refuse("ConditionalCheckFailedException", Item={**KEY, "body": {"B": "AAEC"}}),
    "a transaction": refuse(
        "TransactionCanceledException",
        Message="cancelled",
        CancellationReasons=[{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Item": {"b": {"B": "AAEC"}}}],
    ),
    "what is wrong": refuse("ValidationException"),
    "a wrong signature": refuse("InvalidSignatureException"),
    "nothing but a status": respond(413, content=b""),
}


def put(client, **more):
    return client.put_item(TableName="t", Item={**KEY, "body": {"B": b"\x00\x01"}}, **more)


@pytest.mark.parametrize(("act", "_"), PASSING.values(), ids=PASSING)
def test_a_fault_that_passes_is_tried_again(client, service, act, _):
    service.acts = [act]

    assert put(client.dynamodb) == {}
    assert len(service.requests) == 2
    assert len(client.slept) == 1


@pytest.mark.parametrize(("act", "error"), PASSING.values(), ids=PASSING)
def test_a_fault_that_does_not_pass_is_raised_after_six_attempts(client, service, act, error):
    service.acts = [act] * 9

    with pytest.raises(error):
        put(client.dynamodb)
    assert len(service.requests) == 6
    assert len(client.slept) == 5


@pytest.mark.large
def test_a_response_that_does_not_come_in_time_is_not_waited_for(make, service):
    client = make(read_timeout_s=0.3)
    service.acts = [service.keep_silent]
    assert put(client.dynamodb) == {}

    service.requests, service.acts = [], [service.keep_silent] * 9
    with pytest.raises(ReadTimeoutError):
        put(client.dynamodb)
    until(lambda: len(service.requests) == 6)


@pytest.mark.parametrize("fault", ["reset", "hang_up", "time-out"])
def test_a_write_that_took_effect_unseen_meets_itself(make, service, fault):
    client = make(read_timeout_s=0.3 if fault == "time-out" else LONG_S)
    lost = {"reset": reset, "hang_up": hang_up, "time-out": service.keep_silent}[fault]
    service.acts = [lost, *[refuse("ConditionalCheckFailedException")] * 5]

    with pytest.raises(client.dynamodb.exceptions.ConditionalCheckFailedException):
        put(client.dynamodb, ConditionExpression="attribute_not_exists(pk)")


def test_a_transaction_that_is_sent_again_bears_the_same_token_and_another_one_another(client, service):
    service.acts = [reset, respond(503)]
    for _ in range(2):
        client.dynamodb.transact_write_items(TransactItems=[{"Put": {"TableName": "t", "Item": KEY}}])

    tokens = [orjson.loads(body)["ClientRequestToken"] for _, _, body in service.requests]
    assert len(tokens) == 4
    assert tokens[0] == tokens[1] == tokens[2] != tokens[3]


@pytest.mark.parametrize("act", [*LASTING.values(), *(act for act, error in PASSING.values() if error is ClientError)])
def test_a_refusal_is_raised_as_boto3_raises_it_after_as_many_attempts(client, beside, service, act):
    errors, requests = [], []
    for dynamodb in (client.dynamodb, beside):
        service.acts, service.requests = [act] * 9, []
        with pytest.raises(ClientError) as raised:
            put(dynamodb)
        errors.append(raised.value)
        requests.append(len(service.requests))

    ours, theirs = errors
    assert requests[0] == requests[1]
    assert (str(ours), ours.operation_name) == (str(theirs), theirs.operation_name)
    # Of the text, botocore keeps a second copy where its model has it.
    copies = {name: theirs.response[name] for name in ("message", "Message") if name in theirs.response}
    assert {**ours.response, **copies} == theirs.response
    for known in ("ConditionalCheckFailedException", "TransactionCanceledException"):
        assert (type(ours).__name__ == known) == (type(theirs).__name__ == known)


def test_retries_end_where_the_quota_of_all_calls_ends_as_in_boto3(client, beside, service):
    """The quota holds 500; a retry takes some of it, a success without retries gives one back."""
    requests = []
    for dynamodb in (client.dynamodb, beside):
        service.requests = []
        for _ in range(14):
            service.acts = [refuse("InternalServerError", 500)] * 6
            with pytest.raises(ClientError):
                put(dynamodb)
        service.acts = []
        for _ in range(30):
            put(dynamodb)
        service.acts = [refuse("InternalServerError", 500)] * 6
        with pytest.raises(ClientError):
            put(dynamodb)
        requests.append(len(service.requests))
    assert requests[0] == requests[1]
    assert requests[0] < 14 * 6 + 30 + 6


def test_delays_grow_and_are_drawn(client, service):
    service.acts = [refuse("ThrottlingException")] * 48
    delays = []
    for _ in range(8):
        client.slept.clear()
        with pytest.raises(ClientError):
            put(client.dynamodb)
        delays.append(tuple(client.slept))
    assert len(set(delays)) == 8
    assert all(0 <= delay <= 20 for request_delays in delays for delay in request_delays)
    assert sum(request_delays[0] for request_delays in delays) < sum(request_delays[3] for request_delays in delays)


# -- connections


# Up to 0.5 s the client takes an idle connection as open.
@pytest.mark.parametrize("idle_s", [0, pytest.param(0.6, marks=pytest.mark.large)])
def test_what_is_closed_while_it_is_idle_is_not_sent_on(client, service, idle_s):
    service.acts = [respond(then_close=True)]
    for _ in range(3):
        put(client.dynamodb)
        until(lambda: service.closed == 1)
        time.sleep(idle_s)
    assert [number for number, _, _ in service.requests] == [1, 2, 2]
    assert client.slept == []


@pytest.mark.parametrize("lost", [reset, hang_up])
def test_what_an_idle_connection_loses_is_sent_on_a_new_one_and_is_no_attempt(client, service, lost):
    put(client.dynamodb)
    service.acts = [lost]

    assert put(client.dynamodb) == {}
    assert [number for number, _, _ in service.requests] == [1, 1, 2]
    assert client.slept == []


def test_after_a_thaw_each_of_many_connections_is_replaced_at_once(client, service):
    together = threading.Barrier(8)

    def meet(connection):
        together.wait(LONG_S)
        return respond()(connection)

    service.acts = [meet] * 8
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: put(client.dynamodb), range(8)))
        service.acts = [reset]
        assert put(client.dynamodb) == {}
        assert client.slept == []
        list(pool.map(lambda _: put(client.dynamodb), range(8)))
    assert service.connections >= 9
    assert len(service.requests) == 18


@pytest.mark.parametrize(
    "act",
    [
        respond(Connection="close"),
        respond(Connection="Close"),
        send(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
    ],
)
def test_a_connection_that_the_service_will_close_is_not_kept(client, service, act):
    service.acts = [act]
    put(client.dynamodb)
    put(client.dynamodb)
    assert [number for number, _, _ in service.requests] == [1, 2]


@pytest.mark.parametrize(
    "pieces",
    [
        [bytes([byte]) for byte in b'HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"Table": "t"}'],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b'9\r\n{"Table":\r\n', b'5\r\n "t"}\r\n0\r\n\r\n'],
    ],
    ids=["byte by byte", "chunked"],
)
def test_a_response_is_read_whatever_pieces_it_comes_in(client, service, pieces):
    service.acts = [send(*pieces)] * 2
    assert [put(client.dynamodb) for _ in range(2)] == [{"Table": "t"}] * 2
    assert [number for number, _, _ in service.requests] == [1, 1]


# -- credentials and clocks


def test_credentials_that_expire_are_renewed_before_they_sign(make, service):
    renewals = iter(range(9))

    def renew():
        number = next(renewals)
        return {
            "access_key": f"key-{number}",
            "secret_key": f"secret-{number}",
            "token": f"token-{number}",
            # The first have a minute left: too little to sign with.
            "expiry_time": (datetime.now(timezone.utc) + timedelta(hours=number, minutes=1)).isoformat(),
        }

    client = make(RefreshableCredentials.create_from_metadata(renew(), renew, "test"))
    for _ in range(3):
        put(client.dynamodb)
    assert [headers["x-amz-security-token"] for _, headers, _ in service.requests] == ["token-1"] * 3
    assert all("Credential=key-1/" in headers["authorization"] for _, headers, _ in service.requests)


def skewed(by, code="InvalidSignatureException"):
    return refuse(code, headers={"Date": format_datetime(NOON + by, usegmt=True)})


@pytest.mark.parametrize("by", [timedelta(hours=2), timedelta(minutes=-6)])
@pytest.mark.parametrize("code", ["InvalidSignatureException", "RequestExpired"])
def test_a_clock_that_is_off_is_corrected_by_that_of_aws(make, service, by, code):
    client = make(now=lambda: NOON)
    service.acts = [skewed(by, code)]

    for _ in range(2):
        put(client.dynamodb)
    dates = [headers["x-amz-date"] for _, headers, _ in service.requests]
    right = (NOON + by).strftime("%Y%m%dT%H%M%SZ")
    assert dates == ["20251120T120000Z", right, right]
    assert client.slept == []


def test_the_trace_of_an_invocation_goes_along_where_there_is_one(client, service, monkeypatch):
    put(client.dynamodb)
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "load")
    for trace in ("Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1", "Root=1-ü"):
        monkeypatch.setenv("_X_AMZN_TRACE_ID", trace)
        put(client.dynamodb)
    assert [headers.get("x-amzn-trace-id") for _, headers, _ in service.requests] == [
        None,
        "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1",
        "Root=1-%C3%BC",
    ]


def test_no_log_and_no_error_shows_a_credential(client, service, caplog):
    caplog.set_level(logging.DEBUG)
    texts = []
    for act in [*(act for act, _ in PASSING.values()), *LASTING.values()]:
        service.acts = [act] * 6
        try:
            put(client.dynamodb)
        except (BotoCoreError, ClientError) as error:
            texts += [repr(error), str(getattr(error, "response", ""))]
    assert len(texts) == 2 * (len(PASSING) + len(LASTING))
    shown = "\n".join([*texts, caplog.text])
    assert [secret for secret in (*SECRETS, "Signature=") if secret in shown] == []

"""The last use of a token: to the day, with one write a day and function, and never in the way of a request."""

import argparse

import pytest

from headwater.api.tokens import Tokens
from headwater.cli import token as command
from lambdas import wiring
from tests.aws.faults import before, refused, timed_out
from tests.aws.token_requests import a_token, send, status
from tests.builders import NOON
from tests.token_texts import id_of

DAY_S = 24 * 3600
TODAY = NOON - NOON % DAY_S


@pytest.fixture
def writes(cloud):
    """The updates of the graph table as they are made: partition, sort key and the attributes beside these."""
    uses = []

    def note(params, **_):
        key, names = params["Key"], params["ExpressionAttributeNames"]
        uses.append((key["pk"]["S"], key["sk"]["S"], sorted(names.values())))

    cloud.dynamodb.meta.events.register("provide-client-params.dynamodb.UpdateItem", note)
    return uses


def test_a_token_is_written_down_as_used_once_a_day(cloud, writes):
    text = a_token(cloud)
    assert wiring.tokens().last_uses() == {}

    for hour in range(0, 48, 6):
        cloud.now_s = TODAY + hour * 3600
        assert status(cloud, text) == 200
        assert wiring.tokens().last_uses() == {id_of(text): TODAY + hour // 24 * DAY_S}
    # What the function's role allows: tests/stack/test_stack_api.py.
    assert writes == [("TOKEN_USES", id_of(text), ["last_used"])] * 2


def test_the_latest_day_stays_whichever_function_writes_last(cloud):
    text = a_token(cloud)
    behind, ahead = Tokens(wiring.graph_table()), Tokens(wiring.graph_table())
    token = ahead.find(text, now_s=NOON)
    ahead.record_use(token, now_s=NOON)
    behind.record_use(token, now_s=NOON - DAY_S)
    assert ahead.last_uses() == {token.id: TODAY}


@pytest.mark.parametrize("fault", [refused("AccessDeniedException"), timed_out()])
def test_a_use_that_cannot_be_written_down_fails_no_request_and_is_not_tried_again_that_day(cloud, writes, fault):
    text = a_token(cloud)
    with before(cloud.dynamodb, "UpdateItem", fault, times=99):
        assert [status(cloud, text) for _ in range(3)] == [200] * 3
    assert len(writes) == 1
    cloud.now_s += DAY_S
    assert status(cloud, text) == 200
    assert wiring.tokens().last_uses() == {id_of(text): TODAY + DAY_S}


def test_whoever_is_refused_for_a_bad_token_uses_none_and_who_may_not_do_a_thing_does(cloud):
    text, expired = a_token(cloud), a_token(cloud, lifetime_s=0)
    wrong = text[:-1] + ("A" if text[-1] != "A" else "B")
    assert [status(cloud, token) for token in (wrong, expired, "hw_x")] == [401] * 3
    assert wiring.tokens().last_uses() == {}

    assert send(cloud, text, "DELETE", "/api/v1/namespaces/x")[0] == 403
    assert wiring.tokens().last_uses() == {id_of(text): TODAY}


def test_the_list_shows_the_day_of_the_last_use(cloud, capsys):
    used, unused = a_token(cloud), a_token(cloud)
    status(cloud, used)
    capsys.readouterr()

    command._list(argparse.Namespace(json=False), wiring.tokens())
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert lines[id_of(used)].endswith("\tlast used 2025-11-20")
    assert lines[id_of(unused)].endswith("\tnever used")

"""Bearer tokens: kept as hashes, checked by the function at the door where API Gateway lets everybody through."""

import pytest

from headwater.api.tokens import Tokens, new_token
from headwater_model.errors import Conflict, NotFound
from lambdas import wiring
from tests.aws.token_requests import a_token, send, status
from tests.builders import NOON
from tests.token_texts import id_of, secret_of


def test_a_token_is_known_by_its_hash_alone(cloud):
    text = a_token(cloud)

    assert text.startswith("hw_")
    assert secret_of(text) not in repr(cloud.items("Graph"))
    token = wiring.tokens().find(text, now_s=NOON)
    assert (token.scopes, token.namespaces, token.created) == (("read", "write"), ("*",), NOON)


def test_a_revoked_token_is_listed_and_refused_within_a_minute(cloud):
    text = a_token(cloud)
    known = wiring.tokens()
    assert known.find(text, now_s=NOON) is not None

    id_ = id_of(text)
    assert Tokens(wiring.graph_table()).revoke(id_, now_s=NOON + 1).revoked == NOON + 1
    assert known.find(text, now_s=NOON + 59) is not None
    assert known.find(text, now_s=NOON + 60) is None
    assert known.revoke(id_, now_s=NOON + 99).revoked == NOON + 1
    assert [(token.id, token.revoked) for token in known.all().good] == [(id_, NOON + 1)]


def test_tokens_have_ids_of_their_own_and_unknown_ones_are_not_revoked(cloud):
    _, token = new_token(scopes=["read"], namespaces=["*"], now_s=NOON, lifetime_s=None, random=bytes)
    wiring.tokens().put(token)

    with pytest.raises(Conflict, match="there is one of this id"):
        wiring.tokens().put(token)
    with pytest.raises(NotFound, match="there is none with the id 'x'"):
        wiring.tokens().revoke("x", now_s=NOON)


def test_the_signed_api_needs_no_token_and_ignores_one(cloud):
    assert status(cloud, "nonsense", door="iam") == 200


def test_an_expired_token_is_refused(cloud):
    text = a_token(cloud, lifetime_s=10)
    cloud.now_s += 9
    assert status(cloud, text) == 200
    cloud.now_s += 1
    assert status(cloud, text) == 401


def test_no_token_is_written_to_a_log(cloud, capsys, caplog):
    text = a_token(cloud)
    send(cloud, text)
    send(cloud, text + "x")
    printed = capsys.readouterr()
    assert len(caplog.records) == 2
    logged = [str(vars(record)) for record in caplog.records]
    assert secret_of(text) not in "".join([printed.out, printed.err, *logged])

"""The context values of sign-in: no typing mistake opens a door."""

import pytest

from headwater.features.sign_in.context import SignInValues
from headwater_model.errors import Invalid
from infra.context import parse_context
from tests.features.sign_in.stacks import SIGN_IN

ISSUER = SIGN_IN["sign_in_issuer"]
NEEDED = {"auth": "token", "sign_in_issuer": ISSUER, "sign_in_audience": "headwater"}


def test_the_values_are_read_from_the_command_line_as_from_the_file():
    given = {**NEEDED, "sign_in_audience": "a, b", "sign_in_scope": "openid offline_access"}
    given |= {"sign_in_client": "page", "sign_in_origins": "https://auth.example.org"}
    assert parse_context(given).features == {
        "sign_in": SignInValues(
            issuer=ISSUER,
            audiences=("a", "b"),
            client="page",
            scope="openid offline_access",
            origins=("https://auth.example.org",),
        )
    }
    assert parse_context({"auth": "token", "sign_in_issuer": "none"}).features == {}


@pytest.mark.parametrize("issuer", ["https://id.example.org", "http://127.0.0.1:9090/realm", "http://localhost"])
def test_an_issuer_has_https_but_on_this_machine(issuer):
    assert parse_context({**NEEDED, "sign_in_issuer": issuer}).features["sign_in"].issuer == issuer


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"sign_in_issuer": "http://id.example.org"}, "sign_in_issuer"),
        ({"sign_in_issuer": "https://user@id.example.org"}, "sign_in_issuer"),
        ({"sign_in_issuer": "https://id.example.org/?a"}, "sign_in_issuer"),
        ({"auth": "iam"}, "sign_in_issuer: must be given with auth=token"),
        ({"sign_in_audience": ""}, "sign_in_audience: must be given with sign_in_issuer"),
        ({"sign_in_audience": "a b"}, "sign_in_audience: must be audiences"),
        ({"sign_in_client": 'a"b'}, "sign_in_client"),
        ({"sign_in_origins": "https://a.example.org/path"}, "sign_in_origins: must be https:// origins"),
        ({"sign_in_issuer": None}, "sign_in_audience: must not be given without sign_in_issuer"),
    ],
)
def test_a_wrong_value_is_refused_by_its_name(changed, field):
    with pytest.raises(Invalid, match=field):
        parse_context({**NEEDED, **changed})

"""The rights of signed-in callers: the grants that fit their claims, and nothing beyond."""

from __future__ import annotations

import os
import time
from dataclasses import replace

import boto3
import pytest

from headwater.api.http.responses import Links
from headwater.api.tokens import new_token
from headwater.features.sign_in.claims import name_caller
from headwater.features.sign_in.door import SignIn
from headwater.features.sign_in.grants import Grants, unite
from headwater.features.sign_in.issuer_keys import IssuerKeys
from headwater.features.sign_in.verification import verify
from headwater_model.errors import Forbidden
from headwater_model.ids import sha256_hex
from tests.features.sign_in.issuing import AUDIENCE
from tests.unit.api.proxy import respond
from tests.unit.api.teams import APART, OWN, A, B, World

MINUTE_S = 60


class SignedIn(World):
    """The API behind the authorizer and the door; `grant` gives rights to callers with a claim."""

    def __init__(self, issuer, *events):
        super().__init__(*events)
        self.issuer = issuer
        self.now_s = 0
        tokens = self._tokens
        self.grants = Grants(tokens)
        door = SignIn(tokens, {"issuer": issuer.url, "client": "page", "scope": "openid"}, [issuer.url])
        make = self.api._services
        keys = {"aws_access_key_id": "x", "aws_secret_access_key": "x", "region_name": "eu-central-1"}
        links = Links(boto3.client("s3", **keys), "archive", "intake")
        self.api._services = lambda: replace(make(), door=door, links=links, now_s=lambda: self.now_s)
        self._keys = IssuerKeys(issuer.url, self.table, lambda: self.now_s)

    def grant(self, to, *scopes, **limits):
        _, token = new_token(scopes=scopes, **limits, now_s=self.now_s, lifetime_s=None, random=os.urandom)
        self.grants.put(token, to)

    def send_verified(self, token, path, query=None):
        """Status and body of a GET, as API Gateway passes it on."""
        verify(token, self._keys, issuer=self.issuer.url, audiences=[AUDIENCE])
        return self.pass_on(token, path, query, sha256_hex(token))

    def pass_on(self, token, path, query=None, verified=None):
        headers = {"Authorization": f"Bearer {token}"}
        resolve, context = self.api.resolve, {"authorizer": {"verified": verified}} if verified else {}

        class Passing:
            @staticmethod
            def resolve(event, lambda_context):
                event["requestContext"] |= context
                return resolve(event, lambda_context)

        response = respond(Passing, path, query, headers, door="token")
        return response.status, response.form


@pytest.fixture
def world(issuer):
    world = SignedIn(issuer, *OWN, *APART)
    world.now_s = int(time.time())
    return world


def names_of(response):
    status, body = response
    assert status == 200, body
    return {row["name"] for row in body["namespaces"]}


def test_a_caller_sees_the_namespaces_granted_to_her_claims(world, issuer):
    world.grant("groups=team-a", "read", namespaces=[A.jobs, A.store])
    world.grant("email=ann@example.org", "read", namespaces=[B.jobs])
    ann = {"groups": ["team-a", "staff"], "email": "ann@example.org"}
    assert names_of(world.send_verified(issuer.token(**ann), "/api/v1/namespaces")) == {A.jobs, A.store}
    verified = issuer.token(**ann, email_verified=True)
    assert names_of(world.send_verified(verified, "/api/v1/namespaces")) == {A.jobs, A.store, B.jobs}


def test_a_caller_knows_where_she_may_write(world, issuer):
    world.grant("sub=ann", "read", namespaces=["*"])
    world.grant("groups=team-a", "read", "write", namespaces=[A.jobs, A.store])
    _, me = world.send_verified(issuer.token(groups="team-a"), "/api/v1/me")
    assert (me["scopes"], me["namespaces"], me["writes"]) == (
        ["read", "write"],
        sorted(["*", A.jobs, A.store]),
        sorted([A.jobs, A.store]),
    )


def test_a_caller_without_a_grant_is_known_and_sees_nothing(world, issuer):
    token = issuer.token(sub="bob")
    status, me = world.send_verified(token, "/api/v1/me")
    assert (status, me["caller"], me["scopes"], me["namespaces"], me["roots"]) == (200, "user:bob", [], [], [])
    assert world.send_verified(token, "/api/v1/namespaces") == (
        403,
        {"code": 403, "message": "token: needs the scope read; this one has none"},
    )


def test_a_machine_with_client_credentials_is_granted_by_its_client(world, issuer):
    world.grant("client_id=etl", "read", namespaces=["*"])
    token = issuer.token(sub="etl", client_id="etl")
    assert names_of(world.send_verified(token, "/api/v1/namespaces")) >= {A.jobs, B.jobs}
    assert world.send_verified(token, "/api/v1/me")[1]["caller"] == "client:etl"


def test_a_revoked_and_an_expired_grant_count_no_more_within_a_minute(world, issuer):
    world.grant("groups=staff", "read", namespaces=["*"])
    token = issuer.token(groups="staff")
    assert world.send_verified(token, "/api/v1/namespaces")[0] == 200
    world.grants.revoke("groups=staff", now_s=world.now_s)
    world.now_s += MINUTE_S
    assert world.send_verified(token, "/api/v1/namespaces")[0] == 403


def test_a_token_that_expires_in_the_middle_of_a_view_is_refused_though_its_authorization_is_kept(world, issuer):
    world.grant("sub=ann", "read", namespaces=["*"])
    token = issuer.token(lasts_s=30)
    assert world.send_verified(token, "/api/v1/namespaces")[0] == 200
    world.now_s += 30 + 5 * MINUTE_S
    assert world.pass_on(token, "/api/v1/namespaces", verified=sha256_hex(token)) == (
        401,
        {"code": 401, "message": "Authorization: the token has expired"},
    )


def test_the_authorization_of_a_token_lets_no_other_token_in(world, issuer):
    world.grant("sub=*", "read", namespaces=["*"])
    good, forged = issuer.token(), issuer.token(sub="root")
    assert world.pass_on(forged, "/api/v1/namespaces", verified=sha256_hex(good))[0] == 401
    assert world.pass_on(good, "/api/v1/namespaces")[0] == 401


def test_a_revoked_grant_may_be_granted_again_and_is_in_no_list_of_tokens(world):
    world.grant("groups=staff", "read", namespaces=["*"])
    world.grants.revoke("groups=staff", now_s=world.now_s)
    world.grant("groups=staff", "read", namespaces=[A.jobs])
    assert [(grant.id, grant.namespaces, grant.revoked) for grant in world.grants.list().good] == [
        ("groups=staff", (A.jobs,), None)
    ]
    assert world._tokens.all().good == []


def a_grant(*scopes, **limits):
    return new_token(scopes=scopes, **limits, now_s=0, lifetime_s=None, random=bytes)[1]


def test_a_right_to_read_in_a_namespace_gives_no_right_to_write_there():
    reads, writes = (
        a_grant("read", namespaces=["gold"]),
        a_grant("read", "write", namespaces=["mine"], references=["r"]),
    )
    ann = unite("user:ann", [reads, writes], created=0, expires=None)
    assert (ann.scopes, ann.namespaces) == (("read", "write"), ("gold", "mine"))
    assert ann.for_scope("read").namespaces == ("gold", "mine")
    assert (ann.for_scope("write").namespaces, ann.for_scope("write").references) == (("mine",), ("r",))
    assert ann.for_scope("delete") is ann


def test_grants_to_write_travel_with_events_so_their_number_is_bounded():
    many = [a_grant("write", namespaces=[f"{part}-{n}" for n in range(100)], references=["r"]) for part in "abc"]
    with pytest.raises(Forbidden, match="must name at most 200 namespaces and references together"):
        unite("user:ann", many, created=0, expires=None).for_scope("write")


@pytest.mark.parametrize(("budgets", "expected"), [([5, 9], 9), ([5, None], None), ([], None)])
def test_the_largest_budget_of_the_grants_counts(budgets, expected):
    parts = [a_grant("write", namespaces=["n"], events_per_minute=budget) for budget in budgets]
    assert unite("user:ann", parts, created=0, expires=None).events_per_minute == expected


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"sub": "1"}, "user:1"),
        ({"sub": "1", "email": "a@b.c"}, "user:1"),
        ({"sub": "1", "email": "a@b.c", "email_verified": "true"}, "user:1"),
        ({"sub": "1", "azp": "page", "email": "a@b.c", "email_verified": True}, "user:1"),
        ({"sub": "a@b.c"}, "user:d648b243a3e817ea"),
        ({"sub": "etl", "azp": "etl"}, "client:etl"),
        ({"cid": "etl"}, "client:etl"),
        ({"sub": "a" * 999}, f"user:{'a' * 256}"),
    ],
)
def test_a_caller_is_named_by_the_id_of_the_issuer(claims, name):
    assert name_caller(claims) == name


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"sub": "1", "azp": "page", "email": "a@b.c", "email_verified": True}, "user:a@b.c"),
        ({"sub": "1", "email": "a@b.c"}, "user:1"),
        ({"sub": "a@b.c"}, "user:a@b.c"),
        ({"sub": "etl", "azp": "etl", "email": "a@b.c", "email_verified": True}, "client:etl"),
    ],
)
def test_a_context_value_names_people_by_a_verified_address(claims, name):
    assert name_caller(claims, by_mail=True) == name


def test_the_settings_of_the_page_are_public_and_its_policy_lets_it_reach_the_issuer(world, issuer):
    response = respond(world.api, "/explore/sign-in.json", door="token")
    assert response.form == {"issuer": issuer.url, "client": "page", "scope": "openid"}
    assert f"amazonaws.com {issuer.url};" in response.headers["Content-Security-Policy"]

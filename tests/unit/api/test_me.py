"""The caller: what a token is good for, and the operations that its scopes allow."""

import json

import pytest

from headwater.api.app import render_document
from headwater.api.tokens import SCOPES
from headwater.api.values import when
from headwater.times import from_seconds
from tests.unit.api.graph_api import GraphApi
from tests.unit.api.teams import NOW_S, OWN, A, World


@pytest.fixture(scope="module")
def operations():
    """The operations of the OpenAPI document, by id."""
    return {
        operation["operationId"]: operation
        for item in json.loads(render_document())["paths"].values()
        for method, operation in item.items()
        if method != "parameters"
    }


def needed(operation):
    """The scopes of which a token needs one; none if every token will do."""
    return [scope for way in operation.get("security", []) for scope in way.get("bearer", [])]


def test_a_token_sees_its_limits_and_what_its_scope_allows(operations):
    world = World(*OWN, strict=True)

    me = world.get(world.token(A.jobs, A.store), "/api/v1/me")

    assert (me["scopes"], me["namespaces"], me["roots"]) == (["read"], sorted([A.jobs, A.store]), [])
    assert (me["references"], me["writes"]) == ([], [])
    assert (me["stage"], me["strictNamespaces"], me["expiresAt"]) == ("prod", True, None)
    assert me["caller"].startswith("token:")
    assert me["features"] == sorted(
        name for name, operation in operations.items() if needed(operation) in ([], ["read"])
    )


def test_a_token_sees_when_it_expires():
    world = World(*OWN)

    me = world.get(world.token(A.jobs, lifetime_s=86_400), "/api/v1/me")

    assert me["expiresAt"] == when(from_seconds(NOW_S + 86_400))


def test_without_a_token_everything_is_allowed(operations):
    me = GraphApi().found("/me")

    assert (me["scopes"], me["namespaces"], me["roots"]) == (list(SCOPES), ["*"], ["*"])
    assert (me["references"], me["writes"]) == (["*"], ["*"])
    assert me["features"] == sorted(operations)
    assert me["caller"] is None


@pytest.mark.parametrize("token", ["", "hw_0123456789abcdef_" + "a" * 43])
def test_who_has_no_good_token_learns_nothing(token):
    assert World(*OWN).send(token, "/api/v1/me")[0] == 401

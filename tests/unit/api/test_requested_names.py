"""A request by a dataset's former name has the same response as a request by the name of the rules."""

import re
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.name_rules import read_rules
from headwater.events.naming import NamingRules
from headwater.loading.stored_rules import StoredRules
from tests.builders_events import a_run_event
from tests.examples import examples
from tests.unit.api.graph_api import GraphApi
from tests.unit.api.teams import APART, BEHIND, MEETING, NOBODY, OWN, A, B, Team, World, as_if, requests_about

# The same rule for whole namespaces, for a name in a namespace, and in two steps.
RULES = {
    "pattern": [{"namespace": "old+*", "as": {"namespace": "*"}}],
    "names": [
        {"namespace": f"old+{team.store}", "name": name, "as": {"namespace": team.store, "name": name}}
        for team in (A, B)
        for name in ("report", "clean")
    ],
    "steps": [
        {"namespace": "old+*", "as": {"namespace": "older+*"}},
        {"namespace": "older+*", "as": {"namespace": "*"}},
    ],
    "partitions": [{"namespace": "old+*", "name": "*", "as": {"namespace": "*", "name": "*/day=2025-11-20"}}],
    "fields": [{"namespace": "old+*", "as": {"namespace": "*"}, "fields": {"quotes": "drop", "case": "lower"}}],
}
# Lists of a namespace: they name no dataset.
OF_NAMESPACES = {"/api/v1/namespaces/{namespace}", "/api/v1/namespaces/{namespace}/datasets"}
# Responses beginning with the name in the request.
ECHOES = {"/api/v1/lineage/history", "/v3/namespaces/{namespace}/datasets/{dataset}/fields/{field}/lineage"}
DATASETS = (("report", "sum", 2), ("clean", "load", 1))


def old(team):
    return f"old+{team.store}"


def as_old(text, team, dataset):
    """A path or node id under the old name of the dataset's namespace."""
    return text.replace(quote(team.store, safe=""), quote(old(team), safe="")).replace(team.store, old(team))


def as_partition(text, team, dataset):
    """Rewrite a path or node id to the name of a partition with dates, before trimming."""
    sent = f"2025-11-20/{dataset}_2025-11-20/day=2025-11-20/hour=05"
    in_path = re.sub(rf"(/(?:datasets|endpoints)/){dataset}(?=/|$)", rf"\g<1>{quote(sent, safe='')}", text)
    return in_path.replace(f"{team.store}:{dataset}", f"{team.store}:{sent}")


def as_spelled(text, team, dataset):
    """A path or node id with the column as another producer spells it."""
    in_path = text.replace("/fields/total", "/fields/%22TOTAL%22")
    return re.sub(rf"({team.store}:{dataset}):total(?=#|$)", r'\g<1>:"TOTAL"', in_path)


def requests_of(team, dataset="report", job="sum", number=2, *, by=as_old):
    """List (route, (path, query) by the former name, (path, query) by the name of the rules) of each request."""
    renamed = []
    for route, requests in requests_about(team, dataset, job, number).items():
        for path, query in requests:
            in_path = "{dataset}" in route or "{endpoint}" in route
            by_id = str(query.get("nodeId", "")).startswith("dataset")
            if route not in OF_NAMESPACES and (in_path or by_id):
                other_query = {**query, "nodeId": by(query["nodeId"], team, dataset)} if by_id else query
                other = by(path, team, dataset), other_query
                renamed += [] if other == (path, query) else [(route, other, (path, query))]
    return renamed


def a_world(rules, *, strict=False):
    world = World(*OWN, *APART, *MEETING, *BEHIND, strict=strict)
    StoredRules(world.table, NamingRules()).write(read_rules({"rules": rules}))
    return world


@pytest.fixture(scope="module")
def worlds():
    return {(name, strict): a_world(rules, strict=strict) for name, rules in RULES.items() for strict in (False, True)}


def all_requests(by):
    return {team: [request for about in DATASETS for request in requests_of(team, *about, by=by)] for team in (A, B)}


REQUESTS, OF_PARTITIONS, OF_COLUMNS = map(all_requests, (as_old, as_partition, as_spelled))


def assert_same_response(world, token, route, by_old, by_new):
    expected = world.send(token, *by_new)
    assert expected[0] == 200
    status, body = world.send(token, *by_old)
    if route in ECHOES:
        body = body.replace(by_old[1].get("nodeId", r"\"TOTAL\""), by_new[1].get("nodeId", "total"), 1)
    assert (status, body) == expected


@examples(300)
@given(st.data())
def test_a_request_by_a_name_that_no_event_used_has_the_response_under_the_name_of_the_rules(worlds, data):
    world = worlds[data.draw(st.sampled_from([*worlds]))]
    team = data.draw(st.sampled_from((A, B)))
    route, by_old, by_new = data.draw(st.sampled_from([*REQUESTS[team], *OF_PARTITIONS[team]]))
    # All of them see the dataset under its own name.
    sees = data.draw(
        st.sampled_from(((), (team.store,), (team.jobs, team.store), (old(team), team.store), ("s3://*",)))
    )
    token = world.token(*sees)

    assert_same_response(world, token, route, by_old, by_new)


def test_each_request_for_a_column_in_another_spelling_has_the_response_under_its_folded_name(worlds):
    world = worlds["fields", False]
    token = world.token(A.jobs, A.store)
    for request in OF_COLUMNS[A]:
        assert_same_response(world, token, *request)


@examples(300)
@given(st.data())
def test_who_may_not_see_the_namespace_of_the_rules_learns_nothing(worlds, data):
    world = worlds[data.draw(st.sampled_from([*worlds]))]
    _, (path, query), _ = data.draw(st.sampled_from(REQUESTS[B]))
    token = world.token(*data.draw(st.sampled_from(((A.store,), (A.jobs, A.store, "old+*"), (old(B),)))))

    status, body = world.send(token, path, query)
    nobodys = as_if(path, B, NOBODY), {name: as_if(value, B, NOBODY) for name, value in query.items()}
    assert (status, as_if(body, B, NOBODY)) == world.send(token, *nobodys)
    assert status in {200, 404}


def test_a_partition_is_found_by_the_name_that_was_sent_if_the_deployment_trims():
    sent = {"namespace": "s3://lake", "name": "raw/orders/2025-01-15"}
    event = a_run_event(inputs=[], outputs=[sent])
    paths = (
        ("/namespaces/s3%3A%2F%2Flake/datasets/raw%2Forders%2F2025-01-15", {}),
        ("/lineage", {"nodeId": "dataset:s3://lake:raw/orders/2025-01-15"}),
        ("/reports/impact", {"nodeId": "dataset:s3://lake:raw/orders/2025-01-15"}),
    )
    search = {"q": "raw/orders/2025-01-15"}

    trimming = GraphApi(rules=NamingRules())
    trimming.load(event)
    assert [trimming.get(path, **query)[0] for path, query in paths] == [200, 200, 200]
    assert [hit["name"] for hit in trimming.found("/search", **search)["results"]] == ["raw/orders"]
    assert trimming.found("/search", **search, filter="job")["totalCount"] == 0

    # Without trimming, a partition without events is no partition of the table beside it.
    as_sent = GraphApi(rules=NamingRules(trim_partitions=False))
    as_sent.load(a_run_event(inputs=[], outputs=[{"namespace": "s3://lake", "name": "raw/orders"}]))
    assert [as_sent.get(path, **query)[0] for path, query in paths] == [404, 404, 404]
    assert as_sent.found("/search", **search)["totalCount"] == 0


def test_a_name_that_an_event_used_is_looked_up_as_it_is():
    world = a_world(RULES["pattern"])
    world.load(Team("a").ran("load", 8, [], "other"))
    before = world.get(world.token(), f"/api/v1/namespaces/{quote(A.store, safe='')}/datasets/other")
    StoredRules(world.table, NamingRules()).write(
        read_rules({"rules": [{"namespace": A.store, "name": "other", "as": {"name": "clean"}}]})
    )

    assert world.get(world.token(), f"/api/v1/namespaces/{quote(A.store, safe='')}/datasets/other") == before

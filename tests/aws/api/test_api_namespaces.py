"""Namespaces that are described through the API, and what tokens may do of it."""

import json

import pytest

from tests.aws.token_requests import a_token
from tests.builders_events import NAMESPACE, a_run_event

NEW = "/api/v1/namespaces/nightly"
KNOWN = f"/api/v1/namespaces/{NAMESPACE}"
MINE = {"ownerName": "emissions team", "description": "Flights."}


def put(api, path, body, **how):
    return api.send("PUT", path, body=json.dumps(body), **how)


def test_a_new_namespace_is_listed_with_its_owner_and_description(api, cloud):
    at_once = put(api, NEW, MINE)
    cloud.load_queued()

    shown = api.send("GET", NEW).json
    assert (at_once.status, at_once.json) == (200, shown)
    assert {**MINE, "name": "nightly", "isHidden": False}.items() <= shown.items()
    assert [namespace["name"] for namespace in api.send("GET", "/api/v1/namespaces").json["namespaces"]] == ["nightly"]


def test_a_known_namespace_keeps_when_it_came_and_what_a_body_leaves_out_is_unset(api, cloud):
    cloud.load_events(a_run_event())
    before = api.send("GET", KNOWN).json
    for body in (MINE, {"description": None}):
        at_once = put(api, KNOWN, body)
        cloud.load_queued()
        cloud.now_s += 60

    shown = api.send("GET", KNOWN).json
    assert shown == at_once.json
    assert shown == {**before, "updatedAt": shown["updatedAt"]}
    assert (shown["ownerName"], shown["updatedAt"] > before["updatedAt"]) == ("anonymous", True)


def test_a_described_namespace_survives_events_and_deletion_and_is_there_again(api, cloud):
    put(api, KNOWN, MINE)
    cloud.load_queued()
    cloud.now_s += 60
    assert api.send("DELETE", KNOWN).json["isHidden"] is True
    cloud.load_queued()
    assert api.send("GET", KNOWN).json["isHidden"] is True
    cloud.now_s += 60
    put(api, KNOWN, {"ownerName": "ann"})
    cloud.load_queued()

    assert {"ownerName": "ann", "description": None, "isHidden": False}.items() <= api.send("GET", KNOWN).json.items()


@pytest.mark.parametrize("body", [[], {"ownerName": 1}, {"ownerName": " "}, {"description": {}}])
def test_what_cannot_be_read_changes_nothing(api, cloud, body):
    assert put(api, NEW, body).status == 400
    assert cloud.bodies("ChangesQueue") == []


def test_a_token_describes_its_namespaces_alone(api, cloud):
    assert put(api, KNOWN, MINE, token=a_token(cloud, "write", namespaces=[NAMESPACE])).status == 200
    assert put(api, NEW, MINE, token=a_token(cloud, "write", namespaces=[NAMESPACE])).status == 403
    assert put(api, KNOWN, MINE, token=a_token(cloud, "read")).status == 403
    assert len(cloud.bodies("ChangesQueue")) == 1

"""Sources that events name and the API describes, and what tokens see and may do of them."""

import json

import pytest

from tests.aws.token_requests import a_token
from tests.builders_events import NAMESPACE, STORE, a_dataset, a_run_event

LAKE = "/api/v1/sources/lake"
SET = {"type": "LAKE", "connectionUrl": "lake://flights", "description": "The lake of flights."}
DEFAULT = ("default", "UNKNOWN", "")


def put(api, path, body, **how):
    return api.send("PUT", path, body=json.dumps(body), **how)


def listed(api, **how):
    page = api.send("GET", "/api/v1/sources", **how).json
    assert page["totalCount"] == len(page["sources"])
    return [(source["name"], source["type"], source["connectionUrl"]) for source in page["sources"]]


@pytest.fixture
def reported(api, cloud):
    """The API, after a run read a dataset of a source."""
    raw = a_dataset("raw", STORE)
    raw["facets"] = {"dataSource": {"name": "lake", "uri": "s3://flights"}}
    cloud.load_events(a_run_event(inputs=[raw], outputs=[]))
    return api


def test_the_sources_of_datasets_are_listed_with_the_default_one(reported):
    assert listed(reported) == [DEFAULT, ("lake", "S3", "s3://flights")]
    lake = reported.send("GET", LAKE).json
    assert (lake["createdAt"], lake["updatedAt"], lake["description"]) == (*["2025-11-20T12:00:00Z"] * 2, None)
    assert reported.send("GET", "/api/v1/sources/none").json["message"] == "Source 'none' not found."


def test_what_the_api_set_outweighs_what_events_report(reported, cloud):
    at_once = put(reported, LAKE, SET)
    cloud.load_queued()

    assert (at_once.status, at_once.json) == (200, reported.send("GET", LAKE).json)
    assert SET.items() <= at_once.json.items()
    assert put(reported, "/api/v1/sources/new", SET).json["name"] == "new"
    cloud.load_queued()
    assert [name for name, _, _ in listed(reported)] == ["default", "lake", "new"]


@pytest.mark.parametrize(
    ("body", "status"), [({}, 422), ({"type": "A"}, 422), ({**SET, "type": None}, 422), ({**SET, "type": " "}, 400)]
)
def test_what_is_incomplete_or_cannot_be_read_changes_nothing(api, cloud, body, status):
    response = put(api, LAKE, body)
    assert (response.status, cloud.bodies("ChangesQueue")) == (status, []), response.body


def test_a_token_sees_the_sources_of_its_namespaces_and_describes_none(reported, cloud):
    mine, others = (a_token(cloud, "read", "write", namespaces=[name]) for name in (STORE, NAMESPACE))

    assert listed(reported, token=mine) == [DEFAULT, ("lake", "S3", "s3://flights")]
    assert listed(reported, token=others) == [DEFAULT]
    assert reported.send("GET", LAKE, token=others).status == 404
    assert put(reported, LAKE, SET, token=mine).status == 403

"""Owners and descriptions that are set and withdrawn through the API, and what tokens may do of it."""

import json

import pytest

from tests.aws.token_requests import a_token
from tests.builders_events import CHECK, NAMESPACE, STORE, a_dataset, a_facet, a_run_event

DATASET = "/api/v1/namespaces/s3%3A%2F%2Fflights/datasets/checked"
JOB = f"/api/v1/namespaces/{NAMESPACE}/jobs/{CHECK}"
SENT = {
    "ownership": a_facet("OwnershipDataset", owners=[{"name": "Ann", "type": "MAINTAINER"}, {"name": "bob"}]),
    "documentation": a_facet("DocumentationDataset", description="as sent"),
}


def checked():
    dataset = a_dataset("checked", STORE, fields=["flight"])
    dataset["facets"] |= SENT
    return dataset


@pytest.fixture
def sent(api, cloud):
    """The API, after a check wrote flights with owners and a description."""
    cloud.load_events(a_run_event(job=CHECK, inputs=[], outputs=[checked()]))
    return api


def write(api, method, path, query=None, token=None, **body):
    return api.send(method, path, query or {}, body=json.dumps(body) if body else None, token=token)


def shown(api, cloud, path):
    cloud.load_queued()
    return api.get(path)


def owners(document):
    return [(owner["name"], owner["type"]) for owner in document["owners"]]


def test_owners_of_the_api_are_shown_with_their_caller_and_found_whatever_events_report(sent, cloud):
    token = a_token(cloud, "write", "read")
    at_once = write(sent, "POST", f"{DATASET}/owners/team%3Aflights", {"type": "STEWARD"}, token)
    write(sent, "DELETE", f"{DATASET}/owners/ANN")
    write(sent, "POST", f"{JOB}/owners/bob", token=token)
    # The producer goes on as before.
    cloud.load_events(a_run_event(run="later", job=CHECK, inputs=[], outputs=[checked()]))
    dataset, job = shown(sent, cloud, DATASET), shown(sent, cloud, JOB)

    assert at_once.status == 200, at_once.body
    assert owners(at_once.json) == [("Ann", "MAINTAINER"), ("bob", None), ("team:flights", "STEWARD")]
    assert owners(dataset) == [("bob", None), ("team:flights", "STEWARD")]
    by = dataset["reportedBy"]["owners"]
    assert [(owner["name"], (owner["caller"] or "")[:6], bool(owner["producer"])) for owner in by] == [
        ("bob", "", True),
        ("team:flights", "token:", False),
    ]
    assert owners(job) == [("bob", None)]
    hits = sent.send("GET", "/api/v1/search", {"q": "owner:TEAM:flights"}).json["results"]
    assert [hit["name"] for hit in hits] == ["checked"]
    assert owners(write(sent, "DELETE", f"{JOB}/owners/bob").json) == []


def test_descriptions_of_the_api_outweigh_what_is_reported_until_they_are_withdrawn(sent, cloud):
    token = a_token(cloud, "write", "read")
    paths = (DATASET, f"{DATASET}/fields/flight", JOB)
    at_once = [write(sent, "PUT", f"{path}/description", token=token, description="by hand") for path in paths]
    dataset, job = shown(sent, cloud, DATASET), shown(sent, cloud, JOB)

    assert [response.status for response in at_once] == [200, 200, 200]
    assert (dataset["description"], dataset["fields"][0]["description"]) == ("by hand", "by hand")
    assert (at_once[0].json["description"], job["description"]) == ("by hand", "by hand")
    (of_field,) = dataset["reportedBy"]["fieldDescriptions"]
    for reporter in (of_field, dataset["reportedBy"]["description"], job["reportedBy"]["description"]):
        assert (reporter["caller"][:6], reporter["producer"]) == ("token:", None)
    assert dataset["facets"]["documentation"]["description"] == "as sent"

    cloud.now_s += 1
    for path in paths:
        assert write(sent, "DELETE", f"{path}/description", token=token).status == 200
    dataset, job = shown(sent, cloud, DATASET), shown(sent, cloud, JOB)
    assert (dataset["description"], dataset["fields"][0]["description"], job["description"]) == ("as sent", None, None)
    assert dataset["reportedBy"]["fieldDescriptions"] == []


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "message"),
    [
        ("POST", f"{DATASET}/owners/%20", {}, 400, "owner"),
        ("POST", f"/api/v1/namespaces/{NAMESPACE}/jobs/none/owners/x", {}, 404, "none"),
        ("PUT", f"{DATASET}/description", {"text": "x"}, 422, "description: must be given"),
        ("PUT", f"{DATASET}/description", {"description": " "}, 400, "description: must not be blank"),
        ("PUT", f"{DATASET}/description", {"description": 1}, 400, "description: must be a string"),
        ("PUT", f"{DATASET}/description", {"description": "x" * 4097}, 400, "must be at most 4096 bytes"),
        ("PUT", f"{DATASET}/fields/none/description", {"description": "x"}, 404, "none"),
    ],
)
def test_what_cannot_be_written_is_refused_by_field_and_rule(sent, cloud, method, path, body, status, message):
    response = write(sent, method, path, **body)

    assert (response.status, message in response.json["message"]) == (status, True), response.body
    assert cloud.bodies("ChangesQueue") == []


def test_a_token_annotates_in_its_namespaces_alone(sent, cloud):
    mine, others = (a_token(cloud, "write", namespaces=[name]) for name in (STORE, "s3://other"))

    for method, path, body in (
        ("POST", f"{DATASET}/owners/ann", {}),
        ("PUT", f"{DATASET}/description", {"description": "x"}),
        ("DELETE", f"{DATASET}/owners/ann", {}),
        ("DELETE", f"{DATASET}/description", {}),
    ):
        assert write(sent, method, path, token=mine, **body).status == 200
        assert write(sent, method, path, token=others, **body).status == 404
        assert write(sent, method, path, token=a_token(cloud, "read"), **body).status == 403

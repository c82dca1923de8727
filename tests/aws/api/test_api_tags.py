"""Tags that are set, described and taken away through the API, and what tokens may do of it."""

import json

import pytest

from tests.aws.token_requests import a_token
from tests.builders_events import CHECK, NAMESPACE, STORE, a_dataset, a_facet, a_run_event

DATASET = "/api/v1/namespaces/s3%3A%2F%2Fflights/datasets/checked"
JOB = f"/api/v1/namespaces/{NAMESPACE}/jobs/{CHECK}"
SENT = a_facet("TagsDataset", tags=[{"key": "pii", "field": "flight", "source": "DBT"}])


@pytest.fixture
def tagged(api, cloud):
    """The API, after a check wrote flights whose column a producer tagged."""
    checked = a_dataset("checked", STORE, fields=["flight"])
    checked["facets"]["tags"] = SENT
    cloud.load_events(a_run_event(job=CHECK, inputs=[], outputs=[checked]))
    return api


def hits(api, tag):
    results = api.send("GET", "/api/v1/search", {"tag": tag}).json["results"]
    return {(hit["name"], hit.get("field")) for hit in results}


def test_a_tag_set_on_a_job_a_dataset_and_a_field_is_shown_and_found(tagged, cloud):
    at_once = [
        tagged.send("POST", path)
        for path in (f"{DATASET}/tags/gold", f"{DATASET}/fields/flight/tags/secret", f"{JOB}/tags/nightly")
    ]
    cloud.load_queued()

    assert [response.status for response in at_once] == [200, 200, 200]
    dataset, job = tagged.get(DATASET), tagged.get(JOB)
    assert (dataset["tags"], dataset["fields"][0]["tags"], job["tags"]) == (["gold"], ["pii", "SECRET"], ["nightly"])
    assert at_once[0].json["tags"] == ["gold"]
    # The response has what will be seen, reporter and time too.
    assert at_once[2].json["reportedBy"] == job["reportedBy"]
    (gold,) = [tag for tag in dataset["reportedBy"]["tags"] if tag["name"] == "gold"]
    assert (gold["source"], gold["producer"]) == ("API", None)
    assert hits(tagged, "Secret") == {("checked", "flight")}
    assert hits(tagged, "nightly") == {(CHECK, None)}


def test_a_tag_that_was_taken_away_stays_away_whatever_events_report(tagged, cloud):
    response = tagged.send("DELETE", f"{DATASET}/fields/flight/tags/pii")
    cloud.load_queued()
    again = a_dataset("checked", STORE, fields=["flight"])
    again["facets"]["tags"] = SENT
    cloud.load_events(a_run_event(run="later", job=CHECK, inputs=[], outputs=[again], eventTime="2025-11-20T13:00:00Z"))

    assert (response.status, response.json["fields"][0]["tags"]) == (200, [])
    assert tagged.get(DATASET)["fields"][0]["tags"] == []
    assert hits(tagged, "pii") == set()
    assert tagged.send("POST", f"{DATASET}/fields/flight/tags/pii").json["fields"][0]["tags"] == ["PII"]


def test_a_described_tag_is_listed_with_its_description(tagged, cloud):
    response = tagged.send("PUT", "/api/v1/tags/PII", body=json.dumps({"description": "personal data"}))
    cloud.load_queued()

    assert (response.status, response.json) == (200, {"name": "PII", "description": "personal data"})
    assert tagged.get("/api/v1/tags")["tags"] == [{"name": "PII", "description": "personal data"}]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/api/v1/namespaces/s3%3A%2F%2Fflights/datasets/none/tags/x", None, 404),
        ("POST", f"/api/v1/namespaces/{NAMESPACE}/jobs/none/tags/x", None, 404),
        ("DELETE", f"{DATASET}/fields/none/tags/x", None, 404),
        ("POST", f"{DATASET}/tags/%20", None, 400),
        ("PUT", f"/api/v1/tags/{'x' * 2049}", {}, 400),
        ("PUT", "/api/v1/tags/x", {"description": 1}, 400),
        ("PUT", "/api/v1/tags/x", [], 400),
    ],
)
def test_what_is_unknown_or_cannot_be_read_changes_nothing(tagged, cloud, method, path, body, status):
    assert tagged.send(method, path, body=None if body is None else json.dumps(body)).status == status
    assert cloud.bodies("ChangesQueue") == []


def test_a_token_tags_in_its_namespaces_alone_and_describes_no_tag(tagged, cloud):
    mine, others = (a_token(cloud, "write", namespaces=[name]) for name in (STORE, "s3://other"))

    assert tagged.send("POST", f"{DATASET}/tags/gold", token=mine).status == 200
    assert tagged.send("DELETE", f"{DATASET}/tags/gold", token=mine).status == 200
    assert tagged.send("POST", f"{DATASET}/tags/gold", token=others).status == 404
    assert tagged.send("PUT", "/api/v1/tags/gold", body="{}", token=mine).status == 403
    assert tagged.send("POST", f"{DATASET}/tags/gold", token=a_token(cloud, "read")).status == 403
    cloud.load_queued()
    (gold,) = [tag for tag in tagged.get("/api/v1/tags")["tags"] if tag["name"] == "gold"]
    assert gold["description"] is None

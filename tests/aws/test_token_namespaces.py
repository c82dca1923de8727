"""Namespaces of tokens: events, queries and deletions within them, and beyond them."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from headwater.events.parse import DATASETS_MAX
from tests.aws.token_requests import NODE, a_token, graph, send, send_whole, status
from tests.builders_events import (
    NAMESPACE,
    STORE,
    a_dataset,
    a_dataset_event,
    a_facet,
    a_job_event,
    a_parent,
    a_run_event,
)

OTHER_NAME = a_facet("SymlinksDataset", identifiers=[{"namespace": "hive", "name": "db.raw", "type": "TABLE"}])
OLD_NAME = a_facet(
    "LifecycleStateChange", lifecycleStateChange="RENAME", previousIdentifier={"namespace": "hive", "name": "old"}
)
SECRET = {"namespace": "s3://secret", "name": "ages"}
AGE = {**SECRET, "field": "age"}
COLUMNS = a_facet("ColumnLineageDataset", fields={"seats": {"inputFields": [AGE]}})
WHOLE = a_facet("ColumnLineageDataset", fields={}, dataset=[AGE])
OF_DATASET = a_facet("Lineage", inputs=[{"type": "DATASET", **SECRET}])
OF_JOB = a_facet("Lineage", entries=[{"type": "DATASET", **SECRET, "inputs": []}])
READ_SECRET = {"type": "READ", "name": "read", "source": SECRET, "outputs": ["age"]}
WRITE_SECRET = {"type": "WRITE", "name": "write", "inputs": [{"origin": "read", "name": "age"}], "destination": SECRET}
OF_HERE = {"namespace": STORE, "name": "raw"}


def operations(*listed):
    return {"headwater_operations": a_facet("HeadwaterOperations", operations=list(listed))}


@pytest.mark.parametrize(
    ("event", "refused"),
    [
        (a_run_event(), None),
        (a_job_event(), None),
        (a_run_event(inputs=[a_dataset(namespace="s3://secret")]), None),
        (a_run_event(outputs=[a_dataset(facets={"symlinks": OTHER_NAME})]), None),
        (a_run_event(outputs=[a_dataset(facets={"lifecycleStateChange": OLD_NAME})]), None),
        (a_run_event(outputs=[a_dataset(facets={"columnLineage": COLUMNS})]), None),
        (a_run_event(outputs=[a_dataset(facets={"columnLineage": WHOLE})]), None),
        (a_dataset_event(a_dataset(facets={"columnLineage": COLUMNS})), None),
        (a_dataset_event(a_dataset(facets={"lineage": OF_DATASET})), None),
        (a_run_event(run_facets=operations(READ_SECRET, {**WRITE_SECRET, "destination": OF_HERE})), None),
        (a_run_event(namespace="elsewhere"), "elsewhere"),
        (a_run_event(outputs=[a_dataset(namespace="s3://secret")]), "s3://secret"),
        (a_run_event(run_facets={"parent": a_parent(namespace="airflow")}), "airflow"),
        (a_run_event(job_facets={"lineage": OF_JOB}), "s3://secret"),
        (a_job_event(job_facets={"lineage": OF_JOB}), "s3://secret"),
        (a_run_event(run_facets=operations({**READ_SECRET, "source": OF_HERE}, WRITE_SECRET)), "s3://secret"),
    ],
)
@pytest.mark.parametrize("batch", [False, True])
def test_an_event_is_taken_if_all_that_it_describes_is_within_the_tokens_namespaces(cloud, event, refused, batch):
    """Of what it names beside that: test_references.py."""
    text = a_token(cloud, namespaces=[NAMESPACE, f"{STORE}*"])
    path, body = ("/api/v1/lineage/batch", [a_run_event(), event]) if batch else ("/api/v1/lineage", event)
    code, returned, _ = send(cloud, text, "POST", path, body=body)

    if refused is None:
        assert code == (204 if batch else 201)
    else:
        assert code == 403
        assert returned.endswith(f"namespace: must be a namespace that the token may write, got {refused!r}")
        assert cloud.bodies("EventsQueue") == []


def test_an_event_that_breaks_a_rule_is_invalid_and_not_forbidden(cloud):
    text = a_token(cloud, namespaces=[NAMESPACE])
    code, returned, _ = send(cloud, text, "POST", "/api/v1/lineage", body={"eventTime": "x"})
    assert code == 422
    assert "run" in returned


def test_a_too_large_event_of_a_batch_fails_alone_for_a_token_of_some_namespaces_too(cloud):
    text = a_token(cloud, namespaces=[NAMESPACE, f"{STORE}*"])
    wide = a_run_event(inputs=[{"namespace": STORE, "name": str(number)} for number in range(DATASETS_MAX + 1)])
    code, _, _, returned = send_whole(cloud, text, "POST", "/api/v1/lineage/batch", body=[a_run_event(), wide])

    assert (code, returned["summary"]["successful"]) == (200, 1)
    assert [failed["index"] for failed in returned["failed_events"]] == [1]
    assert len(cloud.bodies("EventsQueue")) == 1


def test_a_node_is_in_the_namespace_that_finds_it_not_in_one_that_its_id_might_be_read_as(cloud):
    cloud.load_events({**a_run_event(), "job": {"namespace": "team:secret", "name": "nightly"}})
    path, node_id = "/api/v1/lineage", "job:team:secret:nightly"

    assert send(cloud, a_token(cloud, "read", namespaces=["team"]), path=path, nodeId=node_id)[:2] == (
        404,
        f"Node '{node_id}' not found.",
    )
    assert send(cloud, a_token(cloud, "read"), path=path, nodeId=node_id)[0] == 200


def test_a_field_is_read_from_the_splits_of_its_id_that_the_token_sees(cloud):
    """Another's dataset under a name that reads the same locks nobody out, and is shown to nobody else."""
    cloud.load_events(a_run_event(outputs=[a_dataset("nightly", "team:secret", fields=["age"])]))
    path, node_id = "/api/v1/column-lineage", "datasetField:team:secret:nightly:age"

    assert send(cloud, a_token(cloud, "read", namespaces=["team"]), path=path, nodeId=node_id)[0] == 404
    assert send(cloud, a_token(cloud, "read", namespaces=["team:secret"]), path=path, nodeId=node_id)[0] == 200
    cloud.load_events(a_run_event(outputs=[a_dataset("secret", "team", fields=["age"])]))
    assert send(cloud, a_token(cloud, "read", namespaces=["team:secret"]), path=path, nodeId=node_id)[0] == 200
    assert send(cloud, a_token(cloud, "read", namespaces=["team*"]), path=path, nodeId=node_id)[0] == 200


ENCODED = quote(STORE, safe="")
SEATS = f"datasetField:{STORE}:raw:seats"
FIELDS = "/v3/namespaces/{}/datasets/raw/fields/seats/lineage"
ENDPOINT = "/v3/namespaces/{}/endpoints/raw/fields"
A_DAY = {"start": "now-1d", "end": "now"}
RUN = "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c"


@pytest.mark.parametrize(
    ("path", "query", "code"),
    [
        (f"/api/v1/namespaces/{NAMESPACE}/jobs", {}, 200),
        (f"/api/v1/namespaces/{ENCODED}/datasets", {}, 404),
        (f"/api/v1/namespaces/{ENCODED}/datasets", {"nodeId": NODE, "namespace": NAMESPACE}, 404),
        (f"/api/v1/namespaces/{NAMESPACE}", {}, 200),
        ("/api/v1/lineage", {"nodeId": NODE}, 200),
        ("/api/v1/lineage", {"nodeId": f"dataset:{STORE}:raw"}, 404),
        ("/api/v1/lineage", {}, 400),
        (f"/api/v1/jobs/runs/{RUN}", {}, 200),
        ("/api/v1/jobs/runs/00000000-0000-0000-0000-000000000000", {}, 404),
        ("/api/v1/runlineage/upstream", {"runId": RUN}, 200),
        ("/api/v1/search", {"q": "read", "namespace": NAMESPACE}, 200),
        ("/api/v1/search", {"q": "read", "namespace": STORE}, 200),
        ("/api/v1/search", {"q": "read"}, 200),
        ("/api/v1/records/search", {"root": "r", "namespace": NAMESPACE}, 403),
        ("/api/v1/column-lineage", {"nodeId": NODE}, 200),
        ("/api/v1/column-lineage", {"nodeId": f"dataset:{STORE}:raw"}, 404),
        ("/api/v1/column-lineage", {"nodeId": SEATS}, 404),
        ("/api/v1/column-lineage", {"nodeId": SEATS.replace("datasetField", "dataset_field")}, 404),
        ("/api/v1/column-lineage", {"nodeId": f"{SEATS}#{RUN}"}, 404),
        ("/api/v1/column-lineage", {"nodeId": "datasetField:nowhere:raw:seats"}, 404),
        ("/api/v1/column-lineage", {"nodeId": SEATS, "namespace": NAMESPACE}, 404),
        ("/api/v1/column-lineage", {"nodeId": "datasetField:x"}, 400),
        ("/api/v1/column-lineage", {}, 400),
        ("/api/v1/column-lineage/origins", {"nodeId": SEATS}, 404),
        ("/api/v1/reports/usage", {"nodeId": SEATS, **A_DAY}, 404),
        ("/api/v1/reports/provenance", {"nodeId": SEATS, **A_DAY}, 404),
        ("/api/v1/reports/provenance", A_DAY, 400),
        (f"{ENDPOINT.format(ENCODED)}/lineage", A_DAY, 200),
        (f"{ENDPOINT.format(NAMESPACE)}/lineage", A_DAY, 200),
        (f"{ENDPOINT.format(ENCODED)}/seats/lineage", A_DAY, 200),
        (f"{ENDPOINT.format(NAMESPACE)}/seats/lineage", {**A_DAY, "direction": "both"}, 200),
        (FIELDS.format(ENCODED), A_DAY, 200),
        (FIELDS.format(NAMESPACE), A_DAY, 200),
        ("/api/v1/jobs", {}, 200),
        ("/api/v1/jobs", {"namespace": NAMESPACE}, 200),
        ("/api/v1/namespaces", {}, 200),
        ("/api/v1/events/lineage", {}, 200),
        ("/api/v1/records/roots/flights", {}, 403),
        ("/", {}, 200),
    ],
)
def test_a_query_returns_what_is_within_the_tokens_namespaces(cloud, path, query, code):
    """Of all else, as of what is not there: tests/unit/api/test_token_visibility.py compares the answers."""
    cloud.load_events(a_run_event(outputs=[a_dataset("raw", fields=["seats"])]))
    assert status(cloud, a_token(cloud, "read", namespaces=[NAMESPACE]), "GET", path, **query) == code


def test_a_run_of_another_namespace_is_not_there(cloud):
    cloud.load_events(a_run_event())
    text = a_token(cloud, "read", namespaces=["elsewhere"])
    for path, query in ((f"/api/v1/jobs/runs/{RUN}", {}), ("/api/v1/runlineage/upstream", {"runId": RUN})):
        assert send(cloud, text, "GET", path, **query)[:2] == (404, f"Run '{RUN}' not found.")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/api/v1/namespaces/elsewhere", "Namespace 'elsewhere' not found."),
        ("/api/v1/namespaces/elsewhere/jobs/check", "Job 'check' not found."),
        ("/api/v1/namespaces/elsewhere/datasets/raw", "Dataset 'raw' not found."),
    ],
)
def test_what_a_token_does_not_see_it_cannot_delete_whether_it_is_there_or_not(cloud, path, message):
    text = a_token(cloud, "delete", namespaces=[NAMESPACE])
    assert send(cloud, text, "DELETE", path)[:2] == (404, message)
    cloud.load_events(a_run_event(namespace="elsewhere", job="check", outputs=[a_dataset("raw", "elsewhere")]))
    cloud.now_s += 60
    assert send(cloud, text, "DELETE", path)[:2] == (404, message)
    assert cloud.bodies("ChangesQueue") == []
    assert send(cloud, a_token(cloud, "delete"), "DELETE", path)[0] == 200


def test_a_dataset_is_not_deleted_by_another_name_that_it_has_in_a_namespace_of_the_tokens(cloud):
    """The table `db.raw` of `hive` is the dataset `raw` of the store, which is another's to delete."""
    cloud.load_events(a_run_event(outputs=[a_dataset("raw", facets={"symlinks": OTHER_NAME})]))
    cloud.now_s += 60
    path = "/api/v1/namespaces/hive/datasets/db.raw"

    assert send(cloud, a_token(cloud, "delete", namespaces=["hive"]), "DELETE", path)[:2] == (
        403,
        f"token: may not delete in the namespace {STORE!r}",
    )
    assert cloud.bodies("ChangesQueue") == []
    assert send(cloud, a_token(cloud, "delete", namespaces=["hive", STORE]), "DELETE", path)[0] == 200
    (deletion,) = cloud.bodies("ChangesQueue")
    assert (deletion["namespace"], deletion["dataset"]) == (STORE, "raw")


def test_a_deployment_that_is_strict_about_namespaces_shows_neighbours_by_id_alone(cloud, monkeypatch):
    cloud.load_events(a_run_event())
    text = a_token(cloud, "read", namespaces=[NAMESPACE])

    def neighbours():
        event = {"nodeId": NODE}
        return {node["id"] for node in graph(cloud, text, **event) if node["data"] is None}

    assert neighbours() == set()
    monkeypatch.setenv("STRICT_NAMESPACES", "true")
    assert neighbours() == {f"dataset:{STORE}:landing", f"dataset:{STORE}:raw"}

"""Namespaces of tokens: events, queries and deletions within them, and beyond them.

What a token sees by each route: tests/unit/api/test_token_visibility.py.
"""

import pytest

from headwater_model.named_datasets import DATASETS_MAX
from tests.aws.token_requests import NODE, a_token, graph, send, send_whole
from tests.builders_events import NAMESPACE, STORE, a_dataset, a_facet, a_run_event

OTHER_NAME = a_facet("SymlinksDataset", identifiers=[{"namespace": "hive", "name": "db.raw", "type": "TABLE"}])


@pytest.mark.parametrize("batch", [False, True])
def test_an_event_that_describes_what_is_in_another_namespace_is_refused_with_all_that_comes_with_it(cloud, batch):
    """Rights by kind of event: tests/unit/events/test_rights.py."""
    text = a_token(cloud, namespaces=[NAMESPACE, f"{STORE}*"])
    event = a_run_event(outputs=[a_dataset(namespace="s3://secret")])
    path, body = ("/api/v1/lineage/batch", [a_run_event(), event]) if batch else ("/api/v1/lineage", event)
    code, returned, _ = send(cloud, text, "POST", path, body=body)

    assert code == 403
    assert returned.endswith("outputs.namespace: must be a namespace that the token may write, got 's3://secret'")
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

"""Writes that name a dataset as the rules of names rename it: they are of that dataset, and need the rights for it."""

from urllib.parse import quote

import pytest

from headwater.events.name_rules import read_rules
from headwater.events.naming import NamingRules
from headwater.facts.keys import facts_key
from headwater.loading.stored_rules import KNOWN_S, StoredRules
from headwater_model.ids import DatasetId
from lambdas import wiring
from tests.aws.token_requests import a_token, deliver, send, send_whole
from tests.builders_events import NAMESPACE, a_dataset, a_run_event

OLD, NEW = DatasetId("s3a://lake", "legs"), DatasetId("s3://lake", "legs")
ALL = ("read", "write", "delete")


def path(dataset, more=""):
    return f"/api/v1/namespaces/{quote(dataset.namespace, safe='')}/datasets/{quote(dataset.name, safe='')}{more}"


def load(cloud):
    deliver(cloud)
    assert cloud.load_api_changes(*cloud.bodies("ChangesQueue")) == []


def set_rules(cloud):
    fields = {"quotes": "drop", "case": "lower"}
    rules = read_rules({"rules": [{"namespace": "s3a://*", "as": {"namespace": "s3://*"}, "fields": fields}]})
    StoredRules(wiring.graph_table(), NamingRules()).write(rules)
    cloud.now_s += KNOWN_S


@pytest.fixture
def joined(cloud):
    """The stack with rules, and one event by a name of the rules alone."""
    set_rules(cloud)
    cloud.load_events(an_event(NEW))
    return cloud


def an_event(dataset):
    return a_run_event(inputs=[], outputs=[a_dataset(dataset.name, dataset.namespace, fields=["plane"])])


def shown(cloud, dataset=NEW):
    return send_whole(cloud, a_token(cloud, *ALL), path=path(dataset))[3]


@pytest.mark.parametrize("namespaces", [("*",), ("s3://lake",), ("s3a://lake", "s3://lake")])
def test_tags_owners_and_descriptions_by_another_spelling_are_of_the_dataset(joined, namespaces):
    token = a_token(joined, *ALL, namespaces=namespaces)
    changes = [
        ("POST", "/tags/gold", None),
        ("POST", "/fields/%22PLANE%22/tags/pii", None),
        ("PUT", "/fields/Plane/description", {"description": "Tail number"}),
        ("POST", "/owners/ann", None),
        ("PUT", "/description", {"description": "Legs of flights"}),
    ]
    for method, more, body in changes:
        assert send(joined, token, method, path(OLD, more), body=body)[:2] == (200, None)
    load(joined)

    dataset = shown(joined)
    assert (dataset["tags"], dataset["fields"][0]["tags"]) == (["gold"], ["PII"])
    assert dataset["fields"][0]["description"] == "Tail number"
    assert dataset["description"] == "Legs of flights"
    assert [owner["name"] for owner in dataset["reportedBy"]["owners"]] == ["ann"]
    assert shown(joined, OLD) == dataset


@pytest.mark.parametrize("namespaces", [("*",), ("s3://lake",)])
def test_a_deletion_by_another_spelling_is_of_the_dataset(joined, namespaces):
    joined.now_s += 3600
    token = a_token(joined, *ALL, namespaces=namespaces)
    assert send(joined, token, "DELETE", path(OLD))[0] == 200
    load(joined)

    assert shown(joined)["deleted"] is True


@pytest.mark.parametrize("namespaces", [("*",), ("s3://lake",)])
@pytest.mark.parametrize("spelled", [NEW, OLD])
def test_the_name_of_a_partition_deletes_nothing(joined, namespaces, spelled):
    token = a_token(joined, *ALL, namespaces=namespaces)
    partition = DatasetId(spelled.namespace, "legs/2025-01-15")
    assert send(joined, token, "GET", path(partition))[0] == 200
    assert send(joined, token, "DELETE", path(partition))[:2] == (
        400,
        "dataset: must name a whole dataset: this is a partition of 'legs', by the rules of names, "
        "got 'legs/2025-01-15'",
    )
    assert joined.bodies("ChangesQueue") == []


@pytest.mark.parametrize("namespaces", [("*",), ("s3://lake",)])
def test_a_dataset_that_is_put_by_another_spelling_is_the_dataset(joined, namespaces):
    token = a_token(joined, *ALL, namespaces=namespaces)
    body = {"type": "DB_TABLE", "physicalName": "legs", "sourceName": "lake", "fields": [{"name": "co2"}]}
    assert send(joined, token, "PUT", path(OLD), body=body)[:2] == (200, None)
    load(joined)

    assert [field["name"] for field in shown(joined)["fields"]] == ["co2"]
    assert send_whole(joined, token, path=f"/api/v1/namespaces/{quote(OLD.namespace, safe='')}/datasets")[0] == 404


@pytest.mark.parametrize(("method", "more"), [("POST", "/tags/gold"), ("POST", "/owners/ann"), ("DELETE", "")])
def test_a_token_for_the_other_spelling_alone_learns_and_changes_nothing(joined, method, more):
    token = a_token(joined, *ALL, namespaces=["s3a://lake"])
    unknown = path(DatasetId(OLD.namespace, "unknown"), more)

    refused = send(joined, token, method, path(OLD, more))[:2]
    assert refused == (404, send(joined, token, method, unknown)[1].replace("unknown", "legs"))
    assert joined.bodies("ChangesQueue") == []


@pytest.mark.parametrize(("method", "more"), [("POST", "/tags/gold"), ("DELETE", "")])
def test_a_token_for_the_other_spelling_alone_changes_nothing_where_its_dataset_is_not_joined(cloud, method, more):
    cloud.load_events(an_event(OLD), an_event(NEW))
    set_rules(cloud)
    token = a_token(cloud, *ALL, namespaces=["s3a://lake"])

    code, reason, _ = send(cloud, token, method, path(OLD, more))
    assert code == 403
    assert "s3a://lake" in reason
    assert NEW.namespace not in reason
    assert cloud.bodies("ChangesQueue") == []


def sent(cloud, token, dataset, run="r2"):
    """The status of an event by which a column of the dataset is another."""
    event = a_run_event(run=run, inputs=[], outputs=[a_dataset(dataset.name, dataset.namespace, fields=["co2"])])
    return send(cloud, token, "POST", "/api/v1/lineage", body=event)[0]


def columns(cloud):
    return [field["name"] for field in shown(cloud)["fields"]]


@pytest.mark.parametrize(
    ("namespaces", "status"), [(["s3a://lake"], 403), (["s3://lake"], 201), (["s3a://lake", "s3://lake"], 201)]
)
def test_an_event_by_another_spelling_needs_the_right_to_write_in_the_namespace_of_the_rules(
    joined, namespaces, status
):
    token = a_token(joined, *ALL, namespaces=[*namespaces, NAMESPACE])
    assert sent(joined, token, OLD) == status
    deliver(joined)

    assert columns(joined) == (["co2"] if status == 201 else ["plane"])


def test_an_event_that_the_loader_takes_before_it_knows_the_rules_writes_nothing_elsewhere(cloud):
    assert wiring.naming_rules().names == ()
    cloud.now_s -= KNOWN_S
    set_rules(cloud)
    token = a_token(cloud, *ALL, namespaces=["s3://lake", NAMESPACE])
    assert sent(cloud, token, OLD) == 201
    with pytest.raises(AssertionError):
        deliver(cloud)

    assert wiring.naming_rules().names == ()
    assert wiring.graph_table().get([facts_key(OLD)]) == {}


def test_a_sender_that_may_write_everywhere_costs_no_read_of_the_rules(joined, monkeypatch):
    monkeypatch.setattr(StoredRules, "read", lambda _: pytest.fail("the rules are read"))
    assert sent(joined, a_token(joined, *ALL), OLD) == 201

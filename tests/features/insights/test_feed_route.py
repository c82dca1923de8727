"""The feed of what happened, over the API."""

import pytest

from tests.builders_events import CHECK, NAMESPACE, STORE, a_dataset, a_facet, a_run_event
from tests.unit.api.document_examples import RUN_ID, example
from tests.unit.api.graph_api import GraphApi
from tests.unit.api.teams import APART, BEHIND, MEETING, OWN, A, World

TODAY, YESTERDAY = "2025-11-20", "2025-11-19"
OWNED = {"ownership": a_facet("OwnershipDataset", owners=[{"name": "team:flights"}])}


def a_write(day, *fields, run=RUN_ID, **more):
    """Return the end of a run of the check that wrote `checked` with these fields."""
    facets = {**OWNED, "schema": a_facet("SchemaDataset", fields=[*fields])}
    output = {**a_dataset("checked"), "facets": facets}
    return a_run_event(job=CHECK, run=run, inputs=[], outputs=[output], eventTime=f"{day}T12:00:00Z", **more)


def a_field(name, kind=None):
    return {"name": name, **({"type": kind} if kind else {})}


CHANGES = (
    a_write(YESTERDAY, a_field("flight", "int"), a_field("carrier"), run="01941f29-7c00-7ea7-b5a3-000000000001"),
    a_write(TODAY, a_field("flight", "bigint"), a_field("co2_kg", "double")),
)


def test_a_changed_schema_says_what_changed_by_which_run_and_whose_it_is():
    api = GraphApi(*CHANGES)
    assert api.found("/feed", kind="SCHEMA_CHANGED") == {"news": [example("News")], "totalCount": 1, "truncated": False}


def test_the_feed_is_of_seven_days_unless_others_are_named():
    api = GraphApi(
        *CHANGES, a_run_event(job=CHECK, inputs=[a_dataset("old")], outputs=[], eventTime="2025-11-13T12:00:00Z")
    )

    def kinds(**query):
        return [(news["kind"], news["nodeId"].rpartition(":")[2]) for news in api.found("/feed", **query)["news"]]

    assert kinds() == [("SCHEMA_CHANGED", "checked"), ("DATASET_NEW", "checked")]
    assert kinds(since="2025-11-13")[2:] == [("DATASET_NEW", "old")]
    assert kinds(since="2025-11-13", until=YESTERDAY) == [("DATASET_NEW", "checked"), ("DATASET_NEW", "old")]
    assert kinds(days=8)[2:] == [("DATASET_NEW", "old")]
    assert kinds(since=TODAY, namespace=STORE) == [("SCHEMA_CHANGED", "checked")]
    assert kinds(namespace=NAMESPACE) == []
    assert kinds(limit=1, offset=1) == [("DATASET_NEW", "checked")]


def test_a_failing_job_is_listed_with_its_last_failed_run():
    api = GraphApi()
    runs_of_job = [(YESTERDAY, "FAIL", "1"), (TODAY, "FAIL", "2")]
    for day, kind, number in runs_of_job:
        api.load(a_write(day, run=f"01941f29-7c00-7ea7-b5a3-00000000000{number}", eventType=kind))
    (news,) = api.found("/feed", kind="JOB_FAILS")["news"]
    assert (news["nodeId"], news["at"], news["runId"][-1], news["runState"], news["failedRuns"]) == (
        f"job:{NAMESPACE}:{CHECK}",
        f"{YESTERDAY}T12:00:00Z",
        "2",
        "FAILED",
        2,
    )


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"since": "yesterday"}, "since: must be a day, as YYYY-MM-DD, got 'yesterday'"),
        ({"since": "2025-10-20"}, "since: must be 2025-10-21 or later, got '2025-10-20'"),
        ({"since": TODAY, "days": 2}, "days: must not be given with since, got 2"),
        ({"since": TODAY, "until": YESTERDAY}, f"until: must not be before since ({TODAY}), got '{YESTERDAY}'"),
        (
            {"kind": "rain"},
            "kind: must be one of DATASET_NEW, DATASET_DROPPED, SCHEMA_CHANGED, JOB_FAILS, got 'rain'",
        ),
    ],
)
def test_days_and_kinds_that_there_are_not_are_refused(query, message):
    assert GraphApi().get("/feed", **query) == (400, {"code": 400, "message": message})


def test_a_token_has_the_news_of_its_namespaces():
    world = World(*OWN, *APART, *MEETING, *BEHIND)
    news = world.get(world.token(A.jobs, A.store), "/api/v1/feed")
    assert news["totalCount"] == len(news["news"]) > 0
    assert {entry["nodeId"].partition(f":{A.store}:")[0] for entry in news["news"]} == {"dataset"}

"""Lists, searches and events with the parameters that a page needs, over the API."""

from copy import deepcopy

import pytest

from tests.builders_events import CALCULATE, CHECK, NAMESPACE, READ_FLIGHTS, STORE
from tests.unit.api.graph_api import GraphApi, at
from tests.unit.api.test_marquez_routes import CHECKED, PIPELINE, RUNS, UNKNOWN_RUN

JOBS, DATASETS = f"/namespaces/{NAMESPACE}/jobs", f"/namespaces{at(STORE)}/datasets"


@pytest.fixture(scope="module")
def api():
    """The pipeline has run once."""
    return GraphApi(*PIPELINE)


@pytest.mark.parametrize("path", ["/jobs", JOBS])
def test_jobs_are_listed_by_time_and_in_short(api, path):
    form = api.found(path, sort="updated_at", form="summary", limit=2)

    assert [job["name"] for job in form["jobs"]] == [CALCULATE, CHECK]
    assert form["totalCount"] == 3
    assert form["jobs"][1]["latestRun"]["id"] == RUNS[CHECK]
    assert not {"facets", "latestRuns", "inputs", "outputs"} & form["jobs"][0].keys()


def test_datasets_are_listed_by_time_and_in_short(api):
    names = [dataset["name"] for dataset in api.found(DATASETS, sort="updated_at")["datasets"]]
    short = api.found(DATASETS, sort="updated_at", form="summary")["datasets"]

    assert names == [dataset["name"] for dataset in short] == ["checked", "estimated", "raw", "rejected", "landing"]
    assert {dataset["name"]: dataset["fieldCount"] for dataset in short}["raw"] == 2


def test_lists_are_narrowed_to_what_no_event_mentions_since_a_time(api):
    times = {job["name"]: job["updatedAt"] for job in api.found("/jobs")["jobs"]}
    older = sorted(name for name in times if times[name] < times[CALCULATE])
    for path in ("/jobs", JOBS):
        form = api.found(path, updatedBefore=times[CALCULATE], form="summary")
        assert ([job["name"] for job in form["jobs"]], form["totalCount"]) == (older, len(older))
    form = api.found(DATASETS, updatedBefore="2000")
    assert (form["datasets"], form["totalCount"]) == ([], 0)
    assert api.found(DATASETS, updatedBefore="2100", limit=1)["totalCount"] == 5
    assert api.get(DATASETS, updatedBefore="soon")[0] == 400


def test_runs_are_listed_in_short(api):
    (run,) = api.found(f"{JOBS}/{CHECK}/runs", form="summary")["runs"]

    assert (run["id"], run["state"], run["durationMs"]) == (RUNS[CHECK], "COMPLETED", 1_800_000)
    assert not {"facets", "inputDatasetVersions", "args"} & run.keys()


def test_the_events_of_one_run(api):
    form = api.found("/events/lineage", runId=RUNS[CHECK])

    assert [event["eventType"] for event in form["events"]] == ["COMPLETE", "START"]
    assert (form["totalCount"], {event["run"]["runId"] for event in form["events"]}) == (2, {RUNS[CHECK]})
    assert api.found("/events/lineage", runId=RUNS[CHECK], sortDirection="asc", limit=1)["events"] == [PIPELINE[2]]
    assert api.get("/events/lineage", runId=UNKNOWN_RUN)[0] == 404


def test_search_in_short_says_what_it_found(api):
    dataset, job = api.found("/search", q="check", form="summary")["results"]

    assert (dataset["nodeId"], dataset["fieldCount"]) == (CHECKED, 0)
    assert (job["latestRun"]["id"], job["latestRun"]["state"]) == (RUNS[CHECK], "COMPLETED")
    (column,) = api.found("/search", q="delay", filter="column", form="summary")["results"]
    assert (column["field"], column["fieldType"]) == ("delay", "int")


@pytest.mark.parametrize(
    ("text", "kind", "names"),
    [
        ("raw", None, ["raw"]),
        ("c", None, ["checked", CALCULATE, CHECK]),
        ("read", None, [READ_FLIGHTS]),
        ("DEL", "column", ["delay"]),
        ("raw f", "column", ["flight"]),
    ],
)
def test_search_by_relevance(api, text, kind, names):
    hits = api.found("/search", q=text, filter=kind, sort="relevance")["results"]
    assert [hit.get("field", hit["name"]) for hit in hits] == names


@pytest.fixture(scope="module")
def owned():
    """The pipeline, whose jobs have owners; the check has the tag `gold`."""
    events = [deepcopy(event) for event in PIPELINE]
    for event in events:
        facets = event["job"].setdefault("facets", {})
        team = "Team:Finance" if event["job"]["name"] == CHECK else "ann"
        facets["ownership"] = {"owners": [{"name": team, "type": "MAINTAINER"}]}
        if event["job"]["name"] == CHECK:
            facets["tags"] = {"tags": [{"key": "gold", "value": "true", "source": "test"}]}
    served = GraphApi()
    served.load(*events)
    return served


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("owner:team:finance", [CHECK]),
        ("OWNER: ann", [READ_FLIGHTS, CALCULATE]),
        ("calculate owner:ann", [CALCULATE]),
        ("owner:nobody", []),
        ("tag:gold", [CHECK]),
        ('tag:gold owner:"team:finance"', [CHECK]),
        ("tag:gold owner:ann", []),
        ("owner:team:finance ns:nothing", []),
        (f"check ns:{NAMESPACE}", [CHECK]),
    ],
)
def test_search_by_owner_tag_and_words_of_the_namespace(owned, text, names):
    assert sorted(hit["name"] for hit in owned.found("/search", q=text)["results"]) == sorted(names)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"q": "owner:a owner:b"}, "must have owner: once at most"),
        ({"q": "tag:a", "tag": "b"}, "must not stand beside tag: in q"),
        ({"q": "owner:a", "filter": "column"}, "which no column has"),
        ({"q": "ns:lake"}, "must have a word of a name"),
    ],
)
def test_a_search_that_cannot_be_meant_is_refused(owned, query, message):
    status, body = owned.get("/search", **query)
    assert status == 400
    assert message in str(body)

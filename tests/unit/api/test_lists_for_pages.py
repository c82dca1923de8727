"""Lists, searches and events with the parameters that a page needs, over the API."""

from copy import deepcopy

import pytest

from tests.builders_events import CALCULATE, CHECK, NAMESPACE, READ_FLIGHTS, STORE
from tests.unit.api.graph_api import GraphApi, at
from tests.unit.api.test_marquez_routes import CHECKED, PIPELINE, RUNS

JOBS, DATASETS = f"/namespaces/{NAMESPACE}/jobs", f"/namespaces{at(STORE)}/datasets"


@pytest.fixture(scope="module")
def api():
    """The pipeline has run once."""
    return GraphApi(*PIPELINE)


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
    return GraphApi(*events)


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

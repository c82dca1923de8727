"""Marquez's routes over real events: the emissions pipeline reads flights, checks them, and estimates emissions."""

import pytest

from tests.builders_events import CALCULATE, CHECK, NAMESPACE, READ_FLIGHTS, STORE, a_dataset, a_facet, a_run_event
from tests.unit.api.graph_api import GraphApi, at, skeleton

LANDING = f"dataset:{STORE}:landing"
RAW, CHECKED, REJECTED = (f"dataset:{STORE}:{name}" for name in ("raw", "checked", "rejected"))
ESTIMATED = f"dataset:{STORE}:estimated"
READ_JOB, CHECK_JOB, CALCULATE_JOB = (f"job:{NAMESPACE}:{name}" for name in (READ_FLIGHTS, CHECK, CALCULATE))
RUNS = {job: f"01941f29-7c00-7ea7-b5a3-{number:012}" for number, job in enumerate([READ_FLIGHTS, CHECK, CALCULATE], 1)}
UNKNOWN_RUN = "01941f29-7c00-7ea7-b5a3-999999999999"


def a_step(job, hour, inputs, outputs, **changes):
    """The start and the end of a run, half an hour apart."""
    both = {"run": RUNS[job], "job": job, "inputs": inputs, "outputs": outputs, **changes}
    return (
        a_run_event(**both, eventType="START", eventTime=f"2025-11-20T{hour:02}:00:00Z"),
        a_run_event(**both, eventType="COMPLETE", eventTime=f"2025-11-20T{hour:02}:30:00Z"),
    )


PIPELINE = (
    *a_step(READ_FLIGHTS, 8, ["landing"], [a_dataset("raw", fields=["flight", ("delay", "int")])]),
    *a_step(CHECK, 9, ["raw"], ["checked", "rejected"], job_facets={"sql": a_facet("SQLJob", query="select 1")}),
    *a_step(CALCULATE, 10, ["checked"], ["estimated"]),
)


@pytest.fixture
def api():
    """The pipeline has run once."""
    return GraphApi(*PIPELINE)


def test_the_graph_is_the_same_from_every_node(api):
    graph = api.graph(CHECK_JOB)

    assert skeleton(graph) == {
        LANDING: ([], [READ_JOB]),
        READ_JOB: ([LANDING], [RAW]),
        RAW: ([READ_JOB], [CHECK_JOB]),
        CHECK_JOB: ([RAW], [CHECKED, REJECTED]),
        CHECKED: ([CHECK_JOB], [CALCULATE_JOB]),
        REJECTED: ([CHECK_JOB], []),
        CALCULATE_JOB: ([CHECKED], [ESTIMATED]),
        ESTIMATED: ([CALCULATE_JOB], []),
    }
    assert graph["truncated"] is False
    for node in graph["graph"]:
        assert api.graph(node["id"]) == graph


def test_the_graph_as_it_was(api):
    when = "2025-11-20T09:00:00Z"

    assert skeleton(api.graph(READ_JOB, lineageAt=when)) == {
        LANDING: ([], [READ_JOB]),
        READ_JOB: ([LANDING], [RAW]),
        RAW: ([READ_JOB], []),
    }
    # Unix seconds, and a `+` that was sent unencoded, and so came as a space.
    for same in ("1763629200", "2025-11-20T10:00:00+01:00", "2025-11-20T10:00:00 01:00"):
        assert api.graph(READ_JOB, lineageAt=same) == api.graph(READ_JOB, lineageAt=when)
    assert api.get("/lineage", nodeId=CHECK_JOB, lineageAt="2025-11-20")[0] == 404


def test_four_digits_are_a_year_and_other_numbers_seconds(api):
    def events(**query):
        return api.found("/events/lineage", **query)["totalCount"]

    assert (events(before="2025"), events(before="2026")) == (0, 6)
    assert (events(after="2025"), events(after="2026"), events(after="02026")) == (6, 0, 6)
    assert len(api.found("/search", q="check", after="2025", before="2026")["results"]) == 2
    assert api.get("/lineage", nodeId=CHECK_JOB, lineageAt="2024")[0] == 404


def test_what_a_version_was_made_of(api):
    version = api.found(f"/namespaces{at(STORE)}/datasets/checked")["currentVersion"]
    graph = api.graph(f"{CHECKED}#{version}")

    ids = list(skeleton(graph))
    assert f"{CHECKED}#{version}" in ids
    assert all("#" in node_id for node_id in ids)
    assert not any(node_id.startswith((ESTIMATED, REJECTED)) for node_id in ids)
    assert {node_id.partition("#")[0] for node_id in ids} == {CHECKED, CHECK_JOB, RAW, READ_JOB, LANDING}
    assert api.graph(CHECKED, datasetVersion=version) == graph
    data = {node["data"]["name"]: node["data"] for node in graph["graph"]}
    assert (data["checked"]["version"], data[CHECK]["runs"]) == (version, [RUNS[CHECK]])
    assert data[CHECK]["version"] == api.found(f"/namespaces/{NAMESPACE}/jobs/{CHECK}")["currentVersion"]


def test_jobs_are_found_by_the_state_of_their_last_run(api):
    failed = a_run_event(run=UNKNOWN_RUN, job=CHECK, eventType="FAIL", eventTime="2025-11-20T11:00:00Z")
    api.load(failed)

    def names(*states):
        return [job["name"] for job in api.found("/jobs", lastRunStates=list(states))["jobs"]]

    assert names("FAILED") == [CHECK]
    assert names("completed") == [CALCULATE, READ_FLIGHTS]
    assert names("COMPLETED", "FAILED") == [CALCULATE, CHECK, READ_FLIGHTS]
    assert names("RUNNING") == []


def test_search_takes_the_queries_of_marquez_own_page(api):
    """Marquez's page sends the names of Java's constants, which are not those of Marquez's documentation."""
    older = a_run_event(run=UNKNOWN_RUN, job="a_check", inputs=[], outputs=[], eventTime="2025-11-20T01:00:00Z")
    api.load(older)

    def jobs(sort):
        return [hit["name"] for hit in api.found("/search/", q="check", filter="JOB", sort=sort, limit=100)["results"]]

    assert jobs("NAME") == jobs("name") == ["a_check", CHECK]
    assert jobs("UPDATE_AT") == jobs("updated_at") == [CHECK, "a_check"]


TIME_RULE = "must be Unix seconds, or a year, a day or an ISO 8601 date and time of the years 1 to 9999"


@pytest.mark.parametrize(
    ("path", "query", "message"),
    [
        ("/lineage", {}, "nodeId: must be given, and not blank, got None"),
        ("/lineage", {"nodeId": CHECK_JOB, "depth": "deep"}, "depth: must be a whole number from 0 to 1000000"),
        ("/lineage", {"nodeId": CHECK_JOB, "lineageAt": "yesterday"}, f"lineageAt: {TIME_RULE}, got 'yesterday'"),
        ("/lineage", {"nodeId": CHECK_JOB, "lineageAt": "999999999999"}, f"lineageAt: {TIME_RULE}"),
        ("/lineage", {"nodeId": [CHECK_JOB, RAW]}, "nodeId: must be given once"),
        ("/lineage", {"nodeId": "\ud800"}, r"nodeId: must be Unicode text, got '\ud800'"),
        ("/runlineage/upstream", {"runId": " "}, "runId: must not be blank, got ' '"),
        ("/namespaces", {"limit": "1001"}, "limit: must be a whole number from 0 to 1000, got '1001'"),
        ("/namespaces", {"offset": "-1"}, "offset: must be a whole number from 0 to 1000000, got '-1'"),
        ("/jobs", {"lastRunStates": ["RUNNING", "foo"]}, "lastRunStates: must be one of NEW, RUNNING, COMPLETED, FAIL"),
        ("/events/lineage", {"sortDirection": "asdf"}, "sortDirection: must be one of desc, asc, got 'asdf'"),
        ("/events/lineage", {"before": "2025-13-01"}, f"before: {TIME_RULE}, got '2025-13-01'"),
        ("/events/lineage", {"before": "0000"}, f"before: {TIME_RULE}, got '0000'"),
        (f"/jobs/runs/{UNKNOWN_RUN}/facets", {}, "type: must be one of run, job, dataset, got None"),
        ("/jobs/runs/%ff", {}, "run_id: must be percent-encoded UTF-8, got '%ff'"),
        ("/search", {}, "q: must be given, and not blank, got None"),
        ("/search", {"q": "x", "filter": "tag"}, "filter: must be one of dataset, job, column, got 'tag'"),
        (
            "/search",
            {"q": "x", "sort": "rank"},
            "sort: must be one of name, updated_at, update_at, relevance",
        ),
    ],
)
def test_what_breaks_a_rule_is_400_and_says_which(api, path, query, message):
    status, form = api.get(path, **query)

    assert (status, form["code"], form["message"][: len(message)]) == (400, 400, message)

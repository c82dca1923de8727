"""Marquez's routes over real events: the emissions pipeline reads flights, checks them, and estimates emissions."""

import pytest

from tests.builders_events import CALCULATE, CHECK, NAMESPACE, READ_FLIGHTS, STORE, a_dataset, a_facet, a_run_event
from tests.unit.api.graph_api import GraphApi, at, skeleton

LANDING = f"dataset:{STORE}:landing"
RAW, CHECKED, REJECTED = (f"dataset:{STORE}:{name}" for name in ("raw", "checked", "rejected"))
ESTIMATED = f"dataset:{STORE}:estimated"
READ_JOB, CHECK_JOB, CALCULATE_JOB = (f"job:{NAMESPACE}:{name}" for name in (READ_FLIGHTS, CHECK, CALCULATE))
RUNS = {job: f"01941f29-7c00-7ea7-b5a3-{number:012}" for number, job in enumerate([READ_FLIGHTS, CHECK, CALCULATE], 1)}
JOB_IDS = [{"namespace": NAMESPACE, "name": name} for name in (CALCULATE, CHECK, READ_FLIGHTS)]
UNKNOWN_RUN = "01941f29-7c00-7ea7-b5a3-999999999999"
GLUE = "arn:aws:glue:eu-west-1:111122223333"


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


@pytest.fixture
def empty():
    return GraphApi()


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


def test_a_dataset_that_no_job_writes_any_more_is_stale_and_names_its_last_writer(empty):
    empty.load(*a_step(CHECK, 8, [], ["x"]), *a_step(CALCULATE, 9, ["x"], []))
    again = a_run_event(run=UNKNOWN_RUN, job=CHECK, inputs=[], outputs=["y"], eventTime="2025-11-20T10:00:00Z")
    empty.load(again)

    x, y = f"dataset:{STORE}:x", f"dataset:{STORE}:y"
    assert skeleton(empty.graph(CHECK_JOB)) == skeleton(empty.graph(y)) == {y: ([CHECK_JOB], []), CHECK_JOB: ([], [y])}
    assert (
        skeleton(empty.graph(CALCULATE_JOB))
        == skeleton(empty.graph(x))
        == {
            x: ([], [CALCULATE_JOB]),
            CALCULATE_JOB: ([x], []),
        }
    )
    (data,) = (node["data"] for node in empty.graph(x)["graph"] if node["id"] == x)
    assert (data["stale"], data["lastWrittenBy"]) == (
        True,
        {
            "job": {"namespace": NAMESPACE, "name": CHECK},
            "runId": RUNS[CHECK],
            "endedAt": "2025-11-20T08:30:00Z",
        },
    )


@pytest.mark.parametrize(
    ("namespace", "name"),
    [
        (GLUE, "table/sales/orders"),
        ("postgres://db:5432", "shop.public.orders"),
        ("jdbc:h2:mem:x", "T"),
        ("s3://b", "2024/x"),
        ("ns", "my_struct<a:bigint,b:string>"),
    ],
)
def test_node_ids_hold_colons(empty, namespace, name):
    empty.load(a_run_event(inputs=[], outputs=[a_dataset(name, namespace)]))
    node_id = f"dataset:{namespace}:{name}"

    assert node_id in skeleton(empty.graph(node_id))
    assert empty.found(f"/namespaces{at(namespace)}/datasets{at(name)}")["id"] == {"namespace": namespace, "name": name}


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


def test_the_runs_upstream_of_a_run(api):
    returned = api.found("/runlineage/upstream", runId=RUNS[CALCULATE])["runs"]

    assert [(run["run"]["id"], run["run"]["status"]) for run in returned] == [
        (RUNS[CALCULATE], "COMPLETED"),
        (RUNS[CHECK], "COMPLETED"),
        (RUNS[READ_FLIGHTS], "COMPLETED"),
    ]
    inputs_by_job = {
        run["job"]["name"]: [(used["name"], used["producedByRunId"]) for used in run["inputs"]] for run in returned
    }
    assert inputs_by_job == {
        CALCULATE: [("checked", RUNS[CHECK])],
        CHECK: [("raw", RUNS[READ_FLIGHTS])],
        READ_FLIGHTS: [("landing", None)],
    }
    assert len(api.found("/runlineage/upstream", runId=RUNS[CALCULATE], depth=0)["runs"]) == 1


def test_namespaces_are_listed_by_name(api):
    form = api.found("/namespaces")

    assert [namespace["name"] for namespace in form["namespaces"]] == [NAMESPACE, STORE]
    assert (form["totalCount"], form["truncated"]) == (2, False)
    assert api.found("/namespaces", offset=1, limit=1)["namespaces"] == form["namespaces"][1:]
    assert api.found(f"/namespaces{at(STORE)}") == form["namespaces"][1]


def test_datasets_are_listed_by_name_page_by_page(api):
    listed = api.found(f"/namespaces{at(STORE)}/datasets")

    names = [dataset["name"] for dataset in listed["datasets"]]
    assert (names, listed["totalCount"]) == (["checked", "estimated", "landing", "raw", "rejected"], 5)
    pages = [api.found(f"/namespaces{at(STORE)}/datasets", limit=2, offset=offset) for offset in (0, 2, 4, 6)]
    assert [dataset for page in pages for dataset in page["datasets"]] == listed["datasets"]
    assert api.found(f"/namespaces{at(STORE)}/datasets", limit=0)["datasets"] == []
    assert api.found(f"/namespaces{at(STORE)}/datasets/raw") == listed["datasets"][3]


def test_jobs_are_listed_by_name_in_all_namespaces_or_one(api):
    all_jobs, jobs_of_namespace = api.found("/jobs"), api.found(f"/namespaces/{NAMESPACE}/jobs")

    assert [job["id"] for job in all_jobs["jobs"]] == JOB_IDS
    assert all_jobs == jobs_of_namespace
    assert api.found("/namespaces/nowhere/jobs") == {"jobs": [], "totalCount": 0, "truncated": False}


def test_jobs_are_found_by_the_state_of_their_last_run(api):
    failed = a_run_event(run=UNKNOWN_RUN, job=CHECK, eventType="FAIL", eventTime="2025-11-20T11:00:00Z")
    api.load(failed)

    def names(*states):
        return [job["name"] for job in api.found("/jobs", lastRunStates=list(states))["jobs"]]

    assert names("FAILED") == [CHECK]
    assert names("completed") == [CALCULATE, READ_FLIGHTS]
    assert names("COMPLETED", "FAILED") == [CALCULATE, CHECK, READ_FLIGHTS]
    assert names("RUNNING") == []


def test_run_events_are_listed_as_they_were_sent(api):
    form = api.found("/events/lineage")

    assert form["events"] == sorted(PIPELINE, key=lambda event: event["eventTime"], reverse=True)
    assert form["totalCount"] == 6
    between = {"after": "2025-11-20T08:30:00Z", "before": "2025-11-20T10:00:00+00:00"}
    page = api.found("/events/lineage", **between, sortDirection="asc", limit=2, offset=1)
    assert (page["events"], page["totalCount"]) == (list(PIPELINE[2:4]), 3)


def test_search_finds_jobs_and_datasets_by_a_word_of_their_name(api):
    form = api.found("/search", q="CHECK")

    assert [hit["nodeId"] for hit in form["results"]] == [CHECKED, CHECK_JOB]
    assert form["totalCount"] == 2
    assert [hit["nodeId"] for hit in api.found("/search", q="check", filter="job")["results"]] == [CHECK_JOB]
    assert [hit["nodeId"] for hit in api.found("/search", q="c", namespace=STORE, limit=1)["results"]] == [CHECKED]
    assert [hit["nodeId"] for hit in api.found("/search", q="check", sort="updated_at")["results"]] == [
        CHECKED,
        CHECK_JOB,
    ]
    assert api.found("/search", q="check", before="2025-11-20")["results"] == []
    assert len(api.found("/search", q="check", after="2025-11-20")["results"]) == 2


def test_search_finds_columns_by_words_of_theirs_and_their_datasets_names(api):
    form = api.found("/search", q="raw.DELA", filter="column")

    assert form["results"] == [
        {
            "type": "DATASET_FIELD",
            "name": "raw",
            "field": "delay",
            "updatedAt": "2025-11-20T09:30:00Z",
            "namespace": STORE,
            "nodeId": f"datasetField:{STORE}:raw:delay",
        }
    ]
    assert (form["totalCount"], form["truncated"]) == (1, False)
    assert api.found("/search", q="delay")["results"] == []
    assert api.found("/search", q="delay", filter="column", namespace=NAMESPACE)["results"] == []
    (node,) = api.found("/column-lineage", nodeId=form["results"][0]["nodeId"])["graph"]
    assert node["data"]["field"] == "delay"


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
        ("/lineage", {"nodeId": CHECK_JOB, "depth": "-1"}, "depth: must be a whole number from 0 to 1000000"),
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
        (f"/jobs/runs/{UNKNOWN_RUN}/facets", {"type": "x"}, "type: must be one of run, job, dataset, got 'x'"),
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


@pytest.mark.parametrize("node_id", ["", "checked", "dataset", "dataset:", "dataset:x", "table:x:y", "run:x", "job:"])
def test_an_unreadable_node_id_is_400(api, node_id):
    status, form = api.get("/lineage", nodeId=node_id)

    assert (status, form["message"].partition(":")[0]) == (400, "nodeId")

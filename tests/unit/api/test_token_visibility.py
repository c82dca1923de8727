"""The view of a token for some namespaces: things of further namespaces only as neighbours of visible things."""

import json

import pytest

from tests.builders_events import a_dataset, a_run_event
from tests.unit.api.teams import APART, BEHIND, MEETING, NOBODY, OWN, RANGE, A, B, World, as_if, requests_about

ABOUT_B, ABOUT_NOBODY, ABOUT_A = requests_about(B), requests_about(NOBODY), requests_about(A)
# Requests about B's output from A's data, and the same requests about a team without data.
PUBLISHED, NO_PUBLISHED = (requests_about(team, "published", "publish", 3) for team in (B, NOBODY))
OF_NO_NAMESPACE = [path for path in ABOUT_A if "/records/" in path or "/stats/" in path]
# Routes over all namespaces, or about nothing: they respond to anybody.
OF_NOBODY = [
    "/",
    "/openapi.json",
    "/api/v1/me",
    "/api/v1/namespaces",
    "/api/v1/jobs",
    "/api/v1/datasets",
    "/api/v1/reports/broken",
    "/api/v1/reports/durations",
    "/api/v1/reports/old-data",
    "/api/v1/reports/estate",
    "/api/v1/reports/similar",
    "/api/v1/tags",
    "/api/v1/sources",
    "/api/v1/events/lineage",
]


@pytest.fixture(scope="module")
def worlds():
    """Both teams, as neighbours, in a lenient and a strict deployment."""
    events = (*OWN, *APART, *MEETING, *BEHIND)
    return {strict: World(*events, strict=strict) for strict in (False, True)}


def every_response(world, token, *about):
    """(path, query) -> the answer, of every question about some team's things."""
    requested = [request for routes in about for route in routes for request in routes[route]]
    return {f"{path} {query}": world.send(token, path, query) for path, query in requested}


@pytest.mark.parametrize("path", ABOUT_B)
@pytest.mark.parametrize("strict", [False, True], ids=["lenient", "strict"])
def test_every_route_responds_on_what_a_token_may_not_see_as_on_what_is_not_there(worlds, path, strict):
    world = worlds[strict]
    token, everywhere = world.token(A.jobs, A.store), world.token()
    for mine, nobodys in ((ABOUT_B, ABOUT_NOBODY), (PUBLISHED, NO_PUBLISHED)):
        for (requested, query), (of_nobody, other) in zip(mine[path], nobodys[path], strict=True):
            status, body = world.send(token, requested, query)
            renamed = body if path in OF_NOBODY else as_if(body, B, NOBODY)
            assert (status, renamed) == world.send(token, of_nobody, other)
            assert (status == 403) == (path in OF_NO_NAMESPACE)
            if path not in (*OF_NO_NAMESPACE, *OF_NOBODY):
                # It is there: who may see it is shown it.
                shown = world.send(everywhere, requested, query)
                assert shown[0] == 200
                assert (shown[0], as_if(shown[1], B, NOBODY)) != world.send(everywhere, of_nobody, other)


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("/api/v1/namespaces/s3%3A%2F%2Fb/datasets", {"nodeId": f"job:{A.jobs}:sum", "namespace": A.jobs}, 404),
        ("/api/v1/column-lineage", {"nodeId": f"datasetField:{B.store}:report:total", "namespace": A.jobs}, 404),
        ("/api/v1/records/search", {"root": "r", "namespace": A.jobs}, 403),
        ("/api/v1/lineage", {}, 400),
        ("/api/v1/column-lineage", {}, 400),
        ("/api/v1/column-lineage", {"nodeId": "datasetField:x"}, 400),
        ("/api/v1/reports/provenance", RANGE, 400),
    ],
)
def test_no_parameter_of_another_route_opens_one_and_a_faulty_request_is_refused_as_such(worlds, path, query, status):
    for world in worlds.values():
        assert world.send(world.token(A.jobs, A.store), path, query)[0] == status


def test_the_events_of_a_run_that_a_token_may_not_see_are_not_there(worlds):
    world, path = worlds[False], "/api/v1/events/lineage"
    token = world.token(A.jobs, A.store)

    status, body = world.send(token, path, {"runId": B.run(2)})
    assert (status, as_if(body, B, NOBODY)) == world.send(token, path, {"runId": NOBODY.run(2)})
    assert (status, world.send(world.token(), path, {"runId": B.run(2)})[0]) == (404, 200)
    assert world.get(token, path, runId=A.run(2))["totalCount"] > 0


@pytest.mark.parametrize("strict", [False, True], ids=["lenient", "strict"])
def test_a_team_gets_the_same_responses_whether_another_is_there_or_not(strict):
    """Lists, counts, searches, graphs, versions, points in time and reports, of its own and of foreign things."""
    returned = []
    for events in (OWN, (*APART, *OWN)):
        world = World(*events, strict=strict)
        returned.append(every_response(world, world.token(A.jobs, A.store), ABOUT_A, ABOUT_B, ABOUT_NOBODY))
    assert returned[0] == returned[1]
    assert {status for status, _ in returned[0].values()} == {200, 403, 404}


@pytest.fixture(scope="module")
def shared():
    """Worlds with the teams' meeting: without, and with further work behind it."""
    return [World(*events, strict=True) for events in ((*OWN, *MEETING), (*OWN, *MEETING, *APART, *BEHIND))]


# The dataset of A from B's data; `make test-all` has further things of A.
OF_A = [("taken", "take", 3)]
OF_A += [
    pytest.param(*about, marks=pytest.mark.slow)
    for about in (("report", "sum", 2), ("clean", "load", 1), ("opened", "open", 4))
]


@pytest.mark.parametrize(("dataset", "job", "number"), OF_A)
def test_a_strict_deployment_returns_the_same_whatever_others_do_behind_what_a_team_shares_with_them(
    shared, dataset, job, number
):
    about = requests_about(A, dataset, job, number), PUBLISHED
    without, beside = (every_response(world, world.token(A.jobs, A.store), *about) for world in shared)
    assert without == beside


@pytest.mark.slow
def test_a_strict_deployment_returns_the_same_of_what_others_have_whatever_they_do(shared):
    without, beside = (every_response(world, world.token(A.jobs, A.store), ABOUT_B) for world in shared)
    assert without == beside


def test_a_list_over_all_namespaces_shows_and_counts_what_the_token_sees(worlds):
    world = worlds[False]
    token = world.token(A.jobs, A.store)

    namespaces = world.get(token, "/api/v1/namespaces")
    assert ([namespace["name"] for namespace in namespaces["namespaces"]], namespaces["totalCount"]) == (
        [A.store, A.jobs],
        2,
    )
    jobs = world.get(token, "/api/v1/jobs")
    assert ([job["name"] for job in jobs["jobs"]], jobs["totalCount"]) == (["load", "open", "sum", "take"], 4)
    assert world.get(token, "/api/v1/jobs", lastRunStates="COMPLETED")["totalCount"] == 4
    hits = world.get(token, "/api/v1/search", q="o")
    assert ({hit["namespace"] for hit in hits["results"]}, hits["totalCount"]) == ({A.store, A.jobs}, 2)
    tagged = world.get(token, "/api/v1/search", tag="pii")
    assert ({hit["namespace"] for hit in tagged["results"]}, tagged["totalCount"]) == ({A.store}, 5)
    assert [tag["name"] for tag in world.get(token, "/api/v1/tags")["tags"]] == ["of-a", "PII"]
    report = world.get(token, "/api/v1/reports/usage", tag="PII", **RANGE)
    assert {row["column"]["dataset"]["namespace"] for row in report["columns"]} == {A.store}
    columns = world.get(token, "/api/v1/search", q="total", filter="column")
    assert {hit["namespace"] for hit in columns["results"]} == {A.store}
    events = world.get(token, "/api/v1/events/lineage")
    assert ([event["job"]["name"] for event in events["events"]], events["totalCount"]) == (
        ["open", "take", "sum", "load"],
        4,
    )
    page = world.get(token, "/api/v1/events/lineage", limit=1, offset=1, sortDirection="asc")
    assert ([event["job"]["name"] for event in page["events"]], page["totalCount"]) == (["sum"], 4)


def graph_of(world, path, node_id, **query):
    token = world.token(A.jobs, A.store)
    return {node["id"]: node for node in world.get(token, path, nodeId=node_id, **query)["graph"]}


def edges(graph):
    return {
        (edge["origin"], edge["destination"]) for node in graph.values() for edge in node["inEdges"] + node["outEdges"]
    }


TAKE, LOOP, PUBLISH, GIVE = (
    f"job:{jobs}:{name}" for jobs, name in ((A.jobs, "take"), *((B.jobs, name) for name in ("loop", "publish", "give")))
)
FEED, TAKEN = f"dataset:{B.store}:feed", f"dataset:{A.store}:taken"
VERSIONS = "/api/v1/namespaces/s3%3A%2F%2Fa/datasets/{}/versions"


def outlined(graph):
    """List the nodes shown by id and type alone, without their versions."""
    return {node_id.partition("#")[0] for node_id, node in graph.items() if node["data"] is None}


@pytest.mark.parametrize("at", [None, "2025-11-21"])
def test_a_strict_graph_shows_neighbours_by_id_and_type_and_ends_there(worlds, at):
    """Two neighbours have no edge between them, either."""
    graph = graph_of(worlds[True], "/api/v1/lineage", TAKE, lineageAt=at)

    assert graph[FEED] == {
        "id": FEED,
        "type": "DATASET",
        "data": None,
        "inEdges": [],
        "outEdges": [{"origin": FEED, "destination": TAKE}],
    }
    assert (
        outlined(graph)
        == {FEED, LOOP, PUBLISH, GIVE}
        == {node_id for node_id in graph if B.store in node_id or B.jobs in node_id}
    )
    assert (f"dataset:{A.store}:clean", LOOP) in edges(graph)


def test_a_strict_graph_of_versions_ends_at_neighbours(worlds):
    for name, (lenient, strict) in {"taken": ({LOOP}, {FEED}), "opened": ({LOOP, GIVE}, {FEED, GIVE})}.items():
        graphs = {}
        for mode, world in worlds.items():
            version = world.get(world.token(), VERSIONS.format(name))["versions"][0]["version"]
            graphs[mode] = graph_of(world, "/api/v1/lineage", f"dataset:{A.store}:{name}#{version}")
        assert lenient <= {node_id.partition("#")[0] for node_id in graphs[False]}
        assert outlined(graphs[True]) == strict
        theirs = {node_id.partition("#")[0] for node_id in graphs[True] if B.store in node_id or B.jobs in node_id}
        assert (outlined(graphs[False]), theirs) == (set(), strict)


def test_strict_columns_end_at_neighbours(worlds):
    mine, theirs = f"datasetField:{A.store}:taken:total", f"datasetField:{B.store}:feed:total"
    at, down = {"lineageAt": "2025-11-20T15:00:00Z"}, {"withDownstream": "true"}
    below, then = {f"datasetField:{A.store}:opened:total"}, {"lineageAt": "2025-11-20T17:00:00Z"}
    for query, further in (({}, set()), (at, set()), (down, below), ({**down, **at}, set()), ({**down, **then}, below)):
        graph = graph_of(worlds[True], "/api/v1/column-lineage", mine, depth=9, **query)
        columns = {column_id.partition("#")[0]: node for column_id, node in graph.items()}
        assert columns.keys() == {mine, theirs} | further
        assert (columns[theirs]["data"], columns[theirs]["inEdges"], columns[theirs]["outEdges"]) == (None, [], [])
        assert [input_field["name"] for input_field in columns[mine]["data"]["inputFields"]] == ["feed"]


def test_strict_reports_and_mappings_end_at_neighbours(worlds):
    def of(mode, report, dataset, listed, value):
        world, requested = worlds[mode], {"nodeId": f"datasetField:{A.store}:{dataset}:total", **RANGE}
        returned = world.get(world.token(A.jobs, A.store), f"/api/v1/reports/{report}", **requested)[listed]
        return {row["column"]["dataset"]["name"]: row[value] for row in returned}

    assert of(False, "provenance", "taken", "sources", "reason") == {"source": "raw", "raw": "raw"}
    assert of(True, "provenance", "taken", "sources", "reason") == {"feed": "elsewhere"}
    assert {"far", "taken"} <= of(False, "usage", "clean", "flows", "status").keys()
    assert of(True, "usage", "clean", "flows", "status") == {
        "report": "alive",
        "opened": "alive",
        "published": "unknown",
        "feed": "unknown",
    }
    ends = {
        mode: {mapping["destination"]["name"] for mapping in mappings(world, "clean")} for mode, world in worlds.items()
    }
    assert ends[True] == {"clean", "report", "opened", "published", "feed"}
    assert {"far", "taken"} <= ends[False]


def mappings(world, dataset):
    path = f"/v3/namespaces/s3%3A%2F%2Fa/endpoints/{dataset}/fields/lineage"
    return world.get(world.token(A.jobs, A.store), path, **RANGE)


def test_strict_runs_upstream_end_at_neighbours(worlds):
    """It ends at its own dataset written by a foreign run, and at a foreign dataset."""
    runs = {}
    for mode, world in worlds.items():
        upstream = world.get(world.token(A.jobs, A.store), "/api/v1/runlineage/upstream", runId=A.run(4))["runs"]
        runs[mode] = {run["run"]["id"]: run["inputs"] for run in upstream}

    assert {B.run(6), B.run(7)} <= runs[False].keys()
    assert runs[True].keys() == {A.run(4), A.run(3), A.run(1)}
    assert [dataset["producedByRunId"] for dataset in runs[True][A.run(3)]] == [None]


def test_strict_versions_and_origins_leave_out_the_runs_of_other_namespaces(worlds):
    for mode, (made_by, run) in {False: (B.run(7), B.run(7)), True: (None, None)}.items():
        world = worlds[mode]
        token = world.token(A.jobs, A.store)
        (version,) = world.get(token, VERSIONS.format("gift"))["versions"]
        fetched = world.get(token, f"{VERSIONS.format('gift')}/{version['version']}")
        assert [run and run["id"] for run in (version["createdByRun"], fetched["createdByRun"])] == [made_by] * 2
        origins = world.get(token, "/api/v1/column-lineage/origins", nodeId=f"datasetField:{A.store}:gift:total")
        assert [version["run"] and version["run"]["id"] for version in origins["versions"]] == [run]


READINGS = {
    "dataset": ("/api/v1/lineage", "dataset:team:secret:nightly", {}),
    "dataset's columns": ("/api/v1/column-lineage", "dataset:team:secret:nightly", {}),
    "field": ("/api/v1/column-lineage", "datasetField:team:secret:nightly:total", {}),
    "field's origins": ("/api/v1/column-lineage/origins", "datasetField:team:secret:nightly:total", {}),
    "usage": ("/api/v1/reports/usage", "datasetField:team:secret:nightly:total", RANGE),
    "provenance": ("/api/v1/reports/provenance", "datasetField:team:secret:nightly:total", RANGE),
}


@pytest.mark.parametrize(("path", "node_id", "query"), READINGS.values(), ids=READINGS)
def test_nobody_is_locked_out_by_a_name_that_reads_the_same(path, node_id, query):
    """An id may name two datasets; a foreign `team` dataset comes first, and once hid the visible dataset."""
    columns = [
        a_dataset_of("team:secret", "nightly"),
        a_dataset_of("team", "secret:nightly"),
        a_dataset_of("team", "secret"),
    ]
    returned = []
    for outputs in (columns[:1], columns):
        world = World(*(a_run(number, output) for number, output in enumerate(outputs, 1)))
        returned.append(world.send(world.token("team:secret"), path, {"nodeId": node_id, **query}))
        assert world.send(world.token("elsewhere"), path, {"nodeId": node_id, **query})[0] == 404
        if outputs == columns[:1]:
            # A dataset's id may read as an id in `team`: a token for `team` does not see the dataset.
            assert world.send(world.token("team"), path, {"nodeId": node_id, **query})[0] == 404
        assert world.send(world.token("team*"), path, {"nodeId": node_id, **query})[0] == 200
    assert returned[0] == returned[1]
    assert (returned[0][0], json.loads(returned[0][1])) != (404, None)
    assert returned[0][0] == 200


def a_dataset_of(namespace, name):
    return a_dataset(name, namespace, fields=["total", "nightly"])


def a_run(number, output):
    return a_run_event(run=A.run(number), job=f"job-{number}", inputs=[], outputs=[output])

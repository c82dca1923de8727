"""The bytes of each response are a function of the set of events: in any order of arrival, and after a replay."""

from __future__ import annotations

import re
from dataclasses import asdict
from itertools import product
from urllib.parse import quote

import orjson
from hypothesis import given
from hypothesis import strategies as st

from headwater.api.app import all_routes
from headwater.events.event import Event
from headwater.facts.apply import apply_statements
from headwater.loading.event_log import RawEvent
from tests.builders_events import CALCULATE, CHECK, NAMESPACE, READ_FLIGHTS, STORE, a_facet, a_run_event
from tests.examples import examples
from tests.unit.api import columns_pipeline
from tests.unit.api.graph_api import GraphApi
from tests.unit.api.proxy import get
from tests.unit.api.test_marquez_routes import PIPELINE, RUNS
from tests.unit.facts import strategies

# Without records, and routes independent of events.
ROUTES = [
    route
    for route in all_routes()
    if route.method == "GET" and not route.path.startswith("/api/v1/records") and route.path.count("/") > 1
    if route.path not in ("/api/v1/me", "/explore/<file>")
]
FIELDS, TIMES = ("flight", "carrier"), {"start": "0", "end": "9999999999", "period": "WEEK"}
COLUMN = f"datasetField:{STORE}"
MORE = {
    "/api/v1/search": [{"q": "e"}, {"tag": "PII"}],
    "/api/v1/reports/usage": [{"tag": "PII"}],
    "/api/v1/reports/recall": [{"nodeId": f"dataset:{STORE}:raw"}, {"runId": RUNS[READ_FLIGHTS]}],
    **{f"/api/v1/stats/{name}": [{"timezone": "UTC"}] for name in ("lineage-events", "jobs", "datasets", "sources")},
}


def every_response(served, jobs, datasets, runs):
    """Send GET requests of all routes about these things: request -> (status, bytes)."""
    values = {
        "run_id": runs,
        "runId": runs,
        "field": FIELDS,
        "source": ("default", "lake"),
        "side": ("up", "down"),
        "type": ("run", "job"),
        "direction": ("both",),
        "q": ("e",),
        "row_id": ("0",),
        "nodeId": [thing.node_id for thing in (*jobs, *datasets)]
        + [f"{COLUMN}:{dataset.name}:flight" for dataset in datasets],
        **{name: (value,) for name, value in TIMES.items()},
    }
    replies = {}
    for route in ROUTES:
        names = [parameter.name for parameter in route.parameters if parameter.is_required]
        things = jobs if "job" in names else datasets
        rest = [name for name in names if name in values]
        for thing, *chosen in product(things if "namespace" in names else [None], *(values[name] for name in rest)):
            given = {**about(thing), **dict(zip(rest, chosen, strict=True))}
            for version in versions(replies, route.path, given) if "version" in names else [None]:
                replies.update(responses(served, route, {**given, "version": version}, rest))
    return replies


def about(thing):
    """Map the names in a path to a job or dataset."""
    return (
        {}
        if thing is None
        else {"namespace": thing.namespace, **dict.fromkeys(("job", "dataset", "endpoint"), thing.name)}
    )


def filled(path, given):
    return re.sub("<([a-z_]+)>", lambda match: quote(given[match.group(1)], safe=""), path)


def responses(served, route, given, names):
    """Yield the responses of a route, with its required parameters alone and with `MORE`."""
    path = filled(route.path, given)
    query = {name: given[name] for name in names if f"<{name}>" not in route.path}
    for more in ({}, *MORE.get(route.path, ())):
        response = get(served.api, path, {**query, **more})
        yield (path, *sorted({**query, **more}.items())), (response.status, response.body)


def versions(replies, path, given):
    """List the versions in the list fetched before."""
    status, body = replies[(filled(path.removesuffix("/<version>"), given),)]
    ids = [version["version"] for version in orjson.loads(body)["versions"]] if status == 200 else []
    return [version["version"] if isinstance(version, dict) else version for version in ids]


def reordered(value):
    """Reverse the order of the names in each object of the JSON."""
    if isinstance(value, list):
        return [reordered(item) for item in value]
    return {name: reordered(value[name]) for name in reversed(value)} if isinstance(value, dict) else value


def differences(first, second):
    return [(request, first[request], second[request]) for request in first if first[request] != second[request]][:3]


TAGS = a_facet("TagsDataset", tags=[{"key": "PII", "field": "flight"}, {"key": "gold", "value": "true"}])
MORE_FACETS = [
    a_run_event(
        run=RUNS[CHECK],
        job=CHECK,
        eventType="RUNNING",
        eventTime=f"2025-11-20T09:{minute}:00Z",
        inputs=["raw"],
        outputs=[{"namespace": STORE, "name": "checked", "facets": facets}],
        run_facets=facets,
        job_facets=facets,
    )
    for minute, facets in (
        (10, {"ownership": a_facet("Ownership", owners=[{"name": "ann"}]), "tags": TAGS}),
        (20, {"documentation": a_facet("Documentation", description="all"), "zone": {"b": 1, "a": {"d": 1, "c": 2}}}),
        (25, {"dataSource": {"name": "lake", "uri": "s3://flights"}}),
    )
]
EVENTS = [*PIPELINE, *columns_pipeline.PIPELINE, *MORE_FACETS]
JOBS = [strategies.JobId(NAMESPACE, name) for name in (READ_FLIGHTS, CHECK, CALCULATE)]
DATASETS = [strategies.DatasetId(STORE, name) for name in ("raw", "checked", "estimated")]


def test_events_in_another_order_and_with_their_names_in_another_give_the_same_bytes():
    live, replayed = GraphApi(), GraphApi()
    for event in EVENTS:
        live.load(event)
    replayed.load(*map(reordered, EVENTS[::-1]))

    things = (JOBS, DATASETS, list(RUNS.values()))
    before = every_response(live, *things)
    assert differences(before, every_response(replayed, *things)) == []
    replayed.load(*EVENTS)
    assert differences(before, every_response(replayed, *things)) == []
    # Each route has found something.
    reached = {path for (path, *_), (status, _) in before.items() if status == 200}
    assert [route.path for route in ROUTES if not any(is_of(route, path) for path in reached)] == []


def is_of(route, path):
    return re.fullmatch(re.sub("<[a-z_]+>", "[^/]+", route.path), path)


def load(served, statements):
    events = [statement for statement in statements if isinstance(statement, Event)]
    served._log.enlist(
        raw_event for raw_event in (RawEvent(event, asdict(event)) for event in events) if raw_event.is_run_event
    )
    apply_statements(statements, served.table)


@examples(12)
@given(st.data())
def test_statements_in_any_order_give_the_same_bytes(data):
    statements = data.draw(strategies.streams())
    live, replayed = GraphApi(), GraphApi()
    for batch in data.draw(strategies.arrivals(statements)):
        load(live, batch)
    load(replayed, statements)

    things = (strategies.JOBS, strategies.DATASETS, strategies.RUNS)
    assert differences(every_response(live, *things), every_response(replayed, *things)) == []

"""The client's events against the whole stack: what it says was taken is in the graph and in the list of events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from local_stack.stack import LocalStack
from spark_client import DeliveryCounts, LineageClient
from tests.builders_events import a_facet, a_run_event


@pytest.fixture
def namespace(request: pytest.FixtureRequest) -> str:
    """A namespace of each test's own."""
    return str(request.node.name)


def get_json(stack: LocalStack, path: str, **query: str) -> Mapping[str, Any]:
    """Return a route's response, once everything that was sent is loaded."""
    stack.drain()
    with urlopen(f"{stack.api_url}/api/v1/{path}?{urlencode(query)}") as response:
        body: Mapping[str, Any] = json.load(response)
    return body


def an_event(namespace: str, job: str, **changes: object) -> dict[str, Any]:
    """A run's end, which reads and writes datasets of the test's own."""
    names = {side: [{"namespace": namespace, "name": f"{job}-{side}"}] for side in ("inputs", "outputs")}
    return a_run_event(run=f"{namespace}-{job}", job=job, namespace=namespace, **{**names, **changes})  # type: ignore[no-any-return]


def test_an_event_is_in_the_graph(local_stack: LocalStack, lineage: LineageClient, namespace: str) -> None:
    with lineage:
        assert lineage.emit(an_event(namespace, "read"))

    graph = get_json(local_stack, "lineage", nodeId=f"job:{namespace}:read")["graph"]
    assert [node["id"] for node in graph] == [
        f"dataset:{namespace}:read-inputs",
        f"dataset:{namespace}:read-outputs",
        f"job:{namespace}:read",
    ]


def test_events_too_large_for_a_message_and_many_arrive(
    local_stack: LocalStack, lineage: LineageClient, namespace: str
) -> None:
    plan = {"plan": a_facet("Plan", plan="x" * 1_200_000)}
    events = [an_event(namespace, f"job-{number:02}", run_facets=plan if number < 2 else {}) for number in range(40)]

    assert lineage.emit_many(iter(events)) == DeliveryCounts(40, 0)
    jobs = get_json(local_stack, f"namespaces/{namespace}/jobs", limit="100")["jobs"]
    assert [job["name"] for job in jobs] == [f"job-{number:02}" for number in range(40)]

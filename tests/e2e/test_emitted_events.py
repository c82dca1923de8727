"""The client's events against the whole stack: what it says was taken is in the graph and in the list of events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from openlineage.client.event_v2 import Job, JobEvent, OutputDataset

from local_stack.stack import LocalStack
from spark_client import DeliveryCounts, LineageClient, Refused
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


def test_an_event_of_openlineages_client_is_in_the_graph(
    local_stack: LocalStack, lineage: LineageClient, namespace: str
) -> None:
    outputs = [OutputDataset(namespace, "raw")]
    event = JobEvent(eventTime="2025-11-20T12:00:00Z", producer="https://x.y", job=Job(namespace, "j"), outputs=outputs)

    assert lineage.emit(event)
    graph = get_json(local_stack, "lineage", nodeId=f"dataset:{namespace}:raw")["graph"]
    assert [node["id"] for node in graph] == [f"dataset:{namespace}:raw", f"job:{namespace}:j"]


def test_events_too_large_for_a_message_and_many_arrive(
    local_stack: LocalStack, lineage: LineageClient, namespace: str
) -> None:
    plan = {"plan": a_facet("Plan", plan="x" * 1_200_000)}
    events = [an_event(namespace, f"job-{number:02}", run_facets=plan if number < 2 else {}) for number in range(40)]

    assert lineage.emit_many(iter(events)) == DeliveryCounts(40, 0)
    jobs = get_json(local_stack, f"namespaces/{namespace}/jobs", limit="100")["jobs"]
    assert [job["name"] for job in jobs] == [f"job-{number:02}" for number in range(40)]


def test_a_bad_event_is_refused_and_the_others_of_its_batch_arrive(
    local_stack: LocalStack, lineage: LineageClient, namespace: str
) -> None:
    with pytest.raises(Refused, match=r": eventTime: is required"):
        lineage.emit({"job": {"namespace": namespace, "name": "bad"}})
    with pytest.raises(Refused, match=r": job\.name: must not be blank"):
        lineage.emit_many([an_event(namespace, " "), an_event(namespace, "good")])

    assert (lineage.sent, lineage.failed) == (1, 2)
    jobs = get_json(local_stack, f"namespaces/{namespace}/jobs")["jobs"]
    assert [job["name"] for job in jobs] == ["good"]

"""Transports for openlineage-python against the whole stack: what its own client sent is in the graph."""

from __future__ import annotations

import json
import uuid
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState

from local_stack.stack import LocalStack

TRANSPORTS = {
    "SqsTransport": ("queueUrl", "EventsQueueUrl"),
    "LambdaTransport": ("function", "InputFunctionName"),
}


@pytest.fixture(params=TRANSPORTS)
def transport(request: pytest.FixtureRequest, local_stack: LocalStack, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a producer's configuration: the class by its path, and the stack's output."""
    for name, value in local_stack.environment.items():
        monkeypatch.setenv(name, value)
    option, output = TRANSPORTS[request.param]
    return {"type": f"spark_client.openlineage.{request.param}", option: local_stack.outputs[output]}


def test_a_run_of_any_producer_is_in_the_graph(
    local_stack: LocalStack, transport: Any, request: pytest.FixtureRequest
) -> None:
    namespace = request.node.name
    client = OpenLineageClient(config={"transport": transport})
    client.emit(
        RunEvent(
            eventTime="2025-11-20T12:00:00Z",
            eventType=RunState.COMPLETE,
            run=Run(str(uuid.uuid5(uuid.NAMESPACE_URL, namespace))),
            job=Job(namespace, "check"),
            inputs=[InputDataset(namespace, "raw")],
            outputs=[OutputDataset(namespace, "checked")],
            producer="https://github.com/flights/emissions",
        )
    )
    client.close()
    local_stack.drain()

    with urlopen(f"{local_stack.api_url}/api/v1/lineage?{urlencode({'nodeId': f'job:{namespace}:check'})}") as response:
        graph = json.load(response)["graph"]
    assert [node["id"] for node in graph] == [
        f"dataset:{namespace}:checked",
        f"dataset:{namespace}:raw",
        f"job:{namespace}:check",
    ]

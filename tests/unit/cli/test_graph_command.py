"""`headwater graph` against a service with given responses, over HTTP."""

from __future__ import annotations

import json
import sys

import pytest

from headwater.api.marquez.graph_views import render_graph
from headwater.cli.main import main
from headwater.queries.results.graphs import Graph
from tests.builders_found import CHECK, CHECKED, RAW, a_found_dataset, a_found_job
from tests.terminals import without_control

GRAPH = Graph(
    (a_found_job(), a_found_dataset(id=RAW), a_found_dataset()),
    ((RAW.node_id, CHECK.node_id), (CHECK.node_id, CHECKED.node_id)),
)
RESPONSE = json.dumps(render_graph(GRAPH)).encode()


@pytest.fixture(autouse=True)
def _return_the_graph(service):
    service.body = RESPONSE


def test_the_graph_of_a_node_is_printed(service, capsys):
    assert main(["graph", CHECK.node_id, "--depth", "1", "--url", f"{service.url}/"]) == 0

    assert service.requested == [("/api/v1/lineage", {"nodeId": [CHECK.node_id], "depth": ["1"]}, None)]
    assert capsys.readouterr().out.splitlines() == [
        "raw  dataset:s3://flights:raw",
        "  emissions.check  COMPLETED in 1 h 0 min  job:emissions:emissions.check",
        "    checked  dataset:s3://flights:checked",
        "",
        f"explorer: {service.url}/explore/map?node=job%3Aemissions%3Aemissions.check",
    ]


def test_the_url_and_the_bearer_token_come_from_the_environment(service, monkeypatch):
    monkeypatch.setenv("HEADWATER_URL", service.url)
    monkeypatch.setenv("HEADWATER_TOKEN", "secret")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")  # is not requested what is on this machine

    assert main(["graph", "dataset:s3://a b:c&d=e#1"]) == 0
    assert service.requested == [
        ("/api/v1/lineage", {"nodeId": ["dataset:s3://a b:c&d=e#1"], "depth": ["20"]}, "Bearer secret")
    ]


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        pytest.param(
            404, b'{"code":404,"message":"Node \'job:a:b\' not found."}', "Node 'job:a:b' not found.", id="404"
        ),
        pytest.param(400, b'{"errors":["query param depth must be 0 or more"]}', "depth must be 0 or more", id="400"),
        pytest.param(
            403, b'{"message":"Missing Authentication Token"}', "HTTP 403: Missing Authentication Token", id="gateway"
        ),
        pytest.param(502, b"<html>", "HTTP 502: Bad Gateway", id="a proxy's page"),
        pytest.param(502, b"[]", "HTTP 502: Bad Gateway", id="a list"),
        pytest.param(200, b"<html>", "Expecting value", id="no JSON"),
        pytest.param(200, b'{"status":"ok"}', "not a response about lineage", id="another service"),
    ],
)
def test_what_the_service_says_instead_of_a_graph_is_shown(service, status, body, message, capsys):
    service.status, service.body = status, body

    assert main(["graph", "job:a:b", "--url", service.url]) == 1

    shown = capsys.readouterr().err
    assert shown.startswith("headwater graph: ")
    assert message in shown


def test_output_is_a_tree_on_a_terminal_folded_at_its_width(service, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")

    assert main(["graph", CHECK.node_id, "--url", service.url]) == 0

    *lines, link = without_control(capsys.readouterr().out).splitlines()
    assert lines[2].startswith("└── emissions.check")
    assert max(map(len, lines)) <= 40
    assert link.endswith("emissions.check")  # a link is printed whole

"""The demo's prints beside a column's path: its records, by the links of responses, and CDAP's query."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rich.console import Console, RenderableType

from headwater.cli.column_graph import GraphColumn, GraphDataset
from headwater.cli.demo.column_story import drill_down, fetch_paths
from headwater.cli.service import NoResponse
from tests.unit.cli.responding import Service

ESTIMATED = GraphDataset("file", "/demo/estimated")
ORIGINS = "/api/v1/column-lineage/origins"
CO2 = GraphColumn(ESTIMATED.id_of("co2_kg"), ESTIMATED, "co2_kg", "double", {"origins": f"{ORIGINS}?nodeId=co2"})
RUN = {"id": "r1", "state": "COMPLETED", "job": {"namespace": "emissions", "name": "emissions.estimate"}}
PATHS = "/v3/namespaces/file/datasets/%2Fdemo%2Festimated/fields/co2_kg/lineage"


def a_root(day: int) -> dict[str, str]:
    return {"rootId": f"flights-{day}", "href": f"/api/v1/records/roots/flights-{day}"}


def a_response(*roots: dict[str, str], run: Any = RUN) -> bytes:
    return json.dumps({"versions": [{"version": "v1", "run": run, "links": {}, "roots": roots}]}).encode()


def printed(part: RenderableType) -> list[str]:
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(part, highlight=False)
    return [line.rstrip() for line in capture.get().splitlines()]


def test_the_way_down_follows_the_links_from_the_column_to_its_run_and_the_records_of_a_root(service: Service) -> None:
    service.bodies = {
        ORIGINS: a_response(*map(a_root, range(1, 8))),
        "/api/v1/records/roots/flights-1": json.dumps(
            {
                "records": [
                    {"node_id": "UA1545", "action_taken": "CHECKED", "run_id": "r0"},
                    {"node_id": "UA1545-co2", "action_taken": "ESTIMATED", "run_id": "r1"},
                ]
            }
        ).encode(),
    }

    tree = drill_down(service.url, CO2)

    assert service.requested == [
        (ORIGINS, {"nodeId": ["co2"]}, None),
        ("/api/v1/records/roots/flights-1", {}, None),
    ]
    assert printed(tree) == [
        "co2_kg of estimated",
        "/api/v1/column-lineage/origins?nodeId=co2",
        "└── run r1 of emissions.estimate, COMPLETED",
        "    ├── flights-1",
        "    │   /api/v1/records/roots/flights-1",
        "    │   └── ESTIMATED UA1545-co2",
        "    ├── flights-2",
        "    │   /api/v1/records/roots/flights-2",
        "    └── and 5 more roots",
    ]


def test_a_version_without_a_run_and_without_roots_ends_the_way(service: Service) -> None:
    service.bodies = {ORIGINS: a_response(run=None)}

    assert printed(drill_down(service.url, CO2))[2:] == ["└── no run"]


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"versions": []}', b'{"versions": [{"run": {}, "roots": [{}]}]}'])
def test_another_response_has_no_way_down(service: Service, body: bytes) -> None:
    service.body = body

    with pytest.raises(NoResponse, match="not a response about origins"):
        drill_down(service.url, CO2)


def test_a_column_without_a_link_has_no_way_down(service: Service) -> None:
    with pytest.raises(NoResponse, match="no link to its origins"):
        drill_down(service.url, GraphColumn(CO2.id, ESTIMATED, "co2_kg"))


def test_a_fields_paths_are_shown_with_the_line_that_requests_them(service: Service) -> None:
    operations = [
        {"name": "read flights", "description": None, "inputs": ["source"], "outputs": ["seats", "distance"]},
        {"name": "multiply", "description": None, "inputs": ["seats", "distance"], "outputs": ["co2_kg"]},
    ]
    service.body = json.dumps({"fieldName": "co2_kg", "paths": [{"operations": operations, "runs": ["r1"]}]}).encode()

    paths, command = fetch_paths(service.url, ESTIMATED, "co2_kg")

    assert service.requested == [(PATHS, {"start": ["now-1h"], "end": ["now"]}, None)]
    assert command == f"curl -s '{service.url}{PATHS}?start=now-1h&end=now'"
    assert printed(paths) == [
        "an operation path of 1 run",
        "  read flights  source -> seats, distance",
        "  multiply      seats, distance -> co2_kg",
    ]


def test_a_field_that_nobody_made_has_no_paths(service: Service) -> None:
    service.body = b'{"fieldName": "co2_kg", "paths": []}'

    paths, _ = fetch_paths(service.url, ESTIMATED, "co2_kg")

    assert printed(paths) == ["no run made it in this time range"]

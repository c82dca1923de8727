"""`headwater column` against a service with given responses, over HTTP."""

from __future__ import annotations

import json

from headwater.cli.column_graph import parse_columns
from headwater.cli.main import main
from headwater.cli.service import columns_link
from headwater.cli.text.mermaid import render_columns
from tests.unit.cli.column_responses import CO2, RESPONSE


def test_a_columns_way_is_printed_up_and_down(service, capsys, monkeypatch):
    monkeypatch.setenv("HEADWATER_TOKEN", "secret")
    service.body = json.dumps(RESPONSE).encode()

    assert main(["column", CO2, "--depth", "3", "--down", "--url", service.url]) == 0

    requested = {"nodeId": [CO2], "depth": ["3"], "withDownstream": ["true"]}
    assert service.requested == [("/api/v1/column-lineage", requested, "Bearer secret")]
    lines = capsys.readouterr().out.splitlines()
    assert [line.strip() for line in lines if not line.startswith((" ", "│", "├", "└"))] == [
        "upstream",
        "co2_kg of estimated  double",
        "all of checked",
        "downstream",
        "co2_kg of estimated  double",
        "",
        f"explorer: {columns_link(service.url, CO2)}",
    ]


def test_a_columns_way_is_written_as_a_flowchart(service, tmp_path, capsys):
    service.body = json.dumps(RESPONSE).encode()
    file = tmp_path / "new" / "co2.mmd"

    assert main(["column", CO2, "--url", service.url, "--mermaid", str(file)]) == 0
    assert "upstream" in capsys.readouterr().out
    assert main(["column", CO2, "--url", service.url, "--mermaid", "-"]) == 0

    flowchart = render_columns(parse_columns(RESPONSE), CO2)
    assert flowchart.startswith("flowchart LR\n")
    assert file.read_text(encoding="utf-8") == capsys.readouterr().out == flowchart


def test_without_more_being_requested_only_the_way_up_is(service, capsys):
    service.body = json.dumps(RESPONSE).encode()

    assert main(["column", CO2, "--url", service.url]) == 0

    assert service.requested == [("/api/v1/column-lineage", {"nodeId": [CO2], "depth": ["20"]}, None)]
    assert "downstream" not in capsys.readouterr().out

"""`headwater export`: what is exported makes the same graph again, and other programs read the other formats."""

import io
import json
import re

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.cli.main import main
from headwater.facts.apply import apply_statements
from headwater.features.export.graphs import render_dot, render_graphml
from headwater.features.export.reading import Reading, Scope
from tests.examples import examples
from tests.features.export.exporting import (
    column_edges,
    exported,
    imported,
    nodes_and_edges,
    without_explicit_lineage,
)
from tests.features.serving import getter, served
from tests.unit.api.graph_api import GraphApi
from tests.unit.facts.strategies import linked_streams, streams
from tests.unit.queries.columns import strategies as columns
from tests.unit.queries.every_query import as_parsed

COMMON = {"producer": "https://example.com/etl", "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json"}
LAKE = "s3://flights"
CHECK, ESTIMATE = "job:emissions:check", "job:emissions:estimate"


def a_job(name, inputs=(), outputs=(), **column):
    """Return a JobEvent; `column` is the sources of a column of each output."""
    fields = {
        column_name: {"inputFields": [{"namespace": LAKE, "name": "raw", "field": source_field}]}
        for column_name, source_field in column.items()
    }
    facets = {"columnLineage": {"fields": fields}} if fields else {}
    sides = {
        "inputs": [{"namespace": LAKE, "name": dataset_name} for dataset_name in inputs],
        "outputs": [{"namespace": LAKE, "name": dataset_name, "facets": facets} for dataset_name in outputs],
    }
    return {**COMMON, "eventTime": "2026-03-25T10:00:00Z", "job": {"namespace": "emissions", "name": name}, **sides}


@pytest.fixture
def api():
    """A pipeline of two jobs, and a dataset that no job names, in another namespace."""
    api = GraphApi()
    alone = {"namespace": "db", "name": 'a "quoted" <name> \\ &amp; it\'s\u202e$1'}
    described = {**COMMON, "eventTime": "2026-03-25T10:00:00Z", "dataset": alone}
    api.load(a_job("check", ["raw"], ["checked"], km="miles"), a_job("estimate", ["checked"], ["estimated"]), described)
    return api


@pytest.fixture
def url(api):
    """The address of the API, over HTTP."""
    with served(api) as url:
        yield url


@examples(80)
@given(st.one_of(linked_streams(), streams(), columns.streams().map(without_explicit_lineage)))
def test_an_export_makes_the_same_graph_and_column_edges_in_an_empty_service(statements):
    api = GraphApi()
    apply_statements(list(map(as_parsed, statements)), api.table)
    lines = exported(api)
    again = imported(lines)
    assert nodes_and_edges(again) == nodes_and_edges(api)
    assert column_edges(again) == column_edges(api)
    assert exported(again) == exported(imported(lines[::-1]))


def test_a_source_of_columns_that_a_job_no_longer_reads_is_no_input_after_an_import():
    api = GraphApi()
    later = {**a_job("check", ["landing"], ["checked"]), "eventTime": "2026-03-25T11:00:00Z"}
    api.load(a_job("check", ["raw"], ["checked"], km="miles"), later)

    lines = exported(api)
    assert [event["eventTime"] for event in map(json.loads, lines) if "job" in event] == [
        "2026-03-25T11:00:00Z",
        "2026-03-25T11:00:00.000001Z",
    ]
    again = imported(lines)
    assert nodes_and_edges(again) == nodes_and_edges(api)
    assert column_edges(again) == column_edges(api)


def test_an_export_has_columns_schemas_and_datasets_that_no_job_names(api):
    events = list(map(json.loads, exported(api)))
    assert [(event.get("job") or event["dataset"])["name"] for event in events[:2]] == ["check", "estimate"]
    (output,) = events[0]["outputs"]
    assert output["facets"]["columnLineage"]["fields"] == {
        "km": {"inputFields": [{"namespace": LAKE, "name": "raw", "field": "miles"}]}
    }
    assert [event["dataset"]["namespace"] for event in events[2:]] == ["db", LAKE, LAKE, LAKE]
    assert {event["eventTime"] for event in events} == {"2026-03-25T10:00:00Z"}


@pytest.mark.parametrize(
    ("scope", "jobs", "datasets"),
    [
        (Scope(namespace="emissions"), ["check", "estimate"], ["checked", "estimated", "raw"]),
        (Scope(namespace=LAKE), [], ["checked", "estimated", "raw"]),
        (Scope(f"dataset:{LAKE}:checked", direction="up"), ["check"], ["checked", "raw"]),
        (Scope(f"dataset:{LAKE}:checked", direction="down"), ["estimate"], ["checked", "estimated"]),
        (Scope(f"dataset:{LAKE}:raw", depth=0), ["check"], ["checked", "raw"]),
    ],
)
def test_an_export_keeps_to_its_scope(scope, jobs, datasets, api):
    events = list(map(json.loads, exported(api, scope)))
    assert [event["job"]["name"] for event in events if "job" in event] == jobs
    assert sorted(event["dataset"]["name"] for event in events if "dataset" in event) == datasets


def right_graph(api):
    """Return ids and edges as the API has them, of all that the fixture has."""
    graph = api.graph(CHECK)["graph"]
    edges = {(edge["origin"], edge["destination"]) for node in graph for edge in node["inEdges"]}
    return {node["id"] for node in graph}, edges


def test_networkx_reads_the_graphml_with_its_attributes(api):
    reading = Reading(getter(api), columns=False)
    text = "".join(render_graphml(reading.parts(Scope()), reading.cuts))
    graph = networkx.read_graphml(io.BytesIO(text.encode()))
    nodes, edges = right_graph(api)
    assert set(graph.edges) == edges
    assert {*graph.nodes} - nodes == {'dataset:db:a "quoted" <name> \\ &amp; it\'s\N{REPLACEMENT CHARACTER}$1'}
    assert graph.nodes[CHECK] == {"type": "JOB", "namespace": "emissions", "name": "check"}


def test_each_line_of_the_dot_is_a_node_or_an_edge_between_quoted_ids(api):
    reading = Reading(getter(api), columns=False)
    text = "".join(render_dot(reading.parts(Scope()), ["too \x1b much"]))
    nodes, edges = right_graph(api)
    quoted = r'"((?:[^"\\]|\\.)*)"'
    assert set(re.findall(rf"^  {quoted} -> {quoted};$", text, re.MULTILINE)) == edges
    shown = set(re.findall(rf"^  {quoted} \[label={quoted}.*\];$", text, re.MULTILINE))
    assert {node_id for node_id, _ in shown} - nodes == {
        'dataset:db:a \\"quoted\\" <name> \\\\ &amp; it\'s\N{REPLACEMENT CHARACTER}$1'
    }
    assert len(text.splitlines()) == len(nodes) + 1 + len(edges) + 5
    assert "  // cut: too \N{REPLACEMENT CHARACTER} much" in text


@pytest.mark.parametrize("form", ["openlineage", "graphml", "mermaid", "dot"])
def test_a_file_is_written_whole_and_is_what_is_printed(form, url, tmp_path, capsys):
    file = tmp_path / "new" / "lineage"
    assert main(["export", "--url", url, "--format", form, "--output", str(file)]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["export", "--url", url, "--format", form]) == 0
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == (file.read_text(encoding="utf-8"), "")
    assert printed.out.count("estimated") >= 1
    assert [path.name for path in file.parent.iterdir()] == ["lineage"]


def test_what_was_cut_is_on_standard_error_and_in_the_exit_code(service, capsys):
    node = {"id": CHECK, "type": "JOB", "inEdges": [], "outEdges": [], "data": {"namespace": "emissions"}}
    node["data"] |= {"name": "check", "latestRun": None}
    service.body = json.dumps({"graph": [node], "truncated": True}).encode()
    assert main(["export", CHECK, "--url", service.url, "--format", "dot"]) == 1
    printed = capsys.readouterr()
    assert printed.err == f"! the graph around {CHECK} is more than a response holds: the nearest nodes are here\n"
    assert "  // cut: the graph around" in printed.out


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"graph": [{}], "truncated": false}'])
def test_a_response_of_another_form_leaves_no_file(body, service, tmp_path, capsys):
    service.body = body
    file = tmp_path / "lineage.jsonl"
    assert main(["export", CHECK, "--url", service.url, "--output", str(file)]) == 1
    assert capsys.readouterr().err.startswith("headwater export: not a response about lineage: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("items", ["jobs", "namespaces"])
def test_a_list_that_the_service_did_not_read_whole_is_a_cut(items):
    def get(path, query):
        listed = path.rpartition("/")[2]
        return {listed: [], "totalCount": 0, "truncated": listed == items}

    reading = Reading(get, columns=True)
    assert list(reading.parts(Scope())) == []
    assert reading.cuts == [f"the service did not read all {items} for /api/v1/{items}"]

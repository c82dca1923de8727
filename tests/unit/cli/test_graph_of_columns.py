"""Columns as text: each with all that it is made of, and how."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rich.console import Console

from headwater.api.marquez.columns import render_columns
from headwater.cli.column_graph import ColumnEdge, GraphDataset, parse_columns
from headwater.cli.service import NoResponse
from headwater.cli.text.trees import trees_of
from headwater.queries.results import columns as found_columns
from headwater.queries.results.columns import ColumnInput, ColumnNode, Reporter
from headwater_model.columns import Transformation
from headwater_model.ids import RunKey
from tests.builders_found import CHECK, CHECKED, CHECKED_VERSION, RAW, RUN
from tests.unit.cli.column_responses import (
    CO2,
    FILTER,
    IDENTITY,
    RESPONSE,
    STORE,
    a_column,
    a_source,
    id_of,
)

GRAPH = parse_columns(RESPONSE)


def a_response(*columns, truncated=False):
    return {"graph": list(columns), "truncated": truncated}


def printed(graph, node_id, *, down=False):
    console = Console(width=120, color_system=None)
    with console.capture() as capture:
        console.print(trees_of(graph, node_id, down=down), highlight=False)
    return [line.rstrip() for line in capture.get().splitlines()]


# -- the answer of the API


def test_the_response_of_the_api_is_read_as_columns_and_what_each_is_made_of():
    node = ColumnNode(
        CHECKED,
        ("day",),
        type="date",
        inputs=(ColumnInput(RAW, ("year",), (Transformation("DIRECT", "IDENTITY"),)),),
        dependencies=(ColumnInput(RAW, None),),
        reporters=(Reporter(RunKey.of(CHECK, RUN), CHECK, CHECKED_VERSION),),
    )

    response = orjson.dumps(render_columns(found_columns.ColumnGraph((node,), truncated=True)))
    graph = parse_columns(orjson.loads(response))

    raw, checked = GraphDataset(RAW.namespace, RAW.name), GraphDataset(CHECKED.namespace, CHECKED.name)
    day, year = checked.id_of("day"), raw.id_of("year")
    assert {column_id: (column.dataset, column.name, column.type) for column_id, column in graph.columns.items()} == {
        RAW.node_id: (raw, None, None),
        CHECKED.node_id: (checked, None, None),
        day: (checked, "day", "date"),
        year: (raw, "year", None),
    }
    assert graph.edges == (ColumnEdge(RAW.node_id, CHECKED.node_id), ColumnEdge(year, day, ("identity",)))
    assert graph.truncated
    assert (graph.columns[day].links["run"] or "").endswith(f"/{RUN}")


@pytest.mark.parametrize(
    ("transformation", "message", "indirect", "masked"),
    [
        pytest.param({"type": "DIRECT", "subtype": "IDENTITY"}, "identity", False, False, id="a copy"),
        pytest.param(
            {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "parse, concat"},
            "parse, concat",
            False,
            False,
            id="operations",
        ),
        pytest.param(
            {"type": "DIRECT", "subtype": "AGGREGATION", "description": "sum"},
            "aggregation: sum",
            False,
            False,
            id="an aggregation that tells what it does",
        ),
        pytest.param({"type": "INDIRECT", "subtype": "GROUP_BY"}, "group by", True, False, id="indirect"),
        pytest.param(
            {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "hash", "masking": True},
            "hash (masked)",
            False,
            True,
            id="masked",
        ),
        pytest.param({"type": "DIRECT", "subtype": None, "description": None}, "direct", False, False, id="no more"),
    ],
)
def test_a_transformation_is_shown_in_a_few_words(transformation, message, indirect, masked):
    source = a_source("landing", "a", transformations=[transformation])

    (way,) = parse_columns(a_response(a_column("checked", "b", source))).edges

    assert (way.label, way.indirect, way.masked) == (message, indirect, masked)


@pytest.mark.parametrize(
    "response",
    [
        None,
        [],
        {},
        {"graph": None},
        {"graph": [{}]},
        {"graph": [{"id": "a", "data": {"namespace": "s", "field": "f"}}]},
    ],
)
def test_another_response_is_no_response_about_columns(response):
    with pytest.raises(NoResponse, match="not a response about columns"):
        parse_columns(response)


# -- text


def test_a_column_prints_with_what_it_is_made_of_and_what_it_goes_into():
    assert printed(GRAPH, CO2, down=True) == [
        "upstream",
        "co2_kg of estimated  double",
        "├── distance of checked  estimate fuel, estimate CO2  int",
        "│   └── distance of landing  identity  int",
        "└── seats of planes  find seats, estimate fuel, estimate CO2",
        "all of checked",
        "├── air_time of landing  filter  int",
        "└── dep_time of landing  filter  int",
        "downstream",
        "co2_kg of estimated  double",
        "└── co2_kg of totals  aggregation: sum  double",
    ]


@pytest.mark.parametrize(
    "node_id", [f"dataset_field:{STORE}:totals:co2_kg", f"dataset:{STORE}:totals", "job:emissions:emissions.total"]
)
def test_a_field_in_the_other_spelling_a_dataset_and_a_job_begin_with_their_columns(node_id):
    assert printed(GRAPH, node_id)[1:3] == [
        "co2_kg of totals  double",
        "└── co2_kg of estimated  aggregation: sum  double",
    ]


@st.composite
def responses(draw):
    """Columns of three datasets, made of each other in any way; those of one dataset depend on the same."""
    names = st.tuples(st.sampled_from("xyz"), st.sampled_from("abc"))
    sources = st.lists(names.map(lambda column: a_source(*column, IDENTITY)), max_size=3)
    whole = {name: draw(st.lists(names.map(lambda column: a_source(*column, FILTER)), max_size=2)) for name in "xyz"}
    nodes = draw(st.lists(names, min_size=1, unique=True))
    return a_response(*(a_column(*column, *draw(sources), datasetDependencies=whole[column[0]]) for column in nodes))


@given(responses(), st.sampled_from("xyz"))
def test_any_dataset_shows_each_of_its_columns_and_each_dependency_once(response, name):
    assume(any(node["data"]["dataset"] == name for node in response["graph"]))
    lines = [line.lstrip("│├└─ ") for line in printed(parse_columns(response), f"dataset:{STORE}:{name}")]

    in_full = [" ".join(line.split()[:3]) for line in lines if not line.endswith(("shown above", "shown below"))]
    for node in (node["data"] for node in response["graph"] if node["data"]["dataset"] == name):
        assert in_full.count(f"{node['field']} of {name}") == 1
        assert in_full.count(f"all of {name}") == bool(node["datasetDependencies"])
    assert len(in_full) == len(set(in_full))


def test_a_column_that_is_made_of_itself_is_a_tree_with_an_end():
    balance = a_source("accounts", "balance", ("DIRECT", "TRANSFORMATION", "add"))
    graph = parse_columns(a_response(a_column("accounts", "balance", balance), truncated=True))

    assert printed(graph, id_of("accounts", "balance")) == [
        "upstream",
        "balance of accounts  double",
        "└── balance of accounts  add  shown above",
        "the response does not hold all columns",
    ]


def test_names_that_would_move_the_cursor_are_made_harmless():
    graph = parse_columns(a_response(a_column("up\x1b[2J", "b\x1b[2J", type="\x00")))

    assert printed(graph, "job:a:b")[1:] == ["b�[2J of up�[2J  �"]

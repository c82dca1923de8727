"""Structs and the fields inside them, by example: what is reported of one is found by the other."""

import pytest

from headwater.queries.results.columns import TimeRange
from tests.unit.facts.statements import a_dataset_event, an_event, at
from tests.unit.queries.columns.column_statements import (
    CALCULATE,
    CHECK,
    CHECKED,
    ESTIMATED,
    LANDING,
    RAW,
    READ,
    a_schema,
    column_lineage,
    taken,
)
from tests.unit.queries.columns.every_column_query import queries_of
from tests.unit.queries.columns.short_results import dotted, field, inputs, nodes, sources, the_node, version_of

WINDOW = TimeRange(at(0), at(9))
PLANES = a_schema(("plane", "struct", [("tail", "struct", [("code", "string")]), ("seats", "int")]))


def a_run(second, run, job, source, target, **columns):
    """A run that made columns of a dataset of columns of another: `{"plane.tail": ["tail"]}`."""
    sources_by_name = {name: [taken(source, path) for path in paths] for name, paths in columns.items()}
    return an_event(second, run, job, inputs=[source], outputs=[(target, column_lineage(**sources_by_name))])


BUILT = [
    a_run(1, "a1", READ, LANDING, RAW, **{"plane.tail": ["tail"], "plane.seats": ["seats"]}),
    a_run(2, "b1", CHECK, RAW, CHECKED, plane=["plane"]),
]
TAKEN_APART = [
    a_run(1, "a1", READ, LANDING, RAW, plane=["plane"]),
    a_run(2, "b1", CHECK, RAW, CHECKED, tail=["plane.tail"]),
]


def flows(queries, dataset, path):
    return [
        dotted(flow.column.dataset, flow.column.field)
        for flow in queries.report_usage(dataset, tuple(path.split(".")), WINDOW).flows
    ]


def true_sources(queries, dataset, path):
    report = queries.report_provenance(dataset, tuple(path.split(".")), WINDOW)
    return [dotted(source.column.dataset, source.column.field) for source in report.sources]


def test_a_struct_that_was_built_of_fields_comes_from_what_these_are_made_of(queries_over):
    queries = queries_over(BUILT)
    graph = queries.find_columns(field(CHECKED, "plane"), depth=9)
    assert nodes(graph) == ["checked.plane", "raw.plane", "landing.seats", "landing.tail"]
    assert inputs(queries, RAW, "plane") == ["landing.seats", "landing.tail"]
    assert true_sources(queries, CHECKED, "plane") == ["landing.seats", "landing.tail"]


def test_what_a_field_went_into_is_followed_through_the_struct_that_it_was_put_in(queries_over):
    queries = queries_over(BUILT)
    graph = queries.find_columns(field(LANDING, "tail"), depth=9, downstream=True)
    assert nodes(graph) == ["landing.tail", "raw.plane.tail", "checked.plane"]
    assert [sources(node.outputs) for node in graph.columns] == [["raw.plane.tail"], ["checked.plane"], []]
    assert flows(queries, LANDING, "tail") == ["raw.plane.tail", "checked.plane"]


def test_a_field_that_was_taken_out_of_a_struct_comes_from_what_the_struct_is_made_of(queries_over):
    queries = queries_over(TAKEN_APART)
    graph = queries.find_columns(field(CHECKED, "tail"), depth=9)
    assert nodes(graph) == ["checked.tail", "raw.plane.tail", "landing.plane"]
    assert true_sources(queries, CHECKED, "tail") == ["landing.plane"]


def test_what_a_struct_went_into_is_followed_into_what_was_taken_out_of_it(queries_over):
    queries = queries_over(TAKEN_APART)
    graph = queries.find_columns(field(LANDING, "plane"), depth=9, downstream=True)
    assert nodes(graph) == ["landing.plane", "raw.plane", "checked.tail"]
    assert flows(queries, LANDING, "plane") == ["raw.plane", "checked.tail"]


BOTH = [a_run(1, "a1", READ, LANDING, RAW, **{"plane": ["whole"], "plane.tail": ["tail"]})]


@pytest.mark.parametrize(
    ("events", "dataset", "path", "expected"),
    [
        pytest.param(BUILT, RAW, "plane.tail", ["landing.tail"], id="a field finds itself, not the fields beside it"),
        pytest.param(BUILT[1:], CHECKED, "plane.tail", ["raw.plane"], id="a field finds the struct around it"),
        pytest.param(BOTH, RAW, "plane", ["landing.whole"], id="a struct finds itself, not the fields inside it"),
        pytest.param(BOTH, RAW, "plane.tail", ["landing.tail"], id="a field finds itself, not the struct around it"),
        pytest.param(BOTH, RAW, "plane.tail.code", ["landing.tail"], id="a field finds the nearest struct around it"),
        pytest.param(BOTH, RAW, "plane.seats", ["landing.whole"], id="a field finds a struct with other fields inside"),
        pytest.param(
            [*BUILT, a_run(3, "c1", CALCULATE, ESTIMATED, RAW, plane=["plane"])],
            RAW,
            "plane",
            ["estimated.plane", "landing.seats", "landing.tail"],
            id="what one run reports of a struct hides nothing that another reports of its fields",
        ),
    ],
)
def test_a_path_finds_itself_else_the_fields_inside_it_else_the_nearest_struct(
    queries_over, events, dataset, path, expected
):
    queries = queries_over([*events, a_dataset_event(4, dataset, **PLANES)])
    last = version_of(queries, dataset, path, at(9))
    assert inputs(queries, dataset, path) == expected
    assert true_sources(queries, dataset, path) == expected
    assert set(inputs(queries, dataset, path, version=last)) <= set(expected) != set()


@pytest.mark.parametrize("used", ["plane", "plane.tail", "plane.tail.code"])
def test_a_source_is_followed_into_what_was_made_of_it_of_a_field_inside_or_of_a_struct_around(queries_over, used):
    queries = queries_over([a_run(1, "a1", READ, LANDING, RAW, out=[used]), a_dataset_event(2, LANDING, **PLANES)])
    assert sources(the_node(queries, LANDING, "plane.tail", downstream=True).outputs) == ["raw.out"]
    assert flows(queries, LANDING, "plane.tail") == ["raw.out"]
    (use,) = queries.report_usage(LANDING, ("plane", "tail"), WINDOW).uses
    assert (use.kind, [dotted(field.dataset, field.field) for field in use.fields]) == ("READ", ["raw.out"])


def test_fields_beside_each_other_are_strangers(queries_over):
    queries = queries_over([*BUILT[:1], a_run(2, "b1", CHECK, RAW, CHECKED, n=["plane.seats"])])
    graph = queries.find_columns(field(LANDING, "tail"), depth=9, downstream=True)
    assert nodes(graph) == ["landing.tail", "raw.plane.tail"]
    assert flows(queries, LANDING, "tail") == ["raw.plane.tail"]


def test_a_struct_of_which_only_fields_are_known_is_a_column(queries_over):
    queries = queries_over(BUILT[:1])
    assert inputs(queries, RAW, "plane") == ["landing.seats", "landing.tail"]
    assert queries.find_columns(field(RAW, "plan"), depth=0) is None
    assert queries.find_columns(field(RAW, "plane.tail.code"), depth=0) is None


def test_a_version_of_a_struct_was_made_of_what_its_fields_were_made_of(queries_over):
    queries = queries_over(BUILT)
    version = version_of(queries, CHECKED, "plane", at(9))
    graph = queries.find_columns(field(CHECKED, "plane"), depth=9, version=version)
    assert [dotted(node.dataset, node.field) for node in graph.columns][:2] == ["checked.plane", "raw.plane"]
    assert sources(graph.columns[1].inputs) == ["landing.seats", "landing.tail"]


def test_operations_of_a_struct_are_those_of_its_fields():
    queries = queries_of(BUILT)
    detail = queries.find_detail(RAW, ("plane",), WINDOW, "up")
    assert sorted(node.source.name for node in detail.nodes if node.source) == ["landing", "landing"]
    (path,) = queries.find_paths(RAW, ("plane",), WINDOW).items
    assert [dotted(edge.source, edge.field) for edge in path.edges] == ["landing.seats", "landing.tail"]
    taken_apart = queries_of(TAKEN_APART)
    down = taken_apart.find_detail(RAW, ("plane",), WINDOW, "down")
    assert [node.destination.name for node in down.nodes if node.destination] == ["checked"]


def test_what_a_run_reports_of_a_struct_itself_hides_what_it_reports_of_the_fields_whatever_others_report(queries_over):
    """Of the first run `plane` is found itself, of the second the field inside it; at the versions as now."""
    queries = queries_over(
        [
            a_run(1, "a1", READ, LANDING, RAW, **{"plane": ["plane"], "plane.seats": ["seats"]}),
            a_run(2, "b1", CHECK, CHECKED, RAW, **{"plane.seats": ["rows"]}),
        ]
    )
    assert inputs(queries, RAW, "plane") == ["checked.rows", "landing.plane"]
    assert inputs(queries, RAW, "plane.seats") == ["checked.rows", "landing.seats"]
    assert true_sources(queries, RAW, "plane") == ["checked.rows", "landing.plane"]
    assert true_sources(queries, RAW, "plane.seats") == ["checked.rows", "landing.seats"]


@pytest.mark.parametrize(
    ("own", "listed"),
    [
        ([], ["made_up", "plane", "plane.crew", "plane.tail"]),
        ([an_event(1, "a1", READ, outputs=[(RAW, PLANES)])], ["plane", "plane.tail"]),
        ([a_dataset_event(1, RAW, **PLANES)], ["plane", "plane.tail"]),
        ([a_run(1, "a1", READ, LANDING, RAW, plane=["plane"])], ["plane", "plane.crew", "plane.tail"]),
        ([a_run(1, "a1", READ, LANDING, RAW, day=["day"])], ["day"]),
    ],
)
def test_a_reader_lists_no_field_of_a_dataset_that_its_writers_and_declarations_do_not_know(queries_over, own, listed):
    queries = queries_over(
        [*own, a_run(2, "b1", CHECK, RAW, CHECKED, a=["made_up", "plane", "plane.tail", "plane.crew"])]
    )
    fields = [item.field for item in queries.list_fields(RAW, WINDOW, current=False).items]
    assert [".".join(path) for path in fields] == listed
    assert list(queries.summarize_dataset(RAW, WINDOW, "down").fields) == fields

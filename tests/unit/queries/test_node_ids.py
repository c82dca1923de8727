import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import DatasetUse, Event
from headwater.facts.apply import apply_statements
from headwater.facts.visibility import Visibility
from headwater.queries.graphs.node_ids import FieldNode, Node, field_candidates, find_node, nodes_named
from headwater.queries.view import GraphView
from headwater_model.errors import Invalid
from headwater_model.field_paths import parse_dotted
from headwater_model.ids import DatasetId, JobId
from tests.examples import examples
from tests.fakes.memory_table import MemoryTable

VERSION = "27b12297-0463-32be-bc26-b463467b981c"


def a_table(*ids):
    """A table in which an event mentioned these datasets and jobs."""
    table = MemoryTable()
    for number, node in enumerate(ids):
        common = {"time": f"2025-11-20T12:00:00.00000{number}Z", "hash": f"{number:064}"}
        if isinstance(node, DatasetId):
            apply_statements([Event(kind="DATASET", dataset=DatasetUse(node), **common)], table)
        else:
            apply_statements([Event(kind="JOB", job=node, **common)], table)
    return table


@pytest.mark.parametrize(
    "node",
    [
        DatasetId("food_delivery", "public.delivery_7_days"),
        DatasetId("s3://bucket", "/path/a"),
        DatasetId("s3://bucket", "2024/x"),
        DatasetId("postgres://host:5432", "db.public.t"),
        DatasetId("postgresql://hostname:5432/database", "my_table"),
        DatasetId("my-namespace", "my_struct<a:bigint,b:string>"),
        DatasetId("jdbc:h2:mem:x", "T"),
        DatasetId("arn:aws:glue:eu-west-1:111122223333", "table/sales/orders"),
        DatasetId("kafka://broker:9092", "topic#1"),
        JobId("ns", "123"),
        JobId("trino://t:1337", "20240430_x"),
        JobId("ns", "a:b:c"),
    ],
    ids=lambda node: node.node_id,
)
def test_every_id_that_was_mentioned_is_found_by_its_node_id_with_a_version_or_without(node):
    table = a_table(DatasetId("other", "d"), node)

    assert find_node(node.node_id, GraphView(table)) == Node(node)
    assert find_node(f"{node.node_id}#{VERSION}", GraphView(table)) == Node(node, VERSION)


# Names of colons and little else: most ids read in several ways.
NAMES = st.text("ab:", min_size=1, max_size=4)
IDS = st.one_of(st.builds(DatasetId, NAMES, NAMES), st.builds(JobId, NAMES, NAMES))


@examples(200)
@given(things=st.sets(IDS, min_size=1, max_size=6), namespaces=st.sets(NAMES, min_size=1, max_size=3))
def test_what_others_call_their_things_changes_nothing_that_an_id_finds_for_who_does_not_see_them(things, namespaces):
    visibility = Visibility(namespaces.__contains__)
    alone = a_table(*(thing for thing in sorted(things, key=str) if visibility.sees(thing)))
    among = a_table(*sorted(things, key=str))
    for thing in things:
        for text in (thing.node_id, f"{thing.node_id}#{VERSION}", f"datasetField:{thing.namespace}:{thing.name}:a:b"):
            views = [GraphView(table, caller=visibility) for table in (among, alone)]
            assert list(nodes_named(text, views[0])) == list(nodes_named(text, views[1]))
        if visibility.sees(thing):
            assert find_node(thing.node_id, GraphView(among, caller=visibility)) is not None


@pytest.mark.parametrize(
    "text", ["", "dataset", "dataset:", "dataset:ns", "dataset::x", "run:1", "Dataset:ns:x", "x:y:z"]
)
def test_what_is_no_node_id_is_refused_by_name(text):
    with pytest.raises(Invalid, match="nodeId: must be dataset:<namespace>:<name> or job:<namespace>:<name>"):
        find_node(text, GraphView(a_table()))


@pytest.mark.parametrize(
    ("dataset", "field", "path"),
    [
        (DatasetId("food_delivery", "public.delivery_7_days"), "a", ("a",)),
        (DatasetId("s3://bucket", "/path/a"), "col", ("col",)),
        (DatasetId("s3://bucket", "2024/x"), "employees.name", ("employees", "name")),
        (DatasetId("postgres://host:5432", "db.public.t"), "1st", ("1st",)),
        (DatasetId("jdbc:h2:mem:x", "T"), "`a.b`.c", ("a.b", "c")),
        (DatasetId("arn:aws:glue:eu-west-1:111122223333", "table/sales/orders"), "a:b", ("a:b",)),
        (DatasetId("ns", "my_struct<a:bigint>"), "col", ("col",)),
        (DatasetId("ns", "my_struct<a:bigint,b:string>"), "x<y:int>", ("x<y:int>",)),
        (DatasetId("ns", "struct<" + ",".join(f"f{n}:int" for n in range(60)) + ">"), "col", ("col",)),
        (DatasetId("kafka://broker:9092", "topic#1"), "#1", ("#1",)),
    ],
    ids=lambda value: value.name[:40] if isinstance(value, DatasetId) else "",
)
@pytest.mark.parametrize("kind", ["datasetField", "dataset_field"])
def test_a_field_of_a_dataset_that_was_mentioned_is_found_with_a_version_or_without(kind, dataset, field, path):
    table = a_table(DatasetId("other", "d"), dataset)
    text = f"{kind}:{dataset.namespace}:{dataset.name}:{field}"

    assert list(field_candidates(text, GraphView(table))) == [FieldNode(dataset, path)]
    versioned = [FieldNode(dataset, path, VERSION), FieldNode(dataset, parse_dotted(f"{field}#{VERSION}"))]
    assert list(field_candidates(f"{text}#{VERSION}", GraphView(table))) == versioned


def test_of_several_fields_of_one_id_marquez_reading_comes_first_and_then_the_shortest_namespace():
    datasets = [DatasetId("pg", "//h:5432"), DatasetId("pg://h", "5432"), DatasetId("pg://h:5432", "t")]
    table = a_table(*datasets, DatasetId("pg://h:5432", "t:a"))

    assert list(field_candidates("datasetField:pg://h:5432:t:a:b", GraphView(table))) == [
        FieldNode(DatasetId("pg://h:5432", "t"), ("a:b",)),
        FieldNode(DatasetId("pg", "//h:5432"), ("t:a:b",)),
        FieldNode(DatasetId("pg://h", "5432"), ("t:a:b",)),
        FieldNode(DatasetId("pg://h:5432", "t:a"), ("b",)),
    ]


def test_the_datasets_of_a_fields_id_are_looked_up_in_one_round_and_its_folds_in_another():
    table = a_table(DatasetId("ns", "d"))
    table.calls.clear()

    candidates = iter(field_candidates("datasetField:ns:d:a", GraphView(table)))
    assert next(candidates) == FieldNode(DatasetId("ns", "d"), ("a",))
    assert dict(table.calls) == {"get": 1}
    assert list(candidates) == []
    assert dict(table.calls) == {"get": 2}


def test_a_fields_id_of_no_known_dataset_costs_a_round_more_for_the_rules_of_names():
    table = a_table(DatasetId("ns", "d"))
    table.calls.clear()

    assert list(field_candidates("datasetField:nowhere:d:a", GraphView(table))) == []
    assert dict(table.calls) == {"get": 2}


@pytest.mark.parametrize(
    "text", ["", "datasetField", "datasetField:ns:d", "datasetField:ns::a", "dataset_field:ns:d:", "dataset:ns:d:a"]
)
def test_what_is_no_field_id_is_refused_by_name(text):
    with pytest.raises(Invalid, match="nodeId: must be datasetField:<namespace>:<name>:<field>"):
        field_candidates(text, GraphView(a_table()))

"""Names that rules join after their events were loaded: the graph is that of events loaded with the rules."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.field_folds import FieldFold
from headwater.events.name_rules import read_rules
from headwater.events.naming import NamingRules
from headwater.features.names.similar_names import Similar, SimilarDatasets, similar_datasets
from headwater.loading.renamings import join_names, known_datasets, renamed_datasets
from headwater.queries.service import LineageQueries
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId
from tests.examples import examples
from tests.unit.facts.statements import A, B, a_dataset_event, a_deletion, an_event
from tests.unit.facts.strategies import DATASETS, JOBS, arrivals, explicit_runs, stamped
from tests.unit.queries.every_query import loaded

OLD, NEW, BESIDE = DATASETS[0], DATASETS[1], DatasetId("s3://lake", "new")


def rules(*pairs):
    forms = [
        {"namespace": old.namespace, "name": old.name, "as": {"namespace": new.namespace, "name": new.name}}
        for old, new in pairs
    ]
    return NamingRules(names=read_rules({"rules": forms}))


def with_rules(event, naming):
    def named(uses):
        by_name = {naming.dataset(use.dataset.namespace, use.dataset.name): use for use in uses}
        return tuple(replace(use, dataset=dataset) for dataset, use in by_name.items())

    return stamped(replace(event, inputs=named(event.inputs), outputs=named(event.outputs), job_facets={}))


def join(table, naming):
    return sum(join_names(renamed_datasets(known_datasets(table), naming), table))


def edges(table):
    queries = LineageQueries(table)
    graphs = [queries.find_graph(job.node_id, depth=0) for job in JOBS]
    return [set(graph.edges) if graph else None for graph in graphs]


@examples(100)
@given(st.data(), st.sampled_from((NEW, BESIDE)))
def test_names_that_are_joined_later_have_the_graph_of_events_that_were_loaded_with_the_rules(data, new):
    events = [replace(event, job_facets={}) for event in data.draw(explicit_runs())]
    naming = rules((OLD, new))
    table = loaded(*data.draw(arrivals(events)))
    join(table, naming)

    assert edges(table) == edges(loaded([with_rules(event, naming) for event in events]))


def test_joining_twice_changes_nothing():
    table, naming = loaded([an_event(1, "b1", A, outputs=[OLD])]), rules((OLD, NEW))
    assert join(table, naming) == 1
    before = deepcopy(table.dynamo.partitions)
    assert join(table, naming) == 1
    assert table.dynamo.partitions == before


def test_a_dataset_that_was_deleted_stays_so():
    events = [an_event(1, "b1", A, outputs=[OLD]), a_deletion(5, OLD)]
    table = loaded(events)
    join(table, rules((OLD, BESIDE)))

    assert LineageQueries(table).list_datasets(None, limit=9, offset=0).items == []


def test_the_joined_dataset_is_found_by_its_old_name_and_listed_by_its_new():
    table = loaded([an_event(1, "b1", A, outputs=[OLD]), an_event(2, "b2", B, inputs=[OLD])])
    join(table, rules((OLD, BESIDE)))
    queries = LineageQueries(table)

    assert [dataset.id for dataset in queries.list_datasets(None, limit=9, offset=0).items] == [BESIDE]
    assert queries.find_dataset(OLD).id == BESIDE
    assert {job.id for job in queries.find_graph(BESIDE.node_id, depth=1).jobs} == {A, B}


def schema(*columns):
    return {"schema": {"fields": [{"name": column} for column in columns]}}


def test_two_spellings_of_one_name_are_likely_the_same_whatever_their_columns_are():
    names = [
        DatasetId("s3://lake", name) for name in ("flights/legs", "flights/le\u200bgs", "flights/ＬＥＧＳ", "legs")
    ]
    table = loaded([a_dataset_event(1, name, **schema(str(place), "a")) for place, name in enumerate(names)])

    assert similar_datasets(GraphView(table)).groups == [SimilarDatasets(tuple(sorted(names[:3])), 1)]


def test_datasets_with_the_same_last_part_and_columns_are_likely_the_same():
    lake, hive = DatasetId("s3://lake", "flights/legs"), DatasetId("hive://m:9083", "flights.Legs")
    other, narrow, bare = (DatasetId("s3://lake", name) for name in ("trains/legs", "flights/old/legs", "b/legs"))
    table = loaded(
        [
            a_dataset_event(1, lake, **schema("a", "B")),
            a_dataset_event(1, hive, **schema("b", "a")),
            a_dataset_event(1, narrow, **schema("a")),
            a_dataset_event(1, other, **schema("a", "b", "c")),
            a_dataset_event(1, bare),
        ]
    )
    groups = [SimilarDatasets((hive, lake), 2, FieldFold(case="lower"))]
    assert similar_datasets(GraphView(table)) == Similar(groups, truncated=False)
    assert similar_datasets(GraphView(table), datasets_max=1) == Similar([], truncated=True)

    join(table, rules((hive, lake)))
    assert similar_datasets(GraphView(table)).groups == []


@pytest.mark.parametrize(
    ("columns", "fold"),
    [
        (['"nav"', '"co2"'], FieldFold(quotes=True)),
        (["NAV", "co2"], FieldFold(case="lower")),
        (['"NAV"', "[co2]"], FieldFold(quotes=True, case="lower")),
        (["co2", "nav"], None),
    ],
)
def test_columns_in_other_spellings_are_likely_the_same_by_a_fold_and_the_plain_name_comes_first(columns, fold):
    quoted, plain = (DatasetId("snowflake://acc", name) for name in ('"DB"."SC"."POS"', "DB.SC.POS"))
    table = loaded([a_dataset_event(1, quoted, **schema(*columns)), a_dataset_event(1, plain, **schema("nav", "co2"))])
    assert similar_datasets(GraphView(table)).groups == [SimilarDatasets((plain, quoted), 2, fold)]

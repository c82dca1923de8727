"""Names that rules join after their events were loaded: the graph is that of events loaded with the rules."""

from copy import deepcopy
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from headwater.events.name_rules import read_rules
from headwater.events.naming import NamingRules
from headwater.loading.renamings import join_names, known_datasets, renamed_datasets
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId
from tests.examples import examples
from tests.unit.facts.statements import A, B, a_deletion, an_event
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

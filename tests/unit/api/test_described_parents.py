"""Jobs that send nothing themselves, described by the runs that they start (parent facet 1-2-0)."""

import pytest

from headwater_model.errors import Invalid
from tests.builders_events import a_run_event
from tests.unit.api.graph_api import GraphApi, at

TAGS = {"_producer": "https://dbt", "tags": [{"key": "gold", "value": "true"}]}
OWNERS = {"_producer": "https://dbt", "owners": [{"name": "team:flights", "type": "OWNER"}]}
DAG = {"namespace": "airflow", "name": "nightly"}


def a_child(of_root=False, **facets):
    run = {"runId": "01941f29-7c00-7ea7-b5a3-0000000000aa"}
    described = {"run": run, "job": {**DAG, "facets": facets}}
    parent = {"run": run, "job": {"namespace": "airflow", "name": "task"}, "root": described} if of_root else described
    return a_run_event(run_facets={"parent": parent})


def described(api):
    job = api.found(f"/namespaces{at('airflow')}/jobs{at('nightly')}")
    hits = [hit["name"] for hit in api.found("/search", q="tag:gold")["results"]]
    return job["tags"], [owner["name"] for owner in job["owners"]], job["description"], hits


@pytest.mark.parametrize("of_root", [False, True])
def test_a_parent_that_sends_nothing_has_the_tags_owners_and_description_of_its_childs_facet(of_root):
    api = GraphApi(a_child(of_root, tags=TAGS, ownership=OWNERS, documentation={"description": "each night"}))
    assert described(api) == (["gold"], ["team:flights"], "each night", ["nightly"])


def test_what_a_parent_sends_itself_outweighs_what_its_children_forward_of_it():
    own = a_run_event(job="nightly", namespace="airflow", job_facets={"tags": {"tags": [{"key": "silver"}]}})
    for events in ([own, a_child(tags=TAGS, ownership=OWNERS)], [a_child(tags=TAGS, ownership=OWNERS), own]):
        api = GraphApi(*events)
        assert described(api) == (["silver"], ["team:flights"], None, [])


def test_a_forwarded_facet_of_another_shape_is_refused():
    with pytest.raises(Invalid, match=r"parent\.job\.facets\.tags\.tags"):
        GraphApi().load(a_child(tags={"tags": "gold"}))

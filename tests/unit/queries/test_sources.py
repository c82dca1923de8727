"""Sources of datasets: what the API describes and namespaces report, each by itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId
from tests.examples import examples
from tests.runs_model import Model
from tests.runs_model.results import rendered
from tests.unit.facts.statements import A, X, Y, an_event, at
from tests.unit.facts.strategies import arrivals, descriptions, sources
from tests.unit.queries.every_query import loaded


@examples(200)
@given(st.data())
def test_every_source_is_the_models(data):
    pieces = st.lists(st.one_of(sources(), descriptions.map(lambda description: [description])), min_size=1, max_size=3)
    statements = [statement for piece in data.draw(pieces) for statement in piece]
    queries, model = LineageQueries(loaded(*data.draw(arrivals(statements)))), Model(statements)
    assert rendered(queries.list_sources(limit=100, offset=0)) == rendered(model.list_sources())
    for name in ("lake", "warehouse", "default"):
        assert rendered(queries.find_source(name)) == rendered(model.find_source(name))


@pytest.mark.parametrize(("first", "url"), [(0, "s3://b"), (4, "s3://evil")])
def test_a_facet_changes_the_url_in_its_own_namespace_alone(queries_over, first, url):
    """The source has the URLs of the namespace that reported a URL first."""

    def lake(*url):
        return {"dataSource": dict(zip(("name", "uri"), ("lake", *url), strict=False))}

    other = DatasetId("s3://other", "X")
    reports = [
        (X, lake("s3://a")),
        (Y, lake("s3://b")),
        (other, lake("s3://a")),
        (X, lake()),
        (other, lake("s3://evil")),
    ]
    events = [an_event(second, f"a{second}", A, outputs=[report]) for second, report in enumerate(reports)]
    queries = queries_over(events[first:] + [an_event(9, "a9", A, outputs=[(X, lake("s3://c"))])] * bool(first))
    source = queries.find_source("lake")
    updated = at(1) if first == 0 else at(4)
    assert (source.url, source.created, source.updated) == (url, at(first), updated)

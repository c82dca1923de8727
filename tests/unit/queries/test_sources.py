"""Sources of datasets: what all namespaces report of one, as if one namespace had."""

from __future__ import annotations

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


def test_a_namespace_that_reports_what_another_reported_before_changes_nothing(queries_over):
    def lake(*url):
        return {"dataSource": dict(zip(("name", "uri"), ("lake", *url), strict=False))}

    other = DatasetId("s3://other", "X")
    reports = [(X, lake("s3://a")), (Y, lake("s3://b")), (other, lake("s3://a")), (X, lake())]
    queries = queries_over(
        [an_event(second, f"a{second}", A, outputs=[report]) for second, report in enumerate(reports)]
    )
    source = queries.find_source("lake")
    assert (source.url, source.created, source.updated) == ("s3://b", at(0), at(1))

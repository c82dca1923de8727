"""The readers of each column of a dataset: those of its columns' reports of impact, in a single walk."""

import pytest
from hypothesis import given

from headwater.features.insights.column_readers import report_column_readers
from headwater.queries.results.entities import Job
from headwater_model.columns import Column
from headwater_model.errors import Invalid
from tests.examples import examples
from tests.unit.facts.statements import A, an_event
from tests.unit.queries.columns.every_column_query import DATASETS, queries_of
from tests.unit.queries.columns.strategies import streams


@examples(100)
@given(streams())
def test_the_readers_of_a_column_are_those_of_its_impact(statements):
    queries = queries_of(statements)
    for dataset in DATASETS:
        readers = report_column_readers(dataset.node_id, queries.view())
        for of in readers.columns if readers else ():
            column = Column(readers.dataset, of.path)
            impact = queries.report_column_impact(column.node_id, depth=0)
            jobs = {node.node.id for node in impact.nodes if isinstance(node.node, Job) and node.certain}
            assert (of.derived - {column}, of.jobs) == ({reached.column for reached in impact.columns}, jobs)


def test_a_job_has_no_columns():
    with pytest.raises(Invalid, match="must name a dataset"):
        report_column_readers("job:emissions:A", queries_of([an_event(1, "a1", A)]).view())

"""The report on coverage: columns, datasets, or nothing of each job, as the model has them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.facts.visibility import Visibility
from headwater.features.insights import coverage as query
from headwater.features.insights.coverage import report_coverage
from tests.examples import examples
from tests.features.insights.right_coverage import coverage
from tests.fields_model import FieldModel
from tests.unit.facts.strategies import JOBS, TIMES
from tests.unit.queries.columns.every_column_query import queries_of
from tests.unit.queries.columns.strategies import streams

NAMESPACES = sorted({job.namespace for job in JOBS})


@examples(200)
@given(streams(), st.sampled_from((TIMES[0], TIMES[2], TIMES[-1])))
def test_the_coverage_of_every_job_is_the_models(statements, since):
    queries = queries_of(statements)
    report = report_coverage(None, queries.view(), since=since)
    assert [{**job, "producer": None} for job in report.jobs] == coverage(FieldModel(statements).world, since)
    assert not report.truncated
    for namespace in NAMESPACES:
        of_namespace = report_coverage(namespace, queries.view(), since=since)
        assert list(of_namespace.jobs) == [job for job in report.jobs if job["namespace"] == namespace]


@examples(20)
@given(streams())
def test_a_report_is_cut_before_it_reads_and_shows_a_caller_no_other_namespace(statements):
    queries = queries_of(statements)
    jobs = report_coverage(None, queries.view(), since="").jobs
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(query, "JOBS_MAX", 1)
        cut = report_coverage(None, queries.view(), since="")
    assert (cut.truncated, cut.jobs) == (len(jobs) > 1, jobs[:1])
    seen = queries.seen_by(Visibility(lambda name: name == NAMESPACES[0], [NAMESPACES[0]]))
    mine = report_coverage(None, seen.view(), since="")
    assert mine.jobs == [job for job in jobs if job["namespace"] == NAMESPACES[0]]

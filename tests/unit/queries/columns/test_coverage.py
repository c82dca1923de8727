"""The report on coverage: columns, datasets, or nothing of each job, as the model has them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.facts.visibility import Visibility
from headwater.queries.lists import statistics as query
from tests.examples import examples
from tests.fields_model import FieldModel
from tests.fields_model.coverage import coverage
from tests.unit.facts.strategies import JOBS, TIMES
from tests.unit.queries.columns.every_column_query import queries_of
from tests.unit.queries.columns.strategies import streams

NAMESPACES = sorted({job.namespace for job in JOBS})


@examples(200)
@given(streams(), st.sampled_from((TIMES[0], TIMES[2], TIMES[-1])))
def test_the_coverage_of_every_job_is_the_models(statements, since):
    queries = queries_of(statements)
    report = queries.report_coverage(None, since=since)
    assert [replace(job, producer=None) for job in report.jobs] == coverage(FieldModel(statements).world, since)
    assert not report.truncated
    for namespace in NAMESPACES:
        of_namespace = queries.report_coverage(namespace, since=since)
        assert list(of_namespace.jobs) == [job for job in report.jobs if job.job.namespace == namespace]


@examples(20)
@given(streams())
def test_a_report_is_cut_before_it_reads_and_shows_a_caller_no_other_namespace(statements):
    queries = queries_of(statements)
    jobs = queries.report_coverage(None, since="").jobs
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(query, "JOBS_MAX", 1)
        cut = queries.report_coverage(None, since="")
    assert (cut.truncated, [job.job for job in cut.jobs]) == (len(jobs) > 1, [job.job for job in jobs[:1]])
    mine = queries.seen_by(Visibility(lambda name: name == NAMESPACES[0], [NAMESPACES[0]])).report_coverage(
        None, since=""
    )
    assert [job.job for job in mine.jobs] == [job.job for job in jobs if job.job.namespace == NAMESPACES[0]]

"""Durations of jobs against the usual: which jobs got slower."""

from headwater.features.insights.durations import report_durations
from headwater.queries.service import LineageQueries
from tests.builders_events import a_run_event
from tests.unit.api.document_examples import example
from tests.unit.api.graph_api import GraphApi
from tests.unit.facts.statements import A, B, C, an_event
from tests.unit.queries.every_query import loaded

PAGE = {"namespace": None, "owner": None, "limit": 10, "offset": 0}


def runs_of(job, *took):
    """Return runs of a job, one after another, each of so many seconds."""
    start, events = 0, []
    for number, seconds in enumerate(took):
        run = f"{job.name.lower()}{number}"
        events += [an_event(start, run, job, type="START"), an_event(start + seconds, run, job)]
        start += seconds + 1
    return events


def reported(statements, **page):
    report = report_durations(LineageQueries(loaded(statements)).view(), **{**PAGE, **page})
    jobs = [(of["nodeId"][-1], of["lastMs"], of["usualMs"], of["againstUsual"]) for of in report["jobs"]]
    return jobs, report["totalCount"], report["truncated"]


def test_the_job_that_grew_most_comes_first_and_a_job_with_few_runs_has_no_usual():
    events = [*runs_of(A, 4, 2, 4, 6), *runs_of(B, 3, 3, 3, 3, 2), *runs_of(C, 1, 1, 9)]
    assert reported(events) == ([("A", 6_000, 4_000, 0.5), ("B", 2_000, 3_000, -0.333)], 2, False)
    assert reported(events, limit=1, offset=1)[0] == [("B", 2_000, 3_000, -0.333)]
    assert reported(events, namespace="else") == ([], 0, False)


def test_the_example_is_the_report_of_a_job_that_took_half_as_long_again():
    api = GraphApi()
    for number, seconds in enumerate((60, 60, 60, 90)):
        ends = f"2025-11-20T1{number}:0{seconds // 60}:{seconds % 60:02}Z"
        for kind, time in (("START", f"2025-11-20T1{number}:00:00Z"), ("COMPLETE", ends)):
            api.load(
                a_run_event(
                    job="emissions.estimate",
                    run=f"01941f29-7c00-7ea7-b5a3-0000000000f{number}",
                    eventType=kind,
                    eventTime=time,
                )
            )
    assert api.found("/reports/durations") == example("DurationReport")

"""Lists by time and in short, searches by relevance, events of one run: each against what it is a form of."""

from dataclasses import replace
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from headwater.events.api_changes import parse_change
from headwater.events.naming import NamingRules
from headwater.facts.apply import apply_statements
from headwater.loading.event_log import EventLog, RawEvent
from headwater.queries.lists.name_search import rank_of
from headwater.queries.service import LineageQueries
from headwater_model.ids import JobId, RunKey, normalize_run_id
from tests.builders_events import a_run_event
from tests.examples import examples
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.statements import A, B, C, X, Y, Z, a_job_event, an_event, at
from tests.unit.facts.strategies import DATASETS, JOBS, TIMES, streams
from tests.unit.queries.every_query import loaded

PAGE = {"limit": 100, "offset": 0}
NAMESPACES = sorted({node.namespace for node in (*JOBS, *DATASETS)})


def lists_of(queries, **of_jobs):
    """The lists of datasets and of jobs, of all namespaces and of each."""
    lists = (queries.list_datasets, partial(queries.list_jobs, **of_jobs))
    return [partial(each, name) for each in lists for name in (None, *NAMESPACES)]


@examples(80)
@given(streams(), st.sampled_from((None, "COMPLETED", "FAILED")), st.integers(0, 3), st.integers(0, 3))
def test_a_list_by_time_has_what_the_list_by_name_has_the_last_updated_first(statements, state, limit, offset):
    queries = LineageQueries(loaded(statements))
    page = {"sort": "updated_at", "limit": limit, "offset": offset}
    for listed in lists_of(queries, states=(state,) if state else ()):
        by_name, by_time = listed(**PAGE), listed(**page)
        last_first = sorted(by_name.items, key=lambda item: item.updated, reverse=True)
        assert list(by_time.items) == last_first[offset : offset + limit]
        assert (by_time.total, by_time.truncated) == (by_name.total, by_name.truncated)


@examples(80)
@given(streams(), st.sampled_from(TIMES), st.sampled_from(("name", "updated_at")), st.integers(0, 2))
def test_a_list_of_what_is_not_touched_since_a_time_has_what_all_have_without_the_rest(statements, time, sort, offset):
    queries = LineageQueries(loaded(statements))
    for listed in lists_of(queries):
        right = [thing for thing in listed(sort=sort, **PAGE).items if thing.updated < time]
        page = listed(sort=sort, updated_before=time, limit=2, offset=offset)
        assert (list(page.items), page.total) == (right[offset : offset + 2], len(right))


@examples(80)
@given(streams())
def test_a_list_in_short_has_the_same_things_with_less_of_each(statements):
    queries = LineageQueries(loaded(statements))
    for namespace in NAMESPACES:
        datasets, short = (queries.list_datasets(namespace, in_short=in_short, **PAGE) for in_short in (False, True))
        assert [lessened(dataset) for dataset in short.items] == [lessened(dataset) for dataset in datasets.items]
        jobs, short = (queries.list_jobs(namespace, in_short=in_short, **PAGE) for in_short in (False, True))
        assert [replace(job, **job_less()) for job in short.items] == [replace(job, **job_less()) for job in jobs.items]
    for job in JOBS:
        runs, short = (queries.list_runs(job, in_short=in_short, **PAGE) for in_short in (False, True))
        if runs is not None:
            assert list(map(state_of, short.items)) == list(map(state_of, runs.items))


def lessened(dataset):
    return replace(dataset, facets={}, current_version=None, last_modified=None, times=None)


def job_less():
    # A job in short names its datasets as the job did.
    datasets = {"inputs": (), "outputs": (), "flows": None}
    return {**datasets, "facets": {}, "current_version": None, "lineage_unknown": False, "latest_runs": ()}


def state_of(run):
    return run.id, run.state, run.created, run.updated, run.started, run.ended, run.nominal_start, run.nominal_end


@examples(80)
@given(streams(), st.sampled_from(("e", "check", "LANDING", "s", "flights")))
def test_a_search_by_relevance_has_what_the_search_by_name_has_the_best_first(statements, text):
    queries = LineageQueries(loaded(statements))
    by_name, by_relevance = (queries.search(text, kind=None, sort=sort, limit=100) for sort in ("name", "relevance"))
    assert list(by_relevance.items) == sorted(by_name.items, key=lambda hit: rank_of(hit.id.name, text))
    assert by_relevance.total == by_name.total


_RUN_IDS = ("01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c", "A run of my own", "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2d")
_RUN_JOBS = (JobId("jobs", "j"), JobId("jobs", "i"), JobId("others", "j"))
_events = st.lists(st.tuples(st.sampled_from(_RUN_IDS), st.sampled_from(_RUN_JOBS), st.integers(0, 5)), max_size=12)


@examples(80)
@given(_events, st.sampled_from((None, 2)), st.sampled_from((None, 4)), st.booleans(), st.integers(0, 4))
def test_the_events_of_a_run_are_those_of_all_events_that_are_its_own(sent, after, before, newest_first, limit):
    documents = [
        {
            **a_run_event(run=run, eventTime=f"2025-11-20T12:00:0{second}Z"),
            "job": {"namespace": job.namespace, "name": job.name},
        }
        for run, job, second in sent
    ]
    log = a_log(documents)
    bounds = {"after": time_of(after), "before": time_of(before), "newest_first": newest_first}
    events = log.list_events(**bounds, limit=100).items
    for run in _RUN_IDS:
        key = RunKey.of(_RUN_JOBS[0], normalize_run_id(run))
        own = [event for event in events if event["run"]["runId"] == run and job_of(event) == _RUN_JOBS[0]]
        listed = log.list_run_events(key, **bounds, limit=limit, offset=1)
        assert (listed.items, listed.total, listed.truncated) == (own[1 : limit + 1], len(own), False)


def job_of(event):
    return JobId(event["job"]["namespace"], event["job"]["name"])


def time_of(second):
    return None if second is None else f"2025-11-20T12:00:0{second}.000000Z"


def a_log(documents):
    table = MemoryTable()
    log = EventLog(table, None, "archive")
    changes = [parse_change(document, NamingRules(trim_partitions=False)) for document in documents]
    log.enlist(map(RawEvent, changes, documents))
    if changes:
        apply_statements(changes, table)
    return log


def test_a_short_list_of_datasets_has_their_last_good_write_and_their_last_read():
    events = [
        an_event(1, "a1", A, outputs=[X, Y]),
        an_event(3, "b1", B, type="START", inputs=[X]),
        an_event(4, "b1", B, inputs=[X], outputs=[Z]),
        an_event(6, "a2", A, type="FAIL", outputs=[X]),
        a_job_event(9, C, inputs=[Y, Z]),
    ]
    queries = LineageQueries(loaded(events))
    times = {dataset.id: dataset.times for dataset in queries.list_datasets(None, in_short=True, **PAGE).items}
    assert times == {X: (at(1), at(3)), Y: (at(1), None), Z: (at(4), None)}

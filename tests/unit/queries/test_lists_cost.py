"""The cost of lists and searches: the same for a hundred jobs as for sixteen hundred, in requests, rows and rounds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headwater.events.event import DatasetUse, Event
from headwater.facts.apply import apply_statements
from headwater.facts.catalogue import CHANGES_MAX, NAMES, PARTITIONS, read_catalogue
from headwater.facts.words import ROWS_MAX
from headwater.queries.lists import listings
from headwater.queries.lists.name_search import MATCHES_MAX
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId, JobId
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.strategies import TIMES, stamped

NAMESPACES = 5
SIZES = (100, 400, 1_600)
MIDDLE = 37
QUERIES = {
    "jobs of all namespaces": lambda queries: queries.list_jobs(None, limit=10, offset=0),
    "a later page": lambda queries: queries.list_jobs(None, limit=10, offset=MIDDLE),
    "jobs of a namespace": lambda queries: queries.list_jobs("team-1", limit=10, offset=0),
    "datasets of a namespace": lambda queries: queries.list_datasets("s3://lake-1", limit=10, offset=0),
    "namespaces": lambda queries: queries.list_namespaces(limit=10, offset=0),
    "search in all": lambda queries: queries.search("0", kind=None, sort="name", limit=10),
    "search in a namespace": lambda queries: queries.search(
        "JOB", kind="job", sort="name", limit=10, namespace="team-1"
    ),
    "search for a needle": lambda queries: queries.search(f"job-{MIDDLE:04}", kind=None, sort="updated_at", limit=10),
}


def a_run(number, job=None):
    """A run with an output of its own; without `job`, of a job of its own, too."""
    team = (number if job is None else job) % NAMESPACES
    event = Event(
        kind="RUN",
        time=TIMES[0],
        hash="",
        type="COMPLETE",
        run=f"00000000-0000-4000-8000-{number:012}",
        job=JobId(f"team-{team}", f"job-{number if job is None else job:04}"),
        outputs=(DatasetUse(DatasetId(f"s3://lake-{team}", f"d-{number:04}")),),
    )
    return stamped(event)


class Counted:
    """A table of so many jobs, and the cost of queries there."""

    def __init__(self, jobs):
        self.table = MemoryTable()
        for start in range(0, jobs, 50):
            apply_statements([a_run(number) for number in range(start, start + 50)], self.table)

    def measure(self, query):
        """Measure (result, requests, rounds, rows) in a process with the catalogue in memory."""
        LineageQueries(self.table).list_jobs(None, limit=1, offset=0)
        return self.measure_alone(query)

    def measure_alone(self, query):
        """Measure (result, requests, rounds, rows)."""
        self.table.dynamo.calls = calls = Calls()
        self.table.calls.clear()
        result = query(LineageQueries(self.table))
        return result, sum(calls.requests.values()), self.table.rounds, calls.items


def test_jobs_in_a_common_state_are_of_the_last_changed_jobs_and_the_list_says_if_there_are_more(monkeypatch):
    monkeypatch.setattr(listings, "STATE_JOBS_MAX", 3)
    table = Counted(0)
    good = [replace(a_run(number), time=minute(number)) for number in range(9)]
    apply_statements(
        [stamped(event) for event in (*good, replace(a_run(20, job=2), time=minute(9), type="START"))], table.table
    )
    running, completed = (
        LineageQueries(table.table).list_jobs(None, states=(state,), limit=10, offset=0)
        for state in ("RUNNING", "COMPLETED")
    )

    assert [job.id.name for job in running.items] == ["job-0002"]
    assert sorted(job.id.name for job in completed.items) == ["job-0007", "job-0008"]
    assert (completed.total, completed.truncated, running.truncated) == (2, True, True)


@pytest.mark.parametrize(
    ("requested", "numbers"),
    [
        ({"states": ("FAILED",)}, range(5, 10)),
        ({"states": ("ABORTED", "FAILED"), "sort": "updated_at"}, range(9, 4, -1)),
        ({"sort": "updated_at"}, range(-1, -11, -1)),
        ({"sort": "updated_at", "namespace": "team-1"}, range(-4, -54, -5)),
    ],
)
def test_jobs_in_a_rare_state_or_last_updated_are_read_from_rows_that_list_them(requested, numbers):
    measured = {}
    given = {"namespace": None, "in_short": True, "limit": 10, "offset": 0, **requested}
    for jobs in (100, 800):
        table = Counted(0)
        # A minute apart; five of them failed before.
        failed = [replace(a_run(number), time=minute(number), type="FAIL") for number in range(5, 10)]
        good = [replace(a_run(number), time=minute(number)) for number in range(jobs) if number not in range(5, 10)]
        apply_statements([stamped(event) for event in (*failed, *good)], table.table)
        listed = table.measure(lambda queries: queries.list_jobs(**given))
        names = [job.id.name for job in listed[0].items]
        assert sorted(names) == sorted(f"job-{number % jobs:04}" for number in numbers)
        assert requested.get("sort") is None or names == [f"job-{number % jobs:04}" for number in numbers]
        measured[jobs] = listed[1:]

    # Requests and rounds; a change of a name is a row each until the catalogue is compacted.
    assert measured[100][:2] == measured[800][:2]


def minute(number):
    return f"2026-01-{number // 1440 + 1:02}T{number % 1440 // 60:02}:{number % 60:02}:00.000000Z"


@pytest.mark.parametrize(
    "requested", [{"sort": "updated_at"}, {"sort": "name", "after": TIMES[0]}, {"sort": "name", "before": TIMES[1]}]
)
def test_a_search_by_time_looks_at_so_many_matches_and_says_if_there_are_more(tables, requested):
    few, most = (
        tables[jobs].measure(lambda queries: queries.search("job", kind="job", limit=10, **requested))
        for jobs in (SIZES[1], SIZES[2])
    )

    assert (len(few[0].items), few[0].total, few[0].truncated) == (10, SIZES[1], False)
    assert (len(most[0].items), most[0].total, most[0].truncated) == (10, MATCHES_MAX, True)
    assert most[1] <= MATCHES_MAX / 100 + 10


@pytest.fixture(scope="module")
def tables():
    return {jobs: Counted(jobs) for jobs in SIZES}


@pytest.mark.parametrize("name", QUERIES)
def test_a_page_costs_the_same_however_many_jobs_there_are(tables, name):
    measured = {jobs: table.measure(QUERIES[name]) for jobs, table in tables.items()}

    requests = {jobs: requests for jobs, (_, requests, _, _) in measured.items()}
    rounds = {rounds for _, _, rounds, _ in measured.values()}
    rows = {jobs: rows for jobs, (_, _, _, rows) in measured.items()}
    assert len(set(requests.values())) == len(rounds) == 1, requests
    # Names that are in no snapshot yet are a row each; a page of ten takes some rows for each of its ten. A search
    # reads so many rows of the index.
    most = ROWS_MAX + 4 if name.startswith("search") else len(PARTITIONS) * (CHANGES_MAX + 1)
    assert max(rows.values()) <= most + 10 * 8, rows


def test_the_first_page_of_a_process_reads_the_parts_of_the_catalogue_in_one_round_more(tables):
    read_catalogue(NAMES, MemoryTable())
    list_jobs = QUERIES["jobs of all namespaces"]
    first, next_ = tables[1_600].measure_alone(list_jobs), tables[1_600].measure_alone(list_jobs)

    assert first[0] == next_[0]
    assert (first[1] - next_[1], first[2] - next_[2]) == (1, 1)


def test_the_last_ten_runs_of_a_page_of_jobs_cost_a_query_a_job_however_many_runs_there_are():
    few, many = Counted(50), Counted(50)
    apply_statements([a_run(100 + number, job=number % 10) for number in range(300)], many.table)
    page = lambda queries: queries.list_jobs("team-1", limit=10, offset=0)  # noqa: E731 - a question
    of_few, of_many = few.measure(page), many.measure(page)

    shown = [len(job.latest_runs) for job in of_many[0].items]
    assert sorted(shown) == [1] * 8 + [10] * 2
    assert all(job.latest_runs[0] == job.latest_run for job in of_many[0].items)
    assert of_many[1:3] == of_few[1:3]
    # The changes of eight partitions, their snapshots, and a request for the page.
    assert few.measure(lambda queries: queries.list_jobs("team-1", in_short=True, limit=10, offset=0))[1] == 10

"""The archive's part of a search, page by page over HTTP: a query that takes its time, fails, or finds much."""

import json
from types import SimpleNamespace

import pytest

from headwater.api.app import Api
from headwater.api.http.cursor import render_cursor
from headwater.aws.athena import Athena
from headwater.records.archive_state import Seal
from headwater.records.record import LineageRecord
from headwater.records.search.archive import ArchiveSearch
from headwater.records.search.searcher import Searcher
from tests.builders import DAY, NOON
from tests.duckdb_athena import WORKGROUP, DuckDbAthena
from tests.gateway import headers_of, proxy_event

LIMIT = (
    "start: must be later: this search would read more of the archive than the 10,000,000 bytes that one may, got None"
)
FOREIGN = "cursor: must come from the last answer to the same question"


class NothingLive:
    """A table without records."""

    def steps(self, *_):
        return iter(())


class World:
    """The API over an archive of one published day; `left_s` is what is left of a request's time."""

    def __init__(self):
        self.athena = DuckDbAthena()
        self.left_s = 29.0
        searcher = Searcher(
            NothingLive(),
            ArchiveSearch(Athena(self.athena, "headwater_test", WORKGROUP), self._sleep),
            SimpleNamespace(seals=lambda days: {day: Seal("nightly", NOON) for day in days if day == DAY}),
            SimpleNamespace(last=lambda: DAY),
            lambda: NOON,
        )
        self.api = Api(lambda: SimpleNamespace(searcher=lambda: searcher, now_s=lambda: NOON))

    def _sleep(self, seconds):
        self.left_s -= seconds

    def fetch(self, **query):
        self.left_s = 29.0
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: self.left_s * 1000)
        responded = self.api.resolve(proxy_event("GET", "/api/v1/records/search", query), context)
        return SimpleNamespace(
            status=responded["statusCode"],
            headers=headers_of(responded),
            size=len(responded["body"]),
            **json.loads(responded["body"]),
        )

    def pages(self, **query):
        cursor = {}
        while True:
            page = self.fetch(**query, **cursor)
            assert page.status == 200, page.message
            yield page
            if page.cursor is None:
                return
            cursor = {"cursor": page.cursor}


@pytest.fixture
def world():
    return World()


def a_record(node, **changes):
    form = {"parent_id": "r", "action_taken": "READ", "storage_location": "s3://b/k", "recorded_at": NOON, **changes}
    return LineageRecord(root_id="r", node_id=node, **form)


def nodes(page):
    return [record["node_id"] for record in page.records]


def test_a_record_comes_back_as_it_was_archived(world):
    metadata = (("a,b=c", '{"x": "]"}'), ("ü", ""))
    world.athena.put(DAY, [a_record("n'1", run_id="", metadata=metadata, parent_id='"r"\n,')])

    (page,) = world.pages(root="r")

    assert page.records == [
        {
            "root_id": "r",
            "parent_id": '"r"\n,',
            "action_taken": "READ",
            "recordedAt": NOON,
            "storage_location": "s3://b/k",
            "node_id": "n'1",
            "run_id": "",
            "ttl_expiry": None,
            "archivedOn": DAY,
            "metadata": dict(metadata),
        }
    ]


@pytest.mark.parametrize("limit", [1000, 999, 500, 333])
def test_pages_hold_each_row_once_in_the_order_of_the_archive(world, limit):
    names = [f"{number:04}" for number in range(2500)]
    world.athena.database.execute(
        "INSERT INTO records SELECT 'r', printf('%04d', range), 'r', 'A', 's3://', 1, NULL, NULL, ? FROM range(2500)",
        [DAY],
    )

    pages = list(world.pages(root="r", limit=limit))

    assert [node for page in pages for node in nodes(page)] == names
    assert max(len(page.records) for page in pages) == limit
    assert len(world.athena.started) == 1


def test_a_query_that_takes_longer_than_a_request_is_waited_for_by_the_next(world):
    world.athena.put(DAY, [a_record("n")])
    world.athena.polls = 60

    first, second = world.pages(root="r")

    assert (first.records, first.headers["Retry-After"]) == ([], "1")
    assert (nodes(second), "Retry-After" in second.headers) == (["n"], False)
    assert len(world.athena.started) == 1


REFUSALS = [
    ("the first query fails", {"ends": [("FAILED", "SYNTAX_ERROR")]}, 503, "the archive could not be searched: Athena"),
    ("the limit", {"ends": [("CANCELLED", "Bytes scanned limit was exceeded")]}, 400, LIMIT),
    (
        "somebody stops it",
        {"ends": [("CANCELLED", "")]},
        503,
        "the archive could not be searched: Athena says CANCELLED",
    ),
    ("too many", {"refuses": [("StartQueryExecution", "TooManyRequestsException")]}, 503, "Athena refuses for now"),
    ("throttled", {"refuses": [("GetQueryExecution", "ThrottlingException")]}, 503, "Athena refuses for now"),
    ("no results", {"refuses": [("GetQueryResults", "InvalidRequestException")]}, 400, FOREIGN),
]


@pytest.mark.parametrize(("faults", "status", "message"), [case[1:] for case in REFUSALS], ids=[c[0] for c in REFUSALS])
def test_what_athena_refuses_is_reported(world, faults, status, message):
    vars(world.athena).update(faults)

    response = world.fetch(root="r")

    assert (response.status, response.message[: len(message)]) == (status, message)


def a_cursor(day=DAY, **archive):
    horizon = {"day": day, "sealed_at": NOON, "first": None}
    form = {"start_s": None, "end_s": None, "horizon": horizon, "archive": archive}
    return render_cursor(("root=r",), json.dumps(form))


def test_a_forged_place_reads_no_other_query(world):
    theirs = world.athena.start_query_execution(
        QueryString="SELECT 'secret'", QueryExecutionContext={"Database": "headwater_test"}, WorkGroup=WORKGROUP
    )["QueryExecutionId"]
    world.fetch(root="r")
    ours = list(world.athena.executions)[-1]

    returned = {
        "another query's": world.fetch(root="r", cursor=a_cursor(execution=theirs)),
        "of nothing": world.fetch(root="r", cursor=a_cursor(execution="0")),
        "a page that is none": world.fetch(root="r", cursor=a_cursor(execution=ours, token="x")),
        "no form": world.fetch(root="r", cursor=render_cursor(("root=r",), "{}")),
        "no JSON": world.fetch(root="r", cursor=render_cursor(("root=r",), "x")),
        "no day": world.fetch(root="r", cursor=a_cursor(day="' OR 1")),
        "another question's": world.fetch(root="s", cursor=a_cursor(execution=ours)),
    }

    refusals = {case: (response.status, response.message[: len(FOREIGN)]) for case, response in returned.items()}
    assert refusals == dict.fromkeys(returned, (400, FOREIGN))


@pytest.mark.large
def test_more_rows_than_a_search_may_return_are_cut_and_the_last_page_says_so(world):
    world.athena.database.execute(
        "INSERT INTO records SELECT 'r', printf('%06d', range), 'r', 'A', 's3://', 1, NULL, NULL, ? FROM range(100001)",
        [DAY],
    )

    pages = list(world.pages(root="r", limit=1000))

    assert sum(len(page.records) for page in pages) == 100_000
    assert [page.truncated for page in pages] == [False] * (len(pages) - 1) + [True]


def test_a_page_is_cut_where_lambda_could_not_return_more(world):
    records = [a_record(f"{number:04}", storage_location='"' * 2000) for number in range(600)]
    world.athena.put(DAY, records)

    first, second = world.pages(root="r", limit=1000)

    assert nodes(first) + nodes(second) == [record.node_id for record in records]
    assert 400 < len(first.records) < 520


def test_a_query_that_failed_is_reported_and_started_anew_by_a_retry(world):
    world.athena.put(DAY, [a_record("n")])
    world.athena.polls = 60
    world.athena.ends = [("FAILED", "GENERIC_INTERNAL_ERROR"), ("FAILED", "HIVE_CANNOT_OPEN_SPLIT"), None]
    cursor = world.fetch(root="r").cursor
    world.athena.polls = 0
    world.athena.executions[next(iter(world.athena.executions))]["polls"] = 0

    returned, retried = world.fetch(root="r", cursor=cursor), world.fetch(root="r", cursor=cursor)

    message = "the archive could not be searched: Athena says FAILED: HIVE_CANNOT_OPEN_SPLIT"
    assert (returned.status, returned.message, returned.headers["Retry-After"]) == (503, message, "5")
    assert (nodes(retried), retried.cursor) == (["n"], None)

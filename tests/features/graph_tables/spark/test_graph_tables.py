"""The graph's tables, made on Spark of a graph table in moto: equal to the API's expected, day after day."""

import subprocess
import sys
import time

import pytest

from headwater.aws.athena import Catalog
from headwater.aws.clients import client
from headwater.events.api_changes import parse_change
from headwater.events.naming import NamingRules
from headwater.facts.apply import apply_statements
from headwater.features.graph_tables.job import GraphTables, main
from headwater.features.graph_tables.published_days import PublishedDays, days_to_make
from headwater.features.graph_tables.source import GraphSource
from headwater.features.graph_tables.tables import TABLES
from headwater.times import day_of, shift
from jobs.storage import Storage
from tests.aws.test_trace_on_spark import spark, workers  # noqa: F401 - fixtures
from tests.builders_events import a_run_event
from tests.fakes.memory_table import MemoryTable
from tests.features.graph_tables.lookups import Tables

pytestmark = pytest.mark.usefixtures("tables_in_catalog")
RULES = NamingRules(trim_partitions=False)
FIRST, SECOND, THIRD = "2025-11-20", "2025-11-21", "2025-11-22"
NAMES = [table.name for table in TABLES]


class Nightly:
    """The job over a cloud, with an archive in a folder; `graph` is its graph table in memory."""

    def __init__(self, cloud, session, folder):
        outputs, self.session, self.folder = cloud.outputs, session, folder
        self.bucket, self.graph_table = outputs["ArchiveBucketName"], outputs["GraphTableName"]
        self.graph, self._cloud = MemoryTable(), cloud
        self.days = PublishedDays(Catalog(client("glue"), "headwater_test"), client("s3"), self.bucket)

    def load(self, *events):
        """Load events into the graph in memory, and from there into the cloud's table."""
        apply_statements([parse_change(event, RULES) for event in events], self.graph)
        copy_items(self.graph, self._cloud, self.graph_table)

    def make(self, day, attempt="a"):
        source = GraphSource(self.graph_table, self.bucket, "us-east-1")
        return GraphTables(source, Storage(self.session, str(self.folder)), self.days, attempt).make(day)

    def rows(self, table, day):
        location = self.days.catalog.find_locations(table)[day]
        key = location.removeprefix(f"s3://{self.bucket}/")
        return [row.asDict() for row in self.session.read.parquet(str(self.folder / key)).collect()]

    def tables(self, day):
        return Tables([(table.name, row) for table in TABLES for row in self.rows(table.name, day)])

    def edges(self, day):
        """Return each edge of a day with the times at which it was true."""
        return {
            (row["source_name"], row["job_name"], row["target_name"]): (
                row["first_time"],
                row["last_time"],
                row["is_current"],
            )
            for row in self.rows("table_edges", day)
        }


def copy_items(graph, cloud, table):
    """Put every row of a table in memory into the cloud's."""
    for pk, partition in graph.dynamo._partitions.items():
        for sk, rest in partition.items.items():
            cloud.dynamodb.put_item(TableName=table, Item={"pk": {"S": pk}, "sk": {"S": sk}, **rest})
    for key, body in graph.s3.objects.items():
        cloud.s3.put_object(Bucket=cloud.outputs["ArchiveBucketName"], Key=key, Body=body)


@pytest.fixture
def nightly(cloud, workers, tmp_path):  # noqa: F811
    return Nightly(cloud, workers, tmp_path / "archive")


def a_copy(day, run, source, target, *, job="copy", **changes):
    dataset = {"namespace": "s3://lake"}
    sides = {"inputs": [{**dataset, "name": source}], "outputs": [{**dataset, "name": target}]}
    run = f"00000000-0000-4000-8000-0000000000{run:02}"
    return a_run_event(
        run=run, job=job, namespace="etl", eventType="COMPLETE", eventTime=f"{day}T12:00:00Z", **sides, **changes
    )


@pytest.mark.slow
def test_an_edge_that_went_stays_with_the_end_of_its_last_day(nightly):
    nightly.load(a_copy(FIRST, 1, "a", "b"))
    assert nightly.make(FIRST) == {
        "jobs": 1,
        "runs": 1,
        "datasets": 2,
        "columns": 0,
        "table_edges": 1,
        "column_edges": 0,
    }
    nightly.load(a_copy(SECOND, 2, "a", "c"))
    nightly.make(SECOND)
    nightly.load(a_copy(THIRD, 3, "a", "c", job="other"))
    nightly.make(THIRD)

    noon, midnight = (f"{FIRST}T12:00:00.000000Z", f"{SECOND}T00:00:00.000000Z")
    assert nightly.edges(FIRST) == {("a", "copy", "b"): (noon, midnight, True)}
    assert nightly.edges(THIRD) == {
        ("a", "copy", "b"): (noon, midnight, False),
        ("a", "copy", "c"): (f"{SECOND}T12:00:00.000000Z", "2025-11-23T00:00:00.000000Z", True),
        ("a", "other", "c"): (f"{THIRD}T12:00:00.000000Z", "2025-11-23T00:00:00.000000Z", True),
    }
    assert [row["run_id"][-2:] for row in nightly.rows("runs", THIRD)] == ["03"]


def locations(nightly, day):
    return {table.name: nightly.days.catalog.find_locations(table.name).get(day) for table in TABLES}


def run(nightly, attempt, since="none"):
    given = {
        "archive": nightly.folder,
        "archive-bucket": nightly.bucket,
        "graph-table": nightly.graph_table,
        "search-database": "headwater_test",
        "attempt": attempt,
        "since": since,
    }
    return main([part for name, value in given.items() for part in (f"--{name}", str(value))], nightly.session)


def test_a_night_makes_the_day_before_it_once_and_removes_what_is_no_longer_kept(nightly, cloud):
    today = day_of(int(time.time()))
    yesterday, old = shift(today, -1), shift(today, -101)
    nightly.load(a_copy(yesterday, 1, "a", "b"))
    for name in ("jobs", "runs"):
        key = f"tables/{name}/day={old}/attempt=x/part-0.parquet"
        cloud.s3.put_object(Bucket=nightly.bucket, Key=key, Body=b"PAR1")
        nightly.days.catalog.set_partition(name, old, f"s3://{nightly.bucket}/tables/{name}/day={old}/attempt=x/", {})

    assert run(nightly, "first") == 0
    assert run(nightly, "second") == 0

    expected = {name: f"s3://{nightly.bucket}/tables/{name}/day={yesterday}/attempt=first/" for name in NAMES}
    assert locations(nightly, yesterday) == expected
    assert list(cloud.objects("tables/")) == [f"tables/runs/day={old}/attempt=x/part-0.parquet"]
    assert (locations(nightly, old)["jobs"], nightly.days.list_made()) == (None, [yesterday])


def test_a_day_that_is_made_again_replaces_it_and_keeps_the_attempt_before_for_queries_under_way(nightly, cloud):
    for attempt in "abc":
        for name in NAMES:
            key = f"tables/{name}/day={FIRST}/attempt={attempt}/part-0.parquet"
            cloud.s3.put_object(Bucket=nightly.bucket, Key=key, Body=b"PAR1")
        nightly.days.publish(FIRST, attempt)
    assert {location[-2] for location in locations(nightly, FIRST).values()} == {"c"}
    left = {(key.split("/")[1], key.split("=")[2][0]) for key in cloud.objects("tables/")}
    assert left == {(name, attempt) for name in NAMES for attempt in "bc"}


def test_a_day_of_which_the_last_table_is_missing_is_made_again(nightly):
    for name in NAMES[:-1]:
        nightly.days.catalog.set_partition(name, FIRST, "s3://archive/", {})
    assert nightly.days.list_made() == []
    assert days_to_make(nightly.days.list_made(), None, FIRST) == [FIRST]


@pytest.mark.parametrize(
    ("days", "since", "expected"),
    [
        ([], None, [THIRD]),
        ([SECOND], None, [THIRD]),
        ([FIRST], None, [SECOND, THIRD]),
        ([THIRD], None, []),
        (["2025-10-01"], None, [shift(THIRD, -number) for number in range(6, -1, -1)]),
        ([FIRST, SECOND, THIRD], SECOND, [SECOND, THIRD]),
    ],
)
def test_the_days_since_the_last_are_made_seven_at_most_or_all_since_a_given_day(days, since, expected):
    assert days_to_make(days, since, THIRD) == expected


def test_the_job_loads_no_models():
    """Glue has no pydantic."""
    code = "import sys, headwater.features.graph_tables.job; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

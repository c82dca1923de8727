"""Three nights on the local stack: records in, the day compacted on Spark, published in Glue, queried in SQL.

On the first night a root is too large for the trace function and is traced on Spark. On the second, Spark is out of
order. On the third it works again, and both days are published.
"""

from __future__ import annotations

import copy
import json
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import boto3
import pytest

from headwater_model.archive_tables import published_key
from local_stack.errors import MachineFailed
from local_stack.stack import LocalStack

_ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
RECORDS_MAX = 5
REAL_JOBS = str(_ROOT / "jobs")
# The real jobs, unless a file says that Spark is out of order.
PACKAGE = f"__path__.append({REAL_JOBS!r})\n"
LAUNCH = f"""
import importlib.util
from pathlib import Path

def main(arguments, spark):
    if Path(__file__).with_name("out-of-order").exists():
        raise RuntimeError("Spark is out of order")
    spec = importlib.util.spec_from_file_location("real_launch", {REAL_JOBS + "/launch.py"!r})
    launch = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(launch)
    return launch.main(arguments, spark)
"""


def a_night_template(template):
    """The deployed template, its trace function with little patience and its state machine with none."""
    changed = copy.deepcopy(template)
    for resource in changed["Resources"].values():
        variables = resource.get("Properties", {}).get("Environment", {}).get("Variables", {})
        if "TRACE_RECORDS_MAX" in variables:
            variables["TRACE_RECORDS_MAX"] = str(RECORDS_MAX)
        if resource["Type"] == "AWS::StepFunctions::StateMachine":
            definition = json.loads(resource["Properties"]["DefinitionString"])
            resource["Properties"]["DefinitionString"] = json.dumps(_hurried(definition))
    return changed


def _hurried(state):
    """Waits before another try are of a second."""
    if isinstance(state, list):
        return [_hurried(item) for item in state]
    if not isinstance(state, dict):
        return state
    return {key: 1 if key == "IntervalSeconds" else _hurried(value) for key, value in state.items()}


@dataclass
class Night:
    """The results of a night: the output of the state machine, and the rows of the tables."""

    day: str
    output: dict | None
    error: MachineFailed | None
    records: list
    traces: list


class Nights:
    """A stack whose days pass, and the queries of the test."""

    def __init__(self, stack, code):
        self.stack = stack
        self._out_of_order = code / "jobs" / "out-of-order"
        self.athena, self.glue, self.s3 = (
            boto3.client(service, **stack.client_settings) for service in ("athena", "glue", "s3")
        )

    @property
    def day(self):
        return datetime.fromtimestamp(self.stack.now, timezone.utc).date().isoformat()

    def load(self, root_id, *node_ids, after=None):
        """Load a chain of records: `load("r", "a", "b")` makes a from r and b from a; with `after`, a from `after`."""
        for parent_id, node_id in zip([after or root_id, *node_ids], node_ids, strict=False):
            record = {"node_id": node_id, "storage_location": f"s3://data/{root_id}/{node_id}"}
            request = {"root_id": root_id, "parent_id": parent_id, "action_taken": "MADE", "record": record}
            response = self.stack.invoke("InputFunctionName", request)
            assert not response.failed, response.payload

    def pass_night(self, *, out_of_order=False):
        """Load the queued records, compact the day, read the tables, and go on to the next day."""
        self.stack.drain(120)
        day = self.day
        self._out_of_order.touch() if out_of_order else self._out_of_order.unlink(missing_ok=True)
        output, error = None, None
        try:
            output = self.stack.run_state_machine({"day": day})
        except MachineFailed as failed:
            error = failed
        records = self.select("SELECT day, root_id, node_id FROM records ORDER BY root_id, node_id")
        traces = self.select(
            "SELECT day, root_id, record_id, complete, cardinality(lineage) FROM traces ORDER BY day, root_id"
        )
        self.stack.advance(86_400)
        return Night(day, output, error, records, traces)

    def select(self, sql):
        execution = self.athena.start_query_execution(
            QueryString=sql,
            QueryExecutionContext={"Database": self.stack.outputs["SearchDatabase"]},
            WorkGroup=self.stack.outputs["SearchWorkgroup"],
        )["QueryExecutionId"]
        while (status := self._status(execution))["State"] in ("QUEUED", "RUNNING"):
            time.sleep(0.05)
        assert status["State"] == "SUCCEEDED", status
        rows = self.athena.get_query_results(QueryExecutionId=execution)["ResultSet"]["Rows"]
        return [[value.get("VarCharValue") for value in row["Data"]] for row in rows[1:]]

    def _status(self, execution):
        return self.athena.get_query_execution(QueryExecutionId=execution)["QueryExecution"]["Status"]

    def runs(self, job):
        returned = self.glue.get_job_runs(JobName=self.stack.outputs[job])["JobRuns"]
        return [(run["JobRunState"], run["Arguments"].get("--day")) for run in returned]

    def partitions(self, table):
        returned = self.glue.get_partitions(DatabaseName=self.stack.outputs["SearchDatabase"], TableName=table)
        return {
            partition["Values"][0]: partition["StorageDescriptor"]["Location"] for partition in returned["Partitions"]
        }

    def keys(self, prefix):
        returned = self.s3.list_objects_v2(Bucket=self.stack.outputs["ArchiveBucketName"], Prefix=prefix)
        return [stored["Key"] for stored in returned.get("Contents", [])]


@pytest.fixture(scope="module")
def nights(template, tmp_path_factory):
    code = tmp_path_factory.mktemp("code")
    (code / "jobs").mkdir()
    (code / "jobs/__init__.py").write_text(PACKAGE)
    (code / "jobs/launch.py").write_text(LAUNCH)
    logs = tmp_path_factory.mktemp("logs")
    with LocalStack(a_night_template(template), window_cap_s=0.2, code=code, logs=logs) as stack:
        yield Nights(stack, code)


# Takes long: three nights, each with a Spark run.
@pytest.fixture(scope="module")
def story(nights):
    """Three nights: `small` grows from day to day, `big` is too large for the trace function."""
    nights.load("small", "s1", "s2")
    nights.load("big", *(f"b{n}" for n in range(RECORDS_MAX + 3)))
    first = nights.pass_night()
    nights.load("small", "s3", after="s2")
    second = nights.pass_night(out_of_order=True)
    nights.load("small", "s4", after="s3")
    nights.load("other", "o1")
    third = nights.pass_night()
    return first, second, third


def test_the_first_night_s_records_are_in_the_table_once(story):
    first = story[0]
    assert first.output["published"] == [first.day]
    assert first.output["missing"] == 0
    big = [[first.day, "big", f"b{n}"] for n in range(RECORDS_MAX + 3)]
    assert first.records == [*big, [first.day, "small", "s1"], [first.day, "small", "s2"]]


def test_a_root_that_is_too_large_for_the_trace_function_is_traced_on_spark(story, nights):
    first = story[0]
    assert nights.runs("TraceRootJobName")[0] == ("SUCCEEDED", first.day)
    # Each path ends with the step of the compaction.
    assert first.traces == [
        [first.day, "big", f"b{RECORDS_MAX + 2}", "true", str(RECORDS_MAX + 4)],
        [first.day, "small", "s2", "true", "3"],
    ]


def test_a_night_without_spark_fails_and_leaves_the_tables_as_they_were(story, nights):
    first, second, _ = story
    assert second.output is None
    assert "Spark is out of order" in second.error.cause
    assert (second.records, second.traces) == (first.records, first.traces)
    assert ("FAILED", second.day) in nights.runs("CompactArchiveJobName")
    returned = [failure for failure in nights.stack.errors if "Spark is out of order" in failure.message]
    assert {failure.function for failure in returned} == {nights.stack.outputs["CompactArchiveJobName"]}


def test_the_next_night_publishes_both_days_and_no_record_twice(story):
    first, second, third = story
    assert third.output["published"] == [second.day, third.day]
    assert third.records == [
        *(row for row in first.records if row[1] == "big"),
        [third.day, "other", "o1"],
        [first.day, "small", "s1"],
        [first.day, "small", "s2"],
        [second.day, "small", "s3"],
        [third.day, "small", "s4"],
    ]
    assert [row for row in third.traces if row[1] == "small"] == [
        [first.day, "small", "s2", "true", "3"],
        [second.day, "small", "s3", "true", "4"],
        [third.day, "small", "s4", "true", "5"],
    ]


@pytest.mark.parametrize("table", ["records", "traces"])
def test_a_partition_of_each_day_names_the_files_of_one_attempt(story, nights, table):
    days = [night.day for night in story]
    partitions = nights.partitions(table)
    assert sorted(partitions) == days
    for day in days:
        folder = partitions[day].partition(f"/tables/{table}/")[2]
        assert nights.keys(f"tables/{table}/day={day}/") == nights.keys(f"tables/{table}/{folder}")
    assert nights.keys("tables/published/") == [published_key(day) for day in days]

"""Glue's jobs on local Spark: run by their name and by boto3; their failures are Glue's."""

import gzip
import json
import time
from pathlib import Path

import boto3
import pytest

from headwater.records.archive_state import Seal
from headwater.records.digest import Head, key_of, render_digest
from headwater.records.pointers import ArchiveObject
from local_stack.compute.poller import Failure
from local_stack.stack import LocalStack
from tests.e2e.search_template import a_job, a_search_template
from tests.waiting import until

FUNCTIONS = Path(__file__).with_name("functions")
DAY = "2026-11-20"


class Jobs:
    """A stack with a job, and what its runs saw."""

    def __init__(self, stack, seen):
        self.stack = stack
        self.seen_file = seen
        self.glue = boto3.client("glue", **stack.client_settings)
        self.s3 = boto3.client("s3", **stack.client_settings)
        self.bucket = stack.outputs["ArchiveBucketName"]

    @property
    def seen(self):
        return json.loads(self.seen_file.read_text())

    @property
    def keys(self):
        return [stored["Key"] for stored in self.s3.list_objects_v2(Bucket=self.bucket).get("Contents", [])]

    def start(self, job="CompactName", **arguments):
        returned = {"--day": DAY, "--seen": str(self.seen_file)} | {
            f"--{name}": value for name, value in arguments.items()
        }
        name = self.stack.outputs[job]
        return name, self.glue.start_job_run(JobName=name, Arguments=returned)["JobRunId"]

    def ended(self, name, run):
        while (result := self.glue.get_job_run(JobName=name, RunId=run)["JobRun"])["JobRunState"] == "RUNNING":
            time.sleep(0.05)
        return result

    def run(self, job="CompactName", **arguments):
        return self.ended(*self.start(job, **arguments))

    def put(self, key, body=b"x"):
        self.s3.put_object(Bucket=self.bucket, Key=key, Body=body)


@pytest.fixture
def jobs(search_stack, tmp_path):
    jobs = Jobs(search_stack, tmp_path / "seen.json")
    for key in jobs.keys:
        jobs.s3.delete_object(Bucket=jobs.bucket, Key=key)
    search_stack.errors.clear()
    return jobs


def an_object(day, name, base=None):
    year, month, date = day.split("-")
    key = f"traces/year={year}/month={month}/day={date}/{name}.jsonl.gz"
    return ArchiveObject(key, "0" * 64, 1, 1, 1, 2 if base else 1, base)


def test_a_run_sees_its_arguments_and_ends_as_glue_says(jobs):
    result = jobs.run(do="count")
    assert result["JobRunState"] == "SUCCEEDED"
    assert "ErrorMessage" not in result
    assert jobs.seen["rows"] == 1000
    assert jobs.seen["arguments"] == {
        "--job": "compact_archive",
        "--extra-py-files": "s3://assets/lineage.zip",
        "--day": DAY,
        "--seen": str(jobs.seen_file),
        "--do": "count",
    }
    assert jobs.seen["endpoint"] == jobs.stack.endpoint_url


def test_a_run_finds_the_day_and_what_it_builds_on_in_a_folder(jobs):
    base = an_object("2026-11-18", "b.1")
    newest = an_object(DAY, "b.2", base=base.key)
    head = Head(DAY, Seal("night", 1), None)
    jobs.put(key_of(DAY), gzip.compress(b"".join(render_digest(head, [an_object(DAY, "a.1"), newest], []))))
    others = [an_object(DAY, "a.1").key, newest.key, an_object(DAY, "not-in-the-digest").key, base.key]
    for key in [*others, an_object("2026-11-18", "other").key, key_of("2026-11-18")]:
        jobs.put(key)
    assert jobs.run()["JobRunState"] == "SUCCEEDED"
    assert jobs.seen["found"] == sorted([key_of(DAY), *others])


def test_what_a_run_wrote_is_in_the_bucket_once_however_often_it_ran(jobs):
    manifest = f"tables/manifests/day={DAY}/other.json"
    jobs.put(manifest)
    for _ in range(2):
        assert jobs.run()["JobRunState"] == "SUCCEEDED"
    written = [key for key in jobs.keys if key.endswith(".parquet")]
    assert {key.rpartition("/")[0] for key in written} == {f"tables/records/day={DAY}/attempt=a"}
    # One row, in one file or in one that is empty beside it.
    assert len(written) <= 2
    assert {f"tables/manifests/day={DAY}/a.json", manifest} <= set(jobs.keys)


def test_a_process_and_a_session_are_kept_from_one_run_to_the_next(jobs):
    pids = []
    for _ in range(2):
        jobs.run()
        pids.append(jobs.seen["pid"])
    assert pids[0] == pids[1]


@pytest.mark.parametrize(
    ("do", "error"),
    [
        ("raise", "ValueError: told to"),
        pytest.param("raise in spark", "in Spark", marks=pytest.mark.slow),
        pytest.param("exit", "SystemExit: told to exit", marks=pytest.mark.slow),
        pytest.param("status", "the job ended with status 4", marks=pytest.mark.slow),
        ("die", "Spark's process is gone: local_stack.compute.spark_worker  ended with exit status 3"),
    ],
)
def test_a_run_that_fails_says_why_is_shown_and_the_next_one_works(jobs, do, error):
    name, run = jobs.start(do=do)
    result = jobs.ended(name, run)
    assert result["JobRunState"] == "FAILED"
    assert error in result["ErrorMessage"]
    assert jobs.stack.errors == [Failure(name, f"job run {run}", "FAILED", result["ErrorMessage"])]
    assert jobs.keys == []
    assert jobs.run()["JobRunState"] == "SUCCEEDED"


# Takes long: a Spark process of its own starts and is stopped.
@pytest.mark.slow
def test_nothing_is_left_of_a_stack_that_stops_in_the_middle_of_a_run(tmp_path):
    template = a_search_template(Compact=a_job("compact_archive"))
    with LocalStack(template, code=FUNCTIONS, logs=tmp_path / "logs") as stack:
        jobs = Jobs(stack, tmp_path / "seen.json")
        jobs.run()
        worker = jobs.seen["pid"]
        children = Path(f"/proc/{worker}/task/{worker}/children").read_text().split()
        jobs.start(do="sleep")
        scratch = Path(jobs.seen["scratch"])
        assert scratch.name.startswith("headwater-spark-")
        assert scratch.exists()
    assert children
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in [worker, *children]))
    assert not scratch.exists()
    assert [failure for failure in stack.errors if failure.error_type != "STOPPED"] == []

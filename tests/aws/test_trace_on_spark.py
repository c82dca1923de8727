"""A root that the trace function left is traced on Spark: same bytes, same commit, same marks."""

import hashlib
import os
import subprocess
import sys
import time

import pytest
from moto.server import ThreadedMotoServer

from headwater.records.trace import trace
from headwater.records.trace_message import TraceRequest
from headwater.times import day_of
from headwater_model.errors import NotFound
from jobs.trace_root import OnSpark, main, prepare_session
from lambdas import wiring
from tests.aws.in_moto import serve_items
from tests.builders import HOUR, a_message, messages
from tests.spark.conftest import spark  # noqa: F401 - the session is a fixture of the Spark tests

EDGES = {"file": "flights", **{f"row-{number}": "file" for number in range(5)}, "lost": "gone", "a": "b", "b": "a"}
SHA = hashlib.sha256(b"flights").hexdigest()


@pytest.fixture
def workers(cloud, spark, monkeypatch):  # noqa: F811
    """The session, whose workers find the account of this process on a socket; the test's time is now."""
    cloud.now_s = int(time.time())
    serve_items(monkeypatch)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setitem(spark.sparkContext.environment, name, os.environ[name])
    monkeypatch.setitem(spark.sparkContext.environment, "AWS_ENDPOINT_URL", f"http://{host}:{port}")
    yield prepare_session(spark)
    server.stop()


def today(cloud):
    return day_of(cloud.now_s)


def leave(cloud, monkeypatch, *more):
    """Load the root, and have the trace function leave it as too large; the request it left."""
    cloud.load(*messages(EDGES, recordedAt=cloud.now_s), *more)
    request = {"day": today(cloud), "execution": "nightly", "started_at": cloud.now_s}
    with monkeypatch.context() as small:
        small.setenv("TRACE_RECORDS_MAX", "3")
        assert cloud.trace(**request, marked=[today(cloud)]) == []
    assert cloud.objects() == {}
    return request


def run(cloud, spark, **changes):  # noqa: F811
    returned = {
        "root-sha": SHA,
        "marked-on": today(cloud),
        "day": today(cloud),
        "execution": "nightly",
        "started-at": cloud.now_s,
        **changes,
    }
    return main([part for name, value in returned.items() for part in (f"--{name}", str(value))], spark)


# Takes long: the first in this file to run the job: Spark compiles all its plans.
def test_a_deferred_root_is_archived_as_the_function_would_and_is_clean(cloud, workers, monkeypatch):
    request = leave(cloud, monkeypatch)
    assert run(cloud, workers) == 0
    on_spark = cloud.objects()

    assert cloud.dirty() == set()
    assert cloud.archived_nodes() == set(EDGES)
    # Traced by hand, the function writes the same object again.
    assert cloud.trace(**request) == []
    assert cloud.objects() == on_spark


def test_staged_images_and_the_last_archive_are_read_too_and_staged_images_dropped(cloud, workers, monkeypatch):
    cloud.load(a_message(node_id="file", recordedAt=cloud.now_s - 20 * HOUR))
    cloud.trace(day=today(cloud), execution="before", started_at=cloud.now_s)
    cloud.load(a_message(node_id="unread", parent_id="file", recordedAt=cloud.now_s - 30 * HOUR))
    cloud.stream(cloud.expire())
    cloud.load(a_message(node_id="late", parent_id="unread", recordedAt=cloud.now_s))
    assert [item["pk"]["S"][:6] for item in cloud.items("Graph")].count("STAGED") == 1
    run(cloud, workers)

    assert [[step["node_id"] for step in line["lineage"][:-1]] for line in cloud.archived()] == [
        ["file", "unread", "late"]
    ]
    assert [item["pk"]["S"][:6] for item in cloud.items("Graph")].count("STAGED") == 0
    assert cloud.dirty() == set()


def test_a_record_of_other_content_that_came_later_goes_to_the_dead_letters(cloud, workers):
    cloud.load(a_message(recordedAt=cloud.now_s - 30 * HOUR))
    cloud.trace(day=today(cloud), execution="before", started_at=cloud.now_s)
    cloud.expire()
    other = a_message(storage_location="s3://b/other.csv", recordedAt=cloud.now_s)
    cloud.load(other)
    run(cloud, workers)

    assert [line["lineage"][0]["storage_location"] for line in cloud.archived()] == ["s3://b/in.csv"]
    assert cloud.bodies("RecordsDeadLetters") == [other]


# Takes long: the job runs twice on Spark.
@pytest.mark.slow
def test_who_is_overtaken_reads_everything_again(cloud, workers):
    cloud.load(*messages(EDGES, recordedAt=cloud.now_s))
    gathered = []

    def gather(root_id, sources):
        result = OnSpark(workers).gather(root_id, sources)
        gathered.append(result.count)
        if len(gathered) == 1:
            cloud.load(a_message(node_id="meanwhile", recordedAt=cloud.now_s))
            cloud.trace(day=today(cloud), execution="other", started_at=cloud.now_s)
        return result

    traced = trace(TraceRequest("flights", today(cloud), "nightly", cloud.now_s), wiring.tracer(gather))

    assert gathered == [len(EDGES), len(EDGES) + 1]
    assert traced.pointer is not None
    assert traced.pointer.version == 2
    assert cloud.archived_nodes() == {*EDGES, "meanwhile"}
    assert {line["lineage"][-1]["node_id"] for line in cloud.archived()} == {"nightly"}


def test_a_root_that_is_not_marked_fails_the_run(cloud, workers):
    with pytest.raises(NotFound, match="no root"):
        run(cloud, workers)


def test_the_job_loads_no_models():
    """Glue has no pydantic."""
    code = "import sys, jobs.trace_root; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""Rows sent by a Spark job's tasks, through the packed queue and the load function into the table."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from moto.server import ThreadedMotoServer

from headwater_model.ids import derive_node_id
from tests.aws.row_records_job import NOON, ROWS

PROJECT = Path(__file__).resolve().parent.parent.parent


def run_job(queue_url):
    """The job's tally; its workers find the account of this process on a socket."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        variables = {"AWS_ENDPOINT_URL": f"http://{host}:{port}", "PYSPARK_PYTHON": sys.executable}
        done = subprocess.run(
            [sys.executable, "-m", "tests.aws.row_records_job", queue_url],
            cwd=PROJECT,
            env={**os.environ, **variables, "PYTHONPATH": str(PROJECT)},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        server.stop()
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


# Takes long: a Spark process of its own, whose task dies and is tried again.
def test_a_task_that_dies_half_way_leaves_each_node_once(cloud):
    tally = run_job(cloud.url("PackedQueue"))
    messages = cloud.bodies("PackedQueue")

    assert tally == {"sent": ROWS, "failed": 0, "refused": 0, "error": None}
    copies = Counter(json.dumps(record, sort_keys=True) for message in messages for record in message["records"])
    nodes = {derive_node_id("flights", "landed", "CHECKED", f"row-{number}", 0) for number in range(ROWS)}
    assert len(copies) == ROWS  # the second try sent the same bytes
    assert max(copies.values()) == 2  # and the first had sent some of them
    assert {json.loads(record)["node_id"] for record in copies} == nodes

    few = [{"records": message["records"][::50]} for message in messages]
    for batch in (few, few[::-1]):
        assert cloud.load(*batch, queue="PackedQueue") == []
    kept = {item["node_id"]["S"]: item["recordedAt"]["N"] for item in cloud.items()}
    assert len(kept) == len(cloud.items())
    assert kept == {record["node_id"]: str(NOON) for message in few for record in message["records"]}
    assert cloud.bodies("RecordsDeadLetters") == []

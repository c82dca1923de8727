"""Two nights of the graph's tables on the local stack: events in, the machine, the job on Spark, SQL in Athena."""

import json
import time
from datetime import datetime, timezone
from urllib.request import Request, urlopen

import boto3
import pytest

from local_stack.stack import LocalStack
from tests.builders_events import a_run_event
from tests.features.graph_tables.stacks import CONTEXT

pytestmark = pytest.mark.timeout(600)
MACHINE = "GraphTablesStateMachineArn"
EDGES = "SELECT day, source_name, target_name, is_current FROM table_edges ORDER BY day, source_name, target_name"
DAY_S = 86_400


@pytest.fixture(scope="module")
def stack(synthesized, tmp_path_factory):
    logs = tmp_path_factory.mktemp("logs")
    with LocalStack(synthesized(**CONTEXT), window_cap_s=0.2, logs=logs) as started:
        yield started


def day_of(stack):
    return datetime.fromtimestamp(stack.now, timezone.utc).date().isoformat()


def send(stack, number, source, target):
    """Send a run of this day that read one dataset and wrote another."""
    event = a_run_event(
        run=f"00000000-0000-4000-8000-00000000000{number}",
        eventTime=datetime.fromtimestamp(stack.now, timezone.utc).isoformat(),
        inputs=[{"namespace": "s3://lake", "name": source}],
        outputs=[{"namespace": "s3://lake", "name": target}],
    )
    body, kind = json.dumps(event).encode(), {"Content-Type": "application/json"}
    with urlopen(Request(f"{stack.api_url}/api/v1/lineage", body, kind)) as response:
        assert response.status == 201
    stack.drain(120)


def select(stack, sql):
    athena = boto3.client("athena", **stack.client_settings)
    context = {"Database": stack.outputs["SearchDatabase"]}
    started = athena.start_query_execution(
        QueryString=sql, QueryExecutionContext=context, WorkGroup=stack.outputs["SearchWorkgroup"]
    )["QueryExecutionId"]
    while (status := athena.get_query_execution(QueryExecutionId=started)["QueryExecution"]["Status"])["State"] in (
        "QUEUED",
        "RUNNING",
    ):
        time.sleep(0.05)
    assert status["State"] == "SUCCEEDED", status
    rows = athena.get_query_results(QueryExecutionId=started)["ResultSet"]["Rows"]
    return [[value.get("VarCharValue") for value in row["Data"]] for row in rows[1:]]


# Takes long: two runs of the job on Spark.
@pytest.mark.slow
def test_each_night_adds_a_day_and_keeps_the_edges_that_went(stack):
    first = day_of(stack)
    send(stack, 1, "a", "b")
    stack.advance(DAY_S)
    stack.run_state_machine({}, machine=MACHINE)
    second = day_of(stack)
    send(stack, 2, "a", "c")
    stack.advance(DAY_S)
    # Of a day that the schedule made meanwhile, nothing is made twice.
    stack.run_state_machine({"since": first}, machine=MACHINE)

    assert select(stack, EDGES) == [
        [first, "a", "b", "true"],
        [second, "a", "b", "false"],
        [second, "a", "c", "true"],
    ]
    runs = "SELECT day, state, count(*) FROM runs GROUP BY day, state ORDER BY day"
    assert select(stack, runs) == [[first, "COMPLETED", "1"], [second, "COMPLETED", "1"]]
    assert stack.errors == []

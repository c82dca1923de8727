"""An event of many inputs, over moto: one attempt after another loads it, and it can then be read."""

import os
from urllib.parse import quote

import pytest

from headwater.queries.graphs.job_graph import NODES_MAX
from headwater.queries.runs.input_versions import INPUTS_MAX
from tests.aws.faults import Killed, killed_at
from tests.builders_events import NAMESPACE, READ_FLIGHTS, RUN, STORE, a_run_event

# An event may name 10,000; these take minutes on moto, by the same path: WIDE_INPUTS=9999 (the output counts, too).
INPUTS = int(os.environ.get("WIDE_INPUTS", "300"))


@pytest.mark.large
def test_an_event_of_many_inputs_is_loaded_by_functions_that_die_and_is_served(api, cloud):
    event = a_run_event(inputs=[f"part-{number:05}" for number in range(INPUTS)])
    assert api.event(event).status == 201
    bodies = cloud.bodies("EventsQueue")

    attempts = 1
    while dies_loading(cloud, bodies, after=INPUTS // 2):
        attempts += 1
        assert attempts < 9

    assert attempts > 1
    assert cloud.load_events(*bodies) == []
    job = api.get(f"/api/v1/namespaces/{NAMESPACE}/jobs/{READ_FLIGHTS}")
    assert (len(job["inputs"]), job["latestRun"]["state"]) == (INPUTS, "COMPLETED")
    datasets = api.get(f"/api/v1/namespaces/{quote(STORE, safe='')}/datasets", limit=10)
    assert (len(datasets["datasets"]), datasets["totalCount"]) == (10, INPUTS + 1)
    for more in ({}, {"lineageAt": "2025-11-21T00:00:00Z"}):
        graph = api.get("/api/v1/lineage", nodeId=f"job:{NAMESPACE}:{READ_FLIGHTS}", depth=0, **more)
        shown = len(graph["graph"])
        # Of more than a graph holds, as many as 4 MB do.
        assert shown == INPUTS + 2 if INPUTS + 2 <= NODES_MAX else NODES_MAX // 2 < shown <= NODES_MAX
        assert graph["truncated"] == (INPUTS + 2 > NODES_MAX)
    run = api.get(f"/api/v1/jobs/runs/{RUN}")
    assert (len(run["inputDatasetVersions"]), run["truncated"]) == (min(INPUTS, INPUTS_MAX), INPUTS > INPUTS_MAX)


def dies_loading(cloud, bodies, *, after):
    """True if the events function died after so many calls of AWS, as one that runs into its time-out does."""
    with killed_at((cloud.dynamodb, cloud.s3), after, effective=False):
        try:
            assert cloud.load_events(*bodies) == []
        except Killed:
            return True
    return False

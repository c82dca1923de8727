"""A token for one team, and the run id of another team's run: what the other team reads stays as it was."""

from __future__ import annotations

import json
from itertools import count
from urllib.parse import quote

import pytest

from headwater.api.tokens import Tokens, new_token
from lambdas import wiring
from tests.builders_events import RUN, a_dataset, a_facet, a_parent, a_run_event

NUMBERS = count(100)
STORE, THEIR_STORE = "s3://team-b", "s3://team-a"
PARENT_RUN = "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b00"
CODE = {"sourceCodeLocation": a_facet("SourceCodeLocation", type="git", url="https://git/team-b")}
THEIR_CODE = {"sourceCodeLocation": a_facet("SourceCodeLocation", type="git", url="https://git/team-a")}
ERROR = {"errorMessage": a_facet("ErrorMessageRun", message="give up", programmingLanguage="PYTHON")}


def an_event(kind, time, **more):
    """Build an event of team B's run."""
    parent = {"parent": a_parent(run=PARENT_RUN, job="nightly", namespace="teamB")}
    event = {"job": "load", "namespace": "teamB", "inputs": [], "outputs": [], "run_facets": parent, "job_facets": CODE}
    return a_run_event(eventType=kind, eventTime=f"2025-11-20T{time}:00Z", **{**event, **more})


def a_foreign_event(kind, time, **more):
    """Build an event of team A with the same run id."""
    return an_event(kind, time, **{"job": "steal", "namespace": "teamA", "run_facets": {}, "job_facets": {}, **more})


HONEST = [
    an_event("START", "10:00"),
    an_event("COMPLETE", "11:00", outputs=[a_dataset("orders", STORE, fields=["id"])]),
]
THEIR_USE = {"inputs": [a_dataset("theirs", THEIR_STORE)], "outputs": [a_dataset("made", THEIR_STORE)]}
ATTACKS = {
    "fails it": [a_foreign_event("FAIL", "11:30")],
    "starts it earlier": [a_foreign_event("START", "09:00")],
    "adds to it": [a_foreign_event("OTHER", "10:30", run_facets=ERROR, job_facets=THEIR_CODE, **THEIR_USE)],
    "claims it before": [a_foreign_event("START", "08:00"), a_foreign_event("COMPLETE", "09:00", **THEIR_USE)],
    "fails its parent": [a_foreign_event("FAIL", "11:30", run=PARENT_RUN)],
}
JOB = "/api/v1/namespaces/teamB/jobs/load"
READ = [
    (f"/api/v1/jobs/runs/{RUN}", {}),
    (f"/api/v1/jobs/runs/{RUN}/facets", {"type": "run"}),
    (f"/api/v1/jobs/runs/{RUN}/facets", {"type": "job"}),
    (f"/api/v1/jobs/runs/{PARENT_RUN}", {}),
    ("/api/v1/runlineage/upstream", {"runId": RUN}),
    (JOB, {}),
    (f"{JOB}/runs", {}),
    (f"{JOB}/versions", {}),
    (f"/api/v1/namespaces/{quote(STORE, safe='')}/datasets/orders", {}),
    (f"/api/v1/namespaces/{quote(STORE, safe='')}/datasets/orders/versions", {}),
    ("/api/v1/lineage", {"nodeId": "job:teamB:load"}),
    ("/api/v1/column-lineage", {"nodeId": f"dataset:{STORE}:orders"}),
]


def a_token(*namespaces):
    number = next(NUMBERS)
    text, token = new_token(
        scopes=["read", "write"],
        namespaces=namespaces,
        now_s=0,
        lifetime_s=None,
        random=lambda size: number.to_bytes(size, "big"),
    )
    Tokens(wiring.graph_table()).put(token)
    return text


def emit(api, cloud, events, token):
    for event in events:
        assert api.send("POST", "/api/v1/lineage", body=json.dumps(event), token=token).status == 201
    assert cloud.load_events(*cloud.bodies("EventsQueue")) == []


def read(api, token):
    responses = [api.send("GET", path, query, token=token) for path, query in READ]
    return [(response.status, response.json) for response in responses]


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_whoever_sends_events_with_the_id_of_a_run_of_another_namespace_changes_nothing_of_it(api, cloud, attack):
    team_a, team_b = a_token("teamA", THEIR_STORE), a_token("teamB", STORE)
    emit(api, cloud, HONEST, team_b)
    honest = read(api, team_b)
    assert [status for status, _ in honest] == [200] * len(READ)
    emit(api, cloud, attack, team_a)

    assert read(api, team_b) == honest


def test_a_run_id_claimed_beforehand_is_each_namespaces_own(api, cloud):
    team_a, team_b = a_token("teamA", THEIR_STORE), a_token("team?", "teamB*", f"{STORE}*")
    emit(api, cloud, ATTACKS["claims it before"], team_a)
    emit(api, cloud, HONEST, team_b)

    job, run, facets = ("teamB", "load"), f"/api/v1/jobs/runs/{RUN}", {"type": "job"}
    theirs, ours, signed = (api.send("GET", run, token=token).json for token in (team_a, team_b, None))
    assert [(run["job"]["namespace"], run["job"]["name"]) for run in (theirs, ours)] == [("teamA", "steal"), job]
    assert (theirs["otherJobs"], ours["otherJobs"]) == ([], [])
    assert signed == {**theirs, "otherJobs": [{"namespace": "teamB", "name": "load"}]}
    seen = [api.send("GET", f"{run}/facets", facets, token=token).json["facets"] for token in (team_a, team_b)]
    assert seen == [{}, CODE]

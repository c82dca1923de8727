"""Runs that end and start again under their id, runs that start many times, and a build that is run again."""

from itertools import permutations

from headwater.facts.keys import facts_key
from headwater_model.ids import JobId, RunKey
from tests.builders_events import NAMESPACE, RUN, STORE, a_run_event
from tests.unit.api.graph_api import GraphApi, at

JOB = "nightly"
JOB_PATH = f"/namespaces/{NAMESPACE}/jobs/{JOB}"


def an_hour(kind, minute, job=JOB, run=RUN, hour=12, **more):
    """Return an event of a run at a minute, without datasets unless given."""
    time = f"2025-11-20T{hour:02}:{minute:02}:00Z"
    return a_run_event(
        **{"eventType": kind, "eventTime": time, "job": job, "run": run, "inputs": [], "outputs": []} | more
    )


def loaded(*events):
    """Return the API after the events came one by one."""
    api = GraphApi()
    for event in events:
        api.load(event)
    return api


def minutes(attempt):
    """Return the state of an attempt with the minutes of its times."""
    times = attempt["startedAt"], attempt["endedAt"]
    return attempt["state"], *(time and int(time[14:16]) for time in times)


CLEARED = [
    an_hour(kind, minute, outputs=["raw"])
    for kind, minute in (("START", 0), ("FAIL", 1), ("START", 10), ("COMPLETE", 12))
]


def test_a_failed_run_that_was_cleared_is_what_its_last_attempt_is_in_any_order():
    dataset = f"/namespaces{at('s3://flights')}/datasets/raw"
    paths = (f"{JOB_PATH}/runs", JOB_PATH, dataset, f"{dataset}/versions")
    orders = [[loaded(*order).found(path) for path in paths] for order in permutations(CLEARED)]
    assert all(documents == orders[0] for documents in orders)

    runs, job, raw, _ = orders[0]
    (run,) = runs["runs"]
    times = {"state": "COMPLETED", "startedAt": "2025-11-20T12:00:00Z", "endedAt": "2025-11-20T12:12:00Z"}
    assert run == run | times | {"durationMs": 120_000}
    assert list(map(minutes, run["attempts"])) == [("FAILED", 0, 1), ("COMPLETED", 10, 12)]
    assert job["latestRun"] == job["latestRun"] | times | {"durationMs": 120_000}
    assert raw["currentVersion"] is not None


def test_a_run_that_runs_again_stays_failed_until_it_ends():
    run = loaded(*CLEARED[:3]).found(f"/jobs/runs/{RUN}")
    assert (run["state"], run["durationMs"]) == ("FAILED", 60_000)
    assert list(map(minutes, run["attempts"])) == [("FAILED", 0, 1), ("RUNNING", 10, None)]


def a_sensor(starts):
    return [an_hour("START", minute % 60, hour=minute // 60) for minute in range(starts)]


def test_forty_starts_of_a_rescheduled_sensor_are_one_attempt():
    api = loaded(*a_sensor(40))
    assert api.found(JOB_PATH)["latestRun"]["state"] == "RUNNING"
    api.load(an_hour("COMPLETE", 45, hour=0))
    (run,) = api.found(f"{JOB_PATH}/runs")["runs"]
    assert (run["state"], run["durationMs"]) == ("COMPLETED", 45 * 60_000)
    assert run.keys().isdisjoint({"attempts", "attemptsTruncated"})


def test_starts_without_number_make_no_larger_row_and_say_so():
    sizes = set()
    for starts in (200, 400):
        api = GraphApi(*a_sensor(starts))
        key = facts_key(RunKey.of(JobId(NAMESPACE, JOB), RUN))
        sizes.add(len(str(api.table.get([key])[key].data)))
        assert api.found(f"/jobs/runs/{RUN}")["attemptsTruncated"]
    assert len(sizes) == 1


def test_a_version_is_known_by_its_id_however_many_jobs_use_the_id_of_its_run():
    names = [f"job-{number}" for number in range(101)]
    last = max(names, key=lambda name: RunKey.of(JobId(NAMESPACE, name), RUN).job_hash)
    api = GraphApi(*(a_run_event(job=name, outputs=[name]) for name in names))
    path = f"/namespaces{at(STORE, 'datasets', last)}"
    version = api.found(path)["currentVersion"]
    times = [f"2025-11-20T13:{second // 60:02}:{second % 60:02}Z" for second in range(501)]
    api.load(
        *(
            a_run_event(job=last, run=f"{RUN[:-4]}{5000 + number}", eventTime=time, outputs=[last])
            for number, time in enumerate(times)
        )
    )
    assert api.found(f"{path}/versions/{version}")["name"] == last

"""Statistics through the handlers: what the home of Marquez's page draws."""

import pytest

from tests.builders_events import a_run_event

STATS = "/api/v1/stats"
WEEK = {"period": "WEEK", "timezone": "Europe/Paris"}


def test_events_and_things_are_counted_once_however_often_they_are_delivered(api, cloud):
    events = [
        a_run_event(eventType=kind, eventTime=f"2025-11-20T{hour}:30:00Z")
        for kind, hour in (("START", "10"), ("COMPLETE", "11"), ("RUNNING", "11"), ("FAIL", "12"))
    ]
    cloud.now_s += 3_600
    for _ in range(2):
        assert cloud.load_events(*events) == []

    day = api.send("GET", f"{STATS}/lineage-events", {"period": "DAY"}).json
    assert [hour["startInterval"] for hour in (day[0], day[-1])] == ["2025-11-19T14:00:00Z", "2025-11-20T13:00:00Z"]
    assert [[hour[name] for name in ("start", "complete", "fail", "abort")] for hour in day[-4:]] == [
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 0],
    ]
    week = api.send("GET", f"{STATS}/lineage-events", WEEK).json
    assert (len(day), len(week)) == (24, 7)
    today = {"startInterval": "2025-11-19T23:00:00Z", "endInterval": "2025-11-20T23:00:00Z"}
    assert week[-1] == {**today, "start": 1, "complete": 1, "fail": 1, "abort": 0}
    jobs = [hour["count"] for hour in api.send("GET", f"{STATS}/jobs", {"period": "DAY"}).json]
    assert jobs == [0] * 20 + [1] * 4
    assert api.send("GET", f"{STATS}/datasets", WEEK).json[-1] == {**today, "count": 2}


@pytest.mark.parametrize(
    "query",
    [{}, {"period": "YEAR"}, {"period": "WEEK"}, *({**WEEK, "timezone": zone} for zone in ("Mars", "../x", ""))],
)
def test_a_period_or_a_time_zone_that_is_none_is_refused(api, query):
    for of in ("lineage-events", "jobs", "datasets", "sources"):
        assert api.send("GET", f"{STATS}/{of}", query).status == 400

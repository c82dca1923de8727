"""Two stacks with days of history; raw events never expire beside erasures."""

LARGEST = {"tests_days": 90, "runs_days": 400, "streams_days": 30}
TURNED = {"events_days": 400}
ABSENT = ("KEPT_DAYS", "EventsKeptDays")

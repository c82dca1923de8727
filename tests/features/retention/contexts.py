"""Context values of retention."""

READ = [
    ({"events_days": "400", "tests_days": 90}, {"events": 400, "tests": 90}),
    ({"tests_days": 7}, {"tests": 7}),
    ({"runs_days": 90}, {"runs": 90, "streams": 90}),
    ({"runs_days": 90, "streams_days": 400}, {"runs": 90, "streams": 90}),
    ({"streams_days": 30}, {"streams": 30}),
    ({"events_days": None, "tests_days": "none"}, None),
]
REFUSED = [({"events_days": 6}, "events_days: must be a whole number from 7 to 36500, or none, got 6")]

"""The stack with days of history, beside the longest values of others."""

LARGEST = {"events_days": 400, "tests_days": 90}

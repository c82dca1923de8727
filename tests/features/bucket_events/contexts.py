"""The context value of events in buckets."""

from headwater.features.bucket_events.context import EventBucket

_RULE = "must be 10 buckets at most, each a name or an ARN, then `/` and a beginning of keys if not all keys count"
_LINEAGE = (EventBucket("lineage"),)
_WRONG = ("Lineage", "s3://lineage", "lineage/a*", "lineage/${x}", "ab", "arn:aws:sqs:::lineage", [7], "abc," * 11)
READ = [
    ({"event_buckets": "none"}, None),
    ({"event_buckets": None}, None),
    ({"event_buckets": "lineage"}, _LINEAGE),
    ({"event_buckets": "lineage/"}, _LINEAGE),
    (
        {"event_buckets": "arn:aws-us-gov:s3:::lineage/a=1/b, events, lineage/a=1/b"},
        (EventBucket("lineage", "a=1/b"), EventBucket("events")),
    ),
    ({"event_buckets": ["lineage/x", "events"]}, (EventBucket("lineage", "x"), EventBucket("events"))),
]
REFUSED = [({"event_buckets": value}, f"event_buckets: {_RULE}, got {value!r}") for value in _WRONG]

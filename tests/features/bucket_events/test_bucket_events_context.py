"""The context value of events in buckets: no typing mistake deploys."""

import pytest

from headwater.features.bucket_events.context import EventBucket
from headwater_model.errors import Invalid
from infra.context import parse_context

RULE = "must be 10 buckets at most, each a name or an ARN, then `/` and a beginning of keys if not all keys count"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("none", ()),
        (None, ()),
        ("lineage", (EventBucket("lineage"),)),
        ("lineage/", (EventBucket("lineage"),)),
        (
            "arn:aws-us-gov:s3:::lineage/a=1/b, events, lineage/a=1/b",
            (EventBucket("lineage", "a=1/b"), EventBucket("events")),
        ),
        (["lineage/x", "events"], (EventBucket("lineage", "x"), EventBucket("events"))),
    ],
)
def test_buckets_are_read_from_the_command_line_as_from_the_file(value, expected):
    assert parse_context({"event_buckets": value}).features == ({"bucket_events": expected} if expected else {})


@pytest.mark.parametrize(
    "value",
    [
        "Lineage",
        "s3://lineage",
        "lineage/a*",
        "lineage/${x}",
        "ab",
        "arn:aws:sqs:::lineage",
        [7],
        "abc," * 11,
    ],
)
def test_a_wrong_bucket_is_refused_by_value_and_rule(value):
    with pytest.raises(Invalid) as refused:
        parse_context({"event_buckets": value})
    assert str(refused.value) == f"event_buckets: {RULE}, got {value!r}"

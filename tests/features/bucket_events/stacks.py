"""The stacks of the tests that take events from buckets (tests/stack/assemblies.py)."""

CONTEXT = {"event_buckets": "lineage/openlineage/"}
CONTEXTS = (CONTEXT,)
TURNED = {"event_buckets": ["lineage/openlineage/", "arn:aws:s3:::glue-events"]}
ABSENT = ("BucketEvents",)

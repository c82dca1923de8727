"""The stacks of the tests that take events from buckets (tests/stack/assemblies.py)."""

from __future__ import annotations

CONTEXT = {"event_buckets": "lineage/openlineage/"}
CONTEXTS = (CONTEXT,)
TURNED = {"event_buckets": ["lineage/openlineage/", "arn:aws:s3:::glue-events"]}

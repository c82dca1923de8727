"""The days of history in the stack: a variable of the functions, and a lifecycle rule of the raw log."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from aws_cdk import Duration

from headwater import settings
from infra.addition import Addition

if TYPE_CHECKING:
    from infra.stack import LineageStack


def add(stack: LineageStack, days: Mapping[str, int]) -> Addition:
    """Let rows and objects of history expire."""
    for function in (stack.events.function, stack.query_api.function):
        function.set({settings.KEPT_DAYS: json.dumps(days)})
    if "events" not in days:
        return Addition()
    stack.storage.archive_bucket.add_lifecycle_rule(
        id="events",
        prefix=settings.EVENTS_PREFIX,
        expiration=Duration.days(days["events"]),
        noncurrent_version_expiration=Duration.days(1),
    )
    return Addition(outputs={"EventsKeptDays": str(days["events"])})

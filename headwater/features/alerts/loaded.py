"""The hook of the events function: it queues the loaded jobs and datasets for the alerts function."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from headwater.features.alerts.looked_at import LookQueue, nodes_of
from headwater.features.alerts.settings import ALERTS_QUEUE_URL
from lambdas import wiring

if TYPE_CHECKING:
    from headwater.loading.load import OnLoaded


def make_hook() -> OnLoaded:
    """Make the hook that queues the jobs and datasets of loaded statements."""
    queue = LookQueue(wiring.sqs(), os.environ[ALERTS_QUEUE_URL])
    return lambda loaded: queue.put(nodes_of(loaded.statements))

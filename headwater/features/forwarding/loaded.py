"""The hook of the events function: it announces the loaded events to the forward function."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from headwater.features.forwarding.announcements import Announcer, Marks
from headwater.features.forwarding.settings import FORWARD_NAMESPACES, FORWARD_QUEUE_URL
from lambdas import wiring

if TYPE_CHECKING:
    from headwater.loading.load import OnLoaded


def make_hook() -> OnLoaded:
    """Make the hook that announces the events of the namespaces to forward, each once."""
    namespaces = json.loads(os.environ[FORWARD_NAMESPACES])
    marks = Marks(wiring.graph_table(), wiring.now_s())
    announcer = Announcer(wiring.sqs(), os.environ[FORWARD_QUEUE_URL], namespaces, marks)
    return lambda loaded: announcer.announce(loaded.lines)

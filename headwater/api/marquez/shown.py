"""Waits of Marquez's routes that write: Marquez's clients read, or change, in the same breath what they wrote.

What such a route queued is loaded within a second or two. The request that queued it waits, so that no other does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from headwater.api.services import Services

T = TypeVar("T")
# Three seconds together.
WAITS_S = (0.2, 0.4, 0.8, 1.6)


def wait_until_shown(
    services: Services, find: Callable[[], T | None], is_changed: Callable[[T], bool], *, otherwise: T
) -> T:
    """Return the thing as readers are shown it once it is changed; `otherwise` if that takes longer than the waits."""
    for wait_s in WAITS_S:
        services.sleep(wait_s)
        thing = find()
        if thing is not None and is_changed(thing):
            return thing
    return otherwise

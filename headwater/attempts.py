"""Attempts at a call of AWS that may fail for now, with a wait before each but the first."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

_FIRST_S = 0.04


def attempts(tries: int, sleep: Callable[[float], None], *, longest_s: float = 10) -> Iterator[int]:
    """Yield the numbers of the attempts, from 0; wait before each but the first.

    A wait is random, so callers that collided do not collide again. Its bound doubles from 0.04 s to `longest_s`.

    >>> waits = []
    >>> list(attempts(3, waits.append)), [wait <= longest for wait, longest in zip(waits, (0.04, 0.08))]
    ([0, 1, 2], [True, True])
    """
    for attempt in range(tries):
        if attempt:
            sleep(random.uniform(0, min(_FIRST_S * 2 ** (attempt - 1), longest_s)))  # noqa: S311 - no secret
        yield attempt

"""Retries for as long as a job may wait, and no longer."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from spark_client.errors import Undelivered

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
# Time of an attempt at an endpoint after it hung: a response later than this is rare.
PROBE_S = 5.0


@dataclass(frozen=True)
class RetryPolicy:
    """Time limits of a request and its attempts.

    Attributes:
        deadline_s: for a request, all its attempts and pauses together.
        attempt_s: for an attempt, from connection to response. A hanging endpoint gets a second attempt, of 5 s.
        connect_s: for a connection to be made.
        pause_s: the longest first pause, doubled with each attempt. A random part of it keeps the tasks of a job from
            coming back together.
        pause_max_s: the longest pause ever.
    """

    deadline_s: float = 60.0
    attempt_s: float = 25.0
    connect_s: float = 5.0
    pause_s: float = 0.25
    pause_max_s: float = 8.0


@dataclass(frozen=True)
class Clock:
    """Clock, sleep and random numbers; tests bring their own."""

    now: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep
    dice: Callable[[], float] = random.random


def retry(
    attempt: Callable[[float], T], policy: RetryPolicy, clock: Clock, *, once: Callable[[], bool] = lambda: False
) -> T:
    """Try until an attempt succeeds, and return its result; each attempt gets its limit in seconds.

    After an attempt without a response the next attempt is short; a second attempt without a response is the last.

    Raises:
        Undelivered: as the last attempt, when the deadline leaves no time for another, or at once if `once()`.
    """
    start = clock.monotonic()
    tries = 0
    hung = False
    while True:
        left_s = policy.deadline_s - (clock.monotonic() - start)
        tries += 1
        limit_s = min(policy.attempt_s, PROBE_S) if hung else policy.attempt_s
        try:
            return attempt(min(limit_s, max(left_s, 0.001)))
        except Undelivered as error:
            pause_s = _pause_s(policy, clock, tries, error.retry_after_s)
            is_last = once() or (hung and error.timed_out)
            if is_last or clock.monotonic() - start + pause_s >= policy.deadline_s:
                attempts = "1 attempt" if tries == 1 else f"{tries} attempts"
                raise Undelivered(f"{error} (gave up after {attempts})", timed_out=error.timed_out) from error
            hung = error.timed_out
        clock.sleep(pause_s)


def _pause_s(policy: RetryPolicy, clock: Clock, tries: int, requested_s: float) -> float:
    doubled: float = policy.pause_s * 2.0 ** min(tries - 1, 30)
    return max(requested_s, clock.dice() * min(doubled, policy.pause_max_s))

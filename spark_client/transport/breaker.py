"""Circuit breaker: a slowly failing endpoint is left alone for a while, so a job does not wait for it.

    permit = breaker.permit()        # None while the endpoint rests
    try:
        ...                       # as the permit says; then `succeed()`, or `fail(seconds of the last attempt)`
    finally:
        breaker.end(permit)

The rest is proportional to the failure's seconds. An endpoint refusing at once is tried with each call. A hanging
endpoint costs its time-out, then at most a twentieth of the job's time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import Enum

# Seconds of rest for each second of a failed attempt, the longest rest, and the longest failure without a rest.
_REST_FACTOR = 20.0
_REST_MAX_S = 300.0
_QUICK_S = 0.01


class Permit(Enum):
    """Kinds of permission to call the endpoint: closed, closed after a quick failure, half-open."""

    WITH_RETRIES = "with retries"
    ONCE = "once"
    PROBE = "probe"


class CircuitBreaker:
    """Breaker that is closed, open (the endpoint rests) or half-open (a probe is under way); usable by many threads.

    >>> breaker = CircuitBreaker(lambda: 0.0)
    >>> breaker.fail(3.0), breaker.permit()
    (60.0, None)
    """

    def __init__(self, monotonic: Callable[[], float], *, is_doubtful: bool = False) -> None:
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._is_doubtful = is_doubtful
        self._rests_until_s = -1.0
        self._is_resting = False
        self._is_probed = False

    @property
    def is_doubtful(self) -> bool:
        """True if the last call failed."""
        return self._is_doubtful

    def permit(self) -> Permit | None:
        """Ask for a permission; None while the endpoint rests, or another thread probes it."""
        with self._lock:
            if not self._is_resting:
                return Permit.ONCE if self._is_doubtful else Permit.WITH_RETRIES
            if self._is_probed or self._monotonic() < self._rests_until_s:
                return None
            self._is_probed = True
            return Permit.PROBE

    def succeed(self) -> bool:
        """Close the breaker, since the endpoint responded; return True if it had failed before."""
        with self._lock:
            was_doubtful = self._is_doubtful
            self._is_doubtful = self._is_resting = False
            return was_doubtful

    def fail(self, attempt_s: float) -> float:
        """Open the breaker for a rest in proportion to the last attempt's seconds; return the seconds of the rest."""
        rest_s = 0.0 if attempt_s < _QUICK_S else min(attempt_s * _REST_FACTOR, _REST_MAX_S)
        with self._lock:
            self._is_doubtful = True
            self._is_resting = rest_s > 0
            self._rests_until_s = max(self._rests_until_s, self._monotonic() + rest_s)
            return rest_s

    def end(self, permit: Permit) -> None:
        """Note the end of a permitted call, successful or not."""
        if permit is Permit.PROBE:
            with self._lock:
                self._is_probed = False

"""Settings of property tests, in proportion to what Hypothesis' profile wants: see tests/conftest.py."""

from __future__ import annotations

import math

from hypothesis import HealthCheck, settings

# How many times more examples the profile wants than CI's; less than 1 for a fast run.
THOROUGH = settings().max_examples / settings.get_profile("ci").max_examples


def scaled(number: int) -> int:
    """Return what becomes of a number of CI's in this profile, at least 1."""
    return math.ceil(number * THOROUGH)


def examples(number: int, *more: HealthCheck) -> settings:
    """Return settings of a property that CI tries so often: examples are long to draw, and to work out."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, *more]
    return settings(max_examples=scaled(number), deadline=None, suppress_health_check=slow)

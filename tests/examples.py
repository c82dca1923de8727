"""Settings of property tests, in proportion to what Hypothesis' profile wants: see tests/conftest.py."""

from __future__ import annotations

import math

from hypothesis import HealthCheck, settings

# How many of the examples that a property names each profile draws.
SHARE = {"fast": 0.05, "ci": 0.25, "thorough": 2.5}[settings.get_current_profile_name()]


def scaled(number: int) -> int:
    """Return the share of a number of examples that this profile draws, at least 1."""
    return math.ceil(number * SHARE)


def examples(number: int, *more: HealthCheck) -> settings:
    """Return settings of a property whose examples are long to draw, and to work out."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, *more]
    return settings(max_examples=scaled(number), deadline=None, suppress_health_check=slow)

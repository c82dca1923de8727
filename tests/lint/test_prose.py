"""The prose of each file is within its ceiling: few pronouns in place of nouns (prose.py)."""

from tests.lint.prose import faults


def test_prose_is_within_its_ceiling():
    assert faults() == [], "write the noun (`python -m tests.lint.prose FILE` prints the worst sentences)"

"""The prose of each file is within its ceiling: few pronouns in place of nouns (prose.py)."""

from tests.lint.prose import exceptions, faults, rates


def test_prose_is_within_its_ceiling_and_exceptions_only_shrink():
    cure = "write the noun (`python -m tests.lint.prose FILE` prints sentences), or lower the exceptions (`--lower`)"
    assert faults(exceptions(), rates()) == [], cure

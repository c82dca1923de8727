"""Ends of paths that are partitions of a dataset."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater_model.partitions import trim_partitions

TRIMMED = {
    # One pair of key and value.
    "a/dt=2013-01-01": "a",
    "/a/dt=2013-01-01/hour=05": "/a",
    "a/b/x=": "a/b",
    "a/x==y": "a/x==y",
    # The last part that is left stays.
    "dt=2013-01-01": "dt=2013-01-01",
    "/dt=2013-01-01": "/dt=2013-01-01",
    "/20130101": "/20130101",
    "2013/01/01": "2013/01/01",
    "/2013/01": "/2013/01",
    # A date, with or without a time of the day.
    "a/2013-01-01": "a",
    "a/01.01.2013": "a",
    "a/20130101": "a",
    "a/20130101T0901Z": "a",
    "a/2013-01-01 09:01:00.123": "a",
    "a/20130230": "a",
    "a/2013-25-01": "a/2013-25-01",
    "a/2013-01-32": "a/2013-01-32",
    "a/20130101TT": "a/20130101TT",
    "a/x20130101": "a/x20130101",
    "a/00000101": "a/00000101",
    # A month.
    "a/201301": "a",
    "a/2013-01": "a",
    "a/201333": "a/201333",
    "a/2013-1": "a/2013-1",
    # Folders of a year, a month and a day.
    "a/2013/01": "a",
    "a/2013/01/01": "a",
    "/a/2013/01/01": "/a",
    "a/2013/13": "a/2013/13",
    "a/2013/01/32": "a/2013/01/32",
    # One after the other.
    "a/2013/01/01/hour=05": "a",
    "a/year=2013/month=01/20130101": "a",
    # What has no path.
    "db.sales.201301": "db.sales.201301",
    "flights": "flights",
    "a/": "a/",
    "a/dt=1/": "a/dt=1/",
    "//": "//",
}


@pytest.mark.parametrize(("name", "trimmed"), TRIMMED.items())
def test_a_name_is_trimmed_as_openlineages_own_client_does(name, trimmed):
    assert trim_partitions(name) == trimmed


@given(st.lists(st.sampled_from(["a", "2013", "01", "20130101", "x=1", "", " ", "2013-01"])).map("/".join))
def test_trimming_twice_is_trimming_once_and_leaves_a_start_of_the_name(name):
    trimmed = trim_partitions(name)

    assert trim_partitions(trimmed) == trimmed
    assert name.startswith(trimmed)
    assert bool(trimmed.strip()) == bool(name.strip())

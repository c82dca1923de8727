"""Parts of paths that are partitions of a dataset."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater_model.partitions import is_path, trim_end, trim_partitions

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


# Dates that are not at the end, or not all of a part.
DATES = {
    "a/2013-01-01/b": "a/b",
    "/a/2013-01-01/b": "/a/b",
    "2013-01-01/b": "b",
    "a/20130101T0901Z/b": "a/b",
    "a/2013_01/b": "a/b",
    "a/day=2013-01-01/b": "a/b",
    "a/2013/01/01/b": "a/b",
    "a/2013/01/b": "a/b",
    "a/2013-01-01/05": "a",
    "a/2013/01/01/05/b": "a/b",
    "a/b_2013-01-01": "a/b",
    "a/b-20130101/c": "a/b/c",
    "a/b.2013-01-01T05:00": "a/b",
    "a/b_2013-01-01.csv.gz": "a/b.csv.gz",
    "b_2013-01-01": "b",
    "a/b_2013-01-01_2013-01-02": "a/b",
    "a/b_2013-01-01/2013-01-02/c=1": "a/b",
    # No date, a date that begins a name, and what may be an id.
    "a/2013-13-01/b": "a/2013-13-01/b",
    "a/b_2013-01-32": "a/b_2013-01-32",
    "a/2013-01-01_b": "a/2013-01-01_b",
    "a/b20130101": "a/b20130101",
    "a/201301/b": "a/201301/b",
    "a/b_201301": "a/b_201301",
    "a/b_18991231": "a/b_18991231",
    "a/2013/b": "a/2013/b",
    "a/2013/01/32": "a/2013/01/32",
    "a/x=y_2013-01-01/b": "a/x=y/b",
    "_2013-01-01": "_2013-01-01",
}


@pytest.mark.parametrize(("name", "trimmed"), TRIMMED.items())
def test_the_end_of_a_name_is_trimmed_as_openlineages_own_client_does(name, trimmed):
    assert trim_end(name) == trim_partitions(name) == trimmed


@pytest.mark.parametrize(("name", "trimmed"), DATES.items())
def test_dates_inside_a_name_are_trimmed(name, trimmed):
    assert trim_partitions(name) == trimmed


_PARTS = ["a", "2013", "01", "20130101", "x=1", "", " ", "2013-01", "a_2013-01-01", "05", "a.20130101.csv"]


@given(st.lists(st.sampled_from(_PARTS)).map("/".join))
def test_trimming_twice_is_trimming_once_and_leaves_letters_of_the_name(name):
    trimmed, letters = trim_partitions(name), iter(name)

    assert trim_partitions(trimmed) == trimmed
    assert all(letter in letters for letter in trimmed)
    assert bool(trimmed.strip()) == bool(name.strip())


@pytest.mark.parametrize(
    ("namespace", "name", "path"),
    [
        ("file", "daily_2013-01-01", True),
        ("s3://lake", "daily_2013-01-01", True),
        ("abfss://c@account", "daily", True),
        ("kafka://h:9092", "daily_2013-01-01", False),
        ("custom", "lake/daily", True),
        ("arn:aws:glue:eu-west-1:111122223333", "table/flights/201301", False),
    ],
)
def test_names_of_stores_and_names_with_slashes_are_paths(namespace, name, path):
    assert is_path(namespace, name) == path

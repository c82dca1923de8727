"""Which names are partitions of a dataset, and which are private temporary storage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.runs.door.partitions import trim_partitions
from lineage.runs.door.rules import NameRules

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


NOT_PATHS = [
    ("arn:aws:glue:eu-west-1:111122223333", "table/flights/201301"),
    ("snowflake://org-account", "FLIGHTS.PUBLIC.D2013-01-01"),
    ("bigquery", "project.flights.checked_20130101"),
]


@pytest.mark.parametrize(("namespace", "name"), NOT_PATHS)
def test_a_name_that_is_no_path_is_the_dataset(namespace, name):
    assert NameRules().dataset(namespace, name).name == name


TEMPORARY = [
    ("inmemory://", "df-1"),
    ("s3://flights", "checked/_temporary/0/_temporary/attempt_1"),
    ("s3://flights", "checked/_temporary"),
    ("hdfs://nn:8020", "/warehouse/.hive-staging_hive_2013-01-01/-ext-10000"),
    ("file", "/data/out/.spark-staging-4f1/day=1"),
    ("postgres://db:5432", "flights.pg_temp_3.checked"),
    ("redshift://c.eu-west-1:5439", "dev.public.checked__dbt_tmp"),
    ("bigquery", "project._0123456789abcdef0123456789abcdef01234567.anon42"),
]
LASTING = [("s3://flights", "temporary/a"), ("file", "/tmp/flights.csv"), ("bigquery", "project.flights.anon")]


def test_temporary_storage_is_known_by_its_name():
    rules = NameRules()

    assert [rules.is_temporary(*one) for one in TEMPORARY] == [True] * len(TEMPORARY)
    assert [rules.is_temporary(*one) for one in LASTING] == [False] * len(LASTING)


def test_both_rules_have_an_off_switch():
    off = NameRules(trim_partitions=False, temporary=())

    assert not any(off.is_temporary(*one) for one in TEMPORARY)
    assert off.dataset("s3://flights", "a/dt=1").name == "a/dt=1"


def test_a_deployment_may_have_patterns_of_its_own():
    rules = NameRules(temporary=("^s3://scratch/",))

    assert rules.is_temporary("s3://scratch", "a")
    assert not rules.is_temporary("inmemory://", "a")
    with pytest.raises(ValueError, match=r"temporary: must be regular expressions, got '\('"):
        NameRules(temporary=("(",))

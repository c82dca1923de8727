"""Names of private temporary storage; `NamingRules` and `partitions` show the names of partitions."""

import pytest

from headwater.events.naming import NamingRules

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
    rules = NamingRules()

    assert [rules.is_temporary(*dataset) for dataset in TEMPORARY] == [True] * len(TEMPORARY)
    assert [rules.is_temporary(*dataset) for dataset in LASTING] == [False] * len(LASTING)


def test_both_rules_have_an_off_switch():
    off = NamingRules(trim_partitions=False, temporary=())

    assert not any(off.is_temporary(*dataset) for dataset in TEMPORARY)
    assert off.dataset("s3://flights", "a/dt=1").name == "a/dt=1"


def test_a_deployment_may_have_patterns_of_its_own():
    rules = NamingRules(temporary=("^s3://scratch/",))

    assert rules.is_temporary("s3://scratch", "a")
    assert not rules.is_temporary("inmemory://", "a")
    with pytest.raises(ValueError, match=r"temporary: must be regular expressions, got '\('"):
        NamingRules(temporary=("(",))

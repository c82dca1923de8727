"""Jobs are called after what they write, the same in every run of a program."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headwater_model.ids import DatasetId
from spark_client.capturing.model import Dataset, Symlink, Write
from spark_client.capturing.session.job_names import JobNames
from spark_client.job_names import application_name, suffix_of

STABLE = [
    "emissions",
    "emissions.nightly",
    "emissions-nightly",
    "emissions_v2",
    "top10",
    "step 3",
    "sales_2024",
    "Databricks Shell",
    "PySparkShell",
    "deadbeef",
    "facade",
    "run",
    "running",
    "emissions_12345",
    "KMeans_facadefacade",
    "4a8b0c1d2e3f",
]
OF_ONE_RUN = [
    ("emissions-01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c", "emissions"),
    ("emissions_01941f297c007ea7b5a34d2d5f0a1b2c", "emissions"),
    ("emissions 2025-11-20", "emissions"),
    ("emissions_20251120", "emissions"),
    ("emissions_202511", "emissions"),
    ("emissions_20251120_120000", "emissions"),
    ("emissions-20251120T120000Z", "emissions"),
    ("emissions 2025-11-20 12:00:00.123456", "emissions"),
    ("manual__2025-11-20T12:00:00+00:00", "manual"),
    ("emissions-1763640000", "emissions"),
    ("emissions-1763640000123", "emissions"),
    ("emissions-application_1763640000123_0042", "emissions"),
    ("nativespark-emissions-jr_" + "0a1b2c3d" * 8, "nativespark-emissions"),
    ("job-611-run-1", "job-611"),
    ("LogisticRegression_4a8b0c1d2e3f", "LogisticRegression"),
    ("emissions-2025-11-20-01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c", "emissions"),
]


def a_write(name: str, *inputs: str, execution: int = 1, symlinks: tuple[Symlink, ...] = ()) -> Write:
    datasets = tuple(Dataset(DatasetId("s3://flights", name)) for name in inputs)
    output = Dataset(DatasetId("s3://flights", name), symlinks=symlinks)
    return Write(
        execution_id=execution,
        command="InsertIntoHadoopFsRelationCommand",
        started_ms=0,
        ended_ms=1,
        output=output,
        inputs=datasets,
    )


@pytest.mark.parametrize("name", STABLE)
def test_a_name_that_every_run_has_is_kept(name: str) -> None:
    assert application_name(name) == name.replace(" ", "_")


@pytest.mark.parametrize(("name", "stable"), OF_ONE_RUN)
def test_what_only_one_run_is_called_is_taken_off(name: str, stable: str) -> None:
    assert application_name(name) == stable


@pytest.mark.parametrize(
    ("name", "safe"),
    [("Flüge: täglich (neu)", "Flüge_täglich_neu"), ("a/b\nc", "a_b_c"), ("", "spark"), ("///", "spark")],
)
def test_a_name_is_made_of_safe_characters(name: str, safe: str) -> None:
    assert application_name(name) == safe


def test_a_name_that_is_nothing_but_an_id_is_kept() -> None:
    assert application_name("local-1763640000123") == "local-1763640000123"


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("estimated", "estimated"),
        ("/data/emissions/estimated", "emissions_estimated"),
        ("/data/emissions/estimated/", "emissions_estimated"),
        ("shop.public.orders", "shop_public_orders"),
        ("a/b c/d-e", "b_c_d_e"),
        ("/", "root"),
    ],
)
def test_a_job_is_called_after_the_end_of_the_path(name: str, suffix: str) -> None:
    assert suffix_of(name) == suffix


@pytest.mark.parametrize(
    ("path", "suffix"),
    [
        ("daily/2026-11-20/flights", "daily_flights"),
        ("daily/2026/11/20/flights", "daily_flights"),
        ("daily/2026/11/20/05/flights", "daily_flights"),
        ("daily/year=2026/month=11/day=20/flights", "daily_flights"),
        ("runs/run=2026-11-22T05:00:00/out/flights", "out_flights"),
        ("out/flights_20261120", "out_flights"),
        ("out/flights/01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c", "out_flights"),
        ("out/flights/jr_0a1b2c3d4e5f60718293a4b5", "out_flights"),
        ("tmp/stage-1763640000123/flights", "stage_flights"),
        ("region=emea/v2/flights", "v2_flights"),
        ("raw/2013/flights", "2013_flights"),
        ("01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c", "root"),
    ],
)
def test_a_job_is_not_called_after_what_only_one_run_writes(path: str, suffix: str) -> None:
    assert suffix_of(path) == suffix


def test_a_table_is_not_called_by_its_day() -> None:
    assert {suffix_of(name) for name in ("shop.orders_20261120", "shop.orders_20261121")} == {"shop_orders"}


def test_what_a_program_writes_for_each_day_is_one_job() -> None:
    names = JobNames("emissions")
    days = [a_write(f"daily/2026-11-{day}/flights", f"raw/2026-11-{day}/planes") for day in (20, 21)]
    others = [a_write("daily/all/flights", "raw/2026-11-21/planes"), a_write("daily/2026-11-21/flights", "raw/planes2")]

    assert [names.name(write) for write in (*days, *others)] == [
        "emissions.daily_flights",
        "emissions.daily_flights",
        "emissions.all_flights",
        "emissions.daily_flights.2",
    ]


def test_a_table_comes_before_the_path_and_a_location_does_not() -> None:
    hive, location = Symlink("hive://h:9083", "emissions.estimated"), Symlink("s3://b", "x/y", "LOCATION")

    assert JobNames("nightly").name(a_write("a/b/c", symlinks=(location, hive))) == "nightly.emissions_estimated"
    assert JobNames("nightly").name(a_write("a/b/c", symlinks=(location,))) == "nightly.b_c"


def test_the_same_inputs_into_the_same_dataset_are_one_job_in_any_order_and_number() -> None:
    names = JobNames("emissions")

    named = [names.name(a_write("estimated", *inputs)) for inputs in (["a", "b"], ["b", "a"], ["a", "b"])]

    assert named == ["emissions.estimated"] * 3


def test_another_job_of_the_same_name_is_numbered_as_it_comes() -> None:
    names = JobNames("emissions")
    writes = [a_write("x/estimated", "a"), a_write("x/estimated", "b"), a_write("y/x/estimated", "a")]

    assert [names.name(write) for write in (*writes, *writes)] == [
        "emissions.x_estimated",
        "emissions.x_estimated.2",
        "emissions.x_estimated.3",
    ] * 2


def test_what_becomes_of_a_dataset_is_a_job_beside_the_one_that_writes_it() -> None:
    names = JobNames("emissions")
    written = a_write("x/estimated")

    assert [names.name(replace(written, change=change)) for change in (None, "DROP", "OVERWRITE", "TRUNCATE")] == [
        "emissions.x_estimated",
        "emissions.drop_x_estimated",
        "emissions.x_estimated",
        "emissions.truncate_x_estimated",
    ]

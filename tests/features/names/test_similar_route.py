"""The report on datasets that are likely the same: what a caller sees of it."""

from headwater.loading.renamings import join_names
from headwater_model.ids import DatasetId
from tests.builders_events import a_dataset, a_run_event
from tests.unit.api.teams import World

PATH = "/api/v1/reports/similar"
LAKE, ALIAS, HIVE = DatasetId("s3://lake", "legs"), DatasetId("s3a://lake", "legs"), DatasetId("hive://m", "db.Legs")
OTHER = DatasetId("s3://other", "legs")


def a_world():
    columns = {LAKE: ["plane", "co2"], ALIAS: ["co2", "plane"], HIVE: ["CO2", "Plane"], OTHER: ["plane"]}
    outputs = [a_dataset(dataset.name, dataset.namespace, fields=fields) for dataset, fields in columns.items()]
    return World(a_run_event(inputs=[], outputs=outputs))


LOWER = {"fields": {"case": "lower"}}


def a_group(*datasets, columns=2, **more):
    return {
        "datasets": [{"namespace": dataset.namespace, "name": dataset.name} for dataset in datasets],
        "columns": columns,
        **more,
    }


def test_datasets_with_equal_ends_and_columns_are_a_group():
    world = a_world()
    assert world.get(world.token(), PATH) == {
        "similar": [a_group(HIVE, LAKE, ALIAS, **LOWER)],
        "claimed": [],
        "truncated": False,
    }


def test_a_token_gets_the_groups_of_what_it_sees():
    world = a_world()
    assert world.get(world.token("s3*"), PATH)["similar"] == [a_group(LAKE, ALIAS)]
    assert world.get(world.token("s3a://lake", "s3://other"), PATH)["similar"] == []


def test_datasets_that_are_joined_are_one():
    world = a_world()
    assert sum(join_names({LAKE: [ALIAS]}, world.table)) == 1
    assert world.get(world.token(), PATH)["similar"] == [a_group(HIVE, LAKE, **LOWER)]

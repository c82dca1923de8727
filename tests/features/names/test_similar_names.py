"""Datasets that are likely the same under several names."""

import pytest

from headwater.events.field_folds import FieldFold
from headwater.features.names.similar_names import Similar, SimilarDatasets, similar_datasets
from headwater.loading.renamings import join_names
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId
from tests.unit.facts.statements import a_dataset_event
from tests.unit.queries.every_query import loaded


def schema(*columns):
    return {"schema": {"fields": [{"name": column} for column in columns]}}


def test_two_spellings_of_one_name_are_likely_the_same_whatever_their_columns_are():
    names = [
        DatasetId("s3://lake", name) for name in ("flights/legs", "flights/le\u200bgs", "flights/ＬＥＧＳ", "legs")
    ]
    table = loaded([a_dataset_event(1, name, **schema(str(place), "a")) for place, name in enumerate(names)])

    assert similar_datasets(GraphView(table)).groups == [SimilarDatasets(tuple(sorted(names[:3])), 1)]


def test_datasets_with_the_same_last_part_and_columns_are_likely_the_same():
    lake, hive = DatasetId("s3://lake", "flights/legs"), DatasetId("hive://m:9083", "flights.Legs")
    other, narrow, bare = (DatasetId("s3://lake", name) for name in ("trains/legs", "flights/old/legs", "b/legs"))
    table = loaded(
        [
            a_dataset_event(1, lake, **schema("a", "B")),
            a_dataset_event(1, hive, **schema("b", "a")),
            a_dataset_event(1, narrow, **schema("a")),
            a_dataset_event(1, other, **schema("a", "b", "c")),
            a_dataset_event(1, bare),
        ]
    )
    groups = [SimilarDatasets((hive, lake), 2, FieldFold(case="lower"))]
    assert similar_datasets(GraphView(table)) == Similar(groups, truncated=False)
    assert similar_datasets(GraphView(table), datasets_max=1) == Similar([], truncated=True)

    assert sum(join_names({lake: [hive]}, table)) == 1
    assert similar_datasets(GraphView(table)).groups == []


@pytest.mark.parametrize(
    ("columns", "fold"),
    [
        (['"nav"', '"co2"'], FieldFold(quotes=True)),
        (["NAV", "co2"], FieldFold(case="lower")),
        (['"NAV"', "[co2]"], FieldFold(quotes=True, case="lower")),
        (["co2", "nav"], None),
    ],
)
def test_columns_in_other_spellings_are_likely_the_same_by_a_fold_and_the_plain_name_comes_first(columns, fold):
    quoted, plain = (DatasetId("snowflake://acc", name) for name in ('"DB"."SC"."POS"', "DB.SC.POS"))
    table = loaded([a_dataset_event(1, quoted, **schema(*columns)), a_dataset_event(1, plain, **schema("nav", "co2"))])
    assert similar_datasets(GraphView(table)).groups == [SimilarDatasets((plain, quoted), 2, fold)]

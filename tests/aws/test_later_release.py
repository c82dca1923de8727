"""After a roll-back: what a later release wrote stays where it is until a release that can read it is back."""

import pytest

from headwater.records.pointers import Pointers
from headwater_model.errors import Unavailable
from tests.builders import DAY, a_message


def rewrite(cloud, table, **attributes):
    for item in cloud.items(table):
        cloud.dynamodb.put_item(TableName=cloud.outputs[f"{table}TableName"], Item={**item, **attributes})


def test_a_root_with_such_an_item_is_traced_by_nobody_and_stays_dirty(cloud):
    cloud.load(a_message())
    rewrite(cloud, "Records", schema={"N": "2"})

    assert cloud.trace() == [0]
    assert (cloud.archived(), cloud.dirty()) == ([], {"flights"})


def test_such_an_expired_item_is_left_in_the_stream(cloud):
    cloud.load(a_message())
    rewrite(cloud, "Records", schema={"N": "2"})
    cloud.now_s += 25 * 3600
    with pytest.raises(Unavailable, match="an item is of version 2: this release reads up to 1"):
        cloud.stream(cloud.expire())


def test_such_a_pointer_is_not_overwritten(cloud):
    cloud.load(a_message())
    cloud.trace(day=DAY)
    before = cloud.objects()
    rewrite(cloud, "Graph", schema={"N": "2"})
    cloud.load(a_message(node_id="late"))

    assert cloud.trace(day=DAY) == [0]
    assert cloud.objects() == before
    with pytest.raises(Unavailable):
        Pointers(cloud.dynamodb, cloud.outputs["GraphTableName"]).find("flights")


def test_an_item_that_says_the_version_of_this_release_is_read(cloud):
    cloud.load(a_message())
    rewrite(cloud, "Records", schema={"N": "1"})
    cloud.trace()

    assert cloud.archived_nodes() == {a_message()["node_id"]}

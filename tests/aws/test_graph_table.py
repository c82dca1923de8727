"""The graph table's behaviours on moto and on the DynamoDB in memory that benchmarks and unit tests run on."""

from __future__ import annotations

import random

import pytest

from benchmarks.memory_table import MemoryTable
from lineage.graph.table import SIDES_MAX, GraphTable, Increment, Row, RowPage, RowQuery, Swap
from lineage_model.errors import Unavailable
from tests.aws.faults import before, refused


@pytest.fixture
def dynamo_table(cloud):
    names = cloud.outputs["GraphTableName"], cloud.outputs["ArchiveBucketName"]
    return GraphTable(cloud.dynamodb, names[0], cloud.s3, names[1], sleep=lambda _: None)


@pytest.fixture(params=["dynamodb", "memory"])
def table(request):
    return MemoryTable() if request.param == "memory" else request.getfixturevalue("dynamo_table")


def rows(number, pk="P"):
    return [Row(pk, f"K#{index:04}", {"n": index}) for index in range(number)]


def test_rows_that_were_put_are_got_and_those_that_were_not_are_left_out(table):
    table.put(rows(230))

    found = table.get([("P", "K#0001"), ("P", "K#0229"), ("P", "none"), ("P", "K#0001")])

    assert found == {("P", "K#0001"): Row("P", "K#0001", {"n": 1}), ("P", "K#0229"): Row("P", "K#0229", {"n": 229})}
    assert len(table.get(row.key for row in rows(230))) == 230


def test_getting_and_putting_nothing_is_allowed(table):
    table.put([])

    assert table.get([]) == {}


@pytest.mark.parametrize(
    ("query", "numbers", "more"),
    [
        (RowQuery("P", prefix="K#"), [0, 1, 2, 3, 4], False),
        (RowQuery("P"), [0, 1, 2, 3, 4], False),
        (RowQuery("P", prefix="K#", limit=2), [0, 1], True),
        (RowQuery("P", prefix="K#", limit=5), [0, 1, 2, 3, 4], False),
        (RowQuery("P", prefix="K#", newest_first=True, limit=2), [4, 3], True),
        (RowQuery("P", low="K#0001", high="K#0003"), [1, 2, 3], False),
        (RowQuery("P", low="K#", high="K#0002", newest_first=True, limit=1), [2], True),
        (RowQuery("P", prefix="L#"), [], False),
        (RowQuery("Q", prefix="K#"), [], False),
    ],
)
def test_a_query_finds_its_rows_in_the_order_of_their_keys(table, query, numbers, more):
    table.put(rows(5))

    (page,) = table.query([query])

    assert ([row.data["n"] for row in page.rows], page.more) == (numbers, more)


def test_queries_return_in_the_order_in_which_they_were_given(table):
    table.put([*rows(1, "A"), *rows(2, "B")])

    pages = table.query([RowQuery(pk) for pk in ("B", "none", "A")])

    assert [len(page.rows) for page in pages] == [2, 0, 1]


def test_sort_keys_are_ordered_by_their_bytes_beyond_ascii_too(table):
    names = ["Z", "a", "é", "ﬀ", "😀"]
    table.put([Row("P", f"RUN#{name}") for name in reversed(names)])

    (page,) = table.query([RowQuery("P", prefix="RUN#")])

    assert [row.sk for row in page.rows] == [f"RUN#{name}" for name in names]


def test_a_swap_writes_only_over_the_version_that_was_read(table):
    first, again = table.swap([Swap(Row("P", "S", {"n": 1}))]), table.swap([Swap(Row("P", "S", {"n": 2}))])
    read = table.get([("P", "S")])["P", "S"]
    second = table.swap([Swap(Row("P", "S", {"n": 3}, read.version))])
    late = table.swap([Swap(Row("P", "S", {"n": 4}, read.version))])

    assert (first, again, second, late) == ([True], [False], [True], [False])
    assert table.get([("P", "S")])["P", "S"] == Row("P", "S", {"n": 3}, 2)


def test_what_goes_with_a_swap_goes_with_it_or_not_at_all(table):
    table.put([Row("P", "old", {"n": 0})])
    swap = Swap(
        Row("P", "S", {"n": 1}), (Row("P", "new", {"n": 9}),), (("P", "old"),), (Increment(("P", "COUNT"), "runs", 2),)
    )

    assert table.swap([swap, swap]) in ([True, False], [False, True])
    assert {row.sk: row.data for row in table.query([RowQuery("P")])[0].rows} == {
        "COUNT": {"runs": 2},
        "S": {"n": 1},
        "new": {"n": 9},
    }


def test_a_swap_takes_as_many_rows_with_it_as_a_transaction_holds(table):
    assert table.swap([Swap(Row("P", "S"), puts=tuple(rows(SIDES_MAX)))]) == [True]
    assert len(table.query([RowQuery("P", prefix="K#")])[0].rows) == SIDES_MAX


def test_a_number_of_a_row_only_grows(table):
    for number in (2, 5, 3, 5):
        table.advance(("P", "used"), "day", number)
    assert table.get([("P", "used")])["P", "used"].data == {"day": 5}


def test_a_body_that_no_item_holds_lies_in_s3(dynamo_table, cloud):
    noise = random.Random(1).randbytes(400_000).hex()
    dynamo_table.put([Row("P", "big", {"noise": noise})])

    assert dynamo_table.get([("P", "big")])["P", "big"].data == {"noise": noise}
    assert [key.partition("/")[0] for key in cloud.objects("facts/")] == ["facts"]
    assert dynamo_table.query([RowQuery("P")]) == [RowPage([Row("P", "big", {"noise": noise})])]


def test_a_transaction_that_only_met_another_is_tried_again(dynamo_table, cloud):
    conflict = refused(
        "TransactionCanceledException", CancellationReasons=[{"Code": "TransactionConflict"}, {"Code": "None"}]
    )
    with before(cloud.dynamodb, "TransactWriteItems", conflict, times=2):
        assert dynamo_table.swap([Swap(Row("P", "S"), puts=(Row("P", "T"),))]) == [True]

    with (
        before(cloud.dynamodb, "TransactWriteItems", conflict, times=99),
        pytest.raises(Unavailable, match="conflicting"),
    ):
        dynamo_table.swap([Swap(Row("P", "U"), puts=(Row("P", "T"),))])

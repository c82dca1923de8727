"""The graph table's behaviours on moto and on the DynamoDB in memory that benchmarks and unit tests run on."""

import random

import pytest
from botocore.exceptions import ClientError

from headwater.facts.table import SIDES_MAX, GraphTable, Increment, Row, RowPage, RowQuery, Swap
from headwater_model.errors import Unavailable
from tests.aws.faults import before, refused
from tests.fakes.memory_table import MemoryTable


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

    stored = table.get([("P", "K#0001"), ("P", "K#0229"), ("P", "none"), ("P", "K#0001")])

    assert stored == {("P", "K#0001"): Row("P", "K#0001", {"n": 1}), ("P", "K#0229"): Row("P", "K#0229", {"n": 229})}
    assert len(table.get(row.key for row in rows(230))) == 230


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


def test_a_swap_writes_only_over_the_version_that_was_read(table):
    first, again = table.swap([Swap(Row("P", "S", {"n": 1}))]), table.swap([Swap(Row("P", "S", {"n": 2}))])
    read = table.get([("P", "S")])["P", "S"]
    second = table.swap([Swap(Row("P", "S", {"n": 3}, read.version))])
    late = table.swap([Swap(Row("P", "S", {"n": 4}, read.version))])

    assert (first, again, second, late) == ([True], [False], [True], [False])
    assert table.get([("P", "S")])["P", "S"] == Row("P", "S", {"n": 3}, 2)


# Bodies of each kind that follow one another in a row: text, compressed, in S3, none.
BODIES = ({"n": 1}, {"text": "flight " * 200}, {"noise": random.Random(2).randbytes(400_000).hex()}, {})


def test_swaps_of_one_call_share_no_fate(table):
    """A row of each earlier body gets each later one; every second row was swapped in between."""
    pairs = [(first, second) for first in BODIES for second in BODIES]
    keys = [("P", f"K#{number:03}") for number in range(3 * len(pairs))]
    former = [Swap(Row(*key, pairs[number // 3][0])) for number, key in enumerate(keys)]
    assert table.swap(former) == [True] * len(keys)
    assert table.swap(former) == [False] * len(keys)
    assert table.swap([Swap(Row(*key, {"other": 1}, 1)) for key in keys[1::3]]) == [True] * len(pairs)

    later = [Swap(Row(*key, pairs[number // 3][1], 2 if number % 3 == 2 else 1)) for number, key in enumerate(keys)]
    assert table.swap(later) == [True, False, False] * len(pairs)

    rows = table.get(keys)
    for number, key in enumerate(keys):
        first, second = pairs[number // 3]
        expected = [Row(*key, second, 2), Row(*key, {"other": 1}, 2), Row(*key, first, 1)]
        assert rows[key] == expected[number % 3]


def test_a_transaction_of_more_than_4_mb_or_100_rows_is_refused_whole(table):
    noise = random.Random(3)
    large = tuple(Row("P", f"K#{number}", {"noise": noise.randbytes(220_000).hex()}) for number in range(20))
    many = tuple(Row("P", f"K#{number}") for number in range(SIDES_MAX + 1))
    for puts in (large, many):
        with pytest.raises(ClientError, match="ValidationException"):
            table.swap([Swap(Row("P", "S"), puts=puts)])
    assert table.query([RowQuery("P")])[0].rows == []
    assert table.swap([Swap(Row("P", "S"), puts=large[:15]), Swap(Row("P", "T"), puts=many[:-1])]) == [True, True]


def test_a_swap_alone_and_one_with_other_rows_are_called_together(table):
    assert table.swap([Swap(Row("P", "S", {"n": 1}))]) == [True]
    swaps = [
        Swap(Row("P", "A", {"n": 1})),
        Swap(Row("P", "B", {"n": 1}), puts=(Row("P", "C"),)),
        Swap(Row("P", "S", {"n": 2})),
        Swap(Row("P", "D", {"n": 1})),
    ]

    assert table.swap(swaps) == [True, True, False, True]
    assert sorted(row.sk for row in table.query([RowQuery("P")])[0].rows) == ["A", "B", "C", "D", "S"]


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


SWAPS = [Swap(Row("P", f"S{number}", {"n": number})) for number in range(3)]


@pytest.mark.parametrize("code", ["TransactionConflict", "ThrottlingError", "InternalServerError"])
def test_a_statement_that_is_refused_for_now_is_sent_again_alone(dynamo_table, cloud, code):
    sent = []

    def lose_one(parsed, **_):
        sent.append(len(parsed["Responses"]))
        if len(sent) == 1:
            parsed["Responses"][1] = {"Error": {"Code": code, "Message": "injected"}}

    cloud.dynamodb.meta.events.register("after-call.dynamodb.BatchExecuteStatement", lose_one)

    # It took effect: the second try meets its own row, and the caller reads again.
    assert dynamo_table.swap(SWAPS) == [True, False, True]
    assert sent == [3, 1]


def test_statements_that_are_refused_again_and_again_are_unavailable_and_those_refused_for_good_raise(
    dynamo_table, cloud
):
    code = ["ProvisionedThroughputExceeded"]

    def lose_all(parsed, **_):
        parsed["Responses"][-1] = {"Error": {"Code": code[0], "Message": "injected"}}

    cloud.dynamodb.meta.events.register("after-call.dynamodb.BatchExecuteStatement", lose_all)
    with pytest.raises(Unavailable, match="1 items"):
        dynamo_table.swap(SWAPS)
    code[0] = "AccessDenied"
    with pytest.raises(ClientError, match="AccessDenied"):
        dynamo_table.swap(SWAPS)

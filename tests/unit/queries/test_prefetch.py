"""The table as one query sees it: what was read is not read again, what is expected comes with the next round."""

import pytest

from headwater.facts.table import Row, RowQuery
from headwater.queries.view.rows import ReadAhead
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable

A, B, C, NONE = (("P", sk) for sk in "abcz")
ROWS = {key: Row(*key, {"is": key[1]}) for key in (A, B, C)}
ALL, TWO = RowQuery("P"), RowQuery("P", limit=2)


@pytest.fixture
def behind():
    table = MemoryTable()
    table.put(ROWS.values())
    table.calls.clear()
    table.dynamo.calls = Calls()
    return table


def test_rows_and_pages_are_those_of_the_table(behind):
    table = ReadAhead(behind)

    assert table.get([A, NONE, C]) == behind.get([A, NONE, C])
    assert table.query([ALL, TWO]) == behind.query([ALL, TWO])
    assert table.read([B], [TWO]) == behind.read([B], [TWO])


def test_what_was_read_is_not_read_again_nor_is_what_does_not_exist(behind):
    table = ReadAhead(behind)
    for _ in range(2):
        table.get([A, NONE])
        table.query([TWO])
        table.get([B])  # it was in the page

    assert (behind.rounds, behind.dynamo.calls.items) == (2, 1 + 3)


def test_what_is_expected_comes_with_the_next_round(behind):
    table = ReadAhead(behind)
    table.expect([A, NONE], [TWO])
    table.expect([A])
    assert behind.rounds == 0

    assert table.get([C]) == {C: ROWS[C]}
    assert (table.get([A, B, NONE]), table.query([TWO])[0].more) == ({A: ROWS[A], B: ROWS[B]}, True)
    assert behind.calls == {"read": 1}


def test_what_is_expected_and_never_needed_is_not_read_where_nothing_else_is(behind):
    table = ReadAhead(behind)
    table.get([A])
    table.expect([B])
    table.get([A])
    table.get([])

    assert behind.rounds == 1


def test_a_table_that_reads_ahead_is_not_wrapped_again(behind):
    table = ReadAhead(behind)

    assert ReadAhead.of(table) is table
    assert ReadAhead.of(behind).get([A]) == {A: ROWS[A]}


def test_short_queries_of_a_range_share_a_query_and_each_has_its_own_page(behind):
    behind.put(Row("R", f"V#{number:03}") for number in range(200))
    ends = ("V#000", "V#060", "V#102", "V#199", "V#~")
    queries = [RowQuery("R", low="V#", high=end, newest_first=True, limit=limit) for end in ends for limit in (1, 3)]
    pages = behind.query(queries)
    behind.dynamo.calls = Calls()

    assert ReadAhead(behind).query(queries) == pages
    # The shared page of a hundred rows ends before the first two ends.
    assert behind.dynamo.calls.reads == 1 + 4

"""Short queries of the same range, read together."""

import pytest

from headwater.facts.table import Row, RowQuery
from headwater.queries.view.rows import ReadAhead
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable

A, B, C, NONE = (("P", sk) for sk in "abcz")
ROWS = {key: Row(*key, {"is": key[1]}) for key in (A, B, C)}


@pytest.fixture
def behind():
    table = MemoryTable()
    table.put(ROWS.values())
    table.calls.clear()
    table.dynamo.calls = Calls()
    return table


def test_short_queries_of_a_range_share_a_query_and_each_has_its_own_page(behind):
    behind.put(Row("R", f"V#{number:03}") for number in range(200))
    ends = ("V#000", "V#060", "V#102", "V#199", "V#~")
    queries = [RowQuery("R", low="V#", high=end, newest_first=True, limit=limit) for end in ends for limit in (1, 3)]
    pages = behind.query(queries)
    behind.dynamo.calls = Calls()

    assert ReadAhead(behind).query(queries) == pages
    # The shared page of a hundred rows ends before the first two ends.
    assert behind.dynamo.calls.reads == 1 + 4

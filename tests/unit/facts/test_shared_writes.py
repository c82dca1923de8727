"""Writes of several things together: counts share a transaction; late rows keep off newer rows."""

from __future__ import annotations

from headwater.facts.table import Increment, Row, Swap
from tests.fakes.memory_table import MemoryTable

COUNT = Increment(("COUNTS", "all"), "number", 1)


def test_swaps_that_add_to_the_same_number_share_a_transaction_without_the_lost_swaps():
    table = MemoryTable()
    table.swap([Swap(Row("P", "taken", {"by": "a rival"}))])

    written = table.swap([Swap(Row("P", name, {"by": "us"}), adds=(COUNT,)) for name in ("a", "taken", "b")])

    assert written == [True, False, True]
    rows = table.get([("P", "a"), ("P", "taken"), COUNT.key])
    assert [dict(row.data) for row in rows.values()] == [{"by": "us"}, {"by": "a rival"}, {"number": 2}]
    assert table.dynamo.calls.requests["TransactWriteItems"] == 2


def test_a_late_row_replaces_a_row_without_a_version_alone():
    table, names = MemoryTable(), ("plain", "final", "missing")
    table.put([Row("P", "plain", {"by": "us"}), Row("P", "final", {"by": "a rival"}, version=1)])

    table.put_late([Row("P", name, {"by": "late"}, version=2) for name in names])

    rows = {row.sk: row.data["by"] for row in table.get([("P", name) for name in names]).values()}
    assert rows == {"plain": "late", "final": "a rival", "missing": "late"}

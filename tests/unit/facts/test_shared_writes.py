"""Writes that things of a batch share: counts in a transaction, names in a change, words in a row."""

from __future__ import annotations

from headwater.events.event import Event
from headwater.facts.apply import apply_statements
from headwater.facts.table import Increment, Row, Swap
from headwater.queries.service import LineageQueries
from headwater_model.ids import JobId
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.strategies import TIMES, stamped

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
    table = MemoryTable()
    table.put([Row("P", "plain", {"by": "us"}), Row("P", "final", {"by": "a rival"}, version=1)])

    table.put_late([Row("P", name, {"by": "late"}, version=2) for name in ("plain", "final", "missing")])

    rows = {
        row.sk: row.data["by"] for row in table.get([("P", name) for name in ("plain", "final", "missing")]).values()
    }
    assert rows == {"plain": "late", "final": "a rival", "missing": "late"}


def test_names_of_a_batch_are_found_by_their_words_in_fewer_rows_than_names():
    names = [f"nightly.orders-{number:02}" for number in range(40)]
    table = MemoryTable()
    jobs = [Event(kind="JOB", time=TIMES[0], hash="", job=JobId("emissions", name)) for name in names]
    apply_statements([stamped(job) for job in jobs], table)

    queries = LineageQueries(table)

    assert {hit.id.name for hit in queries.search("orders", kind=None, sort="name", limit=100).items} == set(names)
    assert [hit.id.name for hit in queries.search("07", kind=None, sort="name", limit=100).items] == [names[7]]
    rows = [item for item in table.dynamo.items() if "#o#" in item["pk"]["S"]]
    assert len(rows) == 2 * len(names) / 8

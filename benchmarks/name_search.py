"""The cost of a search among many names: `python -m benchmarks.name_search 100000`."""

from __future__ import annotations

import sys
import time

from headwater.facts.facts import JobFacts, text_of, to_json
from headwater.facts.keys import facts_key
from headwater.facts.table import Row
from headwater.facts.words import name_rows
from headwater.queries.service import LineageQueries
from headwater_model.ids import JobId
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable

_TIME = "2025-11-20T12:00:00.000000Z"


def build(number: int) -> MemoryTable:
    """Build a table of so many jobs, each with a number and common words."""
    table = MemoryTable()
    for place in range(number):
        job = JobId(f"team-{place % 97}", f"gold.orders_{place:07}.load")
        facts = {"id": text_of(job), "facts": to_json(JobFacts(first=_TIME, last=_TIME))}
        table.put((*name_rows(job), Row(*facts_key(job), facts)))
    return table


def main(number: int) -> None:
    """Print the costs of searches: requests, rounds, items, read units, bytes and CPU time."""
    table = build(number)
    for text in ("0000042", "orders 0000042", "orders"):
        table.dynamo.calls = calls = Calls()
        table.calls.clear()
        start = time.process_time()
        hits = LineageQueries(table).search(text, kind=None, sort="relevance", limit=10)
        cpu_ms = 1_000 * (time.process_time() - start)
        cost = f"{sum(calls.requests.values())} requests, {table.rounds} rounds, {calls.items} items, "
        cost += f"{calls.read_units:.1f} read units, {calls.item_bytes} bytes, {cpu_ms:.1f} ms"
        sys.stdout.write(f"{number} names, {text!r}: {hits.total} found, {cost}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))

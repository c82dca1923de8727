"""Records found of many roots, in copies and in any order, become the bytes that the trace function would write."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

pytest.importorskip("orjson")

import orjson

from headwater.records.lines import Compaction, in_blocks, parse_step, render_step
from headwater.records.record import LineageRecord
from headwater.records.root_records import RootRecords
from jobs.deduplicate import decide
from jobs.forest import arrange, number
from jobs.rendered import render_rows
from jobs.root_sources import FOUND
from jobs.trace_root import prepare_session

COMPACTION = Compaction("nightly", 1_763_684_000, "s3://archive/traces/year=2025/month=11/day=20/")


def copies_of(dice: random.Random, record: LineageRecord) -> list[LineageRecord]:
    """Return the record as several sources may hold it: again, at another time, or with other content."""
    changes = [
        {},
        {"recorded_at": record.recorded_at + dice.randrange(-2, 3)},
        {"storage_location": "s3://b/other", "recorded_at": record.recorded_at + dice.randrange(-2, 3)},
        {"parent_id": "n1", "metadata": (("team", "é"),)},
    ]
    return [record, *(replace(record, **dice.choice(changes)) for _ in range(dice.choice([0, 0, 0, 1, 2, 4])))]


def found_of(dice: random.Random, root_id: str) -> list[LineageRecord]:
    ids = sorted({f"n{dice.randrange(30)}" for _ in range(dice.randrange(14))} | {'q"\n😀'})
    parents = [*ids, root_id, root_id, "gone"]
    records = [LineageRecord(root_id, node, dice.choice(parents), "STEP", f"s3://b/{node}", 100) for node in ids]
    return [copy for record in records for copy in copies_of(dice, record)]


@pytest.mark.slow
def test_both_tracers_write_the_same_bytes_and_displace_the_same_records(spark: SparkSession) -> None:
    dice = random.Random(6)
    roots = {f"r{place:03}": found_of(dice, f"r{place:03}") for place in range(400)}
    ids = list(roots)
    rows = [
        (place, copy.node_id, copy.parent_id, bytearray(render_step(copy)), None)
        for place, copies in enumerate(roots.values())
        for copy in copies
    ]
    dice.shuffle(rows)

    decided = decide(prepare_session(spark).createDataFrame(rows, FOUND), ids)
    arranged = arrange(number(decided.records), ids)
    lines = b"".join(in_blocks(render_rows(arranged.toLocalIterator(), ids, COMPACTION)))

    expected, displaced = b"", set()
    for root_id, copies in roots.items():
        findings = RootRecords(root_id, None)
        findings.add_all(copies)
        expected += b"".join(findings.lines(COMPACTION))
        # Which equal copies a fold displaces depends on its order: those of other content than what stays.
        displaced |= {copy for copy in copies if copy.content_hash != findings.records[copy.node_id].content_hash}
    assert lines == expected
    assert decided.displaced is not None
    steps = [parse_step(ids[row.root], orjson.loads(bytes(row.step))) for row in decided.displaced.collect()]
    assert len(steps) == len(displaced) > 100
    assert set(steps) == displaced

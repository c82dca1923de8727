"""The choice between the records found of a node: `keep_first`, for any number of copies in any order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import orjson
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from headwater.records.lines import parse_step
from headwater.records.record import LineageRecord

_NODE = ("root", "node_id")
_RECORD = (*_NODE, "parent_id", "step")
_DECIDED = "root int, node_id string, parent_id string, step binary, displaced boolean"


@dataclass(frozen=True, slots=True)
class Decided:
    """A record for each node (`root`, `node_id`, `parent_id`, `step`), and the displaced records, each once."""

    records: DataFrame
    displaced: DataFrame | None


def decide(records: DataFrame, root_ids: Sequence[str]) -> Decided:
    """Decide between the copies of each node; materialized. `step` comes from `render_step`.

    Most nodes have equal copies, byte for byte: only contested nodes are read in Python.
    """
    nodes = records.groupBy(*_NODE).agg(
        sf.min("parent_id").alias("parent_id"), sf.min("step").alias("step"), sf.max("step").alias("other")
    )
    nodes = nodes.localCheckpoint()
    alike = nodes.where("step = other").select(*_RECORD)
    contested = nodes.where("step <> other").select(*_NODE)
    if contested.isEmpty():
        return Decided(alike, None)
    copies = records.select(*_RECORD).join(contested, [*_NODE], "left_semi")
    sorted_copies = copies.repartition(*_NODE).sortWithinPartitions(*_NODE)
    decided = sorted_copies.mapInArrow(_Decide(tuple(root_ids)), _DECIDED).localCheckpoint()
    kept = decided.where("not displaced").select(*_RECORD)
    return Decided(alike.unionByName(kept), decided.where("displaced").select(*_RECORD))


@dataclass(frozen=True, slots=True)
class _Decide:
    """The decision between copies, grouped by node: the record that stays, and the displaced records."""

    root_ids: tuple[str, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (row for batch in batches for row in batch.to_pylist())
        for (root, _), copies in groupby(rows, lambda row: (row["root"], row["node_id"])):
            decided = self._decide(root, {row["step"] for row in copies})
            yield pa.RecordBatch.from_pylist(decided, _SCHEMA)

    def _decide(self, root: int, steps: Iterable[bytes]) -> list[dict[str, Any]]:
        records = {step: parse_step(self.root_ids[root], orjson.loads(step)) for step in steps}
        first, *later = sorted(records, key=lambda step: _rank(records[step]))
        content = records[first].content_hash
        displaced = [step for step in later if records[step].content_hash != content]
        return [
            {
                "root": root,
                "node_id": records[step].node_id,
                "parent_id": records[step].parent_id,
                "step": step,
                "displaced": step is not first,
            }
            for step in (first, *displaced)
        ]


_SCHEMA = pa.schema(
    [
        ("root", pa.int32()),
        ("node_id", pa.string()),
        ("parent_id", pa.string()),
        ("step", pa.binary()),
        ("displaced", pa.bool_()),
    ]
)


def _rank(record: LineageRecord) -> tuple[int, str]:
    return (record.recorded_at, record.content_hash)

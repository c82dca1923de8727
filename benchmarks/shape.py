"""The root that traces are measured on, shaped like the seed's pipeline: single steps, then a split, then a fan."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from lineage.records.items import parse_item, render_item
from lineage.records.record import LineageRecord

ROOT_ID = "s3://carbonlake-landing/2026/11/20/emissions-7c1f4e9a.csv"
_SINGLE_STEPS = ("INGEST", "VALIDATE", "NORMALISE", "STORE")
_BASE_S = 1_763_640_000


@dataclass(frozen=True, slots=True)
class Shape:
    """Four single steps, that many splits of the last one, that many results of each split."""

    splits: int
    results: int

    def __len__(self) -> int:
        return len(_SINGLE_STEPS) + self.splits + self.splits * self.results

    def records(self) -> Iterator[LineageRecord]:
        """Every record, with random (but always the same) UUIDs as node ids and in its S3 location."""
        # Not for secrets: the same input in every run.
        dice = random.Random(7)
        parent_id = ROOT_ID
        for number, action in enumerate(_SINGLE_STEPS):
            record = _record(dice, parent_id, action, f"pipeline/{number}")
            parent_id = record.node_id
            yield record
        for number in range(self.splits):
            split = _record(dice, parent_id, "SPLIT_BATCH", f"split/{number:04}")
            yield split
            for _ in range(self.results):
                yield _record(dice, split.node_id, "CALCULATE_EMISSIONS", f"calculated/{number:04}")


def _record(dice: random.Random, parent_id: str, action: str, folder: str) -> LineageRecord:
    digits = f"{dice.getrandbits(128):032x}"
    node_id = f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
    location = f"s3://carbonlake-enriched/emissions/2026/11/20/{folder}/{node_id}.snappy.parquet"
    return LineageRecord(ROOT_ID, node_id, parent_id, action, location, _BASE_S + dice.randrange(3600))


def write_shape(shape: Shape, path: Path) -> None:
    """The shape's records as items, a line each, in the order in which the table's query gives them: by node id."""
    ordered = sorted(shape.records(), key=lambda record: record.node_id)
    with path.open("wb") as file:
        file.writelines(orjson.dumps(render_item(record), option=orjson.OPT_APPEND_NEWLINE) for record in ordered)


def read_shape(path: Path) -> Iterator[LineageRecord]:
    """The records that `write_shape` wrote, one at a time, as the trace function makes them of a page of the table."""
    with path.open("rb") as file:
        for line in file:
            yield parse_item(orjson.loads(line))

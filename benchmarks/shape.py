"""The root of the trace benchmarks, shaped like Carbonlake's pipeline: steps in a row, a split, a fan-out."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import orjson

from headwater.records.record import LineageRecord
from headwater.records.table import parse_item, render_item

ROOT_ID = "s3://carbonlake-landing/2026/11/20/emissions-7c1f4e9a.csv"
_SINGLE_STEPS = ("INGEST", "VALIDATE", "NORMALISE", "STORE")
_BASE_S = 1_763_640_000


@dataclass(frozen=True, slots=True)
class Shape:
    """Steps in a row, so many splits of the last, so many results of each split."""

    splits: int
    results: int
    steps: Sequence[str] = _SINGLE_STEPS

    def __len__(self) -> int:
        return len(self.steps) + self.splits + self.splits * self.results

    def records(self, root_id: str = ROOT_ID, dice: random.Random | None = None) -> Iterator[LineageRecord]:
        """Yield every record; node ids are pseudo-random UUIDs, the same in each run, and part of the S3 locations."""
        # Not for secrets: equal input in every run.
        dice = dice or random.Random(7)
        parent_id = root_id
        for number, action in enumerate(self.steps):
            record = _record(dice, root_id, parent_id, action, f"pipeline/{number}")
            parent_id = record.node_id
            yield record
        for number in range(self.splits):
            split = _record(dice, root_id, parent_id, "SPLIT_BATCH", f"split/{number:04}")
            yield split
            for _ in range(self.results):
                yield _record(dice, root_id, split.node_id, "CALCULATE_EMISSIONS", f"calculated/{number:04}")


def _record(dice: random.Random, root_id: str, parent_id: str, action: str, folder: str) -> LineageRecord:
    node_id = str(UUID(int=dice.getrandbits(128)))
    location = f"s3://carbonlake-enriched/emissions/2026/11/20/{folder}/{node_id}.snappy.parquet"
    return LineageRecord(root_id, node_id, parent_id, action, location, _BASE_S + dice.randrange(3600))


def write_shape(shape: Shape, path: Path) -> None:
    """Write the shape's records as items, a line each, sorted by node id as a query of the table returns them."""
    ordered = sorted(shape.records(), key=lambda record: record.node_id)
    with path.open("wb") as file:
        file.writelines(orjson.dumps(render_item(record), option=orjson.OPT_APPEND_NEWLINE) for record in ordered)


def read_shape(path: Path) -> Iterator[LineageRecord]:
    """Yield the records of `write_shape` one at a time, as the trace function parses a page of the table."""
    with path.open("rb") as file:
        for line in file:
            yield parse_item(orjson.loads(line))

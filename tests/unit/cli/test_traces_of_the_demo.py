from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from headwater.cli.demo.records import Archived, Step, Trace, count_records, find_trace, read_traces, tree_of

ROOT = "flights-2013-01-01"
AT = 1_357_016_400  # 2013-01-01 05:00:00 UTC


def a_step(parent_id: str, action: str, node_id: str, at: int = AT) -> Step:
    return {
        "node_id": node_id,
        "parent_id": parent_id,
        "action_taken": action,
        "recordedAt": at,
        "storage_location": f"s3://flights/{node_id}",
    }


def a_trace(leaf: str, action: str) -> Trace:
    read, compaction = a_step(ROOT, "READ", "raw"), a_step(leaf, "DATA_COMPACTION", "c-1")
    return {"record_id": leaf, "root_id": ROOT, "lineage": [read, a_step("raw", action, leaf), compaction]}


GOOD, REJECTED = a_trace("UA1545", "CHECKED"), a_trace("EV4308", "REJECTED")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    for day, trace in (("01", GOOD), ("02", REJECTED)):
        file = tmp_path / f"traces/year=2013/month=01/day={day}/root.jsonl.gz"
        file.parent.mkdir(parents=True)
        file.write_bytes(gzip.compress(json.dumps(trace).encode() + b"\n"))
    digest = tmp_path / "digests/digest.jsonl.gz"
    digest.parent.mkdir()
    digest.write_bytes(gzip.compress(b"{}"))
    return tmp_path


def test_a_copied_archive_is_read_trace_by_trace(archive: Path) -> None:
    assert list(read_traces(archive)) == [GOOD, REJECTED]


def test_each_record_counts_once_however_many_leaves_lie_below_it(archive: Path) -> None:
    counted = count_records(read_traces(archive))

    assert counted == Archived(traces=2, by_action=Counter({"READ": 1, "CHECKED": 1, "REJECTED": 1}))


@pytest.mark.parametrize(("action", "trace"), [("CHECKED", GOOD), ("REJECTED", REJECTED), ("READ", None)])
def test_a_trace_is_found_by_the_action_of_its_leaf(archive: Path, action: str, trace: Trace | None) -> None:
    assert find_trace(read_traces(archive), action) == trace


def test_a_trace_prints_as_a_tree_from_root_to_leaf() -> None:
    console = Console(width=80, color_system=None)

    with console.capture() as printed:
        console.print(tree_of(GOOD))

    assert printed.get().splitlines() == [
        "flights-2013-01-01",
        "└── READ raw",
        "    2013-01-01 05:00:00  s3://flights/raw",
        "    └── CHECKED UA1545",
        "        2013-01-01 05:00:00  s3://flights/UA1545",
        "        └── DATA_COMPACTION c-1",
        "            2013-01-01 05:00:00  s3://flights/c-1",
    ]

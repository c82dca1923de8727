"""The demo, as a stranger runs it, with one day instead of seven."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

PROJECT = Path(__file__).parents[2]
GUIDE = (PROJECT / "docs" / "getting-started.md").read_text(encoding="utf-8")
WRITTEN = ("checked", "estimated", "rejected", "totals")


# Takes long: the whole demo, with two Spark processes, as a stranger runs it.
def test_the_demo_balances_its_books_and_says_so_by_its_exit_code(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "COLUMNS": "200", "TERM": "dumb"}
    command = [sys.executable, "-m", "headwater", "demo", "--days", "1"]

    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=280, check=False
    )

    _, _, books = done.stdout.partition("\nRecords")
    rows = [re.findall(r"[\w,]+", line) for line in books.splitlines() if line.startswith("│ ")]
    assert rows == [
        ["READ", "1", "1", "1"],
        ["CHECK", "2", "2", "2"],
        ["CHECKED", "831", "831", "831"],
        ["REJECTED", "11", "11", "11"],
        ["ESTIMATED", "831", "831", "831"],
        ["total", "1,676", "1,676", "1,676"],
    ]
    traces, _, _ = done.stdout.partition("The pipeline's jobs")
    trees = re.findall(r"── (\w+) ", traces)
    assert trees == [
        *("READ", "CHECK", "CHECKED", "ESTIMATED", "DATA_COMPACTION"),
        *("READ", "CHECK", "REJECTED", "DATA_COMPACTION"),
    ]
    folder = f"dataset:file:{tmp_path}/.headwater/demo"
    jobs = re.findall(r"── (emissions\S*  \w+) in .*$", done.stdout, re.MULTILINE)
    assert sorted(jobs) == [f"emissions{job}  COMPLETED" for job in ("", *(f".demo_{name}" for name in WRITTEN))]
    picture = ElementTree.parse(tmp_path / ".headwater/demo/jobs.svg")
    drawn = [
        group.attrib["data-id"] for group in picture.iter("{http://www.w3.org/2000/svg}g") if "data-id" in group.attrib
    ]
    assert sorted(node.replace(folder, "").rpartition("/")[2] for node in drawn) == [
        *("airports.csv", "checked", "estimated", "factors.json", "job:emissions:emissions"),
        *(f"job:emissions:emissions.demo_{name}" for name in WRITTEN),
        *("landing", "planes.csv", "rejected", "totals"),
    ]
    assert_one_columns_path_is_shown(tmp_path / ".headwater/demo", done.stdout)
    assert len(list((tmp_path / ".headwater/demo/archive/traces").rglob("*.jsonl.gz"))) == 1
    assert done.returncode == 0, done.stderr


def assert_one_columns_path_is_shown(folder: Path, printed: str) -> None:
    """Up from the CO2, down from the flights file, to the records by links, and CDAP's question of a recorded step."""
    (shown,) = re.findall(r"<!-- what the demo prints -->\n```\n(.*?)```", GUIDE, re.DOTALL)
    assert shown in printed
    up, down = re.findall(r"\n(?:upstream|downstream)\n(.*?)\n\n", printed, re.DOTALL)
    assert up.splitlines()[0] == "co2_kg of estimated  double"
    for source in ("distance of checked", "distance of landing", "average_seats of factors.json"):
        assert f"── {source}  " in up
    assert "── seats of planes.csv  average  " in up
    assert down.splitlines()[0] == "distance of landing  integer"
    assert "── co2_kg of totals  aggregation  double" in down
    assert re.search(r"run [-0-9a-f]{36} of emissions.demo_estimated, COMPLETED\n +└── flights-2013-01-01\n", printed)
    assert re.search(r"\n  average +seats → average_seats\n", printed)
    assert re.search(
        r"\n  curl -s 'http://\S+/v3/namespaces/file/datasets/\S+factors.json/fields/average_seats/lineage\?\S+'\n",
        printed,
    )
    picture = ElementTree.parse(folder / "columns.svg")
    drawn = [group.attrib.get("data-id", "") for group in picture.iter("{http://www.w3.org/2000/svg}g")]
    assert f"datasetField:file:{folder}/landing:distance" in drawn
    assert f"datasetField:file:{folder}/totals:co2_kg" in drawn

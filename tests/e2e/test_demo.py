"""The demo on a terminal, as a stranger runs it, with a single day instead of seven."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest

from headwater.cli.demo.stages import is_built
from headwater.cli.service import fetch_json
from tests.terminals import CTRL_C, as_piped, on_a_terminal

PROJECT = Path(__file__).parents[2]
GUIDE = (PROJECT / "docs" / "getting-started.md").read_text(encoding="utf-8")
WRITTEN = ("checked", "estimated", "rejected", "totals")
# Nothing listens at this proxy: no request of the demo may go through it.
PROXIES = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PROJECT), **PROXIES}
DEMO = (sys.executable, "-m", "headwater", "demo", "--days", "1", "--verbose")
COUNTS = [
    ["READ", "1", "1", "1"],
    ["CHECK", "2", "2", "2"],
    ["CHECKED", "831", "831", "831"],
    ["REJECTED", "11", "11", "11"],
    ["ESTIMATED", "831", "831", "831"],
    ["total", "1,676", "1,676", "1,676"],
]


def counts_of(printed):
    """The rows of the table of records."""
    _, _, table = printed.partition("\nRecords ")
    rows = [line.split() for line in table.splitlines()[1:]]
    return rows[: len(COUNTS)]


# Takes long: the whole demo, with two Spark processes, as a stranger runs it.
@pytest.mark.timeout(900)
def test_the_demo_balances_its_books_and_ends_with_the_columns_address_which_is_served_until_ctrl_c(
    tmp_path,
):
    with on_a_terminal(DEMO, cwd=tmp_path, env=ENVIRONMENT, columns=200) as terminal:
        printed = terminal.read_until(r"^http://\S+\n\Z", timeout_s=800)
        assert_its_column_is_served(printed.splitlines()[-1], tmp_path)
        terminal.press(CTRL_C)
        assert terminal.end(timeout_s=60) == 0, terminal.text

    assert terminal.text == printed
    assert "Building the explorer" in printed
    assert not is_built() or f"In the explorer already: {printed.splitlines()[-1]}" in printed
    piped = as_piped(printed)
    assert counts_of(piped) == COUNTS
    assert_traces_and_jobs_are_shown(piped)
    assert_one_columns_path_is_shown(piped)
    assert len(list((tmp_path / ".headwater/demo/archive/traces").rglob("*.jsonl.gz"))) == 1


def assert_its_column_is_served(address, folder):
    """In the explorer if the page is built, and by the API in any case."""
    url = f"http://{urlsplit(address).netloc}"
    column = f"datasetField:file:{folder}/.headwater/demo/estimated:co2_kg"
    if is_built():
        assert parse_qs(urlsplit(address).query) == {"node": [column]}
        with urlopen(address, timeout=30) as page:
            assert "<title>" in page.read().decode()
    else:
        assert address == url
    graph = fetch_json(url, "/api/v1/column-lineage", {"nodeId": column})["graph"]
    assert column in [node["id"] for node in graph]


def assert_traces_and_jobs_are_shown(printed):
    """Two traces as trees, and the jobs with their inputs and outputs."""
    traces, _, _ = printed.partition("The pipeline's jobs")
    trees = re.findall(r"^ +([A-Z_]+) ", traces, re.MULTILINE)
    assert trees == [
        *("READ", "CHECK", "CHECKED", "ESTIMATED", "DATA_COMPACTION"),
        *("READ", "CHECK", "REJECTED", "DATA_COMPACTION"),
    ]
    jobs = re.findall(r"^ +(emissions\S*  \w+) in .*$", printed, re.MULTILINE)
    assert sorted(jobs) == [f"emissions{job}  COMPLETED" for job in ("", *(f".demo_{name}" for name in WRITTEN))]
    datasets = set(re.findall(r"dataset:file:/\S*/([\w.]+)$", printed, re.MULTILINE))
    assert datasets == {*WRITTEN, "airports.csv", "factors.json", "landing", "planes.csv"}


def assert_one_columns_path_is_shown(printed):
    """Up from the CO2, down from the flights file, to the records by links, to a recorded step by CDAP's route."""
    (shown,) = re.findall(r"<!-- what the demo prints -->\n```\n(.*?)```", GUIDE, re.DOTALL)
    assert as_piped(shown) in printed
    up, down = re.findall(r"\n(?:upstream|downstream)\n(.*?)\n\n", printed, re.DOTALL)
    assert up.splitlines()[0] == "co2_kg of estimated  double"
    for source in ("distance of checked", "distance of landing", "average_seats of factors.json"):
        assert f"  {source}  " in up
    assert "  seats of planes.csv  average  " in up
    assert down.splitlines()[0] == "distance of landing  integer"
    assert "  co2_kg of totals  aggregation  double" in down
    assert re.search(
        r"\n  run [-0-9a-f]{36} of emissions.demo_estimated, COMPLETED\n    flights-2013-01-01\s+/api/", printed
    )
    assert re.search(r"\n  average +seats -> average_seats\n", printed)
    assert re.search(
        r"\n  curl -s 'http://\S+/v3/namespaces/file/datasets/\S+factors.json/fields/average_seats/lineage\?\S+'\n",
        printed,
    )

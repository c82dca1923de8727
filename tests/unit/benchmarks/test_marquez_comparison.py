"""The comparison with Marquez: its options, its page docs/marquez-speed.md, and our side of it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from comparisons.marquez import main
from comparisons.marquez_page import Load, render_page
from comparisons.servers import cpu_s
from comparisons.turns import Cost, Result
from comparisons.world import Query

QUERY = Query("a dataset", "/ours", "/marquez", len, differs="its reason")
LOADS = [Load(1_000, 2_000, 10.0, {"function": 8.0, "DynamoDB Local": 20.0}, 100.0, {"JVM": 80.0, "PostgreSQL": 9.0})]


def a_result(jobs=1_000, ours=0.010, function=0.005, marquez=0.020, counts=({"nodes": 3}, {"nodes": 3})):
    our_cost = Cost(ours, {"function": function, "DynamoDB Local": 0.5})
    return Result(QUERY, jobs, our_cost, Cost(marquez, {"JVM": 0.006, "PostgreSQL": 0.002}), *counts)


def rows_of(page, heading):
    after = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return [line.strip("| ").split(" | ") for line in after.splitlines() if line.startswith("| ")][2:]


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("--marquez-jar", "--marquez-jar must name a jar of Marquez, got nothing"),
        ("--postgresql", "--postgresql must name a folder with the programs of PostgreSQL 15, got nothing"),
        ("--dynamodb-local", "--dynamodb-local must name a folder with DynamoDBLocal's jars, got nothing"),
    ],
)
def test_a_missing_part_is_refused_at_once_by_the_name_of_its_option(tmp_path, capsys, missing, message):
    for program in ("initdb", "postgres", "createdb", "vacuumdb", "DynamoDBLocal-2.5.2.jar"):
        (tmp_path / program).touch()
    jar = tmp_path / "DynamoDBLocal-2.5.2.jar"
    options = {"--marquez-jar": jar, "--postgresql": tmp_path, "--dynamodb-local": tmp_path}
    given = [str(part) for option, path in options.items() if option != missing for part in (option, path)]
    with pytest.raises(SystemExit) as exited:
        main(given)
    assert exited.value.code == 2
    assert message in capsys.readouterr().err


def test_a_query_is_ahead_by_the_clock_and_by_cpu_without_that_of_dynamodb_local():
    page, met = render_page([a_result()], LOADS, [])
    ours, marquez = ["10 ms", "5.0 ms", "500 ms"], ["20 ms", "6.0 ms", "2.0 ms"]
    assert rows_of(page, "1,000 jobs") == [["a dataset", *ours, *marquez, "2.0x", "1.6x", "yes"]]
    assert met


@pytest.mark.parametrize("slow", [{"ours": 0.021}, {"function": 0.009}])
def test_a_missed_goal_is_shown_as_missed(slow):
    page, met = render_page([a_result(**slow)], LOADS, [])
    assert rows_of(page, "1,000 jobs")[0][-1] == "**no**"
    assert not met


def test_at_a_hundred_jobs_there_is_no_goal_but_our_cost_stays_flat_from_there():
    behind, flat, grown = a_result(100, ours=0.030), a_result(10_000, ours=0.012), a_result(10_000, function=0.007)
    assert render_page([behind, flat], LOADS, [])[1]
    page, met = render_page([a_result(100), grown], LOADS, [])
    assert rows_of(page, "10,000 jobs, not 100") == [["a dataset", "1.0x", "1.4x", "1.0x", "1.0x", "**no**"]]
    assert not met


def test_responses_that_differ_are_shown_with_the_reason():
    page, _ = render_page([a_result(counts=({"nodes": 3}, {"nodes": 5}))], LOADS, [])
    assert rows_of(page, "Responses") == [["a dataset", "3 nodes", "5 nodes", "its reason"]]


def test_the_load_is_shown_by_event():
    page, _ = render_page([a_result()], LOADS, [])
    ours, marquez = ["5.0 ms", "4.0 ms", "10 ms"], ["50 ms", "40 ms", "4.5 ms"]
    assert rows_of(page, "Loading") == [["1,000", "2,000", *ours, *marquez]]


@pytest.mark.skipif(sys.platform != "linux", reason="the CPU of processes is read from /proc")
def test_the_cpu_of_a_process_includes_its_children_and_those_that_ended():
    work = "import time\nwhile time.process_time() < 0.3: pass"
    code = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', '''{work}'''])\nprint(flush=True)\ninput()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        assert cpu_s(process.pid) >= 0.29
        process.stdin.write("\n")

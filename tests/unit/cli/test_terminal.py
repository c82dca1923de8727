"""Output through a pipe: a line for each node or row, in ASCII but for data, and JSON where it is requested."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from headwater.api.marquez.graph_views import render_graph
from headwater.cli.main import main
from headwater.cli.text.progress import Progress
from headwater.cli.text.terminal import output_console, print_part
from headwater.queries.results.graphs import Graph
from tests.builders_found import CHECK, CHECKED, RAW, a_found_dataset, a_found_job
from tests.unit.cli.column_responses import CO2, RESPONSE
from tests.unit.cli.test_search_command import LIVE
from tests.waiting import LONG_S

PROJECT = Path(__file__).parents[3]
JOBS = render_graph(
    Graph(
        (a_found_job(), a_found_dataset(id=RAW), a_found_dataset()),
        ((RAW.node_id, CHECK.node_id), (CHECK.node_id, CHECKED.node_id)),
        truncated=True,
    ),
)
RECORDS = {"records": [LIVE, {**LIVE, "node_id": "n" * 90}], "cursor": None, "truncated": True}
# A command, and the response that it prints.
COMMANDS: dict[str, tuple[list[str], Any]] = {
    "graph": (["graph", CHECK.node_id], JOBS),
    "column": (["column", CO2, "--down"], RESPONSE),
    "search": (["search"], RECORDS),
}


@pytest.fixture(params=[{}, {"COLUMNS": "40", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "TERM": "xterm-256color"}])
def _in_any_environment(request, monkeypatch):
    """A shell may export what would have Rich colour and fold."""
    for name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in request.param.items():
        monkeypatch.setenv(name, value)


def assert_plain(captured):
    for printed in (captured.out, captured.err):
        assert printed.isascii()
        assert printed.replace("\n", "").replace("\t", "").isprintable()


@pytest.mark.usefixtures("_in_any_environment")
@pytest.mark.parametrize(("arguments", "response"), COMMANDS.values(), ids=COMMANDS)
def test_what_a_query_prints_into_a_pipe_is_plain(arguments, response, service, capsys):
    service.body = json.dumps(response).encode()

    assert main([*arguments, "--url", service.url]) == 0

    captured = capsys.readouterr()
    assert captured.out != ""
    assert_plain(captured)


@pytest.mark.parametrize("name", ["graph", "column"])
def test_json_is_the_response_as_one_document(name, service, capsys):
    arguments, response = COMMANDS[name]
    hostile = {**response, "more": "\x1b[2J \x9b2J \N{RIGHT-TO-LEFT OVERRIDE}"}
    service.body = json.dumps(hostile).encode()

    assert main([*arguments, "--json", "--url", service.url]) == 0

    captured = capsys.readouterr()
    assert json.loads(captured.out) == hostile
    assert_plain(captured)


@pytest.mark.parametrize("arguments", [[*COMMANDS["graph"][0]], ["search", "--json"], ["search"]], ids=" ".join)
def test_a_reader_that_goes_away_ends_a_command_in_silence(arguments, service):
    """As in `headwater search --json | head -1`: a page of records is larger than what Python holds back."""
    records = {"records": [LIVE] * 200, "cursor": None, "truncated": False}
    service.body = json.dumps({**records, **JOBS}).encode()
    command = [sys.executable, "-m", "headwater", *arguments, "--url", service.url]

    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.close()
        assert process.stderr
        assert process.stderr.read() in (b"", b"200 records\n")
    assert process.returncode == 128 + signal.SIGPIPE


FORESTS = st.recursive(st.just([]), lambda forests: st.lists(forests, max_size=4), max_leaves=30)


@given(FORESTS)
def test_any_tree_is_a_line_for_each_node_two_spaces_further_than_the_line_it_belongs_to(forest):
    """Reading indentation alone gives the tree back."""
    top = Tree("", hide_root=True)
    pending = [(top, forest)]
    while pending:
        branch, below = pending.pop()
        pending += [(branch.add(Text("n")), part) for part in below]
    console = Console(file=io.StringIO(), force_terminal=False)
    print_part(console, top)

    read: list[Any] = []
    path = [read]
    for line in console.file.getvalue().splitlines():
        level = (len(line) - len(line.lstrip())) // 2
        del path[level + 1 :]
        path[level].append(node := [])
        path.append(node)
    assert read == forest


def test_a_stage_is_a_line_when_it_ends_and_names_a_failure(capsys):
    def fail():
        with Progress(output_console()) as progress:
            with progress.stage("Landing", lambda: "7 files") as report:
                report("half")
            assert capsys.readouterr().out == "Landing  0 s\n"
            with progress.stage("Running"):
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert capsys.readouterr().out == "Running  failed  0 s\n"


# A thread prints `up` once the wait has begun.
WAIT_FOR_SIGNAL = """
import signal, sys, threading, time
from headwater.cli.text import terminal
def waits():
    is_handled = signal.getsignal(signal.SIGTERM) is signal.default_int_handler
    return is_handled and sys._current_frames()[main].f_code.co_name == "wait"
def tell():
    while not waits():
        time.sleep(0.01)
    print("up", flush=True)
main = threading.get_ident()
threading.Thread(target=tell).start()
terminal.wait_for_interrupt()
print("down")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_wait_without_a_terminal(number):
    command = [sys.executable, "-c", WAIT_FOR_SIGNAL]
    with subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "up\n"
        process.send_signal(number)
        assert process.communicate(timeout=LONG_S)[0] == "down\n"
    assert process.returncode == 0

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter

import pytest

from headwater.cli import demo
from headwater.cli.demo.records import Reconciliation
from headwater.cli.program import program

SENT = Counter({"READ": 1, "CHECKED": 2})


@pytest.mark.parametrize(
    ("books", "balanced"),
    [
        pytest.param(Reconciliation(SENT, SENT, SENT, undelivered=0, dead=0), True, id="equal"),
        pytest.param(Reconciliation(SENT, Counter({"READ": 1, "CHECKED": 1}), SENT, 0, 0), False, id="not all loaded"),
        pytest.param(Reconciliation(SENT, SENT, Counter({"READ": 3}), 0, 0), False, id="archived as something else"),
        pytest.param(Reconciliation(SENT, SENT, SENT, undelivered=1, dead=0), False, id="undelivered"),
        pytest.param(Reconciliation(SENT, SENT, SENT, undelivered=0, dead=1), False, id="dead letters"),
    ],
)
def test_the_books_balance_only_when_nothing_was_lost_or_invented(books, balanced):
    assert books.balanced is balanced


@pytest.mark.parametrize(
    ("options", "is_terminal", "expected"),
    [
        ([], True, True),
        ([], False, False),
        (["--once"], True, False),
        (["--keep"], False, True),
        (["--keep"], True, True),
    ],
)
def test_the_stack_stays_up_on_a_terminal_or_on_request(options, is_terminal, expected):
    parser = argparse.ArgumentParser()
    demo.add_parser(parser.add_subparsers())
    assert demo.stays(parser.parse_args(["demo", *options]), is_terminal=is_terminal) is expected


@pytest.mark.parametrize("command", ["demo", "graph", "column"])
def test_requesting_help_loads_nothing_heavy(command):
    code = (
        "import sys\nfrom headwater.cli.main import main\n"
        f"try: main(['{command}', '--help'])\nexcept SystemExit: pass\n"
        "print([name for name in ('pyspark', 'boto3', 'moto', 'rich') if name in sys.modules])"
    )

    requested = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert f"usage: {program()} {command}" in requested.stdout
    assert requested.stdout.splitlines()[-1] == "[]"

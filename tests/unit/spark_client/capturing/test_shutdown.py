"""Ends of programs; each is a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from spark_client.capturing.session.shutdown import failure_of

BEGINNING = """
import sys
from spark_client.capturing.session.shutdown import program

def report(failure):
    print("first:", failure and failure.message)

program.at_end(report)
program.at_end(lambda failure: print("second:", failure and failure.stack and failure.stack.splitlines()[-1]))
"""

MAIN = "def main():\n"
TERMINATE = "import os, signal, time\nos.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(30)\n"
SHORT = "program.forget(report)\nprogram.at_end(report, 0.1)\n"
# As notebooks and test runners do it.
CELL = """
def run_cell():
    try:
        exec("1 / 0")
    except ZeroDivisionError as error:
        sys.last_value = error
run_cell()
"""


def run(script: str) -> tuple[int, list[str], str]:
    done = subprocess.run(
        [sys.executable, "-c", BEGINNING + script], capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout.splitlines(), done.stderr


@pytest.mark.parametrize(
    ("script", "status", "failure"),
    [
        ("", 0, None),
        ("sys.exit()", 0, None),
        ("sys.exit(0)", 0, None),
        ("sys.exit(3)", 3, "exit status 3"),
        ("def main():\n    sys.exit(3)\nmain()", 3, "exit status 3"),
        ("sys.exit('no input')", 1, "no input"),
        ("exit(3)", 3, "exit status 3"),
        ("quit(code=3)", 3, "exit status 3"),
        ("exit()", 0, None),
        ("try:\n    sys.exit(3)\nexcept SystemExit:\n    pass", 0, None),
        ("try:\n    sys.exit(3)\nexcept SystemExit:\n    sys.exit(0)", 0, None),
        ("import threading\nthreading.Thread(target=sys.exit, args=(3,)).start()", 0, None),
        ("try:\n    1 / 0\nfinally:\n    print('cleaned up')", 1, "ZeroDivisionError: division by zero"),
        ("try:\n    1 / 0\nexcept ZeroDivisionError:\n    sys.excepthook(*sys.exc_info())", 0, None),
        ("sys.ps1 = '> '\n1 / 0", 1, None),
        ("sys.excepthook = lambda *error: None\n1 / 0", 1, "ZeroDivisionError: division by zero"),
        ("try:\n    sys.exit(3)\nexcept SystemExit:\n    1 / 0", 1, "ZeroDivisionError: division by zero"),
        ("try:\n    sys.exit(3)\nfinally:\n    print('cleaned up')", 3, "exit status 3"),
        ("try:\n    sys.exit(3)\nexcept SystemExit as left:\n    raise left", 3, "exit status 3"),
        # Of an exception that is kept, nobody but `run_captured` knows whether it was caught.
        ("try:\n    sys.exit(3)\nexcept SystemExit as left:\n    kept = left", 0, "exit status 3"),
        (
            "kept = []\ntry:\n    sys.exit(3)\nexcept SystemExit as left:\n    kept.append(left)\n    raise",
            3,
            "exit status 3",
        ),
        ("import contextlib\nwith contextlib.suppress(ValueError):\n    sys.exit(3)", 3, "exit status 3"),
        ("import contextlib\nwith contextlib.suppress(SystemExit):\n    sys.exit(3)", 0, None),
        ("for _ in 'ab':\n    try:\n        sys.exit(3)\n    except SystemExit:\n        pass", 0, None),
        (f"{MAIN}    try:\n        sys.exit(3)\n    except SystemExit:\n        raise\nmain()", 3, "exit status 3"),
        (f"{MAIN}    try:\n        sys.exit(3)\n    except SystemExit:\n        pass\nmain()", 0, None),
        (CELL, 0, None),
        (f"{CELL}\nsys.exit(3)", 3, "exit status 3"),
        ("def main():\n    raise KeyboardInterrupt\nmain()", -2, "KeyboardInterrupt"),
        ("program.forget(report)\nsys.exit(3)", 3, "forgotten"),
        ("import os\nif os.fork() == 0:\n    sys.exit(0)\nos.wait()", 0, None),
    ],
)
def test_the_end_of_a_program_is_known(script: str, status: int, failure: str | None) -> None:
    returned, lines, _ = run(script)
    assert returned == status
    lines_of_end = [line for line in lines if line.startswith("first:")]
    assert lines_of_end == ([] if failure == "forgotten" else [f"first: {failure}"])


def test_an_exit_that_a_script_catches_and_keeps_is_no_failure_where_it_is_run_captured(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text("import sys\ntry:\n    sys.exit(3)\nexcept SystemExit as left:\n    kept = left")
    begin = f"from spark_client.run_captured import main\nsys.argv[1:] = [{str(tmp_path / 'job.py')!r}]\nmain()"
    returned, lines, errors = run(begin)
    assert (returned, lines, errors) == (0, ["second: None", "first: None"], "")


@pytest.mark.parametrize(
    ("script", "status", "lines"),
    [
        (TERMINATE, -15, ["first: terminated by SIGTERM"]),
        (f"import signal\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(143))\n{TERMINATE}", 143, None),
        (f"program.forget(report)\n{TERMINATE}", -15, []),
        (f"program.forget(report)\nprogram.at_end(report)\n{TERMINATE}", -15, []),
        ("import os, signal\nif os.fork() == 0:\n    os.kill(os.getpid(), signal.SIGTERM)\nos.wait()", 0, None),
        (
            f"import threading\nheld = threading.Lock()\nheld.acquire()\n{SHORT}program.at_end(wait, 0.1)\n{TERMINATE}",
            -15,
            [],
        ),
        ("program.at_end(lambda _: os.kill(os.getpid(), signal.SIGTERM), 5)\nimport os, signal", -15, None),
    ],
    ids=["default", "handled", "forgotten", "switched off", "fork", "stuck", "at the end"],
)
def test_sigterm_kills_once_what_waits_for_it_is_closed(script, status, lines):
    begin = "program.forget(report)\nprogram.at_end(report, 60)\ndef wait(_):\n    held.acquire()\n"
    returned, printed, _ = run(begin + script)
    of_both = {0: "None", 143: "exit status 143", -15: "None"}
    first = [line for line in printed if line.startswith("first:")]
    assert returned == status
    assert first == ([f"first: {of_both[status]}"] if lines is None else lines)


def test_the_last_closing_is_called_first_with_the_stack() -> None:
    _, lines, errors = run("raise KeyError('tailnum')")
    assert lines == ["second: KeyError: 'tailnum'", "first: KeyError: 'tailnum'"]
    assert errors.endswith("KeyError: 'tailnum'\n")


def test_a_stack_that_is_too_long_begins_with_a_whole_line() -> None:
    def descend(depth: int) -> None:
        if depth == 0:
            raise ValueError("x" * 3_000)
        if depth % 2:
            descend(depth - 1)
        else:
            [descend(depth - 1) for _ in "one"]

    with pytest.raises(ValueError, match="xxx") as raised:
        descend(200)

    failure = failure_of(raised.value)
    assert failure is not None
    assert len(failure.message) == 2_000
    assert failure.stack is not None
    assert 19_000 < len(failure.stack) <= 20_000
    assert failure.stack.startswith("  ")

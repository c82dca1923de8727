"""The demo's data on request: the routes beside the REST API, and the process of the run from its start to any end."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from local_stack.demo import Demo, DemoStatus
from local_stack.errors import NotDrained
from tests.waiting import LONG_S, until

ROOT = Path(__file__).resolve().parents[2]
URL = "http://127.0.0.1:9"
# Programs in the pipeline's place.
PROGRAMS = {
    "complete": 'import sys; print("first"); print(f"{sys.argv[1]}/explore/columns?node=x")',
    "fail": 'import sys; print("first"); sys.exit("\\npython -m fail_program: no Java\\n5 events are left")',
    "raise": "import os; os.system('echo of another program'); raise ValueError('of a kind')",
    "vanish": "import os; os._exit(3)",
    "sleep": 'import time; print("asleep", flush=True); time.sleep(3_600)',
    "wait": """
import pathlib, sys, time
while not pathlib.Path(__file__).with_name("go_on").exists():
    time.sleep(0.02)
sys.exit(3)
""",
}


def send(url, method="GET", **headers):
    try:
        with urlopen(Request(url, method=method, headers=headers), timeout=30) as response:
            return response.status, json.load(response)
    except HTTPError as error:
        return error.code, json.load(error)


@pytest.fixture
def demo_of(tmp_path):
    """Return a function that makes a demo of one of the programs."""
    demos = []

    def demo_of(program, *, drain=lambda *_: None, **limits):
        for name, text in PROGRAMS.items():
            (tmp_path / f"{name}_program.py").write_text(text)
        log = tmp_path / "logs" / "demo.log"
        demos.append(Demo(URL, drain=drain, code=tmp_path, log=log, pipeline=f"{program}_program", **limits))
        return demos[-1]

    yield demo_of
    for demo in demos:
        demo.stop()


def ended(demo):
    assert demo.start()
    until(lambda: demo.status.state != "RUNNING")
    return demo.status


def raising(error):
    def drain(*_):
        raise error

    return drain


@pytest.mark.parametrize(
    ("program", "options", "status"),
    [
        ("complete", {}, DemoStatus("COMPLETED", "first", "columns?node=x")),
        ("complete", {"drain": raising(NotDrained("3 left"))}, DemoStatus("FAILED", "first", "", "3 left")),
        ("complete", {"drain": raising(KeyError())}, DemoStatus("FAILED", "first", "", "KeyError")),
        ("fail", {}, DemoStatus("FAILED", "first", "", "no Java")),
        ("raise", {}, DemoStatus("FAILED", "Starting", "", "ValueError: of a kind")),
        ("vanish", {}, DemoStatus("FAILED", "Starting", "", "it ended with exit status 3")),
    ],
)
def test_a_run_ends_with_its_link_or_the_reason(demo_of, program, options, status):
    assert ended(demo_of(program, **options)) == status


def test_there_is_one_run_at_a_time_and_another_after_its_end(demo_of, tmp_path):
    demo = demo_of("wait")
    assert demo.start()
    assert not demo.start()
    (tmp_path / "go_on").touch()
    until(lambda: demo.status.state == "FAILED")
    (tmp_path / "wait_program.py").write_text(PROGRAMS["complete"])
    assert ended(demo) == DemoStatus("COMPLETED", "first", "columns?node=x")


def test_a_stop_ends_a_run_that_waits_for_the_stack_to_load(demo_of):
    draining = []

    def never_drained(_timeout_s, progress):
        while True:
            draining.append(True)
            progress(1_000)
            time.sleep(0.01)

    demo = demo_of("complete", drain=never_drained)
    assert demo.start()
    until(lambda: draining)
    demo.stop()
    assert demo.status.stage == "Loading queued records and events: 1,000 messages left"


def test_a_child_ends_when_its_stdin_does(tmp_path):
    (tmp_path / "sleep_program.py").write_text(PROGRAMS["sleep"])
    command = [sys.executable, "-m", "local_stack.processes.attached", "sleep_program"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout.readline() == b"asleep\n"
        child.stdin.close()
        assert child.wait(LONG_S) == 1


def test_the_routes_stand_beside_the_rest_api_and_pages_of_others_start_nothing(probe):
    url = f"{probe.stack.api_url}/local/demo"
    none = {"state": "NONE", "stage": "", "link": "", "error": ""}
    assert send(url) == (200, none)
    for headers in ({"Origin": "https://news.example"}, {"Sec-Fetch-Site": "cross-site"}):
        status, refusal = send(url, "POST", **headers)
        assert (status, list(refusal)) == (403, ["message"])
    assert send(url, "DELETE")[0] == 405
    assert send(url) == (200, none)
    assert send(f"{url}/more")[0] == 201  # by the function, which knows every path


@pytest.mark.slow
def test_stopping_the_stack_ends_the_run_with_its_spark(start, tmp_path, monkeypatch):
    if not Path("/proc/self/task").exists():
        pytest.skip("reads /proc")
    monkeypatch.chdir(tmp_path)
    stack = start().stack
    url = f"{stack.api_url}/local/demo"
    assert send(url, "POST", Origin=stack.api_url)[0] == 202
    assert send(url, "POST")[0] == 409
    until(lambda: send(url)[1]["stage"] not in ("", "Starting"))
    [group] = (pid for pid in pids() if f"examples.emissions\0{stack.api_url}\0" in read(pid, "cmdline"))
    until(lambda: len(members(group)) > 1)  # Java has started
    stack.stop()
    until(lambda: members(group) == [])


def pids():
    return [folder.name for folder in Path("/proc").iterdir() if folder.name.isdigit()]


def read(pid, name):
    try:
        return Path(f"/proc/{pid}/{name}").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def members(group):
    """Return the processes of a group that are alive."""
    stats = [(pid, read(pid, "stat").rpartition(") ")[2].split()) for pid in pids()]
    return [pid for pid, stat in stats if stat and stat[0] != "Z" and stat[2] == group]

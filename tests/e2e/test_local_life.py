"""Starting and stopping: nothing is left behind, whatever happens."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest

from local_stack.errors import PortInUse
from local_stack.stack import LocalStack
from tests.waiting import LONG_S, until

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = Path(__file__).with_name("functions")


def children(pid):
    return [int(line) for line in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid):
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def our_children():
    """Of every thread: a process belongs to the thread that started it."""
    tasks = Path("/proc/self/task").iterdir()
    return {int(child) for task in tasks for child in (task / "children").read_text().split()}


def serves_another(pid, stack):
    """True if the process is that of another stack in this process, whose pollers start functions at any time."""
    variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    endpoint = f"AWS_ENDPOINT_URL={stack.endpoint_url}".encode()
    return endpoint not in variables and any(variable.startswith(b"AWS_ENDPOINT_URL=") for variable in variables)


@pytest.fixture
def linux():
    if not Path("/proc/self/task").exists():
        pytest.skip("reads /proc")


def test_stopping_ends_every_process_even_one_that_is_busy(start, linux):
    before = our_children()
    probe = start()
    probe.send({"n": 1, "do": "sleep"})
    probe.until(lambda: probe.seen)
    started = {pid for pid in our_children() - before if not serves_another(pid, probe.stack)}
    assert len(started) >= 2  # moto, and the function that sleeps
    probe.stack.stop()  # it does not wait for the function, which sleeps for a quarter of an hour
    assert [pid for pid in started if is_alive(pid)] == []


def test_a_port_in_use_is_named_with_the_option_that_changes_it(small_template, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(PortInUse, match=f"port {port} on 127.0.0.1 is in use; choose another with --aws-port"):
            LocalStack(small_template, aws_port=port, logs=tmp_path).start()
        with pytest.raises(PortInUse, match=f"port {port} on 127.0.0.1 is in use; choose another with --api-port"):
            LocalStack(small_template, api_port=port, logs=tmp_path).start()


def test_whoever_waits_for_the_port_finds_everything_behind_it(small_template, tmp_path):
    """A client that calls from the first moment on is refused until it is served: never a 503, never a half."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    stack = LocalStack(small_template, api_port=port, code=FUNCTIONS, logs=tmp_path)
    responses, started = [], threading.Event()

    def request_often():
        while not (started.is_set() and responses[-1:] == [201]):
            try:
                with urlopen(f"http://127.0.0.1:{port}/x", timeout=LONG_S) as response:
                    responses.append(response.status)
            except HTTPError as error:
                responses.append(error.code)
            except URLError as error:
                responses.append(type(error.reason).__name__)
            time.sleep(0.01)

    requesting = threading.Thread(target=request_often)
    requesting.start()
    until(lambda: responses)
    with stack:
        started.set()
        requesting.join(LONG_S)
    assert responses[0] == "ConnectionRefusedError"
    assert set(responses) == {"ConnectionRefusedError", 201}


@pytest.fixture(scope="module")
def template_file(template, tmp_path_factory):
    file = tmp_path_factory.mktemp("template") / "template.json"
    file.write_text(json.dumps(template))
    return file


@pytest.fixture
def serving(template_file):
    ports = ["--api-port", "0", "--aws-port", "0"]
    command = [sys.executable, "-m", "headwater", "serve", *ports, "--template", str(template_file)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        lines = []
        while "Ctrl-C stops" not in "".join(lines):
            lines.append(process.stdout.readline())
            assert lines[-1], "".join(lines)
        yield process, "".join(lines)
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_serve_prints_both_ports_and_ends_cleanly_when_stopped(serving, linux, number):
    process, printed = serving
    assert re.search(r"HTTP API: http://127\.0\.0\.1:\d+", printed)
    assert re.search(r"AWS endpoints: http://127\.0\.0\.1:\d+", printed)
    started = children(process.pid)
    process.send_signal(number)
    assert process.wait(LONG_S) == 0
    assert [pid for pid in started if is_alive(pid)] == []


@pytest.mark.slow
def test_a_serve_that_is_killed_takes_its_processes_along(serving, linux):
    process, _ = serving
    started = children(process.pid)
    assert started
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    until(lambda: not any(map(is_alive, started)))

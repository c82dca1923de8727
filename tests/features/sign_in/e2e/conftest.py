"""The local stack with sign-in, a real issuer (oidc-provider), and Chromium."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from local_stack.stack import LocalStack
from local_stack.toolchain import find_node
from tests.builders_events import a_dataset, a_run_event
from tests.explorer.conftest import *  # noqa: F403 - pytest looks for fixtures in a folder
from tests.features.sign_in.stacks import SIGN_IN

ROOT = Path(__file__).resolve().parents[4]
LIBRARY = ROOT / "explorer" / "node_modules" / "oidc-provider" / "lib" / "index.js"


class RealIssuer:
    """The process of an issuer; `start` and `stop` take it up and down."""

    def __init__(self, port, return_address):
        self.url = f"http://127.0.0.1:{port}"
        self._command = [find_node(), Path(__file__).with_name("issuer.mjs"), str(port), return_address, LIBRARY]
        self._process = None

    def start(self):
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT
        )
        while line := self._process.stdout.readline():
            if line.strip() == self.url:
                return
        raise AssertionError("the issuer does not start")

    def stop(self):
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()


def a_free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture(scope="module")
def issuer():
    """The issuer, and the port of the token API that it leads back to."""
    if not LIBRARY.is_file():
        pytest.skip("no oidc-provider: `npm ci` in explorer/ brings it")
    token_port = a_free_port()
    issuer = RealIssuer(a_free_port(), f"http://127.0.0.1:{token_port}/explore/")
    issuer.token_port = token_port
    issuer.start()
    yield issuer
    issuer.stop()


@pytest.fixture(scope="module")
def stack(synthesized, issuer, an_event, tmp_path_factory):
    """The stack of the issuer, with an event: the group `staff` may read, the client `etl` may write."""
    text = json.dumps(synthesized(**{name: _text(value) for name, value in SIGN_IN.items()}))
    text = text.replace(SIGN_IN["sign_in_issuer"], issuer.url).replace(SIGN_IN["sign_in_client"], "page")
    logs = tmp_path_factory.mktemp("logs")
    with LocalStack(json.loads(text), window_cap_s=0.2, logs=logs, token_port=issuer.token_port) as stack:
        headwater("access", "grant", "groups=staff", "--scope", "read", "--all-namespaces", stack=stack)
        headwater("access", "grant", "client_id=etl", "--scope", "write", "--namespace", "flights", stack=stack)
        urlopen(Request(f"{stack.api_url}/api/v1/lineage", json.dumps(an_event).encode())).close()
        stack.drain()
        yield stack


def _text(value):
    return value if isinstance(value, str) else json.dumps(value)


def headwater(*arguments, stack=None, **environment):
    """Run a command to its end; return its output."""
    local = ["--local", stack.endpoint_url] if stack else []
    done = subprocess.run(
        [sys.executable, "-m", "headwater", *arguments, *local],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def an_event():
    return a_run_event(
        namespace="flights",
        job="estimate",
        inputs=[a_dataset("raw", "flights")],
        outputs=[a_dataset("clean", "flights")],
    )

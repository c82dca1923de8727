from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pytest

import spark_client
from spark_client import LineageClient, capture
from spark_client.capturing.jvm.executions import Unavailable
from spark_client.current_run import JobRun

RUN = "0176a8c2-fe01-7439-87e6-56a1a1b4029f"


class StrangeSession:
    """A session of neither kind: it has no context, and no client."""


class OldSession:
    """A session of a Spark that is too old."""

    version = "3.4.1-amzn-0"

    def __init__(self) -> None:
        self._sc = StrangeSession()


def test_below_spark_3_5_capture_is_off_with_one_sentence(caplog: pytest.LogCaptureFixture) -> None:
    assert capture(OldSession()).state == "off"
    (warning,) = [record.message for record in caplog.records if record.levelno == logging.WARNING]
    assert warning == "capture is off: it needs Spark 3.5 or newer, this is Spark 3.4.1-amzn-0"
    with pytest.raises(Unavailable, match=r"needs Spark 3\.5"):
        capture(OldSession(), strict=True)


def test_without_a_jvm_capture_is_off_with_one_warning(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    session = StrangeSession()
    client = LineageClient(file=tmp_path / "out.jsonl")
    off = capture(session, run_id=RUN, namespace="emissions", name="calculate")
    assert capture(session) is off
    assert (off.state, off.run) == ("off", JobRun("emissions", "calculate", RUN))
    assert set(off.counts.values()) == {0}
    assert off.flush(0)
    off.close()
    (warning,) = [record.message for record in caplog.records if record.levelno == logging.WARNING]
    assert warning == "capture is off: there is no JVM of the driver's to listen to, and no client of Spark Connect"
    with pytest.raises(Unavailable):
        capture(session, client=client, strict=True)


def test_without_a_session_capture_is_off_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    run_id = UUID(RUN)
    off = capture(None, run_id=run_id)  # type: ignore[arg-type]
    assert (off.state, off.run_id) == ("off", RUN)
    assert caplog.messages == ["capture is off: there is no session"]


def test_the_client_loads_capture_when_it_is_named() -> None:
    script = "import sys, spark_client\nassert not [name for name in sys.modules if 'capturing' in name]\n"
    script += "from spark_client import *\nassert callable(capture) and Capture"
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, timeout=60)


def test_a_name_that_is_not_there_is_an_error_as_ever() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        spark_client.nothing  # noqa: B018 - it is the naming that raises

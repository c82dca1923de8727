"""The client's handling of credentials, of names that hold them, and of the file that it writes."""

from __future__ import annotations

import json
import logging
import os
import socket
import stat
import uuid
from pathlib import Path

import pytest

from spark_client import FieldOperation, LineageClient, OperationRecorder, Refused
from tests.unit.spark_client.lineage_service import SHORT, Service, Watch, failing

TOKEN = "hw_0123456789abcdef_" + "a1B2c3D4" * 5 + "xyz"
STEP = ("root", "root", "READ", "s3://landing/flights.csv")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_refused_so_that_no_credentials_go_elsewhere(status: int, service: Service, watch: Watch) -> None:
    service.faults = [failing(status, Location=service.url.replace("127.0.0.1", "localhost") + "/elsewhere")]
    lineage = LineageClient(url=service.url, token=TOKEN, strict=True, retry=SHORT, clock=watch.clock)

    with pytest.raises(Refused, match=f"^{status}: "):
        lineage.record(*STEP)

    assert [(call.path, call.headers["Authorization"]) for call in service.calls] == [
        ("/api/v1/records", f"Bearer {TOKEN}")
    ]


@pytest.mark.parametrize(
    ("url", "token", "warnings"),
    [
        ("http://{host}:9", TOKEN, 1),
        ("HTTP://{host}:9/prod", TOKEN, 1),
        ("https://{host}:9", TOKEN, 0),
        ("http://{host}:9", None, 0),
        ("http://127.0.0.1:9", TOKEN, 0),
        ("http://localhost:9", TOKEN, 0),
        ("http://[::1]:9", TOKEN, 0),
    ],
)
def test_a_token_over_plain_http_to_another_host_is_warned_of_once(
    url: str,
    token: str | None,
    warnings: int,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    watch: Watch,
) -> None:
    host = f"{uuid.uuid4().hex}.invalid"  # once for each host of the process
    # A resolver may take seconds to say that a name is nobody's.
    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda name, *more: resolve("127.0.0.1" if name == host else name, *more)
    )
    monkeypatch.setenv("no_proxy", "*")
    with caplog.at_level(logging.WARNING, "headwater.client"):
        for _ in range(3):
            LineageClient(url=url.format(host=host), token=token, retry=SHORT, clock=watch.clock).record(*STEP)

    text = f"the token goes to {host} over plain http, where anybody on the way reads it: use https"
    assert [record.message for record in caplog.records if "plain http" in record.message] == [text] * warnings
    assert TOKEN not in caplog.text


def test_a_new_file_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    place = tmp_path / "new" / "lineage.jsonl"
    before = os.umask(0)
    try:
        LineageClient(file=place, strict=True).record(*STEP)
    finally:
        os.umask(before)

    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_a_file_that_somebody_made_for_several_keeps_its_mode(tmp_path: Path) -> None:
    place = tmp_path / "lineage.jsonl"
    place.touch()
    place.chmod(0o664)
    LineageClient(file=place, strict=True).record(*STEP)

    assert stat.S_IMODE(place.stat().st_mode) == 0o664
    assert len(place.read_text().splitlines()) == 1


def test_what_the_recorder_is_given_as_names_is_clean_in_events_however_it_is_given(tmp_path: Path) -> None:
    signed = ("https://ann:secret@host", "f.csv?X-Amz-Signature=secret")
    out = ("s3a://AKIA:secret@lake", "out?sig=secret")
    place = tmp_path / "lineage.jsonl"
    declared = {
        "type": "READ",
        "name": "other",
        "source": dict(zip(("namespace", "name"), signed, strict=True)),
        "outputs": ["b"],
    }
    with (
        LineageClient(file=place, strict=True) as client,
        OperationRecorder(client, ("n", "j"), strict=True) as recorder,
    ):
        recorder.record(out, [FieldOperation("read").reads(signed).outputs("a")], fields=["a"])
        recorder.stage("load").record(
            [FieldOperation("again").reads({"namespace": signed[0], "name": signed[1]}).outputs("a")]
        )
        recorder.read(signed, ["c"])
        recorder.write(out, ["a"])
        recorder.record(
            out,
            [
                declared,
                {
                    "type": "WRITE",
                    "name": "w",
                    "inputs": [{"origin": "other", "name": "b"}],
                    "destination": {"namespace": out[0], "name": out[1]},
                },
            ],
        )

    text = place.read_text()
    assert "secret" not in text
    for event in map(json.loads, text.splitlines()):
        assert event["inputs"] == [{"namespace": "https://host", "name": "f.csv"}]
        assert event["outputs"] == [{"namespace": "s3a://lake", "name": "out"}]

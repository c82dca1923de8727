"""The lineage service of the client's tests, on a real socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from spark_client import LineageClient
from tests.unit.spark_client.lineage_service import Service, Watch, served


@pytest.fixture
def service() -> Iterator[Service]:
    with served() as service:
        yield service


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture(autouse=True)
def no_destination_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("URL", "FUNCTION", "FILE", "TOKEN", "AUTH"):
        monkeypatch.delenv(f"HEADWATER_{name}", raising=False)


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[SimpleNamespace]:
    """Yield a client that writes to a file, and the events in it."""
    path = tmp_path / "lineage.jsonl"
    with LineageClient(file=path, strict=True) as client:
        yield SimpleNamespace(client=client, events=lambda: [json.loads(line) for line in _lines(path)])


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

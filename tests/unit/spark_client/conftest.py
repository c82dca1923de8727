"""The lineage service of the client's tests, on a real socket."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer

import pytest

from tests.unit.spark_client.lineage_service import Service, Watch, handler_of


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    with ThreadingHTTPServer(("127.0.0.1", 0), handler_of(service)) as server:
        server.daemon_threads = True
        server.block_on_close = False
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        service.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield service
        server.shutdown()
        thread.join()


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture(autouse=True)
def no_destination_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("URL", "FUNCTION", "FILE", "TOKEN", "AUTH"):
        monkeypatch.delenv(f"HEADWATER_{name}", raising=False)

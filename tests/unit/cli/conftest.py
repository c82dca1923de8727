from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.unit.cli.responding import Service


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    thread = threading.Thread(target=service.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield service
    service.server.shutdown()
    service.server.server_close()
    thread.join()

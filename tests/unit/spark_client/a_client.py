"""A client for the tests, and the names of what it sends."""

from __future__ import annotations

import socket

from spark_client import LineageClient
from tests.unit.spark_client.lineage_service import SHORT, Service, Watch

NOW = 1_357_016_400
RAW = "s3://landing/flights-2013-01-01.csv"
CHECKED = "s3://checked/flights-2013-01-01"
ROOT = "flights-2013-01-01"


def a_client(service: Service, watch: Watch, **options: object) -> LineageClient:
    return LineageClient(**{"url": service.url, "retry": SHORT, "clock": watch.clock, **options})


def nobody_listens() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"

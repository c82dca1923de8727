"""Addresses of the explorer's views."""

from __future__ import annotations

from urllib.parse import urlencode


def start_link(url: str) -> str:
    """Return the address of the start page.

    >>> start_link("http://127.0.0.1:8080/")
    'http://127.0.0.1:8080/explore/'
    """
    return f"{url.rstrip('/')}/explore/"


def map_link(url: str, node_id: str) -> str:
    """Return the address of the map around a job or dataset.

    >>> map_link("http://127.0.0.1:8080/", "job:a:b")
    'http://127.0.0.1:8080/explore/map?node=job%3Aa%3Ab'
    """
    return _link(url, "map", node_id)


def columns_link(url: str, node_id: str) -> str:
    """Return the address of the path of a column, or of the columns of a dataset; of the map, for a job.

    >>> columns_link("http://127.0.0.1:8080", "datasetField:s3://lake:raw:id")
    'http://127.0.0.1:8080/explore/columns?node=datasetField%3As3%3A%2F%2Flake%3Araw%3Aid'
    """
    return _link(url, "map" if node_id.startswith("job:") else "columns", node_id)


def _link(url: str, view: str, node_id: str) -> str:
    return f"{url.rstrip('/')}/explore/{view}?{urlencode({'node': node_id})}"

"""Paths of this API to things that its responses name, each id one percent-encoded segment."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import quote

from headwater_model.ids import DatasetId


def path_of(dataset: DatasetId) -> str:
    """Return the path of a dataset.

    >>> path_of(DatasetId("s3://flights", "checked"))
    '/api/v1/namespaces/s3%3A%2F%2Fflights/datasets/checked'
    """
    return f"/api/v1/namespaces/{_segment(dataset.namespace)}/datasets/{_segment(dataset.name)}"


def version_path(dataset: DatasetId, version: str) -> str:
    """Return the path of a version of a dataset."""
    return f"{path_of(dataset)}/versions/{_segment(version)}"


def run_path(run: str) -> str:
    """Return the path of a run."""
    return f"/api/v1/jobs/runs/{_segment(run)}"


def root_path(root_id: str) -> str:
    """Return the path of the records of a root."""
    return f"/api/v1/records/roots/{_segment(root_id)}"


def origins_path(node_id: str) -> str:
    """Return the path from a column's node id down to record roots."""
    return f"/api/v1/column-lineage/origins?nodeId={_segment(node_id)}"


# A large response repeats few namespaces, names and versions thousands of times.
@lru_cache(maxsize=10_000)
def _segment(text: str) -> str:
    return quote(text, safe="")

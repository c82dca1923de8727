"""Values as all dialects print them: ids, versions, times, transformations, and paths of this API to things.

In a path each id is a percent-encoded segment. A node seen in outline has no data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Protocol, TypeVar, overload
from urllib.parse import quote

from headwater.api import types
from headwater.times import render_time
from headwater_model.columns import Column, Transformation
from headwater_model.ids import DatasetId, JobId

T = TypeVar("T")


class Node(Protocol):
    """A node of a graph."""

    @property
    def outline(self) -> bool:
        """True if the caller may see its id and type alone."""


N = TypeVar("N", bound=Node)


def render_id(thing: DatasetId | JobId) -> types.Id:
    """Render `{"namespace", "name"}`."""
    return {"namespace": thing.namespace, "name": thing.name}


def render_ids(things: Iterable[DatasetId | JobId]) -> list[types.Id]:
    """Render a list of `{"namespace", "name"}`."""
    return [render_id(thing) for thing in things]


def render_node_id(thing: DatasetId | JobId | Column, version: str | None = None) -> str:
    """Print the id of a node of a graph; a node of a version has the version behind `#`.

    >>> render_node_id(Column(DatasetId("s3://flights", "checked"), ("plane", "seats")))
    'datasetField:s3://flights:checked:plane.seats'
    """
    return thing.node_id if version is None else f"{thing.node_id}#{version}"


def redact(node: N, render: Callable[[N], T]) -> T | None:
    """Render the data of a node; None if the caller sees it in outline alone."""
    return None if node.outline else render(node)


def render_version_id(thing: DatasetId | JobId, version: str) -> types.VersionId:
    """Render `{"namespace", "name", "version"}`."""
    return {**render_id(thing), "version": version}


@overload
def when(time: str) -> str: ...


@overload
def when(time: None) -> None: ...


@overload
def when(time: str | None) -> str | None: ...


def when(time: str | None) -> str | None:
    """Print a time as Marquez does, `2024-10-24T19:27:05Z`; None without a time."""
    return None if time is None else render_time(time)


def render_transformation(transformation: Transformation) -> types.Transformation:
    """Render the derivation of a column from a source column, in OpenLineage's words."""
    return {
        "type": transformation.type,
        "subtype": transformation.subtype,
        "description": transformation.description,
        "masking": transformation.masking,
    }


def path_of(dataset: DatasetId) -> str:
    """Print the path of a dataset.

    >>> path_of(DatasetId("s3://flights", "checked"))
    '/api/v1/namespaces/s3%3A%2F%2Fflights/datasets/checked'
    """
    return f"/api/v1/namespaces/{_segment(dataset.namespace)}/datasets/{_segment(dataset.name)}"


def version_path(dataset: DatasetId, version: str) -> str:
    """Print the path of a version of a dataset."""
    return f"{path_of(dataset)}/versions/{_segment(version)}"


def run_path(run: str) -> str:
    """Print the path of a run."""
    return f"/api/v1/jobs/runs/{_segment(run)}"


def root_path(root_id: str) -> str:
    """Print the path of the records of a root."""
    return f"/api/v1/records/roots/{_segment(root_id)}"


def origins_path(node_id: str) -> str:
    """Print the path of the record roots behind a column's node id."""
    return f"/api/v1/column-lineage/origins?nodeId={_segment(node_id)}"


# A large response repeats few namespaces, names and versions thousands of times.
@lru_cache(maxsize=10_000)
def _segment(text: str) -> str:
    return quote(text, safe="")

"""Datasets and their versions as Marquez prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lineage.api.marquez.run_views import render_run_if_any
from lineage.api.marquez.values import Form, render_id, when
from lineage.graph.entities import Dataset, DatasetVersion, LastWriter


def render_dataset(
    dataset: Dataset, column_lineage: Sequence[Form] | None = None, *, columns_cut: bool = False
) -> Form:
    """Marquez's Dataset; ours are `columnLineageTruncated`, `stale`, `lastWrittenBy` and `temporary`."""
    return {
        **_described(dataset),
        "currentVersion": dataset.current_version,
        "columnLineage": column_lineage,
        "columnLineageTruncated": columns_cut,
        "facets": dict(dataset.facets),
        "deleted": dataset.deleted,
        **_ours(dataset),
    }


def render_dataset_data(dataset: Dataset) -> Form:
    """The `data` of a dataset's node in a graph; `version` where the node is of a version."""
    data = {**_described(dataset), **_ours(dataset)}
    return data if dataset.version is None else {**data, "version": dataset.version}


def render_dataset_version(found: DatasetVersion) -> Form:
    """Marquez's DatasetVersion; ours is `failed`."""
    return {
        "id": render_id(found.dataset),
        "type": found.type,
        "name": found.dataset.name,
        "physicalName": found.physical_name,
        "createdAt": when(found.created),
        "version": found.version,
        "namespace": found.dataset.namespace,
        "sourceName": found.source_name,
        "fields": _fields(found.fields),
        "tags": [],
        "lifecycleState": found.lifecycle,
        "description": found.description,
        "currentSchemaVersion": None,
        "createdByRun": render_run_if_any(found.created_by),
        "facets": dict(found.facets),
        **_location(found.type),
        "failed": found.failed,
    }


def _described(dataset: Dataset) -> Form:
    return {
        "id": render_id(dataset.id),
        "type": dataset.type,
        "name": dataset.id.name,
        "physicalName": dataset.physical_name,
        "createdAt": when(dataset.created),
        "updatedAt": when(dataset.updated),
        "namespace": dataset.id.namespace,
        "sourceName": dataset.source_name,
        "fields": _fields(dataset.fields),
        "tags": [],
        "lastModifiedAt": when(dataset.last_modified),
        "description": dataset.description,
        "lastLifecycleState": dataset.lifecycle,
        **_location(dataset.type),
    }


def _ours(dataset: Dataset) -> Form:
    return {
        "stale": dataset.stale,
        "lastWrittenBy": render_writer(dataset.last_written_by),
        "temporary": dataset.temporary,
    }


def render_writer(writer: LastWriter | None) -> Form | None:
    """The run that last wrote a dataset, if it is stale."""
    if writer is None:
        return None
    return {"job": render_id(writer.job), "runId": writer.run, "endedAt": when(writer.ended)}


def _location(kind: str) -> Form:
    # Only streams have one in Marquez, and OpenLineage has no facet for it.
    return {"schemaLocation": None} if kind == "STREAM" else {}


def _fields(fields: Sequence[Mapping[str, Any]]) -> list[Form]:
    return [
        {
            "name": field.get("name"),
            "type": _text(field.get("type")),
            "tags": [],
            "description": _text(field.get("description")),
        }
        for field in fields
    ]


def _text(value: object) -> str | None:
    """A facet holds what its producer sent; Marquez prints text or null here."""
    return value if isinstance(value, str) else None

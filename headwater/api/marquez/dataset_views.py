"""Datasets and their versions as Marquez prints them, with annotations and counts of tests, for jobs, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from headwater.api.marquez import types
from headwater.api.marquez.annotation_types import AnnotatedThing, Owner, ReportedTag, Tested
from headwater.api.marquez.annotation_types import Attribution as AttributionJson
from headwater.api.marquez.column_types import ColumnLineage
from headwater.api.marquez.run_views import render_run_if_any
from headwater.api.types import LastWriter as LastWriterJson
from headwater.api.values import render_id, when
from headwater.facts.annotations import Annotations, Attribution, Tag
from headwater.facts.assertions import AssertionCounts
from headwater.queries.results.entities import Dataset, DatasetVersion, LastWriter, description_of


def render_dataset(
    dataset: Dataset, column_lineage: list[ColumnLineage] | None = None, *, columns_cut: bool = False
) -> types.Dataset:
    """Render Marquez's Dataset.

    Ours are `columnLineageTruncated`, `stale`, `lastWrittenBy`, `temporary`, `owners` and `reportedBy`.
    """
    return {
        **_summarize(dataset),
        "currentVersion": dataset.current_version,
        "columnLineage": column_lineage,
        "columnLineageTruncated": columns_cut,
        "facets": dict(dataset.facets),
        "deleted": dataset.deleted,
        **_render_state(dataset),
        **render_annotations(dataset.annotations),
    }


def render_dataset_data(dataset: Dataset) -> types.DatasetData:
    """Render the `data` of a dataset's node in a graph; `version` for a node of a version."""
    return {**_summarize(dataset), **_render_state(dataset), **_render_node_version(dataset)}


def render_short_dataset(dataset: Dataset) -> types.ShortDataset:
    """Render a dataset without lists and facets; `version` for a node of a version."""
    return {
        **_identify(dataset),
        "description": description_of(dataset),
        "lastLifecycleState": dataset.lifecycle,
        "tags": list(dataset.annotations.names),
        "owners": render_owners(dataset.annotations),
        "fieldCount": len(dataset.fields),
        **_render_state(dataset),
        **_render_times(dataset),
        **_render_node_version(dataset),
    }


def _render_times(dataset: Dataset) -> types.Times:
    if dataset.times is None:
        return {"writtenAt": when(dataset.last_modified)} if dataset.last_modified else {}
    return {"writtenAt": when(dataset.times.written), "lastReadAt": when(dataset.times.read)}


def render_dataset_version(version: DatasetVersion) -> types.DatasetVersion:
    """Render Marquez's DatasetVersion; ours is `failed`."""
    return {
        "id": render_id(version.dataset),
        "type": cast(types.DatasetType, version.type),
        "name": version.dataset.name,
        "physicalName": version.physical_name,
        "createdAt": when(version.created),
        "version": version.version,
        "namespace": version.dataset.namespace,
        "sourceName": version.source_name,
        "fields": _fields(version.fields, version.annotations),
        "tags": list(version.annotations.names),
        "lifecycleState": version.lifecycle,
        "description": description_of(version),
        "currentSchemaVersion": None,
        "createdByRun": render_run_if_any(version.created_by),
        "facets": dict(version.facets),
        **_location(version.type),
        "failed": version.failed,
        "branch": version.branch,
    }


def _identify(dataset: Dataset) -> types.DatasetIdentity:
    return {
        "id": render_id(dataset.id),
        "type": cast(types.DatasetType, dataset.type),
        "name": dataset.id.name,
        "physicalName": dataset.physical_name,
        "createdAt": when(dataset.created),
        "updatedAt": when(dataset.updated),
        "namespace": dataset.id.namespace,
        "sourceName": dataset.source_name,
    }


def _summarize(dataset: Dataset) -> types.DatasetSummary:
    return {
        **_identify(dataset),
        "fields": _fields(dataset.fields, dataset.annotations),
        "tags": list(dataset.annotations.names),
        "lastModifiedAt": when(dataset.last_modified),
        "description": description_of(dataset),
        "lastLifecycleState": dataset.lifecycle,
        **_location(dataset.type),
    }


def _render_state(dataset: Dataset) -> types.DatasetState:
    return {
        "stale": dataset.stale,
        "lastWrittenBy": render_writer(dataset.last_written_by),
        "temporary": dataset.temporary,
        **render_counts(dataset.assertions),
    }


def _render_node_version(dataset: Dataset) -> types.DatasetNodeVersion:
    return {} if dataset.version is None else {"version": dataset.version}


def render_writer(writer: LastWriter | None) -> LastWriterJson | None:
    """Render the run that last wrote a dataset, if it is stale."""
    if writer is None:
        return None
    return {"job": render_id(writer.job), "runId": writer.run, "endedAt": when(writer.ended)}


def _location(kind: str) -> types.Location:
    # Only streams have it in Marquez, and OpenLineage has no facet for it.
    return {"schemaLocation": None} if kind == "STREAM" else {}


def _fields(fields: Sequence[Mapping[str, Any]], annotations: Annotations) -> list[types.SchemaField]:
    return [
        {
            "name": cast(str, field.get("name")),
            "type": _text(field.get("type")),
            "tags": list(annotations.of_field(str(field.get("name")))),
            "description": annotations.text_of(str(field.get("name"))) or _text(field.get("description")),
        }
        for field in fields
    ]


def _text(value: object) -> str | None:
    """Keep a text: Marquez prints text or null here, whatever the producer sent."""
    return value if isinstance(value, str) else None


def render_annotations(annotations: Annotations) -> AnnotatedThing:
    """Render `owners` and `reportedBy` of a job or a dataset."""
    return {
        "owners": render_owners(annotations),
        "reportedBy": {
            "description": None if annotations.described is None else _render_reporter(annotations.described),
            "fieldDescriptions": [
                {"field": text.field, **_render_reporter(text.reported_by)}
                for text in annotations.texts
                if text.field is not None
            ],
            "owners": [
                {"name": owner.name, "type": owner.type, **_render_reporter(owner.reported_by)}
                for owner in annotations.owners
            ],
            "tags": [render_tag(tag) for tag in annotations.tags],
        },
    }


def render_owners(annotations: Annotations) -> list[Owner]:
    """Render the owners of a job or a dataset."""
    return [{"name": owner.name, "type": owner.type} for owner in annotations.owners]


def render_tag(tag: Tag) -> ReportedTag:
    """Render a tag with its reporter."""
    return {
        "name": tag.name,
        "field": tag.field,
        "value": tag.value,
        "source": tag.source,
        **_render_reporter(tag.reported_by),
    }


def _render_reporter(reporter: Attribution) -> AttributionJson:
    return {"producer": reporter.producer, "at": when(reporter.time), "caller": reporter.caller}


def render_counts(counts: AssertionCounts | None) -> Tested:
    """Render the numbers of tests by outcome; nothing without tests."""
    if counts is None:
        return {}
    return {"tests": {"passed": counts.passed, "warned": counts.warned, "failed": counts.failed}}

"""What Marquez's routes answer, as schemas with examples: Marquez's fields, and ours where the description says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from lineage.api import examples_runs as examples
from lineage.api.marquez.jobs import STATES
from lineage.api.schemas import OUTLINE, Schema, list_of, object_of, ref
from lineage.graph.entities import ResolvedBy

_TEXT: Schema = {"type": "string"}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
_TIME: Schema = {"type": "string", "format": "date-time"}
_TIME_OR_NULL: Schema = {"type": ["string", "null"], "format": "date-time"}
_FLAG: Schema = {"type": "boolean"}
_TEXTS: Schema = list_of(_TEXT)
_FACETS, _ID, _VERSION_ID, _FIELD, _EDGE = (ref(name) for name in ("Facets", "Id", "VersionId", "SchemaField", "Edge"))
_RESOLVED_BY: Schema = {
    "enum": [*get_args(ResolvedBy), None],
    "description": "Ours: how it is known which version was read.",
}
_TRUNCATED: Schema = {
    "type": "boolean",
    "description": "Ours: whether it was cut to fit into an answer, or is more than a question may read.",
}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _one_of(*words: str) -> Schema:
    return {"enum": list(words)}


def _flag(description: str) -> Schema:
    return {**_FLAG, "description": f"Ours: {description}"}


def _page(name: str, schema: str, example: Mapping[str, object]) -> Schema:
    """A list with its count; ours where Marquez has none."""
    return object_of(
        {name: list_of(ref(schema)), "totalCount": {"type": "integer", "minimum": 0}, "truncated": _TRUNCATED},
        examples=[{name: [example], "totalCount": 1, "truncated": False}],
    )


_DATASET_SAID = {
    "id": _ID,
    "type": _one_of("DB_TABLE", "STREAM"),
    "name": _TEXT,
    "physicalName": _TEXT,
    "createdAt": _TIME,
    "updatedAt": _TIME,
    "namespace": _TEXT,
    "sourceName": _TEXT,
    "fields": list_of(_FIELD),
    "tags": _TEXTS,
    "lastModifiedAt": _TIME_OR_NULL,
    "description": _TEXT_OR_NULL,
    "lastLifecycleState": _TEXT_OR_NULL,
    "stale": _flag("it has versions, but no job writes it any more."),
    "lastWrittenBy": {
        **_or_null(object_of({"job": _ID, "runId": _TEXT, "endedAt": _TIME})),
        "description": "Ours: the run that last wrote it, where it is stale.",
    },
    "temporary": _flag("private storage of one job, told by its name or by its life."),
}
_JOB_SAID = {
    "id": _ID,
    "type": _one_of("BATCH", "STREAM", "SERVICE"),
    "name": _TEXT,
    "simpleName": _TEXT,
    "parentJobName": _TEXT_OR_NULL,
    "parentJobUuid": _TEXT_OR_NULL,
    "createdAt": _TIME,
    "updatedAt": _TIME,
    "namespace": _TEXT,
    "inputs": list_of(_ID),
    "outputs": list_of(_ID),
    "location": _TEXT_OR_NULL,
    "description": _TEXT_OR_NULL,
    "latestRun": _or_null(ref("Run")),
    "lineageUnknown": _flag("its code has changed since inputs and outputs were last told of; these are from before."),
}
_NODE_VERSION = {"version": {**_TEXT, "description": "Ours: where the graph is of versions."}}


def _node(kind: str, data: Schema) -> Schema:
    return object_of(
        {
            "id": _TEXT,
            "type": {"const": kind},
            "data": {**_or_null(data), "description": OUTLINE},
            "inEdges": list_of(_EDGE),
            "outEdges": list_of(_EDGE),
        }
    )


_RUN = object_of(
    {
        "id": _TEXT,
        "createdAt": _TIME,
        "updatedAt": _TIME,
        "nominalStartTime": _TIME_OR_NULL,
        "nominalEndTime": _TIME_OR_NULL,
        "state": _one_of(*STATES),
        "startedAt": _TIME_OR_NULL,
        "endedAt": _TIME_OR_NULL,
        "durationMs": {"type": ["integer", "null"]},
        "args": {"type": "object", "additionalProperties": _TEXT},
        "jobVersion": _or_null(_VERSION_ID),
        "inputDatasetVersions": list_of(
            object_of({"datasetVersionId": _VERSION_ID, "facets": _FACETS, "resolvedBy": _RESOLVED_BY})
        ),
        "outputDatasetVersions": list_of(object_of({"datasetVersionId": _VERSION_ID, "facets": _FACETS})),
        "facets": _FACETS,
        "job": _ID,
        "otherJobs": {
            **list_of(_ID),
            "description": "Ours: the other jobs that claim its id: of its namespace and, where "
            "the run was asked for by its id, of the others that the caller may read.",
        },
        "otherJobsTruncated": _flag("more namespaces have runs of its id than are looked at."),
        "truncated": _flag("it read more datasets than one response finds the versions of."),
    },
    description="Ours are `job`, `otherJobs`, `otherJobsTruncated`, `truncated` and `resolvedBy`. In graphs and lists "
    "of versions it is without its own versions and facets.",
    examples=[examples.RUN],
)
_UPSTREAM_RUN = object_of(
    {
        "job": object_of({"namespace": _TEXT, "name": _TEXT, "version": _TEXT_OR_NULL}),
        "run": object_of({"id": _TEXT, "start": _TIME_OR_NULL, "end": _TIME_OR_NULL, "status": _one_of(*STATES)}),
        "inputs": list_of(
            object_of(
                {
                    "namespace": _TEXT,
                    "name": _TEXT,
                    "version": _TEXT,
                    "producedByRunId": _TEXT_OR_NULL,
                    "resolvedBy": _RESOLVED_BY,
                }
            )
        ),
    }
)
_DATASET_VERSION = object_of(
    {
        "id": _ID,
        "type": _one_of("DB_TABLE", "STREAM"),
        "name": _TEXT,
        "physicalName": _TEXT,
        "createdAt": _TIME,
        "version": _TEXT,
        "namespace": _TEXT,
        "sourceName": _TEXT,
        "fields": list_of(_FIELD),
        "tags": _TEXTS,
        "lifecycleState": _TEXT_OR_NULL,
        "description": _TEXT_OR_NULL,
        "currentSchemaVersion": _TEXT_OR_NULL,
        "createdByRun": _or_null(ref("Run")),
        "facets": _FACETS,
        "failed": _flag("the run that wrote it did not complete; it was never the current one."),
    },
    examples=[examples.DATASET_VERSION_FORM],
)
_JOB_VERSION = object_of(
    {
        "id": _VERSION_ID,
        "name": _TEXT,
        "createdAt": _TIME,
        "updatedAt": {**_TIME, "description": "Ours: when it last ran."},
        "version": _TEXT,
        "namespace": _TEXT,
        "location": _TEXT_OR_NULL,
        "inputs": list_of(_ID),
        "outputs": list_of(_ID),
        "latestRun": _or_null(ref("Run")),
        "codeVersion": {**_TEXT_OR_NULL, "description": "Ours: the version in its sourceCodeLocation."},
        "lineageUnknown": _JOB_SAID["lineageUnknown"],
    },
    examples=[examples.JOB_VERSION_FORM],
)
_JOB_NODE = object_of(
    {**_JOB_SAID, "currentRunUuid": _TEXT_OR_NULL, **_NODE_VERSION, "runs": _TEXTS}, optional=("version", "runs")
)

_PARTS: Mapping[str, Schema] = {
    "Id": object_of({"namespace": _TEXT, "name": _TEXT}, examples=[examples.JOB_ID]),
    "VersionId": object_of(
        {"namespace": _TEXT, "name": _TEXT, "version": _TEXT},
        examples=[{**examples.JOB_ID, "version": examples.JOB_VERSION}],
    ),
    "Facets": {
        "type": "object",
        "additionalProperties": {"type": "object"},
        "description": "By name, as their producers sent them; the latest of each name.",
        "examples": [examples.RUN["facets"]],
    },
    "SchemaField": object_of(
        {"name": _TEXT, "type": _TEXT_OR_NULL, "tags": _TEXTS, "description": _TEXT_OR_NULL}, examples=examples.FIELDS
    ),
    "Edge": object_of({"origin": _TEXT, "destination": _TEXT}, examples=[examples.EDGE]),
}

SCHEMAS: Mapping[str, Schema] = {
    **_PARTS,
    "Run": _RUN,
    "Namespace": object_of(
        {
            "name": _TEXT,
            "createdAt": _TIME,
            "updatedAt": _TIME,
            "ownerName": _TEXT,
            "description": _TEXT_OR_NULL,
            "isHidden": _FLAG,
        },
        examples=[examples.NAMESPACE_FORM],
    ),
    "Dataset": object_of(
        {
            **_DATASET_SAID,
            "currentVersion": _TEXT_OR_NULL,
            "columnLineage": _or_null(list_of(ref("ColumnLineage"))),
            "columnLineageTruncated": _flag("it has more columns, or they more sources, than one answer tells."),
            "facets": _FACETS,
            "deleted": _FLAG,
        },
        examples=[examples.DATASET],
    ),
    "DatasetVersion": _DATASET_VERSION,
    "Job": object_of(
        {
            **_JOB_SAID,
            "latestRuns": _or_null(list_of(ref("Run"))),
            "facets": _FACETS,
            "currentVersion": _TEXT_OR_NULL,
            "labels": _TEXTS,
            "tags": _TEXTS,
            "deleted": _flag("hidden until an event tells of it again."),
        },
        examples=[examples.JOB],
    ),
    "JobVersion": _JOB_VERSION,
    "Namespaces": _page("namespaces", "Namespace", examples.NAMESPACE_FORM),
    "Datasets": _page("datasets", "Dataset", examples.DATASET),
    "DatasetVersions": _page("versions", "DatasetVersion", examples.DATASET_VERSION_FORM),
    "Jobs": _page("jobs", "Job", examples.JOB),
    "JobVersions": _page("versions", "JobVersion", examples.JOB_VERSION_FORM),
    "Runs": _page("runs", "Run", examples.RUN),
    "RunFacets": object_of(
        {"runId": _TEXT, "facets": _FACETS},
        examples=[{"runId": examples.RUN_ID, "facets": examples.RUN["facets"]}],
    ),
    "Graph": object_of(
        {
            "graph": list_of(
                {
                    "oneOf": [
                        _node("JOB", _JOB_NODE),
                        _node("DATASET", object_of({**_DATASET_SAID, **_NODE_VERSION}, optional=("version",))),
                    ]
                }
            ),
            "truncated": _TRUNCATED,
        },
        description="Nodes by id; each edge is told at both of its ends, in the direction of the data.",
        examples=[examples.GRAPH],
    ),
    "UpstreamRuns": object_of({"runs": list_of(_UPSTREAM_RUN), "truncated": _TRUNCATED}, examples=[examples.UPSTREAM]),
    "RawEvent": {"type": "object", "description": "An OpenLineage event as it was sent.", "examples": [examples.EVENT]},
    "RawEvents": _page("events", "RawEvent", examples.EVENT),
    "SearchHit": object_of(
        {
            "type": _one_of("JOB", "DATASET", "DATASET_FIELD"),
            "name": _TEXT,
            "field": _TEXT,
            "updatedAt": _TIME,
            "namespace": _TEXT,
            "nodeId": _TEXT,
        },
        optional=["field"],
        description="A column (`DATASET_FIELD`) has the name of its dataset, and its own as `field`.",
        examples=[examples.HIT],
    ),
    "SearchResults": _page("results", "SearchHit", examples.HIT),
}

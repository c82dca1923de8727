"""Examples of events and runs: the emissions pipeline's check reads raw flights and writes checked ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.api.document.examples.records import Example

NAMESPACE = "s3://flights"
NODE_ID = "dataset:s3://flights:checked"
JOBS, JOB_NAME = "emissions", "emissions.check"
RUN_ID = "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c"
DATASET_VERSION = "800551f7-301f-3781-a23c-cf1cf3f7d08b"
JOB_VERSION = "b9cb41cc-d734-39a3-b85e-6850153b2741"
_RAW_VERSION = "aa13958d-f122-3e73-8953-565a6e30d2e5"
_MORNING = "2025-11-20T11:00:00Z"
_NOON = "2025-11-20T12:00:00.500Z"

_RAW: Example = {"namespace": NAMESPACE, "name": "raw"}
_CHECKED: Example = {"namespace": NAMESPACE, "name": "checked"}
JOB_ID: Example = {"namespace": JOBS, "name": JOB_NAME}
_TIMES = {"createdAt": _MORNING, "updatedAt": _NOON}
_ENGINE: Example = {"processing_engine": {"version": "4.0", "name": "spark"}}
_SCHEMA: Example = {"schema": {"fields": [{"name": "flight", "type": "string"}]}}

RUN: Example = {
    "id": RUN_ID,
    **_TIMES,
    "nominalStartTime": None,
    "nominalEndTime": None,
    "state": "COMPLETED",
    "startedAt": _MORNING,
    "endedAt": _NOON,
    "durationMs": 3600500,
    "args": {},
    "jobVersion": {**JOB_ID, "version": JOB_VERSION},
    "inputDatasetVersions": [
        {"datasetVersionId": {**_RAW, "version": _RAW_VERSION}, "facets": {}, "resolvedBy": "initial"}
    ],
    "outputDatasetVersions": [{"datasetVersionId": {**_CHECKED, "version": DATASET_VERSION}, "facets": {}}],
    "facets": _ENGINE,
    "job": JOB_ID,
    "otherJobs": [],
    "otherJobsTruncated": False,
    "truncated": False,
}
# As graphs and lists of versions have it.
_RUN_ALONE: Example = {**RUN, "inputDatasetVersions": [], "outputDatasetVersions": [], "facets": {}}
NAMESPACE_RESOURCE: Example = {
    "name": NAMESPACE,
    **_TIMES,
    "ownerName": "anonymous",
    "description": None,
    "isHidden": False,
}
_JOB_TEXT_HIT: Example = {
    "run_id": RUN_ID,
    "name": "emissions.check",
    "namespace": JOBS,
    "eventType": "COMPLETE",
    "type": "BATCH",
    "facets": {},
    "runFacets": {},
}
_DATASET_TEXT_HIT: Example = {
    "run_id": None,
    "name": "checked",
    "namespace": NAMESPACE,
    "eventType": None,
    "facets": {"schema": {"fields": [{"name": "flight", "type": "string"}]}},
}
_DATASET_TO_PUT: Example = {
    "type": "DB_TABLE",
    "physicalName": "checked",
    "sourceName": "lake",
    "fields": [{"name": "flight", "type": "VARCHAR"}],
}
_JOB_TO_PUT: Example = {
    "type": "BATCH",
    "inputs": [{"namespace": NAMESPACE, "name": "raw"}],
    "outputs": [{"namespace": NAMESPACE, "name": "checked"}],
}
_TODAY: Example = {"startInterval": "2025-11-20T00:00:00Z", "endInterval": "2025-11-21T00:00:00Z"}
# Of datasets that name none.
SOURCE_RESOURCE: Example = {
    "type": "UNKNOWN",
    "name": "default",
    "createdAt": "1970-01-01T00:00:00Z",
    "updatedAt": "1970-01-01T00:00:00Z",
    "connectionUrl": "",
    "description": None,
}
# Of what has no owners, tags or description.
UNREPORTED: Example = {
    "owners": [],
    "reportedBy": {"description": None, "fieldDescriptions": [], "owners": [], "tags": []},
}
FIELDS: list[Example] = [{"name": "flight", "type": "string", "tags": [], "description": None}]
_DATASET_SUMMARY: Example = {
    "id": _CHECKED,
    "type": "DB_TABLE",
    "name": "checked",
    "physicalName": "checked",
    **_TIMES,
    "namespace": NAMESPACE,
    "sourceName": "default",
    "fields": FIELDS,
    "tags": [],
    "lastModifiedAt": _NOON,
    "description": None,
    "lastLifecycleState": None,
    "stale": False,
    "lastWrittenBy": None,
    "temporary": False,
}
DATASET: Example = {
    **_DATASET_SUMMARY,
    "currentVersion": DATASET_VERSION,
    "columnLineage": None,
    "columnLineageTruncated": False,
    "facets": _SCHEMA,
    "deleted": False,
    **UNREPORTED,
}
DATASET_VERSION_RESOURCE: Example = {
    "id": _CHECKED,
    "type": "DB_TABLE",
    "name": "checked",
    "physicalName": "checked",
    "createdAt": _NOON,
    "version": DATASET_VERSION,
    "namespace": NAMESPACE,
    "sourceName": "default",
    "fields": FIELDS,
    "tags": [],
    "lifecycleState": None,
    "description": None,
    "currentSchemaVersion": None,
    "createdByRun": _RUN_ALONE,
    "facets": _SCHEMA,
    "failed": False,
}
_JOB_SUMMARY: Example = {
    "id": JOB_ID,
    "type": "BATCH",
    "name": "emissions.check",
    "simpleName": "emissions.check",
    "parentJobName": None,
    "parentJobUuid": None,
    **_TIMES,
    "namespace": "emissions",
    "inputs": [_RAW],
    "outputs": [_CHECKED],
    "location": None,
    "description": None,
    "latestRun": RUN,
    "lineageUnknown": False,
}
JOB: Example = {
    **_JOB_SUMMARY,
    "latestRuns": [RUN],
    "facets": {},
    "currentVersion": JOB_VERSION,
    "labels": [],
    "tags": [],
    "deleted": False,
    **UNREPORTED,
}
# As lists have it.
JOB_LISTED: Example = {**JOB, "latestRun": _RUN_ALONE, "latestRuns": [_RUN_ALONE]}
JOB_VERSION_RESOURCE: Example = {
    "id": {**JOB_ID, "version": JOB_VERSION},
    "name": "emissions.check",
    "createdAt": _NOON,
    "updatedAt": _NOON,
    "version": JOB_VERSION,
    "namespace": "emissions",
    "location": None,
    "inputs": [_RAW],
    "outputs": [_CHECKED],
    "latestRun": _RUN_ALONE,
    "codeVersion": None,
    "lineageUnknown": False,
}
_JOB_NODE = f"job:{JOBS}:{JOB_NAME}"
_RAW_NODE = f"dataset:{NAMESPACE}:raw"
EDGE: Example = {"origin": _JOB_NODE, "destination": NODE_ID}
_EDGE_IN: Example = {"origin": _RAW_NODE, "destination": _JOB_NODE}
_CHECKED_DATA: Example = {**_DATASET_SUMMARY, "lastModifiedAt": None}
_RAW_DATA: Example = {**_CHECKED_DATA, "id": _RAW, "name": "raw", "physicalName": "raw", "fields": []}
_JOB_DATA: Example = {**_JOB_SUMMARY, "latestRun": _RUN_ALONE, "currentRunUuid": RUN_ID}
GRAPH: Example = {
    "graph": [
        {"id": NODE_ID, "type": "DATASET", "data": _CHECKED_DATA, "inEdges": [EDGE], "outEdges": []},
        {"id": _RAW_NODE, "type": "DATASET", "data": _RAW_DATA, "inEdges": [], "outEdges": [_EDGE_IN]},
        {"id": _JOB_NODE, "type": "JOB", "data": _JOB_DATA, "inEdges": [_EDGE_IN], "outEdges": [EDGE]},
    ],
    "truncated": False,
}
_RUN_SUMMARY: Example = {
    "id": RUN_ID,
    **_TIMES,
    "nominalStartTime": None,
    "nominalEndTime": None,
    "state": "COMPLETED",
    "startedAt": _MORNING,
    "endedAt": _NOON,
    "durationMs": 3600500,
}
_SHORT_JOB: Example = {
    "id": JOB_ID,
    "type": "BATCH",
    "name": "emissions.check",
    "simpleName": "emissions.check",
    "parentJobName": None,
    **_TIMES,
    "namespace": "emissions",
    "location": None,
    "description": None,
    "tags": [],
    "owners": [],
    "latestRun": _RUN_SUMMARY,
}
_SHORT_DATASET: Example = {
    "id": _CHECKED,
    "type": "DB_TABLE",
    "name": "checked",
    "physicalName": "checked",
    **_TIMES,
    "namespace": NAMESPACE,
    "sourceName": "default",
    "description": None,
    "lastLifecycleState": None,
    "tags": [],
    "owners": [],
    "fieldCount": 1,
    "stale": False,
    "lastWrittenBy": None,
    "temporary": False,
}
# The same graph from the job, with `form=summary` and `fold=0`.
SHORT_GRAPH: Example = {
    "graph": [
        {
            "id": _JOB_NODE,
            "type": "JOB",
            "data": _SHORT_JOB,
            "inEdges": [],
            "outEdges": [],
            "more": {"up": 1, "down": 1, "exact": True},
        }
    ],
    "truncated": False,
}
IMPACT: Example = {
    "nodeId": _RAW_NODE,
    "impacted": [
        {"nodeId": _JOB_NODE, "type": "JOB", "hops": 1, "through": [_RAW_NODE], "data": _SHORT_JOB},
        {"nodeId": NODE_ID, "type": "DATASET", "hops": 2, "through": [_JOB_NODE], "data": _SHORT_DATASET},
    ],
    "truncated": False,
}
HISTORY: Example = {
    "nodeId": _JOB_NODE,
    "start": "2025-11-20T00:00:00Z",
    "end": "2025-11-21T00:00:00Z",
    "until": "2025-11-21T00:00:00Z",
    "truncated": False,
    "changes": [
        {
            "time": _MORNING,
            "lineageAt": "2025-11-20T11:00:00.000001Z",
            "runs": [],
            "nodes": {"added": [_JOB_NODE], "removed": []},
            "edges": {"added": [], "removed": []},
            "columns": {"added": [], "removed": [], "retyped": []},
        },
        {
            "time": _NOON,
            "lineageAt": "2025-11-20T12:00:00.500001Z",
            "runs": [{"job": _JOB_NODE, "run": RUN_ID}],
            "nodes": {"added": [NODE_ID, _RAW_NODE], "removed": []},
            "edges": {
                "added": [
                    {"origin": _RAW_NODE, "destination": _JOB_NODE},
                    {"origin": _JOB_NODE, "destination": NODE_ID},
                ],
                "removed": [],
            },
            "columns": {
                "added": [{"dataset": NODE_ID, "name": "flight", "type": "string"}],
                "removed": [],
                "retyped": [],
            },
        },
    ],
}
NEIGHBOURS: Example = {
    "neighbours": [{"id": _JOB_NODE, "type": "JOB", "data": _SHORT_JOB}],
    "cursor": None,
}
UPSTREAM: Example = {
    "runs": [
        {
            "job": {**JOB_ID, "version": JOB_VERSION},
            "run": {"id": RUN_ID, "start": _MORNING, "end": _NOON, "status": "COMPLETED"},
            "inputs": [{**_RAW, "version": _RAW_VERSION, "producedByRunId": None, "resolvedBy": "initial"}],
        }
    ],
    "truncated": False,
}
EVENT: Example = {
    "eventType": "COMPLETE",
    "eventTime": _NOON,
    "producer": "https://github.com/OpenLineage/OpenLineage/tree/1.52.0/integration/spark",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    "run": {"runId": RUN_ID, "facets": _ENGINE},
    "job": JOB_ID,
    "inputs": [_RAW],
    "outputs": [{**_CHECKED, "facets": _SCHEMA}],
}
HIT: Example = {
    "type": "DATASET",
    "name": "checked",
    "updatedAt": _NOON,
    "namespace": NAMESPACE,
    "nodeId": NODE_ID,
}
# The event that the whole document is about.
SENT: Example = {
    **EVENT,
    "eventTime": "2025-11-20T12:00:00Z",
    "run": {"runId": RUN_ID},
    "job": {"namespace": JOBS, "name": "emissions.read_flights"},
    "inputs": [{"namespace": NAMESPACE, "name": "landing/2013-01-01"}],
    "outputs": [_RAW],
}
_BATCH_RESULT: Example = {
    "status": "partial_success",
    "summary": {"received": 2, "successful": 1, "failed": 1, "retriable": 0, "non_retriable": 1},
    "failed_events": [{"index": 1, "reason": "job.name: is required", "retriable": False}],
}


NEWS: Example = {
    "kind": "SCHEMA_CHANGED",
    "at": "2025-11-20T12:00:00Z",
    "nodeId": NODE_ID,
    "owners": ["team:flights"],
    "job": JOB_ID,
    "runId": RUN_ID,
    "runState": "COMPLETED",
    "failedRuns": None,
    "change": {
        "added": [{"name": "co2_kg", "type": "double"}],
        "dropped": [{"name": "carrier", "type": None}],
        "retyped": [{"name": "flight", "before": "int", "after": "bigint"}],
        "leftOut": 0,
    },
}
_TEST_RESULT: Example = {
    "nodeId": NODE_ID,
    "outcome": "FAILED",
    "at": _NOON,
    "type": "not_null",
    "column": "flight",
    "name": None,
    "severity": "error",
    "expected": "0",
    "actual": "3",
    "description": None,
    "job": JOB_ID,
    "runId": RUN_ID,
}


def _page(name: str, item: Example) -> list[Example]:
    return [{name: [item], "totalCount": 1, "truncated": False}]


EXAMPLES: Mapping[str, Sequence[Any]] = {
    "LineageEvent": [SENT],
    "BatchResult": [_BATCH_RESULT],
    "Id": [JOB_ID],
    "VersionId": [{**JOB_ID, "version": JOB_VERSION}],
    "Facets": [RUN["facets"]],
    "SchemaField": FIELDS,
    "Edge": [EDGE],
    "Run": [RUN],
    "Namespace": [NAMESPACE_RESOURCE],
    "Dataset": [DATASET],
    "DatasetVersion": [DATASET_VERSION_RESOURCE],
    "Job": [JOB],
    "JobVersion": [JOB_VERSION_RESOURCE],
    "Namespaces": _page("namespaces", NAMESPACE_RESOURCE),
    "Datasets": _page("datasets", DATASET),
    "DatasetVersions": _page("versions", DATASET_VERSION_RESOURCE),
    "Jobs": _page("jobs", JOB_LISTED),
    "JobVersions": _page("versions", JOB_VERSION_RESOURCE),
    "Runs": _page("runs", RUN),
    "RunFacets": [{"runId": RUN_ID, "facets": RUN["facets"]}],
    "Graph": [GRAPH],
    "ShortGraph": [SHORT_GRAPH],
    "UpstreamRuns": [UPSTREAM],
    "Neighbours": [NEIGHBOURS],
    "GraphHistory": [HISTORY],
    "ImpactReport": [IMPACT],
    "RawEvent": [EVENT],
    "RawEvents": _page("events", EVENT),
    "Tag": [{"name": "PII", "description": None}],
    "NamespaceDescription": [{"ownerName": "emissions team", "description": "Flights and their emissions."}],
    "EventCounts": [{**_TODAY, "fail": 0, "start": 1, "complete": 1, "abort": 0}],
    "ThingCount": [{**_TODAY, "count": 2}],
    "JobTextHits": [{"hits": [_JOB_TEXT_HIT], "highlights": [{"name": ["emissions.<em>check</em>"]}]}],
    "JobTextHit": [_JOB_TEXT_HIT],
    "DatasetTextHits": [{"hits": [_DATASET_TEXT_HIT], "highlights": [{"name": ["<em>check</em>ed"]}]}],
    "DatasetTextHit": [_DATASET_TEXT_HIT],
    "DatasetToPut": [_DATASET_TO_PUT],
    "FieldToPut": _DATASET_TO_PUT["fields"],
    "JobToPut": [_JOB_TO_PUT],
    "RunToCreate": [{"id": RUN_ID, "nominalStartTime": "2025-11-20T00:00:00Z"}],
    "Source": [SOURCE_RESOURCE],
    "Sources": _page("sources", SOURCE_RESOURCE),
    "SourceDescription": [{"type": "S3", "connectionUrl": "s3://flights", "description": "The lake of flights."}],
    "DescriptionToPut": [{"description": "Flights that passed the check."}],
    "TagDescription": [{"description": "Personal data."}],
    "TestCounts": [{"passed": 12, "warned": 1, "failed": 0}],
    "TestResult": [_TEST_RESULT],
    "TestResults": _page("tests", _TEST_RESULT),
    "News": [NEWS],
    "Feed": _page("news", NEWS),
    "Tags": _page("tags", {"name": "PII", "description": None}),
    "SearchHit": [HIT],
    "SearchResults": _page("results", HIT),
}

"""Examples of reports, on the run of `operations`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.api.document.examples.operations import CHECKED, ESTIMATED, RUN_ID
from headwater.api.document.examples.records import Example
from headwater.api.document.examples.runs import JOBS, NAMESPACE

NODE_ID = f"datasetField:{NAMESPACE}:estimated:co2_kg"
JOB: Example = {"namespace": JOBS, "name": "emissions.estimate"}
_DISTANCE_ID = f"datasetField:{NAMESPACE}:checked:distance"
_JOB_ID = f"job:{JOBS}:emissions.estimate"
WINDOW: Example = {"start": "2025-11-20T00:00:00Z", "end": "2025-11-21T00:00:00Z"}
CO2: Example = {"dataset": ESTIMATED, "field": "co2_kg"}
DISTANCE: Example = {"dataset": CHECKED, "field": "distance"}
SEATS: Example = {"dataset": CHECKED, "field": "seats"}
_STARTED = "2025-11-20T13:00:00Z"
_MADE: Example = {
    "transformations": [
        {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "fuel, co2", "masking": None},
    ],
    "operations": ["fuel, co2"],
    "jobs": [JOB],
    "runs": [RUN_ID],
}
_PLAIN: Example = {"hops": 1, "direct": True, "masked": False}
_RAW: Example = {"reason": "raw", "jobs": [], "runs": [], "reads": []}

_ONE_HOP: Example = {"hops": 1, "through": [_DISTANCE_ID], "direct": True, "masked": False, "certain": True}
_AT_ONCE: Example = {"createdAt": _STARTED, "updatedAt": _STARTED}
# Everything derived from `checked.distance`.
IMPACT: Example = {
    "nodeId": _DISTANCE_ID,
    "impacted": [
        {
            "nodeId": f"dataset:{NAMESPACE}:estimated",
            "type": "DATASET",
            **_ONE_HOP,
            "data": {
                "id": ESTIMATED,
                "type": "DB_TABLE",
                "name": "estimated",
                "physicalName": "estimated",
                **_AT_ONCE,
                "namespace": NAMESPACE,
                "sourceName": "default",
                "description": None,
                "lastLifecycleState": None,
                "tags": [],
                "owners": [],
                "fieldCount": 2,
                "stale": False,
                "lastWrittenBy": None,
                "temporary": False,
            },
        },
        {
            "nodeId": NODE_ID,
            "type": "DATASET_FIELD",
            **_ONE_HOP,
            "data": {
                "dataset": f"dataset:{NAMESPACE}:estimated",
                "field": "co2_kg",
                "fieldType": "double",
                "jobs": [_JOB_ID],
            },
        },
        {
            "nodeId": _JOB_ID,
            "type": "JOB",
            **_ONE_HOP,
            "data": {
                "id": JOB,
                "type": "BATCH",
                "name": "emissions.estimate",
                "simpleName": "emissions.estimate",
                "parentJobName": None,
                **_AT_ONCE,
                "namespace": JOBS,
                "location": None,
                "description": None,
                "tags": [],
                "owners": [],
                "latestRun": {
                    "id": RUN_ID,
                    **_AT_ONCE,
                    "nominalStartTime": None,
                    "nominalEndTime": None,
                    "state": "COMPLETED",
                    "startedAt": _STARTED,
                    "endedAt": _STARTED,
                    "durationMs": 0,
                },
            },
        },
    ],
    "truncated": False,
}
# The uses of `checked.distance`.
USAGE: Example = {
    "column": DISTANCE,
    "window": WINDOW,
    "uses": [
        {
            "kind": "READ",
            "job": JOB,
            "first": _STARTED,
            "last": _STARTED,
            "count": 1,
            "states": {"COMPLETED": 1},
            "runs": [{"id": RUN_ID, "started": _STARTED, "state": "COMPLETED"}],
            "fields": [CO2],
            "operations": ["fuel, co2"],
            "known": True,
        }
    ],
    "flows": [{"column": CO2, **_PLAIN, "certain": True, "failed": False, "status": "alive", "jobs": [JOB]}],
    "truncated": False,
}
# The sources of `estimated.co2_kg`.
PROVENANCE: Example = {
    "column": CO2,
    "window": WINDOW,
    "sources": [{"column": DISTANCE, **_PLAIN, **_RAW}, {"column": SEATS, **_PLAIN, **_RAW}],
    "steps": [
        {"source": DISTANCE, "destination": CO2, **_MADE},
        {"source": SEATS, "destination": CO2, **_MADE},
    ],
    "truncated": False,
}
# The columns that are tagged as distances, and what is made of them.
TAGGED: Example = {
    "tag": "distance",
    "window": WINDOW,
    "columns": [
        {
            "column": DISTANCE,
            "reportedBy": [
                {
                    "name": "distance",
                    "field": "distance",
                    "value": None,
                    "source": "DBT",
                    "producer": "https://github.com/OpenLineage/OpenLineage/tree/1.52.0/integration/dbt",
                    "at": _STARTED,
                    "caller": None,
                }
            ],
        }
    ],
    "flows": USAGE["flows"],
    "truncated": False,
}
# One job that reports columns.
_COVERED: Mapping[str, int] = {
    "total": 1,
    "columns": 1,
    "tables": 0,
    "nothing": 0,
    "parent": 0,
    "silent": 0,
    "outputs": 1,
    "certainOutputs": 1,
    "incompleteJobs": 0,
}
_SPARK = "https://github.com/OpenLineage/OpenLineage/tree/1.52.0/integration/spark"
SIMILAR: Example = {
    "similar": [{"datasets": [ESTIMATED, {"namespace": "s3a://flights", "name": "estimated"}], "columns": 7}],
    "truncated": False,
}
COVERAGE: Example = {
    **_COVERED,
    "namespaces": [{"namespace": JOB["namespace"], **_COVERED}],
    "producers": [{"producer": _SPARK, **_COVERED}],
    "jobs": [
        {
            **JOB,
            "producer": _SPARK,
            "coverage": "columns",
            "updatedAt": _STARTED,
            "outputs": 1,
            "certainOutputs": 1,
            "incomplete": False,
        }
    ],
    "truncated": False,
}
_FAILED, _SINCE = "01941f29-7c00-7ea7-b5a3-0000000000f1", "2025-11-21T13:00:00Z"
# The job failed on the day after it had made `estimated`.
BROKEN: Example = {
    "broken": [
        {
            "nodeId": _JOB_ID,
            "data": {
                "id": JOB,
                "type": "BATCH",
                "name": "emissions.estimate",
                "simpleName": "emissions.estimate",
                "parentJobName": None,
                "createdAt": _STARTED,
                "updatedAt": _SINCE,
                "namespace": JOBS,
                "location": None,
                "description": None,
                "tags": [],
                "owners": [],
                "latestRun": {
                    "id": _FAILED,
                    "createdAt": _SINCE,
                    "updatedAt": _SINCE,
                    "nominalStartTime": None,
                    "nominalEndTime": None,
                    "state": "FAILED",
                    "startedAt": _SINCE,
                    "endedAt": _SINCE,
                    "durationMs": 0,
                },
            },
            "datasets": 1,
            "since": _SINCE,
            "failedRuns": 1,
            "failsLonger": False,
            "runId": _FAILED,
            "error": "no such column: seats",
        }
    ],
    "totalCount": 1,
    "truncated": False,
    "datasetsTruncated": False,
}
EXAMPLES: Mapping[str, Sequence[Any]] = {
    "ColumnImpactReport": [IMPACT],
    "ReportedColumn": [CO2],
    "BrokenReport": [BROKEN],
    "CoverageReport": [COVERAGE],
    "SimilarReport": [SIMILAR],
    "UsageReport": [USAGE],
    "TagReport": [TAGGED],
    "ProvenanceReport": [PROVENANCE],
}

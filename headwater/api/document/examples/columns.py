"""Examples of columns, on the run of `operations`, which also reports its record roots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.api.document.examples import operations
from headwater.api.document.examples.operations import CHECKED, DATASET, ESTIMATED, FIELD, RUN_ID
from headwater.api.document.examples.records import ROOT, Example
from headwater.api.document.examples.runs import JOBS, NAMESPACE

NODE_ID = f"datasetField:{NAMESPACE}:estimated:{FIELD}"
VERSION = "0ad1f7c8-42a3-3fc0-8943-fd7a3ac13344"
_DISTANCE_ID, _SEATS_ID = (f"datasetField:{NAMESPACE}:checked:{name}" for name in ("distance", "seats"))
_JOB: Example = {"namespace": JOBS, "name": "emissions.estimate"}
_DATASET_PATH = "/api/v1/namespaces/s3%3A%2F%2Fflights/datasets/estimated"
_LINKS: Example = {"version": f"{_DATASET_PATH}/versions/{VERSION}", "run": f"/api/v1/jobs/runs/{RUN_ID}"}

_RECORDS: Example = {
    "_producer": "https://github.com/apache/airflow",
    "_schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunFacet",
    "rootIds": [ROOT],
}
EVENT: Example = {
    **operations.EVENT,
    "run": {
        "runId": RUN_ID,
        "facets": {
            **operations.EVENT["run"]["facets"],
            "headwater_records": _RECORDS,
        },
    },
}

TRANSFORMATION: Example = {
    "type": "DIRECT",
    "subtype": "TRANSFORMATION",
    "description": "fuel, co2",
    "masking": None,
}
_NOT_OLD: Example = {"transformationDescription": None, "transformationType": None}


_VERSION_READ = "c2cc5101-70ed-3de5-ae21-062c287e84f4"


def _source(field: str, version: str | None = None) -> Example:
    return {
        **CHECKED,
        "dataset": "checked",
        "datasetVersion": version,
        "field": field,
        **_NOT_OLD,
        "transformations": [TRANSFORMATION],
    }


SOURCE = _source("distance", _VERSION_READ)
COLUMN_LINEAGE: Example = {"name": FIELD, "inputFields": [_source("distance"), _source("seats")], **_NOT_OLD}
_DATA: Example = {
    **ESTIMATED,
    "dataset": DATASET,
    "datasetVersion": VERSION,
    "field": FIELD,
    "fieldType": "double",
    "type": "double",
    **_NOT_OLD,
    "inputFields": [SOURCE, _source("seats", _VERSION_READ)],
    "datasetDependencies": [],
    "schemaKnown": True,
    "stale": False,
    "lastWrittenBy": None,
    "reportedBy": [{"run": RUN_ID, "job": _JOB, "version": VERSION, "declared": False, "links": _LINKS}],
    "links": {
        "dataset": _DATASET_PATH,
        **_LINKS,
        "origins": "/api/v1/column-lineage/origins?nodeId=datasetField%3As3%3A%2F%2Fflights%3Aestimated%3Aco2_kg",
    },
}
GRAPH: Example = {
    "graph": [
        {
            "id": NODE_ID,
            "type": "DATASET_FIELD",
            "data": _DATA,
            "inEdges": [
                {"origin": NODE_ID, "destination": _DISTANCE_ID},
                {"origin": NODE_ID, "destination": _SEATS_ID},
            ],
            "outEdges": [],
        }
    ],
    "datasets": [],
    "truncated": False,
}
DATASET_DEPENDENCIES: Example = {
    "id": "dataset:s3://flights:estimated",
    **ESTIMATED,
    "datasetVersion": None,
    "datasetDependencies": [_source("seats", _VERSION_READ)],
}
ORIGINS: Example = {
    "field": {"id": NODE_ID, **ESTIMATED, "dataset": DATASET, "field": FIELD},
    "versions": [
        {
            "version": VERSION,
            "run": {
                "id": RUN_ID,
                "job": _JOB,
                "state": "COMPLETED",
                "startedAt": "2025-11-20T13:00:00Z",
                "endedAt": "2025-11-20T13:00:00Z",
            },
            "links": _LINKS,
            "roots": [{"rootId": ROOT, "href": "/api/v1/records/roots/flights%2F2013-01-01.csv"}],
            "rootsReportedBy": RUN_ID,
        }
    ],
    "truncated": False,
}
EXAMPLES: Mapping[str, Sequence[Any]] = {
    "Transformation": [{"type": "DIRECT", "subtype": "IDENTITY", "description": None, "masking": False}],
    "SourceField": [SOURCE],
    "ColumnLineage": [COLUMN_LINEAGE],
    "DependentDataset": [DATASET_DEPENDENCIES],
    "ColumnGraph": [GRAPH],
    "Origins": [ORIGINS],
}

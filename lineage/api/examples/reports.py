"""Examples of reports, on the run of `operations`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lineage.api.examples.operations import CHECKED, ESTIMATED, RUN_ID
from lineage.api.examples.records import Example
from lineage.api.examples.runs import JOBS, NAMESPACE

NODE_ID = f"datasetField:{NAMESPACE}:estimated:co2_kg"
JOB: Example = {"namespace": JOBS, "name": "emissions.estimate"}
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
EXAMPLES: Mapping[str, Sequence[Any]] = {
    "ReportedColumn": [CO2],
    "UsageReport": [USAGE],
    "TagReport": [TAGGED],
    "ProvenanceReport": [PROVENANCE],
}

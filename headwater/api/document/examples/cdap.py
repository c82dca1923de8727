"""Examples of the routes that CDAP itself has: the run of the emissions pipeline's estimate, as in `operations`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.api.document.examples.operations import DATASET, END_S, FIELD, OPERATIONS, RUN_ID, START_S
from headwater.api.document.examples.records import Example
from headwater.api.document.examples.runs import JOBS, NAMESPACE

_JOB = "emissions.estimate"
_STARTED_S = 1_763_643_600


def _dataset(name: str) -> Example:
    return {"namespace": NAMESPACE, "dataset": name, "entity": "DATASET"}


CHECKED, ESTIMATED = _dataset("checked"), _dataset(DATASET)
PROGRAM: Example = {
    "namespace": JOBS,
    "application": _JOB,
    "version": "-SNAPSHOT",
    "type": "Spark",
    "program": _JOB,
    "entity": "PROGRAM",
}
FIELDS = [FIELD, "flight"]
FIELDS_NOW: list[Example] = [{"name": FIELD, "lineage": True}, {"name": "flight", "lineage": True}]
SUMMARY: Example = {"incoming": [{"dataset": CHECKED, "fields": ["distance", "seats"]}], "outgoing": []}


def _whole(operation: Mapping[str, Any]) -> Example:
    """Return an operation of a facet as CDAP prints it."""
    described = {name: operation[name] for name in ("name", "description") if name in operation}
    source, destination = operation.get("source"), operation.get("destination")
    return {
        **described,
        "inputs": {"endPoint": source} if source else {"fields": operation["inputs"]},
        "outputs": {"endPoint": destination} if destination else {"fields": operation["outputs"]},
    }


OPERATIONS_OF_FIELD: Example = {
    "incoming": [
        {
            "operations": [_whole(operation) for operation in OPERATIONS],
            "programs": [{"program": PROGRAM, "lastExecutedTimeInSeconds": _STARTED_S}],
        }
    ]
}
ALL_FIELDS: Example = {
    "direction": "INCOMING",
    "start-ts": START_S * 1_000,
    "end-ts": END_S * 1_000,
    "entityId": ESTIMATED,
    "fields": FIELDS,
    "incoming": [
        {
            "entityId": CHECKED,
            "fieldCount": 3,
            "relations": [
                {"source": "distance", "destination": FIELD},
                {"source": "flight", "destination": "flight"},
                {"source": "seats", "destination": FIELD},
            ],
        }
    ],
    "outgoing": [],
}
_PROGRAM_KEY = f"spark.{JOBS}.{_JOB}.{_JOB}"


def _relation(name: str, access: str) -> Example:
    key = f"dataset.{NAMESPACE}.{name}"
    return {"data": key, "program": _PROGRAM_KEY, "accesses": [access], "runs": [RUN_ID], "components": []}


LINEAGE: Example = {
    "start": START_S,
    "end": END_S,
    "relations": [_relation("checked", "read"), _relation(DATASET, "write")],
    "data": {f"dataset.{NAMESPACE}.{dataset['dataset']}": {"entityId": dataset} for dataset in (CHECKED, ESTIMATED)},
    "programs": {_PROGRAM_KEY: {"entityId": PROGRAM}},
}
EXAMPLES: Mapping[str, Sequence[Any]] = {
    "LineageFields": [FIELDS, FIELDS_NOW],
    "FieldSummary": [SUMMARY],
    "FieldOperations": [OPERATIONS_OF_FIELD],
    "DatasetFieldLineage": [ALL_FIELDS],
    "DatasetLineage": [LINEAGE],
    "DatasetEntity": [CHECKED],
    "ProgramEntity": [PROGRAM],
}

"""Examples of CDAP's routes: a run of the emissions pipeline's estimate reports its operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.api.document.examples.records import Example
from headwater.api.document.examples.runs import JOBS, NAMESPACE

DATASET, FIELD = "estimated", "co2_kg"
RUN_ID = "01941f2a-9d00-7c3e-8b1f-6a5d4c3b2a19"
START_S, END_S = 1_763_596_800, 1_763_683_200

CHECKED: Example = {"namespace": NAMESPACE, "name": "checked"}
ESTIMATED: Example = {"namespace": NAMESPACE, "name": DATASET}
# The same, as the run describes them.
READ_FROM: Example = {**CHECKED, "description": "flights that passed every check"}
WRITTEN_TO: Example = {**ESTIMATED, "description": "flights with their CO2"}
_READ: Example = {"name": "read", "description": "checked flights"}
_FUEL: Example = {"name": "fuel", "description": "what a seat burns a kilometre, times both"}
_CO2: Example = {"name": "co2", "description": "3.16 kg of CO2 of a kg of fuel"}
_WRITE: Example = {"name": "write", "description": None}

OPERATIONS: list[Example] = [
    {"type": "READ", **_READ, "source": READ_FROM, "outputs": ["flight", "distance", "seats"]},
    {
        "type": "TRANSFORM",
        **_FUEL,
        "inputs": [{"origin": "read", "name": "distance"}, {"origin": "read", "name": "seats"}],
        "outputs": ["fuel_kg"],
    },
    {"type": "TRANSFORM", **_CO2, "inputs": [{"origin": "fuel", "name": "fuel_kg"}], "outputs": [FIELD]},
    {
        "type": "WRITE",
        "name": "write",
        "inputs": [{"origin": "read", "name": "flight"}, {"origin": "co2", "name": FIELD}],
        "destination": WRITTEN_TO,
    },
]
_SCHEMA: Example = {
    "_producer": "https://github.com/apache/airflow",
    "_schemaURL": "https://openlineage.io/spec/facets/1-2-0/SchemaDatasetFacet.json",
    "fields": [{"name": "flight", "type": "string"}, {"name": FIELD, "type": "double"}],
}
EVENT: Example = {
    "eventType": "COMPLETE",
    "eventTime": "2025-11-20T13:00:00Z",
    "producer": "https://github.com/apache/airflow",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    "run": {
        "runId": RUN_ID,
        "facets": {
            "headwater_operations": {
                "_producer": "https://github.com/apache/airflow",
                "_schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunFacet",
                "operations": OPERATIONS,
            }
        },
    },
    "job": {"namespace": JOBS, "name": "emissions.estimate"},
    "inputs": [CHECKED],
    "outputs": [{**ESTIMATED, "facets": {"schema": _SCHEMA}}],
}

MAPPING: Example = {
    "source": CHECKED,
    "destination": ESTIMATED,
    "Destination": ESTIMATED,
    "fieldmap": [
        {"from": "distance", "to": FIELD, "toType": "double"},
        {"from": "seats", "to": FIELD, "toType": "double"},
        {"from": "flight", "to": "flight", "toType": "string"},
    ],
}
_DISTANCE: Example = {"id": "read.distance", "label": "distance", "sourceEndPoint": READ_FROM}
_SEATS: Example = {"id": "read.seats", "label": "seats", "sourceEndPoint": READ_FROM}
_BURNT: Example = {"id": "fuel.fuel_kg", "label": "fuel_kg"}
_CO2_KG: Example = {"id": "co2.co2_kg", "label": FIELD, "type": "double", "destinationEndPoint": WRITTEN_TO}
_CONNECTIONS: list[Example] = [
    {"from": "read.distance", "to": "fuel.fuel_kg", "operation": "fuel"},
    {"from": "read.seats", "to": "fuel.fuel_kg", "operation": "fuel"},
    {"from": "fuel.fuel_kg", "to": "co2.co2_kg", "operation": "co2"},
]
DETAIL: Example = {
    "nodes": [_DISTANCE, _SEATS, _BURNT, _CO2_KG],
    "operations": [_READ, _FUEL, _CO2, _WRITE],
    "connections": _CONNECTIONS,
}
_REQUESTED: Example = {
    "fieldName": FIELD,
    "fieldType": "double",
    "startTimeInSeconds": START_S,
    "endTimeInSeconds": END_S,
}
PATHS: Example = {
    **_REQUESTED,
    "paths": [
        {
            "operations": [
                {"inputs": ["source"], "outputs": ["flight", "distance", "seats"], **_READ, "source": READ_FROM},
                {"inputs": ["distance", "seats"], "outputs": ["fuel_kg"], **_FUEL},
                {"inputs": ["fuel_kg"], "outputs": [FIELD], **_CO2},
            ],
            "destination": WRITTEN_TO,
            "runs": [RUN_ID],
        }
    ],
}
SIMPLE: Example = {
    **_REQUESTED,
    "paths": [
        {
            "edges": [
                {"from": "distance", "to": FIELD, "operations": ["fuel", "co2"], "source": READ_FROM},
                {"from": "seats", "to": FIELD, "operations": ["fuel", "co2"], "source": READ_FROM},
            ],
            "destination": WRITTEN_TO,
            "runs": [RUN_ID],
        }
    ],
}
DETAILED: Example = {
    **_REQUESTED,
    "paths": [
        {
            "nodes": [_DISTANCE, _SEATS, _BURNT, _CO2_KG],
            "edges": _CONNECTIONS,
            "destination": WRITTEN_TO,
            "runs": [RUN_ID],
        }
    ],
}
EXAMPLES: Mapping[str, Sequence[Any]] = {
    "EndPoint": [CHECKED, READ_FROM],
    "FieldMapping": [MAPPING],
    "FieldMappings": [[MAPPING]],
    "FieldNode": DETAIL["nodes"],
    "FieldConnection": DETAIL["connections"],
    "FieldDetail": [DETAIL],
    "FieldPaths": [PATHS, SIMPLE, DETAILED],
}

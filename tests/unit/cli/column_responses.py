"""Answers about columns, as the service gives them: the emissions pipeline's."""

from __future__ import annotations

STORE = "s3://flights"
IDENTITY = ("DIRECT", "IDENTITY", None)
FILTER = ("INDIRECT", "FILTER", None)


# The version that a reporter read: the graph of the present has its columns without one.
VERSION_READ = "5f0e7b4c-3a2d-3c1e-8b8e-0a1b2c3d4e5f"


def by_operations(names):
    """The transformation that a run's operations make up."""
    return "DIRECT", "TRANSFORMATION", names


def a_source(dataset, field, *how, **changes):
    """Return the inputs of a column."""
    transformations = [
        {"type": kind, "subtype": subtype, "description": message, "masking": False} for kind, subtype, message in how
    ]
    source = {"namespace": STORE, "name": dataset, "dataset": dataset, "datasetVersion": VERSION_READ, "field": field}
    return {**source, "transformationDescription": None, "transformations": transformations, **changes}


def a_column(dataset, field, *inputs, **changes):
    """A node of `GET /api/v1/column-lineage`."""
    data = {
        "namespace": STORE,
        "name": dataset,
        "dataset": dataset,
        "datasetVersion": None,
        "field": field,
        "type": "double",
        "inputFields": list(inputs),
        "datasetDependencies": [],
        **changes,
    }
    return {"id": id_of(dataset, field), "type": "DATASET_FIELD", "data": data, "inEdges": [], "outEdges": []}


def id_of(dataset, field):
    """A column's node id."""
    return f"datasetField:{STORE}:{dataset}:{field}"


CHECKED_ONES = [a_source("landing", "air_time", FILTER), a_source("landing", "dep_time", FILTER)]
CO2 = id_of("estimated", "co2_kg")
RESPONSE = {
    "graph": [
        a_column("landing", "distance", type="int"),
        a_column("landing", "air_time", type="int"),
        a_column("landing", "dep_time", type="int"),
        a_column(
            "checked",
            "distance",
            a_source("landing", "distance", IDENTITY),
            type="int",
            datasetDependencies=CHECKED_ONES,
        ),
        a_column(
            "estimated",
            "co2_kg",
            a_source("checked", "distance", by_operations("estimate fuel, estimate CO2")),
            a_source("planes", "seats", by_operations("find seats, estimate fuel, estimate CO2")),
        ),
        a_column("totals", "co2_kg", a_source("estimated", "co2_kg", ("DIRECT", "AGGREGATION", "sum"))),
    ],
    "truncated": False,
}

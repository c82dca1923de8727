"""The emissions pipeline, whose jobs report what they make of what: by `columnLineage`, and by operations."""

from tests.builders_events import (
    CALCULATE,
    CHECK,
    READ_FLIGHTS,
    STORE,
    a_dataset,
    a_facet,
    a_run_event,
)

RUNS = {job: f"01941f29-7c00-7ea7-b5a3-{number:012}" for number, job in enumerate([READ_FLIGHTS, CHECK, CALCULATE], 1)}
LATER_RUN = "01941f29-7c00-7ea7-b5a3-000000000009"
FIELDS = ["flight", ("distance", "int"), ("seats", "int")]
IDENTITY = {"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}
SUM = {"type": "DIRECT", "subtype": "AGGREGATION", "description": "", "masking": False}
FILTER = {"type": "INDIRECT", "subtype": "FILTER", "description": "", "masking": False}


def field(dataset, name):
    """A column's node id."""
    return f"datasetField:{STORE}:{dataset}:{name}"


def source(dataset, name, *transformations, **more):
    """A column as a facet names it."""
    how = {"transformations": list(transformations)} if transformations else {}
    return {"namespace": STORE, "name": dataset, "field": name, **how, **more}


def a_dataset_made(name, columns, fields=None, dataset=(), **more):
    """An output with its `columnLineage`: column -> its sources."""
    returned = {column: {"inputFields": list(sources), **more} for column, sources in columns.items()}
    facet = a_facet("ColumnLineageDataset", fields=returned, **({"dataset": list(dataset)} if dataset else {}))
    output = a_dataset(name, fields=fields)
    return {**output, "facets": {**output["facets"], "columnLineage": facet}}


def a_step(job, hour, inputs, outputs, **changes):
    return a_run_event(
        **{"run": RUNS.get(job, LATER_RUN), **changes},
        job=job,
        inputs=inputs,
        outputs=outputs,
        eventTime=f"2025-11-20T{hour:02}:00:00Z",
    )


OPERATIONS = [
    {
        "type": "READ",
        "name": "read",
        "source": {"namespace": STORE, "name": "checked"},
        "outputs": ["distance", "seats"],
    },
    {
        "type": "TRANSFORM",
        "name": "co2",
        "inputs": [{"origin": "read", "name": "distance"}, {"origin": "read", "name": "seats"}],
        "outputs": [{"name": "co2_kg", "type": "double"}],
    },
    {
        "type": "WRITE",
        "name": "write",
        "inputs": [{"origin": "co2", "name": "co2_kg"}],
        "destination": {"namespace": STORE, "name": "estimated"},
    },
]
PIPELINE = (
    a_step(READ_FLIGHTS, 8, ["landing"], [a_dataset("raw", fields=FIELDS)]),
    a_step(
        CHECK,
        9,
        ["raw"],
        [
            a_dataset_made(
                "checked",
                {
                    name: [source("raw", name, IDENTITY), source("raw", "flight", FILTER)]
                    for name in ("flight", "distance", "seats")
                },
                FIELDS,
            )
        ],
    ),
    a_step(
        CALCULATE,
        10,
        ["checked"],
        ["estimated"],
        run_facets={
            "headwater_operations": a_facet("HeadwaterOperations", operations=OPERATIONS),
            "headwater_records": a_facet("HeadwaterRecords", rootIds=["flights/2013-01-01.csv"]),
        },
    ),
)

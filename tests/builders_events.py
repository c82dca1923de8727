"""Valid OpenLineage events; a test changes only the fields it is about. The story is the demo's emissions pipeline.

emissions.read_flights   landing/2013-01-01 -> raw            (datasets of s3://flights)
emissions.check          raw -> checked, rejected
emissions.calculate      checked -> estimated
"""

PRODUCER = "https://github.com/OpenLineage/OpenLineage/tree/1.52.0/integration/spark"
CORE = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs"
FACETS = "https://openlineage.io/spec/facets"
AT_NOON = "2025-11-20T12:00:00Z"  # builders.NOON

NAMESPACE = "emissions"
STORE = "s3://flights"
LANDING = "landing/2013-01-01"
READ_FLIGHTS = "emissions.read_flights"
CHECK = "emissions.check"
CALCULATE = "emissions.calculate"
RUN = "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c"


def a_facet(name="Schema", version="1-1-1", **fields):
    """A facet with `_producer` and `_schemaURL`, named by the URL."""
    return {"_producer": PRODUCER, "_schemaURL": f"{FACETS}/{version}/{name}Facet.json", **fields}


def a_schema(*fields):
    """A schema facet; each field a name, or a name and a type."""
    pairs = [(field, "string") if isinstance(field, str) else field for field in fields]
    return a_facet("SchemaDataset", "1-2-0", fields=[{"name": name, "type": kind} for name, kind in pairs])


def a_dataset(name=LANDING, namespace=STORE, fields=None, **changes):
    """A dataset as an event mentions it; `fields` make its schema facet."""
    facets = {} if fields is None else {"schema": a_schema(*fields)}
    return {"namespace": namespace, "name": name, "facets": facets, **changes}


def a_parent(run=RUN, job="emissions", namespace=NAMESPACE, root=None):
    """A parent facet; `root` is a (run, job) pair."""
    more = (
        {} if root is None else {"root": {"run": {"runId": root[0]}, "job": {"namespace": namespace, "name": root[1]}}}
    )
    run_and_job = {"run": {"runId": run}, "job": {"namespace": namespace, "name": job}}
    return a_facet("ParentRun", "1-1-0", **run_and_job, **more)


def a_run_event(*, run=RUN, job=READ_FLIGHTS, namespace=NAMESPACE, run_facets=None, job_facets=None, **changes):
    """A RunEvent, by default the COMPLETE of `emissions.read_flights`; inputs and outputs are names or datasets."""
    event = {
        "eventType": "COMPLETE",
        "eventTime": AT_NOON,
        "producer": PRODUCER,
        "schemaURL": f"{CORE}/RunEvent",
        "run": {"runId": run, "facets": run_facets or {}},
        "job": {"namespace": namespace, "name": job, "facets": job_facets or {}},
        "inputs": [LANDING],
        "outputs": ["raw"],
    }
    return _with_datasets({**event, **changes})


def a_job_event(*, job=READ_FLIGHTS, namespace=NAMESPACE, job_facets=None, **changes):
    """A JobEvent: the inputs and outputs declared for a job, without a run."""
    event = {
        "eventTime": AT_NOON,
        "producer": PRODUCER,
        "schemaURL": f"{CORE}/JobEvent",
        "job": {"namespace": namespace, "name": job, "facets": job_facets or {}},
        "inputs": [LANDING],
        "outputs": ["raw"],
    }
    return _with_datasets({**event, **changes})


def a_dataset_event(dataset="raw", **changes):
    """A DatasetEvent, of a name or a dataset."""
    event = {
        "eventTime": AT_NOON,
        "producer": PRODUCER,
        "schemaURL": f"{CORE}/DatasetEvent",
        "dataset": a_dataset(dataset) if isinstance(dataset, str) else dataset,
    }
    return {**event, **changes}


def without(form, *path):
    """Copy nested JSON without the field at the end of the path: `without(event, "job", "name")`."""
    first, *rest = path
    if isinstance(form, list):
        return [without(part, *rest) if place == first else part for place, part in enumerate(form)]
    if rest:
        return {**form, first: without(form[first], *rest)}
    return {name: value for name, value in form.items() if name != first}


def _with_datasets(event):
    for side in ("inputs", "outputs"):
        if isinstance(event.get(side), (list, tuple)):
            event[side] = [a_dataset(dataset) if isinstance(dataset, str) else dataset for dataset in event[side]]
    return event

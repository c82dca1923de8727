"""Column reports of statements, short to write: the emissions pipeline's names, facets in OpenLineage's words."""

from headwater_model.ids import DatasetId, JobId

READ, CHECK, CALCULATE = (JobId("emissions", name) for name in ("read_flights", "check", "calculate"))
LANDING, RAW, CHECKED, ESTIMATED = (
    DatasetId("s3://flights", name) for name in ("landing", "raw", "checked", "estimated")
)
IDENTITY = {"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}
SUM = {"type": "DIRECT", "subtype": "AGGREGATION", "description": "sum", "masking": False}
HASHED = {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "sha2", "masking": True}
JOINED = {"type": "INDIRECT", "subtype": "JOIN"}


def a_schema(*fields):
    """Each field a name, (name, type) or (name, type, fields inside)."""
    return {"schema": {"fields": [_field(inner) for inner in fields]}}


def _field(field):
    if isinstance(field, str):
        return {"name": field}
    name, kind, *inside = field
    return {"name": name, "type": kind, **({"fields": [_field(inner) for inner in inside[0]]} if inside else {})}


def taken(dataset, field=None, *transformations):
    """A column of a dataset as a source (a dataset alone: of a `lineage` facet)."""
    form = {"namespace": dataset.namespace, "name": dataset.name, "type": "DATASET"}
    named = {} if field is None else {"field": field}
    return {**form, **named, **({"transformations": list(transformations)} if transformations else {})}


def column_lineage(whole=(), **fields):
    """The facet of a dataset's columns: by column the sources; `whole` are those of all of it."""
    reported = {name: {"inputFields": list(sources)} for name, sources in fields.items()}
    return {"columnLineage": {"fields": reported, **({"dataset": list(whole)} if whole else {})}}


def lineage_entry(dataset, inputs=(), **fields):
    """Return an entry of a job's `lineage` facet for a dataset."""
    return {**taken(dataset), **lineage_of(inputs, **fields)}


def lineage_of(inputs=(), **fields):
    """Return the content of a dataset's `lineage` facet."""
    return {"inputs": list(inputs), "fields": {name: {"inputs": list(sources)} for name, sources in fields.items()}}


def lineage(*entries):
    """The facet of a job."""
    return {"lineage": {"entries": list(entries)}}


def operations(*entries):
    """The facet of a run."""
    return {"headwater_operations": {"operations": list(entries)}}


def read(name, source, *outputs):
    return {"type": "READ", "name": name, "source": _named(source), "outputs": list(outputs)}


def transform(name, inputs, *outputs):
    """Inputs as `origin.field`."""
    return {"type": "TRANSFORM", "name": name, "inputs": _inputs(inputs), "outputs": list(outputs)}


def write(name, inputs, destination):
    return {"type": "WRITE", "name": name, "inputs": _inputs(inputs), "destination": _named(destination)}


def _named(dataset):
    return {"namespace": dataset.namespace, "name": dataset.name}


def _inputs(inputs):
    return [dict(zip(("origin", "name"), taken_field.split(".", 1), strict=True)) for taken_field in inputs]

"""Rules of OpenLineage events, for the service and the client.

The fields for an event's identity and order are required. The specification also requires `schemaURL`, and the facets'
`_producer` and `_schemaURL`; here they are optional, since producers of every age leave them out. `null` means missing.
A namespace has 1 to 1,024 characters, none of them a control character (Marquez refuses many more, and rewrites some).
A name is not blank and has at most 2,048 bytes; the name of a job or dataset holds no control characters. Facets are
JSON objects, stored as sent, known or not. The used fields of known facets are checked, in a `_deleted` facet too,
except for columns, tags, owners and records.

The facets are those of OpenLineage, of all their versions (`columnLineage` 1-0-0 to 1-2-0, `lineage` of jobs and
datasets 1-0-0), and our own (docs/facets).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from headwater_model.errors import Fault, Invalid
from headwater_model.json_checks import (
    Broken,
    Check,
    at_most,
    boolean,
    depth_faults,
    faults_of,
    fields_of,
    integer,
    json_object,
    list_of,
    map_of,
    no_control,
    not_blank,
    not_empty,
    text,
    value_faults,
)
from headwater_model.named_datasets import check_size, is_deleted
from headwater_model.operation_checks import NAME_MAX_BYTES, NAMESPACE_MAX_CHARS, check_operations
from headwater_model.operations import parse_operations
from headwater_model.record_requests import AHEAD_MAX_S, LIMITS
from headwater_model.record_requests import RECORDS_MAX as ROOTS_MAX
from headwater_model.times import milliseconds_between, parse_time

Kind: TypeAlias = Literal["RUN", "JOB", "DATASET"]

# The kinds of a change through the API (`headwater.events.api_changes`).
API_CHANGES = ("DELETE", "TAG", "UNTAG", "OWN", "DISOWN", "DOCUMENT", "DESCRIBE", "GRANT", "REVOKE")
_OPERATIONS = "run.facets.headwater_operations.operations"


def check_event(body: object, *, now: str | None) -> Kind:
    """Check an event and return its kind; its time may be at most a day after `now`, None sets no bound.

    An event with a run (and its job) is a RunEvent, with a job alone a JobEvent, with a dataset alone a DatasetEvent.
    `schemaURL` does not decide: it may be missing or wrong. `now` is normalized (`times`).

    Raises:
        Invalid: with every fault of the event; first of all with the faults of its JSON, or for a change.
        TooLarge: the event names more than 10,000 inputs, outputs and sources of columns.

    >>> check_event({"producer": "p", "eventTime": "2025-11-20T12:00:00Z", "job": {"name": "read"}}, now=None)
    Traceback (most recent call last):
    headwater_model.errors.Invalid: job.namespace: is required
    """
    if faults := [*depth_faults(body, "event")] or [*value_faults(body, "event")]:
        raise Invalid(faults)
    if not isinstance(body, dict):
        raise Invalid.because("event", body, "must be a JSON object")
    return check_fields(body, now=now)


def check_fields(body: Mapping[str, Any], *, now: str | None) -> Kind:
    """Check an event whose JSON can be stored, and return its kind; see `check_event`."""
    if is_api_change(body):
        raise Invalid.because("change", body["change"], "must not come as an event; the API's routes delete and tag")
    kind = _kind(body)
    faults = faults_of(_EVENTS[kind], body, "event")
    if kind == "RUN":
        faults += _operation_faults(body)
    if faults:
        raise Invalid(faults)
    check_size(body)
    if now is not None and milliseconds_between(now, parse_time(body["eventTime"])) > AHEAD_MAX_S * 1000:
        raise Invalid.because("eventTime", body["eventTime"], f"must not be more than 24 hours after now ({now})")
    return kind


def is_api_change(body: object) -> bool:
    """True for a change through the API, `{"change": "TAG", ...}`: an event names its producer, a change does not."""
    return isinstance(body, dict) and body.get("change") in API_CHANGES and body.get("producer") is None


def _kind(body: Mapping[str, Any]) -> Kind:
    if body.get("run") is not None:
        return "RUN"
    if body.get("job") is not None:
        return "JOB"
    # Refused as an incomplete RunEvent, as in Marquez.
    return "DATASET" if body.get("dataset") is not None else "RUN"


def _operation_faults(body: object) -> Sequence[Fault]:
    """Check the operations in a run event, if it has any."""
    facet = body
    for name in ("run", "facets", "headwater_operations"):
        facet = facet.get(name) if isinstance(facet, dict) else None
    if not isinstance(facet, dict) or is_deleted(facet):
        return ()
    try:
        check_operations(parse_operations(facet.get("operations"), _OPERATIONS), _OPERATIONS)
    except Invalid as error:
        return error.faults
    return ()


def name_in_bounds(value: str) -> str | None:
    """Rule: the bounds of a dataset's, job's or column's name; `" "` must not be blank."""
    return not_blank(value) or _name_bytes(value)


def namespace_in_bounds(value: str) -> str | None:
    """Rule: the bounds of a namespace; a line feed in `s3://lake` breaks the rule."""
    if broken := not_blank(value):
        return broken
    if len(value) > NAMESPACE_MAX_CHARS:
        return f"must be at most {NAMESPACE_MAX_CHARS} characters"
    return no_control(value) or _namespace_bytes(value)


def is_time(value: str) -> str | None:
    """Rule: a time of an event, such as `2024-10-24T19:27:05Z`."""
    try:
        parse_time(value)
    except ValueError:
        return "must be an ISO 8601 date and time in the years 1 to 9999"
    return None


_name_bytes, _namespace_bytes = at_most(NAME_MAX_BYTES), at_most(4 * NAMESPACE_MAX_CHARS)
_TEXT, _NAME, _NAMESPACE, _TIME = text(), text(name_in_bounds), text(namespace_in_bounds), text(is_time)


def _named(name: Check = _NAME, **further: Check) -> Mapping[str, Check]:
    return {"namespace": _NAMESPACE, "name": name, **further}


_NAMED = ("namespace", "name")
_PRINTED_NAME = text(name_in_bounds, no_control)
# Airflow's Athena operator names the root of a bucket by an empty path.
_LINKED_NAME = text(lambda name: name_in_bounds(name or "/"), no_control)
_DATASET_NAME = fields_of(_named(_PRINTED_NAME), required=_NAMED)


def _unless_deleted(fields: Mapping[str, Check]) -> Check:
    check = fields_of(fields)
    return lambda facet: () if is_deleted(facet) else check(facet)


def _facets(**known: Check) -> Check:
    return fields_of(known, others=json_object)


def _fields_of_schema(fields: object) -> Sequence[Broken]:
    return _SCHEMA_FIELDS(fields)


_SCHEMA_FIELDS = list_of(
    fields_of(
        {"name": _NAME, "type": _TEXT, "description": _TEXT, "fields": _fields_of_schema},
        required=("name",),
    )
)
_TRANSFORMATIONS = list_of(
    fields_of({"type": _TEXT, "subtype": _TEXT, "description": _TEXT, "masking": boolean}, required=("type",))
)
_INPUT_FIELDS = list_of(
    fields_of(_named(_PRINTED_NAME, field=_NAME, transformations=_TRANSFORMATIONS), required=(*_NAMED, "field"))
)
_COLUMN_LINEAGE = _unless_deleted(
    {
        "fields": map_of(
            fields_of({"inputFields": _INPUT_FIELDS, "transformationDescription": _TEXT, "transformationType": _TEXT}),
            name_in_bounds,
        ),
        "dataset": _INPUT_FIELDS,
    }
)


def _entities(**further: Check) -> Check:
    """Build the check of datasets with a name, and of jobs and further entities with or without a name."""
    return list_of(
        fields_of({"type": _TEXT, **_named(_PRINTED_NAME), **further}, required=("type",), last=_dataset_has_a_name)
    )


def _dataset_has_a_name(entity: Mapping[str, object]) -> Sequence[Broken]:
    if entity["type"] == "DATASET" and None in (entity.get("namespace"), entity.get("name")):
        return [Broken(entity, "must have a namespace and a name, for it is a DATASET")]
    return ()


_SOURCES = _entities(field=_NAME, transformations=_TRANSFORMATIONS)
_LINEAGE: Mapping[str, Check] = {
    "inputs": _SOURCES,
    "fields": map_of(fields_of({"inputs": _SOURCES}), name_in_bounds),
}
_TAGS = _unless_deleted(
    {
        "tags": list_of(
            fields_of({"key": _NAME, "value": _TEXT, "source": _TEXT, "field": _NAME}, required=("key",)),
        )
    }
)
_OWNERSHIP = _unless_deleted({"owners": list_of(fields_of({"name": _NAME, "type": _TEXT}, required=("name",)))})
_DOCUMENTATION = fields_of({"description": _TEXT})

# Facets that name datasets, read in jobs, runs and datasets.
_NAMING: Mapping[str, Check] = {
    "symlinks": fields_of({"identifiers": list_of(fields_of(_named(_LINKED_NAME), required=_NAMED))}),
    "lifecycleStateChange": fields_of({"lifecycleStateChange": _TEXT, "previousIdentifier": _DATASET_NAME}),
    "columnLineage": _COLUMN_LINEAGE,
    "lineage": _unless_deleted({"entries": _entities(**_LINEAGE), **_LINEAGE}),
    "headwater_operations": _unless_deleted(
        {"operations": list_of(fields_of({"source": _DATASET_NAME, "destination": _DATASET_NAME}))}
    ),
}

_JOB_FACETS = _facets(
    jobType=fields_of({"processingType": _TEXT, "integration": _TEXT, "jobType": _TEXT}),
    sourceCodeLocation=fields_of({"url": _TEXT, "version": _TEXT}),
    documentation=_DOCUMENTATION,
    ownership=_OWNERSHIP,
    tags=_TAGS,
    **_NAMING,
)
_JOB = fields_of(_named(_PRINTED_NAME, facets=_JOB_FACETS), required=_NAMED)
_RUN_OF_JOB: Mapping[str, Check] = {"run": fields_of({"runId": _NAME}, required=("runId",)), "job": _JOB}
_PARENT = fields_of({**_RUN_OF_JOB, "root": fields_of(_RUN_OF_JOB, required=("run", "job"))}, required=("run", "job"))
_DEPENDENCIES = list_of(
    fields_of(
        {
            "job": fields_of(_named(_PRINTED_NAME), required=_NAMED),
            "dependency_type": _TEXT,
            "sequence_trigger_rule": _TEXT,
            "status_trigger_rule": _TEXT,
        },
        required=("job",),
    )
)
_RUN_FACETS = _facets(
    parent=_PARENT,
    parentRun=_PARENT,  # an old name of `parent`
    nominalTime=fields_of({"nominalStartTime": _TIME, "nominalEndTime": _TIME}),
    tags=_TAGS,
    extractionError=fields_of({"failedTasks": integer, "errors": list_of(json_object)}),
    jobDependencies=fields_of({"upstream": _DEPENDENCIES, "downstream": _DEPENDENCIES}),
    **{name: check for name, check in _NAMING.items() if name != "headwater_operations"},  # has rules of its own
    headwater_records=_unless_deleted(
        {"rootIds": list_of(text(not_empty, at_most(LIMITS["root_id"])), most=ROOTS_MAX)}
    ),
)
_DATASET_FACETS = _facets(
    schema=fields_of({"fields": _SCHEMA_FIELDS}),
    version=fields_of({"datasetVersion": _TEXT}),
    dataSource=fields_of({"name": _TEXT, "uri": _TEXT}),
    documentation=_DOCUMENTATION,
    ownership=_OWNERSHIP,
    tags=_TAGS,
    **_NAMING,
)
_DATASET = fields_of(
    _named(_PRINTED_NAME, facets=_DATASET_FACETS, inputFacets=_facets(), outputFacets=_facets()), required=_NAMED
)
_EVENT: Mapping[str, Check] = {"eventTime": _TIME, "producer": _NAME, "eventType": _TEXT}
_JOB_EVENT: Mapping[str, Check] = {
    **_EVENT,
    "job": _JOB,
    "inputs": list_of(_DATASET),
    "outputs": list_of(_DATASET),
}
_EVENTS: Mapping[Kind, Check] = {
    "RUN": fields_of(
        {**_JOB_EVENT, "run": fields_of({"runId": _NAME, "facets": _RUN_FACETS}, required=("runId",))},
        required=("eventTime", "producer", "job", "run"),
    ),
    "JOB": fields_of(_JOB_EVENT, required=("eventTime", "producer", "job")),
    "DATASET": fields_of({**_EVENT, "dataset": _DATASET}, required=("eventTime", "producer", "dataset")),
}

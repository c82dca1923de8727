"""Routes of CDAP itself, beside the routes of its designs (`mappings`)."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from headwater.api.cdap import types
from headwater.api.cdap.lineage_views import (
    Collapsed,
    render_accesses,
    render_dataset,
    render_fields,
    render_operations,
    render_summary,
)
from headwater.api.cdap.route import (
    DATASET,
    DIRECTION,
    DIRECTIONS,
    FIELD,
    RANGE,
    REQUIRED_DIRECTION,
    cdap_route,
    read_endpoint,
    respond_cut,
)
from headwater.api.http.parameters import (
    START,
    Parameter,
    RequestedRange,
    choice,
    choices_of,
    flag,
    number,
    read_range,
    value,
)
from headwater.api.http.request import HttpRequest
from headwater.api.route import Services
from headwater_model.errors import Invalid

_PREFIX = value("prefix", "The beginning of their names, in any case.", {"type": "string"})
_INCLUDE_CURRENT = flag("includeCurrent", "Also the columns of the current schema, each field as an object.")
_LEVELS = number("levels", "How many datasets and programs far.", least=1, most=1_000).default(10)
_COLLAPSE: Parameter[tuple[Collapsed, ...]] = choices_of(
    "collapse", "What makes no relation of its own.", ("access", "run", "component")
)
_ROLLUP = choice("rollup", "`workflow`: the runs at the roots stand for those that they started.", {"workflow": True})


def _read_range(services: Services, request: HttpRequest) -> RequestedRange:
    """Read the range of the query; CDAP's begins in 1970 or later."""
    requested = read_range(request, services.now_s())
    if requested.start_ms < 0:
        raise Invalid.because("start", START.read(request), "must not be before 1970")
    return requested


def get_dataset_lineage(services: Services, request: HttpRequest) -> Response[str]:
    """Find the readers and writers of a dataset, programs with all their accesses.

    From a dataset to the programs whose runs wrote or read it, from a program to all datasets of its runs, in either
    direction. An unknown dataset has no relations. `X-Truncated: true` beyond the bounds of a request.

    Returns:
        A relation for each program and dataset, and for each access and run unless collapsed.
    """
    requested, levels, collapsed = _read_range(services, request), _LEVELS.read(request), _COLLAPSE.read(request)
    dataset, rolled_up = read_endpoint(request, DATASET), bool(_ROLLUP.read(request))
    accesses = services.queries.find_accesses(dataset, requested.time_range, levels=levels, rolled_up=rolled_up)
    return respond_cut(services, render_accesses(accesses, requested, collapsed), truncated=accesses.truncated)


def get_lineage_fields(services: Services, request: HttpRequest) -> Response[str]:
    """List the fields of a dataset with lineage.

    An unknown dataset has an empty list. `X-Truncated: true` beyond the bounds of a request.

    Returns:
        Names; with `includeCurrent` objects. By path.
    """
    requested, prefix, current = (
        _read_range(services, request),
        _PREFIX.read(request),
        _INCLUDE_CURRENT.read(request),
    )
    listed = services.queries.list_fields(read_endpoint(request, DATASET), requested.time_range, current=current)
    return respond_cut(services, render_fields(listed, prefix or "", current=current), truncated=listed.truncated)


def get_field_summary(services: Services, request: HttpRequest) -> Response[str]:
    """Find the sources and the destinations of a field.

    An unknown field has empty lists. `X-Truncated: true` beyond the bounds of a request.

    Returns:
        A single hop, by dataset. A dropped field has null as its destination.
    """
    requested, field = _read_range(services, request), FIELD.read(request)
    direction = DIRECTIONS[REQUIRED_DIRECTION.read(request)]
    summary = services.queries.summarize_field(read_endpoint(request, DATASET), field, requested.time_range, direction)
    return respond_cut(services, render_summary(summary), truncated=summary.truncated)


def get_field_operations(services: Services, request: HttpRequest) -> Response[str]:
    """Find the whole operations around a field: to make it, and to use it.

    An unknown field has empty lists. `X-Truncated: true` beyond the bounds of a request.

    Returns:
        A single hop: each distinct set of operations, with its programs.
    """
    requested, field, direction = _read_range(services, request), FIELD.read(request), DIRECTION.read(request)
    operations = services.queries.find_operations(
        read_endpoint(request, DATASET), field, requested.time_range, direction
    )
    return respond_cut(services, render_operations(operations), truncated=operations.truncated)


def get_all_field_lineage(services: Services, request: HttpRequest) -> Response[str]:
    """Find the relations of all fields of a dataset, dataset by dataset.

    An unknown dataset has empty lists. `X-Truncated: true` beyond the bounds of a request.

    Returns:
        A single hop, by dataset; a side without a request is empty.
    """
    requested, direction = _read_range(services, request), DIRECTIONS[REQUIRED_DIRECTION.read(request)]
    summary = services.queries.summarize_dataset(read_endpoint(request, DATASET), requested.time_range, direction)
    return respond_cut(services, render_dataset(summary, requested, direction), truncated=summary.truncated)


_LINEAGE = "datasets/<dataset>/lineage"
ROUTES = (
    cdap_route(_LINEAGE, get_dataset_lineage, (DATASET, *RANGE, _LEVELS, _COLLAPSE, _ROLLUP), types.DatasetLineage),
    cdap_route(
        f"{_LINEAGE}/fields", get_lineage_fields, (DATASET, *RANGE, _PREFIX, _INCLUDE_CURRENT), types.LineageFields
    ),
    cdap_route(
        f"{_LINEAGE}/fields/<field>",
        get_field_summary,
        (DATASET, FIELD, *RANGE, REQUIRED_DIRECTION),
        types.FieldSummary,
    ),
    cdap_route(
        f"{_LINEAGE}/fields/<field>/operations",
        get_field_operations,
        (DATASET, FIELD, *RANGE, DIRECTION),
        types.FieldOperations,
    ),
    cdap_route(
        f"{_LINEAGE}/allfieldlineage",
        get_all_field_lineage,
        (DATASET, *RANGE, REQUIRED_DIRECTION),
        types.DatasetFieldLineage,
    ),
)

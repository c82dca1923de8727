"""Routes of columns, and their JSON: a column's graph, its path down to record roots, a dataset's columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter

import orjson
from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import flag, nonblank_text, number
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import RESPONSE_BYTES_MAX, respond_json, size_of
from headwater.api.marquez import column_types as types
from headwater.api.marquez.dataset_views import render_writer
from headwater.api.marquez.parameters import DATASET_VERSION, DEPTH_MAX, lineage_at
from headwater.api.marquez.responses import require
from headwater.api.route import Services, Within, read_route
from headwater.api.types import Edge
from headwater.api.values import (
    origins_path,
    path_of,
    redact,
    render_id,
    render_node_id,
    render_transformation,
    root_path,
    run_path,
    version_path,
    when,
)
from headwater.queries.results.columns import ColumnGraph, ColumnInput, ColumnNode, Origin, Origins, Reporter
from headwater_model.columns import Column, Transformation, in_order
from headwater_model.field_paths import print_dotted
from headwater_model.ids import DatasetId

_FRAME_BYTES = len('{"graph":[],"datasets":[],"truncated":false}')
# The subtypes of OpenLineage since 1.17; earlier free texts are a subtype here.
_NEW_SUBTYPES = frozenset({None, "TRANSFORMATION", "AGGREGATION"})
_EXAMPLE = "datasetField:s3://flights:estimated:co2_kg"
_NODE_ID = nonblank_text(
    "nodeId",
    "`datasetField:<namespace>:<name>:<field>`, also `dataset_field:`; `dataset:<namespace>:<name>` for all its "
    "columns, `job:<namespace>:<name>` for those that it writes; and `#<version>` for one.",
    _EXAMPLE,
).required()
_FIELD_ID = nonblank_text(
    "nodeId", "`datasetField:<namespace>:<name>:<field>`, and `#<version>` for one.", _EXAMPLE
).required()
# The default of Marquez's column-endpoint proposal; Marquez itself has 20.
_DEPTH = number(
    "depth", "How many columns away; 0 is the requested nodes and their inputs.", least=0, most=DEPTH_MAX
).default(0)
_WITH_DOWNSTREAM = flag(
    "withDownstream",
    "Also what is made of it; not of a version. Beside `lineageAt` the graph is the one that was current then.",
)
_LINEAGE_AT = lineage_at("The sources of the latest versions before this time.")


def get_column_lineage(services: Services, request: HttpRequest) -> Response[str]:
    """Find the sources of columns, and their dependants.

    Give at most one of `#<version>`, `datasetVersion` and `lineageAt`, and `withDownstream` without a version. The
    walks up and down are separate: a column with a common source alone is not found. Ids are looked up, not split:
    namespaces, names and fields may hold colons.

    Returns:
        The requested nodes, and the nodes around them.
    """
    node_id = _NODE_ID.read(request)
    graph = services.queries.find_columns(
        node_id,
        depth=_DEPTH.read(request),
        downstream=_WITH_DOWNSTREAM.read(request),
        at=_LINEAGE_AT.read(request),
        version=DATASET_VERSION.read(request),
    )
    return respond_json(services.links, render_columns(require(graph, "Node", node_id)))


def get_column_origins(services: Services, request: HttpRequest) -> Response[str]:
    """Go from a field down to runs and records.

    Returns:
        The last version of each writer, or the requested version.
    """
    node_id = _FIELD_ID.read(request)
    origins = require(services.queries.find_origins(node_id), "Node", node_id)
    return respond_json(services.links, render_origins(origins))


def render_columns(graph: ColumnGraph, budget: int = RESPONSE_BYTES_MAX) -> Mapping[str, object]:
    """Render `{"graph": [node ...], "datasets": [...], "truncated"}` in at most `budget` bytes: the nearest nodes stay.

    Nodes are sorted by id. Each has its own edges in full, also to nodes outside the response. `datasets` has the
    datasets (or their versions) that depend on sources as a whole, each once.
    """
    nodes: list[tuple[str, orjson.Fragment]] = []
    datasets: list[tuple[str, orjson.Fragment]] = []
    seen: set[tuple[DatasetId, str | None]] = set()
    budget -= _FRAME_BYTES
    for column in graph.columns:
        # Each part is rendered once: to be counted, and for the response.
        rendered = _render_node(column)
        node, dataset = orjson.dumps(rendered), b""
        if column.dependencies and (column.dataset, column.version) not in seen:
            dataset = orjson.dumps(_render_dataset(column))
        seen.add((column.dataset, column.version))
        budget -= sum(size_of(part) + 1 for part in (node, dataset) if part)
        if budget < 0 and nodes:
            break
        nodes.append((rendered["id"], orjson.Fragment(node)))
        datasets += [(render_node_id(column.dataset, column.version), orjson.Fragment(dataset))] if dataset else []
    return {
        "graph": [node for _, node in sorted(nodes, key=itemgetter(0))],
        "datasets": [dataset for _, dataset in sorted(datasets, key=itemgetter(0))],
        "truncated": graph.truncated or len(nodes) < len(graph.columns),
    }


def _render_dataset(column: ColumnNode) -> types.DependentDataset:
    return {
        "id": render_node_id(column.dataset, column.version),
        **render_id(column.dataset),
        "datasetVersion": column.version,
        "datasetDependencies": _render_sources(_unite(column.dependencies)),
    }


def render_column_lineage(columns: Sequence[ColumnNode]) -> list[types.ColumnLineage] | None:
    """Render `columnLineage` of a dataset's resource: None without any report, as in Marquez."""
    return [
        {
            "name": print_dotted(column.field),
            "inputFields": _render_sources(_select_named(column.inputs)),
            **_render_common_deprecated(column.inputs),
        }
        for column in columns
    ] or None


def render_origins(origins: Origins) -> types.Origins:
    """Render a column's versions, down to the roots of their records."""
    dataset, field = origins.column.dataset, origins.column.field
    return {
        "field": {
            "id": origins.column.node_id,
            **render_id(dataset),
            "dataset": dataset.name,
            "field": print_dotted(field),
        },
        "versions": [render_origin(dataset, version) for version in origins.versions],
        "truncated": origins.truncated,
    }


def _render_node(column: ColumnNode) -> types.ColumnNode:
    node_id = render_node_id(Column(column.dataset, column.field), column.version)
    ins = {
        render_node_id(Column(source.dataset, source.field), source.version)
        for source in (*column.inputs, *column.dependencies)
        if source.field is not None
    }
    return {
        "id": node_id,
        "type": "DATASET_FIELD",
        "data": redact(column, partial(_render_data, node_id=node_id)),
        "inEdges": _render_edges(node_id, ins),
        "outEdges": _render_edges(node_id, {output.node_id for output in column.outputs}),
    }


def _render_data(column: ColumnNode, node_id: str) -> types.ColumnData:
    """Render the fields of Marquez and of its column-endpoint proposal; ours are all from `datasetDependencies` on."""
    return {
        **render_id(column.dataset),
        "dataset": column.dataset.name,
        "datasetVersion": _version(column),
        "field": print_dotted(column.field),
        "fieldType": column.type,
        "type": column.type,
        **_render_common_deprecated(column.inputs),
        "inputFields": _render_sources(_select_named(column.inputs)),
        "datasetDependencies": _render_sources(_unite(source for source in column.inputs if source.field is None)),
        "schemaKnown": column.schema_known,
        "schemaPlace": column.place,
        "stale": column.stale,
        "lastWrittenBy": render_writer(column.last_written_by),
        "reportedBy": [_render_reporter(column.dataset, reporter) for reporter in column.reporters],
        "links": _render_links(column, node_id),
    }


def _version(column: ColumnNode) -> str | None:
    """Find the version of the node; else the version made by the only run that reported the column."""
    if column.version is not None:
        return column.version
    return column.reporters[0].version if len(column.reporters) == 1 else None


def _select_named(sources: Iterable[ColumnInput]) -> list[ColumnInput]:
    return [source for source in sources if source.field is not None]


def _unite(sources: Iterable[ColumnInput]) -> list[ColumnInput]:
    """Unite the sources, each once with all of its transformations."""
    transformations_of: dict[ColumnInput, set[Transformation]] = {}
    for source in sources:
        transformations_of.setdefault(replace(source, transformations=()), set()).update(source.transformations)
    united = [replace(source, transformations=in_order(reported)) for source, reported in transformations_of.items()]
    return sorted(united, key=lambda source: (source.dataset, source.field or (), source.version or ""))


def _render_sources(sources: Iterable[ColumnInput]) -> list[types.SourceField]:
    return [
        {
            **render_id(source.dataset),
            "dataset": source.dataset.name,
            "datasetVersion": source.version or source.read_version,
            "field": None if source.field is None else print_dotted(source.field),
            **_render_deprecated(_old_form(source)),
            "transformations": [render_transformation(transformation) for transformation in source.transformations],
        }
        for source in sources
    ]


def _old_form(source: ColumnInput) -> tuple[str, str | None] | None:
    """Find the type (IDENTITY, MASKED, or a text of the producer's own) and description: the form before 1.17."""
    for transformation in source.transformations:
        if transformation.type == "DIRECT" and transformation.masking:
            return "MASKED", transformation.description
        if transformation.type == "DIRECT" and transformation.subtype not in _NEW_SUBTYPES:
            return str(transformation.subtype), transformation.description
    return None


def _render_common_deprecated(sources: Iterable[ColumnInput]) -> types.Deprecated:
    """Find a column's old form: the form of its inputs, if all with a form agree."""
    forms = {form for form in map(_old_form, sources) if form is not None}
    return _render_deprecated(forms.pop() if len(forms) == 1 else None)


def _render_deprecated(old: tuple[str, str | None] | None) -> types.Deprecated:
    kind, description = old or (None, None)
    return {"transformationDescription": description, "transformationType": kind}


def _render_edges(node_id: str, ends: Iterable[str]) -> list[Edge]:
    """Render edges from the node, in either direction of the data, as in Marquez."""
    return [{"origin": node_id, "destination": end_id} for end_id in sorted(ends)]


def _render_reporter(dataset: DatasetId, reporter: Reporter) -> types.Reporter:
    return {
        "run": reporter.run.id,
        "job": None if reporter.job is None else render_id(reporter.job),
        "version": reporter.version,
        "declared": reporter.declared,
        "links": _reporter_links(dataset, reporter),
    }


def _render_links(column: ColumnNode, node_id: str) -> types.ColumnLinks:
    """Render the paths to continue; to a run, if a single run reported the column (`reportedBy` has each run's)."""
    alone = column.reporters[0] if len(column.reporters) == 1 else None
    version = _version(column)
    return {
        "dataset": path_of(column.dataset),
        "version": None if version is None else version_path(column.dataset, version),
        "run": None if alone is None else _reporter_links(column.dataset, alone)["run"],
        "origins": origins_path(node_id),
    }


def _reporter_links(dataset: DatasetId, reporter: Reporter) -> types.ReporterLinks:
    return {
        "version": None if reporter.version is None else version_path(dataset, reporter.version),
        "run": None if reporter.declared else run_path(reporter.run.id),
    }


def render_origin(dataset: DatasetId, origin: Origin) -> types.Origin:
    """Render a version: `{"version", "run", "links", "roots", "rootsReportedBy"}`."""
    run = origin.run
    return {
        "version": origin.version,
        "run": None
        if run is None
        else {
            "id": run.id,
            "job": render_id(run.job),
            "state": run.state,
            "startedAt": when(run.started),
            "endedAt": when(run.ended),
        },
        "links": {
            "version": version_path(dataset, origin.version),
            "run": None if run is None else run_path(run.id),
        },
        "roots": [{"rootId": root, "href": root_path(root)} for root in origin.roots],
        "rootsReportedBy": origin.reported_by,
    }


ROUTES = (
    read_route(
        "/api/v1/column-lineage",
        get_column_lineage,
        Within.NODE,
        (_NODE_ID, _DEPTH, _WITH_DOWNSTREAM, _LINEAGE_AT, DATASET_VERSION),
        types.ColumnGraph,
    ),
    read_route("/api/v1/column-lineage/origins", get_column_origins, Within.NODE, (_FIELD_ID,), types.Origins),
)

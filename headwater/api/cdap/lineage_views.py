"""Lineage as CDAP itself prints it, with fields as paths with slashes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from headwater.api.cdap import types
from headwater.api.cdap.route import render_endpoint
from headwater.api.http.parameters import RequestedRange
from headwater.queries.results.cdap import (
    Access,
    Accesses,
    DatasetFields,
    DatasetSummary,
    FieldOperations,
    FieldRelations,
    FieldSummary,
    LastStart,
    ListedFields,
    MakingOperations,
    Relation,
)
from headwater.queries.results.graphs import Direction
from headwater_model.field_paths import print_slashed
from headwater_model.ids import DatasetId, JobId
from headwater_model.operations import Operation, Read, Write
from headwater_model.times import milliseconds_between

Collapsed: TypeAlias = Literal["access", "run", "component"]
_EPOCH = "1970-01-01T00:00:00.000000Z"
_VERSION: Literal["-SNAPSHOT"] = "-SNAPSHOT"
_CATEGORIES = {"Spark": "spark", "Workflow": "workflows"}
_WORDS: Mapping[Direction, Literal["INCOMING", "OUTGOING", "BOTH"]] = {
    "up": "INCOMING",
    "down": "OUTGOING",
    "both": "BOTH",
}


def render_fields(listed: ListedFields, prefix: str, *, current: bool) -> types.LineageFields:
    """Render the names of the fields with a prefix, in any case; with `current`, each with a flag."""
    begin = prefix.lower()
    shown: list[types.LineageField] = [
        {"name": name, "lineage": field.has_lineage}
        for field in listed.items
        if (name := print_slashed(field.field)).lower().startswith(begin)
    ]
    return shown if current else [field["name"] for field in shown]


def render_summary(summary: FieldSummary) -> types.FieldSummary:
    """Render the related fields of the requested sides."""
    rendered: types.FieldSummary = {}
    if summary.incoming is not None:
        rendered["incoming"] = [_render_related(related) for related in summary.incoming]
    if summary.outgoing is not None:
        dropped: list[types.RelatedFields] = [{"fields": [None]}] if summary.dropped else []
        rendered["outgoing"] = [*map(_render_related, summary.outgoing), *dropped]
    return rendered


def _render_related(related: DatasetFields) -> types.RelatedFields:
    return {"dataset": _render_dataset(related.dataset), "fields": [print_slashed(path) for path in related.fields]}


def render_operations(operations: FieldOperations) -> types.FieldOperations:
    """Render the operations of the requested sides."""
    rendered: types.FieldOperations = {}
    if operations.incoming is not None:
        rendered["incoming"] = [_render_making(making) for making in operations.incoming]
    if operations.outgoing is not None:
        rendered["outgoing"] = [_render_making(making) for making in operations.outgoing]
    return rendered


def _render_making(making: MakingOperations) -> types.ProgramOperations:
    return {
        "operations": [_render_operation(operation) for operation in making.operations],
        "programs": [_render_last(job) for job in making.jobs],
    }


def _render_operation(operation: Operation) -> types.WholeOperation:
    rendered: types.WholeOperation = {
        "name": operation.name,
        **({} if operation.description is None else {"description": operation.description}),  # type: ignore[typeddict-item]
        "inputs": {},
        "outputs": {},
    }
    if isinstance(operation, Read):
        rendered["inputs"]["endPoint"] = render_endpoint(operation.source, operation.source_description)
    else:
        rendered["inputs"]["fields"] = [{"origin": field.origin, "name": field.name} for field in operation.inputs]
    if isinstance(operation, Write):
        destination = render_endpoint(operation.destination, operation.destination_description)
        rendered["outputs"]["endPoint"] = destination
    else:
        rendered["outputs"]["fields"] = list(operation.outputs)
    return rendered


def _render_last(last: LastStart) -> types.ProgramRun:
    rendered: types.ProgramRun = {"program": _render_program(last.job)}
    if last.started is not None:
        rendered["lastExecutedTimeInSeconds"] = milliseconds_between(_EPOCH, last.started) // 1_000
    return rendered


def render_dataset(
    summary: DatasetSummary, requested: RequestedRange, direction: Direction
) -> types.DatasetFieldLineage:
    """Render the relations of a dataset's fields; a request in seconds has its range back in milliseconds."""
    dropped: list[types.FieldRelation] = [{"source": print_slashed(path)} for path in summary.dropped]
    drops: list[types.DatasetRelations] = [{"fieldCount": 0, "relations": dropped}] if dropped else []
    return {
        "direction": _WORDS[direction],
        "start-ts": requested.start_ms,
        "end-ts": requested.end_ms,
        "entityId": _render_dataset(summary.dataset),
        "fields": [print_slashed(path) for path in summary.fields],
        "incoming": [_render_relations(relations, 0) for relations in summary.incoming],
        "outgoing": [*(_render_relations(relations, 1) for relations in summary.outgoing), *drops],
    }


def _render_relations(relations: FieldRelations, side: Literal[0, 1]) -> types.DatasetRelations:
    """Render the relations to a neighbour, whose fields are on the `side` of each pair."""
    count = relations.field_count
    return {
        "entityId": _render_dataset(relations.neighbour),
        "fieldCount": len({pair[side] for pair in relations.pairs}) if count is None else count,
        "relations": [
            {"source": print_slashed(source), "destination": print_slashed(destination)}
            for source, destination in relations.pairs
        ],
    }


def render_accesses(
    accesses: Accesses, requested: RequestedRange, collapsed: Sequence[Collapsed]
) -> types.DatasetLineage:
    """Render the relations of programs and datasets: one for each access and run, unless collapsed."""
    data = _Keys()
    programs = _Keys()
    together: dict[tuple[str, ...], tuple[set[Access], set[str]]] = {}
    records: dict[str, types.DataRecord] = {}
    entities: dict[str, types.ProgramRecord] = {}
    # Relations with an equal key are one entry, with all their accesses and runs.
    for relation in accesses.items:
        program = _render_program(relation.job, rolled_up=relation.rolled_up)
        dataset_key = data.of(("dataset", relation.dataset.namespace, relation.dataset.name))
        program_key = programs.of(
            (_CATEGORIES[program["type"]], relation.job.namespace, relation.job.name, relation.job.name)
        )
        records[dataset_key] = {"entityId": _render_dataset(relation.dataset)}
        entities[program_key] = {"entityId": program}
        key = dataset_key, program_key, *_relation_key(relation, collapsed)
        access_kinds, runs = together.setdefault(key, (set(), set()))
        access_kinds.add(relation.access)
        runs |= {relation.run} if relation.run is not None else set()
    relations: list[types.AccessRelation] = [
        {"data": data, "program": program, "accesses": sorted(kinds), "runs": sorted(runs), "components": []}
        for (data, program, *_), (kinds, runs) in sorted(together.items())
    ]
    start, end = requested.start_ms // 1_000, requested.end_ms // 1_000
    return {"start": start, "end": end, "relations": relations, "data": records, "programs": entities}


def _relation_key(relation: Relation, collapsed: Sequence[Collapsed]) -> tuple[str, ...]:
    """Build the key of a relation among the relations of its program and dataset."""
    access = () if "access" in collapsed else (relation.access,)
    return *access, *(() if "run" in collapsed else (relation.run or "",))


def _render_dataset(dataset: DatasetId) -> types.DatasetEntity:
    return {"namespace": dataset.namespace, "dataset": dataset.name, "entity": "DATASET"}


def _render_program(job: JobId, *, rolled_up: bool = False) -> types.ProgramEntity:
    return {
        "namespace": job.namespace,
        "application": job.name,
        "version": _VERSION,
        "type": "Workflow" if rolled_up else "Spark",
        "program": job.name,
        "entity": "PROGRAM",
    }


class _Keys:
    """Keys of things, as CDAP joins them: names may have dots, so a repeated key gets a number."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, ...]] = {}

    def of(self, parts: tuple[str, ...]) -> str:
        """Build the key of a thing."""
        key = plain = ".".join(parts)
        more = 2
        while self._known.setdefault(key, parts) != parts:
            key, more = f"{plain}#{more}", more + 1
        return key

"""Run events of a recorder, whose facets hold the operations and the record roots of a run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, NamedTuple

from headwater_model.ids import DatasetId
from headwater_model.operation_checks import FIELDS_MAX, OPERATIONS_MAX, PAIRS_MAX, SOURCE_NAME_BYTES_MAX
from headwater_model.operation_set import SOURCES_MAX, OperationSet
from headwater_model.operations import Operation, Read, Write, inputs_of, outputs_of, render_operations
from spark_client.current_run import JobRun, RunContext
from spark_client.record_requests import BODY_MAX_BYTES
from spark_client.version import PRODUCER

RUN_EVENT = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
_PARENT_SCHEMA = "https://openlineage.io/spec/facets/1-1-0/ParentRunFacet.json#/$defs/ParentRunFacet"
# The run, its job and parents, and as many roots as a facet may hold.
_HEAD_MAX_BYTES = 100_000
# The service's bound on the facet.
ROOTS_MAX = 10_000


class OperationBatch(NamedTuple):
    """Sets of operations sent in an event, each valid by itself; `weights` are in the order of `_bounds`."""

    operations: tuple[Operation, ...] = ()
    weights: tuple[int, ...] = (0, 0, 0, 0, 0, 0)

    def joined(self, other: OperationBatch) -> OperationBatch:
        """Join both batches."""
        weights = tuple(mine + theirs for mine, theirs in zip(self.weights, other.weights, strict=True))
        return OperationBatch(self.operations + other.operations, weights)


def _bounds(roots: Sequence[str]) -> tuple[int, ...]:
    """Compute the bytes left beside the roots, and the limits of a set (`headwater_model.operation_checks`)."""
    left_bytes = BODY_MAX_BYTES - _HEAD_MAX_BYTES - sum(_size_bytes(root) for root in roots)
    return left_bytes, OPERATIONS_MAX, FIELDS_MAX, PAIRS_MAX, SOURCES_MAX, SOURCE_NAME_BYTES_MAX


def batches_of(sets: Iterable[Sequence[Operation]], roots: Sequence[str]) -> tuple[list[OperationBatch], list[str]]:
    """Pack the sets in order into as few events as possible, with a warning for each set too large.

    There is always a batch, since the roots go with the first.
    """
    bounds = _bounds(roots)
    batches, warnings = [OperationBatch()], []
    for operations in sets:
        batch = _batch_of(operations)
        if not _fits(batch, bounds):
            names = ", ".join(dataset["name"] for dataset in _outputs(operations)[:5])
            warnings.append(f"{len(operations)} operations that write {names} are too many for an event")
            continue
        joined = batches[-1].joined(batch)
        if _fits(joined, bounds):
            batches[-1] = joined
        else:
            batches.append(batch)
    return batches, warnings


def _fits(batch: OperationBatch, bounds: Sequence[int]) -> bool:
    return all(weight <= bound for weight, bound in zip(batch.weights, bounds, strict=True))


def _batch_of(operations: Sequence[Operation]) -> OperationBatch:
    checked = OperationSet(operations)
    size_bytes = _size_bytes(render_operations(operations)) + _size_bytes(_inputs(operations) + _outputs(operations))
    fields = sum(len(inputs_of(operation)) + len(outputs_of(operation)) for operation in operations)
    derived = checked.pair_count, checked.source_count, checked.source_name_bytes
    return OperationBatch(tuple(operations), (size_bytes, len(operations), fields, *derived))


def _size_bytes(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode(errors="replace")) + 2


def render_event(
    context: RunContext, event_type: str, now_s: float, operations: Sequence[Operation] = (), roots: Sequence[str] = ()
) -> dict[str, Any]:
    """Render a run event; `now_s` is seconds since 1970."""
    facets = dict(_facets(context, operations, roots))
    moment = datetime.fromtimestamp(now_s, timezone.utc)
    return {
        "eventType": event_type,
        "eventTime": moment.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "producer": PRODUCER,
        "schemaURL": RUN_EVENT,
        "run": {"runId": context.run.run_id, "facets": facets},
        "job": {"namespace": context.run.namespace, "name": context.run.name},
        "inputs": _inputs(operations),
        "outputs": _outputs(operations),
    }


def _facets(context: RunContext, operations: Sequence[Operation], roots: Sequence[str]) -> Iterator[tuple[str, Any]]:
    if context.parent is not None:
        root = {"root": run_of_job(context.root)} if context.root is not None else {}
        yield "parent", {"_producer": PRODUCER, "_schemaURL": _PARENT_SCHEMA, **run_of_job(context.parent), **root}
    if operations:
        yield "headwater_operations", {**ours("headwater_operations"), "operations": render_operations(operations)}
    if roots:
        yield "headwater_records", {**ours("headwater_records"), "rootIds": list(roots)}


def ours(facet: str) -> dict[str, str]:
    """Begin a Headwater facet, `{"_producer": ..., "_schemaURL": ...}`; its JSON Schema is in docs/facets."""
    return {"_producer": PRODUCER, "_schemaURL": f"urn:headwater:facets:1-0-0:{facet}.json"}


def run_of_job(run: JobRun) -> dict[str, Mapping[str, str]]:
    """Render a run and its job as in a parent facet: `{"run": {"runId": ...}, "job": {"namespace": ..., ...}}`."""
    return {"run": {"runId": run.run_id}, "job": {"namespace": run.namespace, "name": run.name}}


def _inputs(operations: Sequence[Operation]) -> list[dict[str, str]]:
    return _datasets(operation.source for operation in operations if isinstance(operation, Read))


def _outputs(operations: Sequence[Operation]) -> list[dict[str, str]]:
    return _datasets(operation.destination for operation in operations if isinstance(operation, Write))


def _datasets(datasets: Iterable[DatasetId]) -> list[dict[str, str]]:
    return [{"namespace": dataset.namespace, "name": dataset.name} for dataset in dict.fromkeys(datasets)]

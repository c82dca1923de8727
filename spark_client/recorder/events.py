"""What a recorder sends: OpenLineage run events whose facets hold the operations and the record roots of a run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, NamedTuple

from lineage_model.ids import DatasetId
from lineage_model.operation_checks import FIELDS_MAX, OPERATIONS_MAX, PAIRS_MAX
from lineage_model.operation_set import SOURCES_MAX, OperationSet
from lineage_model.operations import Operation, Read, Write, render_operations
from lineage_model.reachability import inputs_of, outputs_of
from spark_client.current_run import Head, RunOfJob
from spark_client.requests import BODY_MAX_BYTES

PRODUCER = "urn:headwater:spark_client"
RUN_EVENT = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
_PARENT_SCHEMA = "https://openlineage.io/spec/facets/1-1-0/ParentRunFacet.json#/$defs/ParentRunFacet"
# The run, its job and parents, and as many roots as a facet may hold.
_HEAD_MAX_BYTES = 100_000
# The service's bound on the facet.
ROOTS_MAX = 10_000


class Load(NamedTuple):
    """Sets of operations that travel in one event, each valid by itself; `weights` are in the order of `_bounds`."""

    operations: tuple[Operation, ...] = ()
    weights: tuple[int, ...] = (0, 0, 0, 0, 0)

    def joined(self, other: Load) -> Load:
        """Both in one."""
        weights = tuple(one + more for one, more in zip(self.weights, other.weights, strict=True))
        return Load(self.operations + other.operations, weights)


def _bounds(roots: Sequence[str]) -> tuple[int, ...]:
    """Return the bytes that are left beside the roots, and the limits of one set (`lineage_model.operation_checks`)."""
    room = BODY_MAX_BYTES - _HEAD_MAX_BYTES - sum(_size_bytes(root) for root in roots)
    return room, OPERATIONS_MAX, FIELDS_MAX, PAIRS_MAX, SOURCES_MAX


def loads_of(sets: Iterable[Sequence[Operation]], roots: Sequence[str]) -> tuple[list[Load], list[str]]:
    """The sets in their order, in as few events as the service's bounds allow, and warnings of those that fit in none.

    There is always one, for the roots travel with the first.
    """
    bounds = _bounds(roots)
    loads, warnings = [Load()], []
    for operations in sets:
        load = _load_of(operations)
        if not _fits(load, bounds):
            warnings.append(
                f"{len(operations)} operations that write {_destinations(operations)} are too many for an event"
            )
            continue
        joined = loads[-1].joined(load)
        if _fits(joined, bounds):
            loads[-1] = joined
        else:
            loads.append(load)
    return loads, warnings


def _fits(load: Load, bounds: Sequence[int]) -> bool:
    return all(weight <= bound for weight, bound in zip(load.weights, bounds, strict=True))


def _load_of(operations: Sequence[Operation]) -> Load:
    checked = OperationSet(operations)
    size_bytes = _size_bytes(render_operations(operations)) + _size_bytes(_inputs(operations) + _outputs(operations))
    fields = sum(map(_fields, operations))
    weights = size_bytes, len(operations), fields, checked.pair_count, checked.source_count
    return Load(tuple(operations), weights)


def _fields(operation: Operation) -> int:
    return len(inputs_of(operation)) + len(outputs_of(operation))


def _size_bytes(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode(errors="replace")) + 2


def _destinations(operations: Sequence[Operation]) -> str:
    return ", ".join(one["name"] for one in _outputs(operations)[:5])


def render_event(
    head: Head, event_type: str, now_s: float, operations: Sequence[Operation] = (), roots: Sequence[str] = ()
) -> dict[str, Any]:
    """A run event; `now_s` are seconds since 1970."""
    facets = dict(_facets(head, operations, roots))
    moment = datetime.fromtimestamp(now_s, timezone.utc)
    return {
        "eventType": event_type,
        "eventTime": moment.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "producer": PRODUCER,
        "schemaURL": RUN_EVENT,
        "run": {"runId": head.run.run_id, "facets": facets},
        "job": {"namespace": head.run.namespace, "name": head.run.name},
        "inputs": _inputs(operations),
        "outputs": _outputs(operations),
    }


def _facets(head: Head, operations: Sequence[Operation], roots: Sequence[str]) -> Iterator[tuple[str, Any]]:
    if head.parent is not None:
        root = {"root": _run_of_job(head.root)} if head.root is not None else {}
        yield "parent", {"_producer": PRODUCER, "_schemaURL": _PARENT_SCHEMA, **_run_of_job(head.parent), **root}
    if operations:
        yield "headwater_operations", {**ours("headwater_operations"), "operations": render_operations(operations)}
    if roots:
        yield "headwater_records", {**ours("headwater_records"), "rootIds": list(roots)}


def ours(facet: str) -> dict[str, str]:
    """The beginning of a facet of our own, whose JSON Schema is in docs/facets."""
    return {"_producer": PRODUCER, "_schemaURL": f"urn:headwater:facets:1-0-0:{facet}.json"}


def _run_of_job(run: RunOfJob) -> dict[str, Mapping[str, str]]:
    return {"run": {"runId": run.run_id}, "job": {"namespace": run.namespace, "name": run.name}}


def _inputs(operations: Sequence[Operation]) -> list[dict[str, str]]:
    return _datasets(one.source for one in operations if isinstance(one, Read))


def _outputs(operations: Sequence[Operation]) -> list[dict[str, str]]:
    return _datasets(one.destination for one in operations if isinstance(one, Write))


def _datasets(datasets: Iterable[DatasetId]) -> list[dict[str, str]]:
    return [{"namespace": one.namespace, "name": one.name} for one in dict.fromkeys(datasets)]

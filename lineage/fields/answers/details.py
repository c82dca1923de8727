"""S1's second question and S3's: the operations of one level that made or took a field, and the ways it was made."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from lineage.fields.answers.span import BACKWARD, FORWARD, Reading, RunTold, Side, Span
from lineage.fields.answers.steps import Place, fields_used, place_of
from lineage.fields.as_operations import operations_of
from lineage.fields.column_index import RelatedPaths
from lineage.fields.columns import Column, Columns, Source
from lineage.fields.detail import detail_of
from lineage.fields.found import Detail, Direction, FieldPathFound, Paths, Window
from lineage.fields.operation_set import OperationSet
from lineage.fields.ways import Way, way_of
from lineage.names import DatasetId, FieldPath
from lineage.runs.facts.table import GraphTable
from lineage.runs.facts.tellings import OPERATIONS_KIND

# Ways in which one field was made that are told, the newest.
WAYS_MAX = 100
_WAYS: dict[Direction, tuple[Side, ...]] = {"backward": (BACKWARD,), "forward": (FORWARD,), "both": (BACKWARD, FORWARD)}


def find_detail(
    table: GraphTable, dataset: DatasetId, field: FieldPath, window: Window, direction: Direction
) -> Detail:
    """The field's way through the operations that runs of the time range told of it."""
    span = Span(table, window)
    span.load(((dataset, way) for way in _WAYS[direction]), operations=True)
    column = Column(span.primary(dataset), field)
    sets: dict[str, OperationSet] = {}
    if BACKWARD in _WAYS[direction]:
        # Most runs report the same as others: each report is looked at, and hashed, once.
        reports: dict[Place, RunTold] = {}
        for told in span.written(column.dataset):
            reports.setdefault(place_of(told), told)
        sets.update((one.checksum, one) for told in reports.values() for one in making(column, told, span))
    if FORWARD in _WAYS[direction]:
        sets.update((one.checksum, one) for one in _taking(column, span))
    detail = detail_of(sets.values(), column.dataset, field, direction)
    return Detail(detail.nodes, detail.operations, detail.connections, detail.truncated or span.truncated)


def making(column: Column, told: RunTold, span: Span) -> Iterator[OperationSet]:
    """The operations by which a run made a column: those that it recorded, else what it told otherwise."""
    recorded = [span.operations(one) for one in told.tellings if one.startswith(OPERATIONS_KIND)]
    making_it = [one for one in recorded if one.written_as(column)]
    if making_it:
        yield from making_it
    elif related := RelatedPaths(told.columns.fields).find(column.field):
        yield operations_of({told.dataset: Columns({path: told.columns.fields[path] for path in related})})


def _taking(column: Column, span: Span) -> Iterator[OperationSet]:
    for reading in _distinct(span.read(column.dataset)):
        recorded = [span.operations(one) for one in reading.operations]
        yield from recorded
        told = {one.dataset: _made_of(column, one, recorded) for one in reading.made}
        rest = {dataset: columns for dataset, columns in told.items() if columns.fields}
        if rest:
            yield operations_of(rest)


def _distinct(readings: Iterable[Reading]) -> Iterable[Reading]:
    """Return the first of the readings that report the same."""
    found: dict[Hashable, Reading] = {}
    for one in readings:
        found.setdefault((one.operations, tuple(map(place_of, one.made))), one)
    return found.values()


def _made_of(column: Column, told: RunTold, recorded: Sequence[OperationSet]) -> Columns:
    """The columns that are made of this one, without those that operations were recorded for."""
    used = RelatedPaths(fields_used(told.columns, column.dataset)).overlapping(column.field)
    sources = [Source(column.dataset, path) for path in used]
    by_hand = {one.field for some in recorded for one in some.written if one.dataset == told.dataset}
    return Columns(
        {
            path: made_of
            for path, made_of in told.columns.fields.items()
            if path not in by_hand and any(one in made_of for one in sources)
        }
    )


def find_paths(table: GraphTable, dataset: DatasetId, field: FieldPath, window: Window) -> Paths:
    """The distinct ways in which runs of the time range made the field, that of the newest run first."""
    span = Span(table, window)
    span.load([(dataset, BACKWARD)], operations=True)
    column = Column(span.primary(dataset), field)
    ways: dict[str, Way] = {}
    runs: dict[str, dict[str, None]] = {}
    seen: dict[tuple[DatasetId, tuple[str, ...]], list[Way]] = {}
    for told in span.written(column.dataset):
        place = (told.name, told.tellings)
        if place not in seen:
            seen[place] = list(_ways(column, making(column, told, span)))
        for way in seen[place]:
            ways.setdefault(way.key, way)
            runs.setdefault(way.key, {})[told.run.root.id] = None
    kept = list(ways)[:WAYS_MAX]
    cut = len(ways) > WAYS_MAX or span.truncated or any(ways[key].truncated for key in kept)
    items: Iterable[FieldPathFound] = (ways[key].taken_by(tuple(runs[key])) for key in kept)
    return Paths(tuple(items), cut)


def _ways(column: Column, sets: Iterable[OperationSet]) -> Iterator[Way]:
    found = (way_of(one, column.dataset, column.field) for one in sets)
    return (way for way in found if way is not None)

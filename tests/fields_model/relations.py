"""Fields with lineage in a time range, and their relations one hop away, each computed from every reporter."""

from __future__ import annotations

from headwater.queries.columns.cdap_results import (
    DatasetFields,
    DatasetSummary,
    FieldRelations,
    FieldSummary,
    LastStart,
    ListedField,
    ListedFields,
)
from headwater_model.ids import DatasetId
from tests.fields_model.operations import dropped, slashed
from tests.fields_model.related import exists, overlap, related
from tests.fields_model.schema import top_level
from tests.runs_model.facets import text_in
from tests.runs_model.schemas import dataset_facets


def list_fields(world, dataset, window, current):
    """Return the fields with lineage, and those of the schema if they are wanted."""
    dataset = world.statements.primary(dataset)
    found = _fields(world, dataset, window)
    every = found | (_columns_now(world, dataset) if current else set())
    return ListedFields(tuple(ListedField(path, exists(path, found)) for path in sorted(every)))


def summarize_field(world, dataset, field, window, direction):
    """Return the fields that a field was made of, and those made of it."""
    dataset = world.statements.primary(dataset)
    before, after = set(), set()
    for other, columns in _reports(world, window):
        if other == dataset:
            before |= {source for path in related(field, columns.fields) for source in _with_fields(columns, path)}
        for path in columns.fields:
            if any(name == dataset and overlap(one, field) for name, one in _with_fields(columns, path)):
                after.add((other, path))
    backward, forward = direction in ("backward", "both"), direction in ("forward", "both")
    is_dropped = any(overlap(path, field) for path in _dropped(world, dataset, window))
    return FieldSummary(
        _by_dataset(before) if backward else None, _by_dataset(after) if forward else None, forward and is_dropped
    )


def summarize_dataset(world, dataset, window, direction):
    """Return the relations of all fields of a dataset."""
    dataset = world.statements.primary(dataset)
    before, after = {}, {}
    for other, columns in _reports(world, window):
        for path in columns.fields:
            for name, source in _with_fields(columns, path):
                if other == dataset and direction != "forward":
                    before.setdefault(name, set()).add((source, path))
                if name == dataset and direction != "backward":
                    after.setdefault(other, set()).add((source, path))
    return DatasetSummary(
        dataset,
        tuple(sorted(_fields(world, dataset, window) | _columns_now(world, dataset))),
        _relations(world, window, before),
        _relations(world, window, after),
        tuple(sorted(_dropped(world, dataset, window))) if direction != "backward" else (),
    )


def recorded_operations(world, dataset, field, window, direction):
    """Return, for each recorded set that touches a field, the names of its operations on it and its last runs."""
    dataset = world.statements.primary(dataset)
    found = {}
    for reporter in in_range(world, window):
        for operations in reporter.operations:
            names = (_before if direction == "backward" else _after)(world, operations, dataset, field)
            if names:
                starts = found.setdefault((_identity(world, operations), frozenset(names)), {})
                starts[reporter.job] = max(reporter.start, starts.get(reporter.job, ""))
    named = [
        (sorted(names), sorted((LastStart(job, start) for job, start in starts.items()), key=repr))
        for (_, names), starts in found.items()
    ]
    return sorted(named, key=repr)


def _identity(world, operations):
    def named(one):
        ends = {
            side: world.statements.primary(_dataset(one[side])) for side in ("source", "destination") if side in one
        }
        return repr({**one, **ends})

    return frozenset(map(named, operations))


def _before(world, operations, dataset, field):
    """Return the names of the operations that made a field: by name of the operation that emitted it, upwards."""
    by_name = {one["name"]: one for one in operations}
    writes = [one for one in operations if one["type"] == "WRITE"]
    mine = [one for one in writes if world.statements.primary(_dataset(one["destination"])) == dataset]
    paths = related(field, {slashed(taken["name"]) for one in mine for taken in one["inputs"]})
    ends = [(one, taken) for one in mine for taken in one["inputs"] if slashed(taken["name"]) in paths]
    found, left = {one["name"] for one, _ in ends}, [taken["origin"] for _, taken in ends]
    while left:
        one = by_name[left.pop()]
        if one["name"] not in found:
            found.add(one["name"])
            left += [taken["origin"] for taken in one.get("inputs", ())]
    return found


def _after(world, operations, dataset, field):
    """Return the names of the operations that took a field, or anything that was made of it."""
    reads = [one for one in operations if one["type"] == "READ"]
    mine = {one["name"] for one in reads if world.statements.primary(_dataset(one["source"])) == dataset}
    taken = {(one["origin"], one["name"]) for some in operations for one in some.get("inputs", ())}
    emitted = {(one["name"], _name(output)) for one in reads for output in one["outputs"]} | taken
    reached = {one for one in emitted if one[0] in mine and overlap(slashed(one[1]), field)}
    found, before = {origin for origin, _ in reached}, None
    while found != before:
        before = set(found)
        for one in operations:
            inputs = {(taken["origin"], taken["name"]) for taken in one.get("inputs", ())}
            if inputs & reached or any(origin in found - mine for origin, _ in inputs):
                found.add(one["name"])
    return found


def _name(output):
    return output["name"] if isinstance(output, dict) else output


def _dataset(form):
    return DatasetId(form["namespace"], form["name"])


def in_range(world, window):
    """Return the reporters that started in the time range."""
    return [one for one in world.reporters if window.start <= one.start < window.end]


def _reports(world, window):
    """Return each report of the time range, with its dataset."""
    return [
        (world.statements.primary(name), world.named(one.columns(name)))
        for one in in_range(world, window)
        for name in {*one.outputs, *one.reported}
    ]


def _with_fields(columns, path):
    return {(one.dataset, one.field) for one in columns.fields[path] if one.field is not None}


def _dropped(world, dataset, window):
    sources = {one for reporter in in_range(world, window) for some in reporter.operations for one in dropped(some)}
    return {one.field for one in sources if world.statements.primary(one.dataset) == dataset}


def _fields(world, dataset, window):
    found = set(_dropped(world, dataset, window))
    for other, columns in _reports(world, window):
        for path in columns.fields:
            found |= {path} if other == dataset else set()
            found |= {one for name, one in _with_fields(columns, path) if name == dataset}
    return found


def _columns_now(world, dataset):
    if dataset not in world.statements.datasets or world.hidden(dataset):
        return set()
    facets = dataset_facets(world.statements, dataset)
    gone = text_in(facets, "lifecycleStateChange", "lifecycleStateChange") == "DROP"
    return set() if gone else set(top_level(world.schema(dataset)))


def _by_dataset(fields):
    datasets = sorted({dataset for dataset, _ in fields})
    return tuple(
        DatasetFields(one, tuple(sorted(path for dataset, path in fields if dataset == one))) for one in datasets
    )


def _relations(world, window, pairs):
    return tuple(
        FieldRelations(one, tuple(sorted(pairs[one])), len(_fields(world, one, window))) for one in sorted(pairs)
    )

"""Fields with lineage in a time range, and their relations a hop away, each computed from every reporter."""

from headwater.queries.results.cdap import (
    DatasetFields,
    DatasetSummary,
    FieldRelations,
    FieldSummary,
    LastStart,
    ListedField,
    ListedFields,
)
from tests.fields_model.operations import dataset_of, dropped, field_name, slashed
from tests.fields_model.related import exists, overlap, related
from tests.fields_model.schema import fields_of, top_level
from tests.runs_model.facets import text_in
from tests.runs_model.schemas import dataset_facets, given_schemas


def list_fields(world, dataset, time_range, current):
    """List the fields with lineage; with `current`, the dataset's current columns, too."""
    dataset = world.statements.primary(dataset)
    with_lineage = _fields(world, dataset, time_range)
    shown = with_lineage | (_columns_now(world, dataset) if current else set())
    return ListedFields(tuple(ListedField(path, exists(path, with_lineage)) for path in sorted(shown)))


def summarize_field(world, dataset, field, time_range, direction):
    """Summarize the sources of a field, and the fields made of it."""
    dataset = world.statements.primary(dataset)
    before, after = set(), set()
    for _, other, columns in reports_in(world, time_range):
        if other == dataset:
            before |= {source for path in related(field, columns.fields) for source in _with_fields(columns, path)}
        for path in columns.fields:
            if any(
                name == dataset and overlap(source_path, field) for name, source_path in _with_fields(columns, path)
            ):
                after.add((other, path))
    up, down = direction in ("up", "both"), direction in ("down", "both")
    is_dropped = any(overlap(path, field) for path in _dropped(world, dataset, time_range))
    return FieldSummary(_by_dataset(before) if up else None, _by_dataset(after) if down else None, down and is_dropped)


def summarize_dataset(world, dataset, time_range, direction):
    """Summarize the relations of all fields of a dataset."""
    dataset = world.statements.primary(dataset)
    before, after = {}, {}
    for _, other, columns in reports_in(world, time_range):
        for path in columns.fields:
            for name, source in _with_fields(columns, path):
                if other == dataset and direction != "down":
                    before.setdefault(name, set()).add((source, path))
                if name == dataset and direction != "up":
                    after.setdefault(other, set()).add((source, path))
    return DatasetSummary(
        dataset,
        tuple(sorted(_fields(world, dataset, time_range) | _columns_now(world, dataset))),
        _relations(world, time_range, before),
        _relations(world, time_range, after),
        tuple(sorted(_dropped(world, dataset, time_range))) if direction != "up" else (),
    )


def recorded_operations(world, dataset, field, time_range, direction):
    """List (names of operations on the field, last starts by job) for each recorded set with any."""
    dataset = world.statements.primary(dataset)
    starts_by_set = {}
    for reporter in in_range(world, time_range):
        for operations in reporter.operations:
            names = (_before if direction == "up" else _after)(world, operations, dataset, field)
            if names:
                starts = starts_by_set.setdefault((_identity(world, operations), frozenset(names)), {})
                starts[reporter.job] = max(reporter.start, starts.get(reporter.job, ""))
    named = [
        (sorted(names), sorted((LastStart(job, start) for job, start in starts.items()), key=repr))
        for (_, names), starts in starts_by_set.items()
    ]
    return sorted(named, key=repr)


def _identity(world, operations):
    def named(operation):
        ends = {
            side: world.statements.primary(dataset_of(operation[side]))
            for side in ("source", "destination")
            if side in operation
        }
        return repr({**operation, **ends})

    return frozenset(map(named, operations))


def _before(world, operations, dataset, field):
    """Name the operations behind a field: its writes, then the origins of their inputs, upwards."""
    by_name = {operation["name"]: operation for operation in operations}
    writes = [operation for operation in operations if operation["type"] == "WRITE"]
    mine = [write for write in writes if world.statements.primary(dataset_of(write["destination"])) == dataset]
    paths = related(field, {slashed(taken["name"]) for write in mine for taken in write["inputs"]})
    ends = [(write, taken) for write in mine for taken in write["inputs"] if slashed(taken["name"]) in paths]
    names, left = {write["name"] for write, _ in ends}, [taken["origin"] for _, taken in ends]
    while left:
        operation = by_name[left.pop()]
        if operation["name"] not in names:
            names.add(operation["name"])
            left += [taken["origin"] for taken in operation.get("inputs", ())]
    return names


def _after(world, operations, dataset, field):
    """Name the reads of a field, and the operations with the field or a product of it as input."""
    reads = [operation for operation in operations if operation["type"] == "READ"]
    mine = {read["name"] for read in reads if world.statements.primary(dataset_of(read["source"])) == dataset}
    taken = {(used["origin"], used["name"]) for operation in operations for used in operation.get("inputs", ())}
    emitted = {(read["name"], field_name(output)) for read in reads for output in read["outputs"]} | taken
    reached = {
        emitted_field
        for emitted_field in emitted
        if emitted_field[0] in mine and overlap(slashed(emitted_field[1]), field)
    }
    names, before = {origin for origin, _ in reached}, None
    while names != before:
        before = set(names)
        for operation in operations:
            inputs = {(taken["origin"], taken["name"]) for taken in operation.get("inputs", ())}
            if inputs & reached or any(origin in names - mine for origin, _ in inputs):
                names.add(operation["name"])
    return names


def in_range(world, time_range):
    """List the reporters with a start in the time range."""
    return [reporter for reporter in world.reporters if time_range.start <= reporter.start < time_range.end]


def reports_in(world, time_range):
    """List the reports of the time range, as (reporter, dataset, columns)."""
    return [
        (reporter, world.statements.primary(name), world.named(reporter.columns(name)))
        for reporter in in_range(world, time_range)
        for name in {*reporter.outputs, *reporter.reported}
    ]


def _with_fields(columns, path):
    return {(source.dataset, source.field) for source in columns.fields[path] if source.field is not None}


def _dropped(world, dataset, time_range):
    sources = {
        source
        for reporter in in_range(world, time_range)
        for operations in reporter.operations
        for source in dropped(operations)
    }
    return {source.field for source in sources if world.statements.primary(source.dataset) == dataset}


def _fields(world, dataset, time_range):
    """List the fields in the dataset's own reports, and its readers' fields where reports and schemas leave room."""
    written, taken = set(), set(_dropped(world, dataset, time_range))
    for _, other, columns in reports_in(world, time_range):
        for path in columns.fields:
            written |= {path} if other == dataset else set()
            taken |= {source_path for name, source_path in _with_fields(columns, path) if name == dataset}
    own = written.union(*(fields_of(facets) for facets in given_schemas(world.statements, dataset)))
    return written | {path for path in taken if not own or _may_have(own, path)}


def _may_have(own, path):
    """True if `own` has the path, a field inside it, or a struct around it without known fields."""
    around = [path[:length] for length in range(len(path) - 1, 0, -1)]
    nearest = next((struct for struct in around if struct in own), None)
    inside = [other for other in own if nearest and other[: len(nearest)] == nearest and other != nearest]
    return exists(path, own) or (nearest is not None and not inside)


def _columns_now(world, dataset):
    if dataset not in world.statements.datasets or world.hidden(dataset):
        return set()
    facets = dataset_facets(world.statements, dataset)
    gone = text_in(facets, "lifecycleStateChange", "lifecycleStateChange") == "DROP"
    return set() if gone else set(top_level(world.schema(dataset)))


def _by_dataset(fields):
    datasets = sorted({dataset for dataset, _ in fields})
    return tuple(
        DatasetFields(name, tuple(sorted(path for dataset, path in fields if dataset == name))) for name in datasets
    )


def _relations(world, time_range, pairs):
    return tuple(
        FieldRelations(dataset, tuple(sorted(pairs[dataset])), len(_fields(world, dataset, time_range)))
        for dataset in sorted(pairs)
    )

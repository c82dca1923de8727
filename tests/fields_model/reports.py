"""Reports on a column in a time range: its uses, flows and provenance, along the steps of all reporters.

Downwards, a column may flow into every dataset with unreported columns; a source without a field is such a dataset.

A path is direct if all its steps are, and masked if any step masks. A step with several reporters is direct if any
report has it so, and masks if all do; without transformations it is taken as direct and unmasked.
"""

from collections import Counter
from dataclasses import replace
from itertools import chain

from headwater.queries.results.reports import (
    Flow,
    LineageStep,
    Provenance,
    ReportedRun,
    TaggedColumn,
    TagUsage,
    TrueSource,
    Usage,
    Use,
)
from headwater_model.columns import Column, ColumnLineage, ColumnSource
from tests.fields_model.nodes import hops
from tests.fields_model.operations import dropped, read_of
from tests.fields_model.related import exists, is_inside, overlap, related, related_in
from tests.fields_model.relations import in_range
from tests.fields_model.report_steps import made_from, made_of, perhaps_made_from, reported_paths
from tests.fields_model.reported import united
from tests.fields_model.reporters import sources_in, unknown
from tests.fields_model.schema import top_level
from tests.runs_model.facets import text_in
from tests.runs_model.schemas import dataset_facets

_FAR = 20
# Runs named for each use or end.
_RUNS = 10


def report_usage(world, dataset, field, time_range):
    """Report the uses of a column, and its flows into further columns."""
    start = Column(world.statements.primary(dataset), field)
    reporters = _in(world, time_range)
    reports = reported_paths(world, reporters, start.dataset)
    uses = [
        use
        for reporter in reporters
        for use in (*_writes(world, start, reporter), *_reads(world, start, reporter, reports))
    ]
    flows = _flows(world, [ColumnSource(start.dataset, field)], reporters)
    alike = {(use.kind, use.job, use.fields, use.operations, use.known): [] for use in uses}
    for use in uses:
        alike[use.kind, use.job, use.fields, use.operations, use.known].append(use)
    return Usage(start, time_range, tuple(sorted(map(_united, alike.values()), key=_newest, reverse=True)), flows)


def report_tag(world, tag, time_range):
    """Report the columns with a tag, and the columns made of them without masking."""
    columns = {}
    for dataset in world.visible_datasets():
        if world.runs.dataset(dataset).temporary:
            continue
        for own_tag in world.runs.dataset(dataset).annotations.tags:
            for path in _tagged_by(world.schema(dataset), own_tag) if own_tag.name.lower() == tag.lower() else ():
                columns.setdefault(ColumnSource(dataset, path), []).append(own_tag)
    shown = tuple(
        TaggedColumn(column, tuple(columns[column])) for column in sorted(columns, key=lambda column: column.order)
    )
    flows = _flows(world, list(columns), _in(world, time_range))
    return TagUsage(tag, time_range, shown, tuple(flow for flow in flows if not flow.masked))


def _tagged_by(schema, tag):
    """List the columns of a tag: its field, or the top level of a tagged dataset."""
    if tag.field is None:
        return top_level(schema) or [None]
    path = tuple(tag.field.split("."))
    return [path] if path in schema or not schema else []


def _flows(world, starts, reporters):
    reached, edges = _traverse(
        starts,
        lambda node: _edges_from(world, reporters, node, reported_paths(world, reporters, node.dataset)),
        lambda edge: edge.destination,
        world,
    )
    return tuple(
        Flow(node, *how, _status(world, node), _jobs(edge for edge in edges if edge.destination == node))
        for node, *how in reached
    )


def report_provenance(world, dataset, field, time_range):
    """Report the provenance of a column: all steps, and the columns at the ends of paths."""
    start = Column(world.statements.primary(dataset), field)
    reporters = _in(world, time_range)
    reached, edges = _traverse(
        [ColumnSource(start.dataset, field)],
        lambda node: made_of(world, reporters, node),
        lambda edge: edge.source,
        world,
    )
    sources = tuple(
        TrueSource(Column(node.dataset, node.field), *how, reason, *_because(world, end_reporters, reads))
        for node, *how, _, _ in [(ColumnSource(start.dataset, field), 0, True, False, True, False), *reached]
        for reason, end_reporters, reads in _ends(world, node, time_range)
    )
    ends = sorted({(edge.source, edge.destination) for edge in edges}, key=lambda pair: [end.order for end in pair])
    steps = [_step(world, [edge for edge in edges if (edge.source, edge.destination) == pair]) for pair in ends]
    return Provenance(start, time_range, sources, tuple(steps))


# Ends


def _ends(world, column, time_range):
    """List (reason, its reporters, the datasets they read) for each reason of a path's end at a column."""
    writers = _writers(world, column.dataset, _in(world, time_range))
    lineage = {writer: _reported_of(world, column.dataset, writer) for writer in writers}
    own = {writer: columns and _own_sources(columns, column.field) for writer, columns in lineage.items()}
    silent = [writer for writer in writers if writer.job and not (lineage[writer] and lineage[writer].fields)]
    unnamed = [writer for writer in writers if own[writer] and any(source.field is None for source in own[writer])]
    reported = any(sources is not None for sources in own.values())
    generated = [writer for writer in writers if own[writer] == {}]
    unreported = [writer for writer in writers if writer in silent or writer in unnamed]
    if not (unreported or reported):
        unreported = [writer for writer in writers if writer.job]
    ends = [("generated", generated, set())] if generated else []
    if unreported:
        reads = set()
        for writer in unreported[:_RUNS]:
            sources = own[writer] if writer in unnamed else unknown(writer.inputs).dataset_level
            reads |= {world.statements.primary(source.dataset) for source in sources if source.field is None}
        ends.append(("unreported", unreported, reads))
    if ends or reported:
        return ends
    earlier = [reporter for reporter in world.reporters if reporter.job and reporter.start < time_range.start]
    before = sorted(_writers(world, column.dataset, earlier), key=lambda reporter: (reporter.start, reporter.id))
    return [("before", before[-1:], set())] if before else [("raw", [], set())]


def _writers(world, dataset, reporters):
    """List the reporters with the dataset among outputs or reports, under any name."""
    return [
        reporter
        for reporter in reporters
        if any(world.statements.primary(name) == dataset for name in {*reporter.outputs, *reporter.reported})
    ]


def _reported_of(world, dataset, reporter):
    """Unite a reporter's columns of the dataset; None if it reported none."""
    reports = [columns for name, columns in reporter.reported.items() if world.statements.primary(name) == dataset]
    return world.named(united(reports)) if reports else None


def _own_sources(columns, path):
    """Unite a reporter's sources of the column; None without a report on the column."""
    paths = related(path, columns.fields.keys())
    return _united_sources(columns, paths) if paths else None


def _united_sources(columns, paths):
    return united(ColumnLineage({}, columns.fields[path]) for path in paths).dataset_level


def _because(world, reporters, reads):
    """List the jobs, runs and read datasets of a reason."""
    jobs = tuple(sorted({reporter.job for reporter in reporters} - {None}))
    return jobs, tuple(reporter.id.id for reporter in reporters[:_RUNS]), tuple(sorted(reads))


def _in(world, time_range):
    """List the reporters with a start in the time range, newest first."""
    return sorted(in_range(world, time_range), key=lambda reporter: (reporter.start, reporter.id), reverse=True)


# Paths


def _traverse(starts, edges_of, end, world):
    """List (node, hops, direct, masked, certain, failed) of each node but the starts; and all edges."""

    def reach(accept):
        return hops(starts, _FAR, lambda column: {end(edge) for edge in edges_of(column) if accept(edge)})

    distances, directly = reach(lambda edge: True), reach(lambda edge: edge.direct)
    openly = reach(lambda edge: not edge.masks)
    certainly = reach(lambda edge: edge.certain)
    surely = reach(lambda edge: _state(world, edge.reporter) not in ("FAILED", "ABORTED"))
    reached = [
        (column, distances[column], column in directly, column not in openly, column in certainly, column not in surely)
        for column in sorted(distances, key=lambda column: (distances[column], column.order))
        if column not in starts
    ]
    return reached, [edge for column in distances for edge in edges_of(column)]


def _edges_from(world, reporters, node, reports):
    """List the certain and possible steps from a node; `reports` are the reported paths of its dataset."""
    return [*made_from(world, reporters, node, reports), *perhaps_made_from(world, reporters, node, reports)]


def _step(world, edges):
    how = {transformation for edge in edges for transformation in edge.how}
    roots = dict.fromkeys(_root(world, edge.reporter) for edge in edges)
    return LineageStep(
        Column(edges[0].source.dataset, edges[0].source.field),
        Column(edges[0].destination.dataset, edges[0].destination.field),
        tuple(sorted(how, key=str)),
        _called(how),
        _jobs(edges),
        tuple(dict.fromkeys(root.id for root in roots)),
    )


def _root(world, reporter):
    """Find the root of the reporter's run by its last event with a parent; else the reporter itself."""
    events = world.statements.runs[reporter.run].events[::-1] if reporter.run else []
    last = next((event for event in events if event.parent), None)
    return (last.root or last.parent).key if last else reporter.id


def _jobs(edges):
    return tuple(sorted({edge.reporter.job for edge in edges} - {None}))


def _called(how):
    return tuple(
        sorted({transformation.description or transformation.subtype or transformation.type for transformation in how})
    )


def _status(world, column):
    """Compute the status of the column; without a schema, a currently reported column is alive."""
    facets = dataset_facets(world.statements, column.dataset)
    if text_in(facets, "lifecycleStateChange", "lifecycleStateChange") == "DROP" or world.statements.is_hidden(
        column.dataset
    ):
        return "dropped"
    schema = world.schema(column.dataset)
    if column.field is None:
        return "alive"
    if schema:
        return "alive" if _has_room(schema, column.field) else "dropped"
    reports = [word.columns.fields.keys() for word in world.writers(column.dataset)]
    return "alive" if related_in(column.field, reports) else "unknown"


def _has_room(schema, path):
    """True if a schema names the path, or a struct around it whose fields it does not name."""
    return exists(path, schema) or any(
        is_inside(path, struct) and not any(is_inside(other, struct) for other in schema)
        for struct in related(path, schema)
    )


# Uses


def _newest(use):
    return use.last, use.runs[0].key, use.kind, use.known


def _united(uses):
    """Unite uses of different runs but equal in all else; the newest run first."""
    states = Counter(run.state for use in uses for run in use.runs if run.state)
    return replace(
        uses[0],
        first=uses[-1].first,
        count=len(uses),
        states=tuple(sorted(states.items())),
        runs=tuple(run for use in uses[:_RUNS] for run in use.runs),
    )


def _state(world, reporter):
    """Look up the state of the reporter's run; None for Job- and DatasetEvents."""
    return world.statements.runs[reporter.run].state if reporter.run else None


def _writes(world, column, reporter):
    """Yield the write of the column under any name; a job without a report may have written it."""
    names = [
        name for name in {*reporter.outputs, *reporter.reported} if world.statements.primary(name) == column.dataset
    ]
    columns = world.named(united(reporter.reported[name] for name in names if name in reporter.reported))
    if names and reporter.job and reporter.reported.keys().isdisjoint(names):
        yield _use("WRITE", world, reporter, known=False)
    elif paths := related(column.field, columns.fields.keys()):
        sources = _united_sources(columns, paths)
        made_of = {source for source in sources if source.field is not None}
        yield _use("WRITE" if sources else "CREATE", world, reporter, made_of, sources.values())


def _reads(world, column, reporter, reports):
    """Yield the certain or possible read of the column under any name, and its drop."""
    sources = {
        source.dataset for columns in reporter.reported.values() for source in sources_in(columns)
    } | reporter.named
    used = {*reporter.inputs, *sources, *chain(*map(read_of, reporter.operations))}
    names = {name for name in used if world.statements.primary(name) == column.dataset}
    sets = [operations for operations in reporter.operations if names & read_of(operations).keys()]
    node = ColumnSource(column.dataset, column.field)
    edges = list(made_from(world, [reporter], node, reports))
    perhaps = {edge.destination for edge in perhaps_made_from(world, [reporter], node, reports)}
    read = {
        path for operations in sets for name in names & read_of(operations).keys() for path in read_of(operations)[name]
    }
    taken = any(overlap(column.field, path) for path in read)
    is_unreported = not reporter.explicit and any(
        names.intersection(reporter.sources([output])) for output in set(reporter.outputs) - reporter.reported.keys()
    )
    if edges or taken:
        unreported = {destination for destination in perhaps if destination.field is None}
        yield _use(
            "READ", world, reporter, {edge.destination for edge in edges} | unreported, [edge.how for edge in edges]
        )
    elif perhaps or (names and not sets and (is_unreported or names.isdisjoint(sources))):
        yield _use("READ", world, reporter, perhaps, known=False)
    gone = [
        source.field
        for operations in sets
        for source in dropped(operations)
        if world.statements.primary(source.dataset) == column.dataset
    ]
    if any(overlap(column.field, path) for path in gone):
        yield _use("DELETE", world, reporter)


def _use(kind, world, reporter, fields=(), how=(), *, known=True):
    run = ReportedRun(reporter.id, reporter.start, _state(world, reporter))
    fields = tuple(sorted(fields, key=lambda field: field.order))
    return Use(
        kind, reporter.job, reporter.start, reporter.start, 1, (), (run,), fields, _called(set(chain(*how))), known
    )

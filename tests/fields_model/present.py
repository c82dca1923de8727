"""The current graph of columns."""

from dataclasses import replace

from headwater.queries.results.columns import ColumnGraph, ColumnNode
from headwater_model.columns import Column, ColumnLineage, ColumnSource
from tests.fields_model.nodes import hops, reporters_of, sources_in_order, type_of
from tests.fields_model.related import related, went_into
from tests.fields_model.schema import place_in, top_level


def graph_of_now(world, node_id, depth, downstream):
    """Graph the current columns around a node; None if it is unknown or hidden."""
    requested = requested_columns(world, node_id, downstream)
    if requested is None:
        return None
    up = hops(requested, depth, lambda node: made_of(world, node))
    down = hops(requested, depth, lambda node: made_from(world, node)) if downstream else {}
    distances = {node: min(side[node] for side in (up, down) if node in side) for node in {**up, **down}}
    nodes = sorted(distances, key=lambda node: (distances[node], node))
    return ColumnGraph(tuple(node_of(world, node, made_from(world, node) if downstream else set()) for node in nodes))


def requested_columns(world, node_id, downstream=False):
    """List the columns of a node id; None if it is unknown or hidden."""
    kind, _, _ = node_id.partition(":")
    if kind == "dataset":
        named = [world.statements.primary(name) for name in world.statements.dataset_names if name.node_id == node_id]
        datasets = [dataset for dataset in named if not world.hidden(dataset)]
        return columns_of(world, datasets[0], downstream) if datasets else None
    if kind == "job":
        jobs = [job for job in world.runs.visible_jobs() if job.node_id == node_id]
        return (
            {column for dataset in written_by(world, jobs[0]) for column in columns_of(world, dataset, downstream)}
            if jobs
            else None
        )
    return _requested_fields(world, node_id)


def _requested_fields(world, node_id):
    return {column for name in world.statements.dataset_names for column in _fields_named(world, name, node_id)} or None


def _fields_named(world, name, node_id):
    dataset = world.statements.primary(name)
    exist = set() if world.hidden(dataset) else everything_of(world, dataset)
    return {Column(dataset, path) for path in exist if field_id(name, path) == node_id}


def field_id(name, path):
    """Format the node id of a field: `datasetField:lake:raw:a.b`."""
    return f"datasetField:{name.namespace}:{name.name}:{'.'.join(path)}"


def everything_of(world, dataset):
    """List the paths of schema, reports and uses, at any depth, with the structs around them."""
    named = {*world.schema(dataset), *world.present(dataset).fields, *world.used_now(dataset)}
    return {path[:length] for path in named for length in range(1, len(path) + 1)}


def columns_of(world, dataset, downstream):
    """List a dataset's columns: top level of its schema, reported; used, too, downstream or without a schema."""
    schema = world.schema(dataset)
    used = world.used_now(dataset) if downstream or not schema else set()
    return {Column(dataset, path) for path in {*top_level(schema), *world.present(dataset).fields, *used}}


def written_by(world, job):
    return [dataset for dataset in world.runs.current_io(job)[1] if not world.hidden(dataset)]


def made_of(world, column):
    """List the source columns of a column and of its whole dataset."""
    sources = {**world.inputs(column), **world.present(column.dataset).dataset_level}
    return {Column(source.dataset, source.field) for source in sources if source.field is not None}


def made_from(world, column):
    """List the columns derived from a column, with all columns of derived datasets."""
    reports = [word.columns.fields.keys() for word in world.writers(column.dataset)]
    derived = set()
    for dataset in world.visible_datasets():
        present = world.present(dataset)
        for path in {*top_level(world.schema(dataset)), *present.fields}:
            sources = {*present.dataset_level, *present.fields.get(path, {})}
            used = {source.field for source in sources if source.dataset == column.dataset and source.field is not None}
            if any(went_into(column.field, used_path, reports) for used_path in used):
                derived.add(Column(dataset, path))
    return derived


def node_of(world, column, outputs):
    """Make the node of a column."""
    dataset, present, schema = column.dataset, world.present(column.dataset), world.schema(column.dataset)
    known = dataset in world.statements.datasets
    described = world.runs.dataset(dataset) if known else None
    return ColumnNode(
        dataset,
        column.field,
        type=type_of(column.field, present, schema),
        schema_known=bool(schema),
        place=place_in(schema, column.field),
        inputs=with_read_versions(sources_in_order(world.inputs(column)), _reports_of(world, column)),
        dependencies=with_read_versions(sources_in_order(present.dataset_level), _reports_of_whole(world, dataset)),
        outputs=tuple(sorted(outputs)),
        reporters=reporters_of_column(world, column),
        stale=described.stale if described else False,
        last_written_by=described.last_written_by if described else None,
    )


def with_read_versions(sources, reports):
    """Give each source the version read by its reporters, where they agree."""
    return tuple(
        replace(source, read_version=next(iter(versions)) if len(versions) == 1 else None)
        for source in sources
        for versions in [reports.get(ColumnSource(source.dataset, source.field), set())]
    )


def _reports_of(world, column):
    words = world.writers(column.dataset)
    paths_by_word = [(word, related(column.field, word.columns.fields.keys())) for word in words]
    return _read(world, [(word, word.columns.fields[path]) for word, paths in paths_by_word for path in paths])


def _reports_of_whole(world, dataset):
    return _read(world, [(word, word.columns.dataset_level) for word in world.writers(dataset)])


def _read(world, reports):
    """Collect the versions of each source read by its reporters."""
    versions = {}
    for word, sources in reports:
        for source in world.named(ColumnLineage({}, sources)).dataset_level:
            versions.setdefault(source, set()).add(world.version_read(word.reporter, source.dataset))
    return versions


def reporters_of_column(world, column):
    """List the reporters of the column, or of its whole dataset."""
    words = world.writers(column.dataset)
    return reporters_of(words, column.field, lambda reporter: version_made(world, reporter, column.dataset))


def version_made(world, reporter, dataset):
    """Find the reporter's own version of the dataset, if any."""
    return next(
        (version.id for version in world.versions(dataset) if reporter.run and version.run == reporter.run), None
    )


def reported_columns(world, dataset):
    """List a dataset's reported columns in brief."""
    dataset = world.statements.primary(dataset)
    paths = [] if world.hidden(dataset) else sorted(world.present(dataset).fields)
    nodes = [node_of(world, Column(dataset, path), set()) for path in paths]
    return ColumnGraph(tuple(_in_passing(node) for node in nodes))


def _in_passing(node):
    inputs, dependencies = (
        tuple(replace(source, read_version=None) for source in sources) for sources in (node.inputs, node.dependencies)
    )
    return replace(node, inputs=inputs, dependencies=dependencies, stale=False, last_written_by=None)

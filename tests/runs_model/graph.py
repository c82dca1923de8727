"""Graphs: the current graph by jobs with shared datasets, and the graphs of versions by the inputs of each run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain

from headwater.queries.results.graphs import Graph, UpstreamInput, UpstreamRun
from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId
from tests.runs_model import dataset_versions
from tests.runs_model.facets import when


def of_now(model, node_id, depth):
    """Graph the jobs within `depth` hops of the start or of its descendants, and their visible datasets.

    Descendants are the jobs started by the start, and so on. None for an unknown or hidden start.
    """
    start = start_of(model, node_id)
    if start is None or model.statements.is_hidden(start):
        return None
    io = {job: _visible_io(model, job) for job in model.visible_jobs()}
    touched = {job: {*inputs, *outputs} for job, (inputs, outputs) in io.items()}
    declared = _declared(model)
    touched |= {Declaration(view): {*sources, view} for view, sources in declared.items()}
    links = _links(model, ("DATA",))
    hops = _hops(touched, links, starts_of(model, start), depth)
    hops_of_datasets = {} if start in io else {start: -1}
    for job, hop in sorted(hops.items(), key=lambda item: item[1]):
        for dataset in touched[job]:
            hops_of_datasets.setdefault(dataset, hop)
    hops = {job: hop for job, hop in hops.items() if job in io}
    edges = {(dataset.node_id, job.node_id) for job in hops for dataset in io[job][0]}
    edges |= {(job.node_id, dataset.node_id) for job in hops for dataset in io[job][1]}
    edges |= {
        (origin.node_id, destination.node_id) for origin, destination in links if origin in hops and destination in hops
    }
    edges |= _declared_edges(declared, hops_of_datasets)
    jobs = [_job_in_passing(model, job) for job in sorted(_nearest(hops), key=lambda job: job != start)]
    datasets = [_dataset_in_passing(model, dataset) for dataset in _nearest(hops_of_datasets)]
    # A dataset has the least hop of its jobs.
    at = hops | hops_of_datasets
    return Graph(
        tuple(sorted((*jobs, *datasets), key=lambda node: at[node.id])),
        tuple(sorted(edges)),
        other_part_reads=other_part_reads(model, hops),
    )


def other_part_reads(model, jobs):
    """List the edges dataset -> job where the job's partitions are disjoint from the writes of all fellow jobs."""
    io = {job: _visible_io(model, job) for job in jobs}
    pairs = {(dataset, job) for job in jobs for dataset in io[job][0]}
    edges = (
        (dataset.node_id, reader.node_id)
        for dataset, reader in pairs
        if (read := model.part_of(reader, "in", dataset))
        if (others := [model.part_of(job, "out", dataset) for job in jobs if job != reader and dataset in io[job][1]])
        if all(written and not _share_rows(read, written) for written in others)
    )
    return tuple(sorted(edges))


def _share_rows(read, written):
    """True if a read partition may be a written partition: both have equal values in all shared dimensions."""
    shared = set.intersection(*map(set, (*read, *written)))
    return any(all(day[name] == other[name] for name in shared) for day in read for other in written)


@dataclass(frozen=True)
class Declaration:
    """A dataset's declared sources: a graph leads through the declaration as through a job, and does not show it."""

    view: DatasetId


def _declared(model):
    """Find the visible sources of each visible dataset, by its last DatasetEvent about columns."""
    statements, declarations = model.statements, {}
    visible = {dataset for dataset in statements.datasets if not statements.is_hidden(dataset)}
    for view in visible:
        about = [
            event
            for event, _, use in statements.uses_of(view)
            if event.kind == "DATASET" and event.dataset == use and use.facets.keys() & {"lineage", "columnLineage"}
        ]
        last = max(about, key=when, default=None)
        sources = {statements.primary(source) for source in _declared_in(last.dataset.facets)} if last else set()
        declarations[view] = (sources & visible) - {view}
    return {view: sources for view, sources in declarations.items() if sources}


def _declared_in(facets):
    """List the datasets in the facet `lineage`; if it is missing or deleted, in `columnLineage`."""
    for name, inputs in (("lineage", "inputs"), ("columnLineage", "inputFields")):
        facet = facets.get(name, {"_deleted": True})
        if not facet.get("_deleted"):
            columns = [input_field for column in facet.get("fields", {}).values() for input_field in column[inputs]]
            forms = [*facet.get("inputs", []), *facet.get("dataset", []), *columns]
            return {DatasetId(form["namespace"], form["name"]) for form in forms if form.get("type") != "JOB"}
    return set()


def _declared_edges(declared, shown):
    pairs = {(source, view) for view, sources in declared.items() for source in sources}
    return {(source.node_id, view.node_id) for source, view in pairs if source in shown and view in shown}


_WAYS = {"both": ["both"], "up": ["up"], "down": ["down"], "through": ["up", "down"]}


def _links(model, kinds):
    """List the edges of these kinds between visible jobs."""
    jobs = set(model.visible_jobs())
    return {
        (origin, destination)
        for origin, destination, kind in model.job_edges()
        if kind in kinds and {origin, destination} <= jobs
    }


def dependencies(model, shown):
    """List the edges of control between jobs of the shown node ids."""
    edges = {(origin.node_id, destination.node_id) for origin, destination in _links(model, ("CONTROL",))}
    return {edge for edge in edges if shown.issuperset(edge)}


def directed(model, node_id, depth, direction, fold=None, kinds=("DATA",)):
    """Walk a graph by `direction`: its node ids, its edges and the degrees of its nodes.

    A node leads on to its first `fold` neighbours a side, a start to its `fold` most urgent descendants; between jobs,
    edges of `kinds` lead on.
    """
    start = start_of(model, node_id)
    if start is None or model.statements.is_hidden(start):
        return None
    beside = _beside(model)
    neighbours = {node: {side: nodes[:fold] for side, nodes in sides.items()} for node, sides in beside.items()}
    declared = _declared(model)
    _lead_through(declared, neighbours)
    flows = {job: model.flows(job) for job in model.statements.jobs}
    starts = {start, *_most_urgent(model, starts_of(model, start) - {start})[:fold]}
    seen = {(node, way, None) for node in starts for way in _WAYS[direction]}
    level = seen if start in model.statements.jobs else _steps(neighbours, flows, seen)
    links = _links(model, kinds)
    for _ in range(depth + 1):
        datasets = _steps(neighbours, flows, level) - seen
        seen |= level | datasets
        level = (_steps(neighbours, flows, datasets) | _linked(links, level)) - seen
    shown = {node for node, _, _ in seen if not isinstance(node, Declaration)}
    edges = {(above.node_id, node.node_id) for node in shown for above in beside[node]["up"] if above in shown}
    edges |= {(node.node_id, below.node_id) for node in shown for below in beside[node]["down"] if below in shown}
    edges |= {
        (origin.node_id, destination.node_id)
        for origin, destination in _links(model, ("DATA",))
        if {origin, destination} <= shown
    }
    edges |= _declared_edges(declared, shown)
    up, down = Counter(view for view in declared for _ in declared[view]), Counter(chain(*declared.values()))
    degrees = {
        node.node_id: (len(beside[node]["up"]) + up[node], len(beside[node]["down"]) + down[node]) for node in shown
    }
    return {node.node_id for node in shown}, edges, degrees


def _most_urgent(model, jobs):
    """Sort jobs by the state of their last runs, the last started first, then by name."""
    runs = {job: model.job_in_passing(job).latest_run for job in sorted(jobs)}
    last_first = sorted(runs, key=lambda job: (runs[job] and runs[job].started) or "", reverse=True)
    order = ["FAILED", "ABORTED", "RUNNING"]
    return sorted(
        last_first, key=lambda job: order.index(runs[job].state) if runs[job] and runs[job].state in order else 3
    )


def _lead_through(declared, neighbours):
    """Put each declaration between its sources and its view, as a neighbour of both."""
    for view, sources in declared.items():
        declaration = Declaration(view)
        neighbours[declaration] = {"up": sorted(sources), "down": [view]}
        neighbours[view]["up"] = [*neighbours[view]["up"], declaration]
        for source in sources:
            neighbours[source]["down"] = [*neighbours[source]["down"], declaration]


def ways_down(model, node_id, shown):
    """Compute node id -> (hops below the start, the nodes before it on shortest ways), for the shown nodes."""
    start = start_of(model, node_id)
    beside, flows = _beside(model), {job: model.flows(job) for job in model.statements.jobs}
    links = _links(model, ("DATA",)) | {
        (source, view) for view, sources in _declared(model).items() for source in sources
    }
    starts = starts_of(model, start)
    seen, level, ways = set(), {(start, "down", None): set() for start in starts}, {}
    hop = 0
    while level:
        for (node, _, _), through in level.items():
            first, nodes = ways.setdefault(node.node_id, (hop, set()))
            nodes |= through if first == hop else set()
        seen |= level.keys()
        beyond = {}
        for step in level:
            for other in _steps(beside, flows, {step}) | _linked(links, {step}):
                if other not in seen and other[0].node_id in shown:
                    beyond.setdefault(other, set()).add(step[0].node_id)
        level, hop = beyond, hop + 1
    return {node: way for node, way in ways.items() if node not in {start.node_id for start in starts}}


def _steps(neighbours, flows, level):
    """List the next steps (node, way, entry): of a job with stated flows, `entry` is the dataset before it."""
    return {
        (other, way, node if way != "both" and flows.get(other) is not None else None)
        for node, way, entry in level
        for side in (("up", "down") if way == "both" else (way,))
        for other in neighbours[node][side]
        if entry is None or ((entry, other) if way == "down" else (other, entry)) in flows[node]
    }


def _linked(links, level):
    """List the next steps over edges between jobs."""
    up = {
        (origin, way, None)
        for node, way, _ in level
        for origin, destination in links
        if destination == node and way != "down"
    }
    return up | {
        (destination, way, None)
        for node, way, _ in level
        for origin, destination in links
        if origin == node and way != "up"
    }


def _beside(model):
    """List the neighbours of each visible node by side, the last started or last mentioned first."""
    io = {job: _visible_io(model, job) for job in model.visible_jobs()}
    datasets = [dataset for dataset in model.statements.datasets if not model.statements.is_hidden(dataset)]
    beside = {dataset: {"up": [], "down": []} for dataset in datasets}
    for job in sorted(sorted(io), key=lambda job: _last_start(model, job), reverse=True):
        inputs, outputs = (
            sorted(sorted(side), key=lambda dataset: max(model.statements.dataset_times(dataset)), reverse=True)
            for side in io[job]
        )
        beside[job] = {"up": inputs, "down": outputs}
        for dataset in inputs:
            beside[dataset]["down"].append(job)
        for dataset in outputs:
            beside[dataset]["up"].append(job)
    return beside


def _last_start(model, job):
    runs = model.runs_of(job)
    return (runs[0].started if runs else None) or ""


def _job_in_passing(model, job):
    """Make the job as shown in graphs: without details of the job alone."""
    return replace(model.job_in_passing(job), facets={}, current_version=None, lineage_unknown=False)


def _dataset_in_passing(model, dataset):
    return replace(model.dataset(dataset), current_version=None, last_modified=None)


def start_of(model, node_id):
    """Find the job or primary dataset of a node id, or None."""
    kind, _, _ = node_id.partition(":")
    if kind not in ("job", "dataset"):
        raise Invalid.because("nodeId", node_id, "must begin with job: or dataset:")
    names = model.statements.jobs if kind == "job" else sorted(model.statements.dataset_names)
    for name in names:
        thing = name if kind == "job" else model.statements.primary(name)
        if name.node_id == node_id:
            return thing
    return None


def _visible_io(model, job):
    return tuple(
        [dataset for dataset in side if not model.statements.is_hidden(dataset)] for side in model.current_io(job)
    )


def starts_of(model, start):
    """List the start of a graph, the visible jobs started by it, and so on."""
    starts, level = {start}, {start}
    while level:
        level = {child for node in level for child in model.children_of(node)} - starts
        starts |= level
    return starts


def _hops(touched, links, starts, depth):
    """Count the hops of each job within `depth` of a start."""
    hops = {job: 0 for job, datasets in touched.items() if job in starts or starts & datasets}
    for hop in range(1, depth + 1):
        reached = set().union(*(touched[job] for job in hops))
        linked = {job for link in links if hops.keys() & set(link) for job in link}
        hops |= {
            job: hop for job, datasets in touched.items() if job not in hops and (datasets & reached or job in linked)
        }
    return hops


def _nearest(hops):
    return sorted(hops, key=lambda node: (hops[node], node))


def upstream_runs(model, run, depth):
    """List the run, then the writers of its inputs, and so on, nearest first."""
    hops, inputs = _runs_upstream(model, [(run, None)], depth)
    return [
        UpstreamRun(model.run_in_passing(run), tuple(read for read, _ in _inputs(model, run) if read in inputs[run]))
        for run in _nearest(hops)
    ]


def _runs_upstream(model, starts, depth):
    """Count the hops of each run, and list its inputs behind the reached outputs."""
    steps = dict.fromkeys(starts, 0)
    for hop in range(1, depth + 1):
        next_steps = {
            (maker, read.dataset if model.flows_of_run(maker) is not None else None)
            for step in steps
            for read, maker in _inputs(model, *step)
            if maker is not None
        }
        steps |= {step: hop for step in next_steps if step not in steps}
    hops = {}
    for (run, _), hop in sorted(steps.items(), key=lambda item: item[1]):
        hops.setdefault(run, hop)
    return hops, {run: [read for step in steps if step[0] == run for read, _ in _inputs(model, *step)] for run in hops}


def runs_downstream(model, start, depth):
    """List the run, then the readers of its outputs, and so on, nearest first."""
    steps = {(start, None): 0}
    for hop in range(1, depth + 1):
        next_steps = {
            (run, read.dataset if model.flows_of_run(run) is not None else None)
            for run in model.statements.runs
            for read, maker in _inputs(model, run)
            for reached, entry in steps
            if maker == reached and (entry is None or (entry, read.dataset) in model.flows_of_run(reached))
        }
        steps |= {step: hop for step in next_steps if step not in steps}
    hops = {}
    for (run, _), hop in sorted(steps.items(), key=lambda item: item[1]):
        hops.setdefault(run, hop)
    return _nearest(hops)


def _inputs(model, key, output=None):
    """Yield (input, the run behind its version or None) of a run; with `output`, only the inputs behind the output."""
    run = model.statements.runs[key]
    flows = None if output is None else model.flows_of_run(key)
    for dataset in model.statements.primaries(run.names("in")):
        if flows is None or (dataset, output) in flows:
            version, resolved_by, maker = dataset_versions.version_read(model.statements, run, dataset)
            yield UpstreamInput(dataset, version, maker and maker.id, resolved_by), maker


def of_versions(model, node_id, version, depth):
    """Graph the job and dataset versions upstream of a version, each once."""
    start = start_of(model, node_id)
    if start is None:
        return None
    if start in model.statements.jobs:
        matching = [entries for listed, entries in model.job_versions(start) if listed == version]
        starts = [entry.run for entries in matching for entry in entries if entry.run][-1:]
        datasets = {(used.dataset, used.version) for run in starts for used in model.run(run).outputs}
        jobs = {(start, version): [model.run(run) for run in starts]}
    else:
        matching = [listed for listed in model.dataset_versions(start) if listed.id == version]
        starts = [listed.run for listed in matching if listed.run]
        datasets, jobs = {(start, version)}, {}
    of_dataset = None if start in model.statements.jobs else start
    upstream = _runs_upstream(model, [(run, of_dataset) for run in starts], depth)
    return _graph_of_runs(model, *upstream, jobs, datasets) if matching else None


def _graph_of_runs(model, hops, inputs, jobs, datasets):
    """Graph the runs by their job versions, with the given inputs, jobs and datasets."""
    edges = set()
    shown = {run.key for runs in jobs.values() for run in runs}
    for run in map(model.run, hops):
        if run.key not in shown:
            jobs.setdefault((run.job, run.job_version), []).append(run)
        datasets |= {(used.dataset, used.version) for used in inputs[run.key]}
    for (job, version), runs in jobs.items():
        node = f"{job.node_id}#{version}"
        read = {(used.dataset, used.version) for run in runs for used in inputs.get(run.key, ())}
        written = {(used.dataset, used.version) for run in runs for used in run.outputs} & datasets
        edges |= {(f"{dataset.node_id}#{dataset_version}", node) for dataset, dataset_version in read}
        edges |= {(node, f"{dataset.node_id}#{dataset_version}") for dataset, dataset_version in written}
    return Graph(
        (
            *(
                replace(model.job(job), version=version, runs=tuple(run.id for run in runs))
                for (job, version), runs in sorted(jobs.items())
            ),
            *(replace(model.dataset(dataset), version=version) for dataset, version in sorted(datasets)),
        ),
        tuple(sorted(edges)),
    )

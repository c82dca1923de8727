"""Every query there is, run on the model and on the tables that loaders made of the same events."""

from dataclasses import asdict

import orjson

_DEPTHS = (0, 1, 9)
# Of the generated facets.
_OWNERS = ("ann", "team", "bob")


def every_result(queries, *, jobs, datasets, runs, times=()):
    """Return the results as JSON text by query, for these names and for all names in the results."""
    record = _Recorder()
    _query_lists(record, queries, {node.namespace for node in [*jobs, *datasets]})
    for job in jobs:
        _query_job(record, queries, job)
    for dataset in datasets:
        _query_dataset(record, queries, dataset)
    for run in runs:
        record(queries.find_run, run)
        record(queries.list_child_runs, run, limit=100, offset=0)
        record(queries.list_child_runs, run, limit=1, offset=1)
        for depth in _DEPTHS:
            record(queries.find_upstream_runs, run, depth=depth)
    for node in [*jobs, *datasets]:
        for depth in _DEPTHS:
            record(queries.find_graph, node.node_id, depth=depth)
        for time in times:
            record(queries.find_graph, node.node_id, depth=9, at=time, select=structure_then)
    _query_tests(record, queries, [*jobs, *datasets], times)
    return record.results


def _query_tests(record, queries, things, times):
    for thing in things:
        record(queries.list_assertion_history, thing, limit=2)
    for time in (None, *times):
        record(queries.list_failures, None, at=time, limit=100, offset=0, select=_in_any_order)
        for thing in things:
            record(queries.list_assertions, thing, at=time)


def _in_any_order(page):
    return [sorted(map(rendered, page.items)), page.total]


class _Recorder:
    """A record of queries and their results."""

    def __init__(self):
        self.results = {}

    def __call__(self, query, *about, select=lambda result: result, **how):
        result = query(*about, **how)
        named = [getattr(thing, "node_id", thing) for thing in about]
        self.results[f"{query.__name__} {named} {how}"] = rendered(select(result))
        return result


def _query_lists(record, queries, namespaces):
    record(queries.list_namespaces, limit=100, offset=0)
    record(queries.list_namespaces, limit=1, offset=1)
    record(queries.list_datasets, None, limit=100, offset=0)
    record(queries.list_jobs, None, limit=100, offset=0)
    record(queries.list_jobs, None, limit=1, offset=1)
    record(queries.list_jobs, None, states=("COMPLETED", "NEW"), limit=1, offset=1)
    for namespace in sorted(namespaces):
        record(queries.find_namespace, namespace)
        record(queries.list_jobs, namespace, limit=100, offset=0)
        record(queries.list_failures, namespace, limit=100, offset=0, select=_in_any_order)
        record(queries.list_datasets, namespace, limit=100, offset=0)
        record(queries.list_datasets, namespace, limit=1, offset=1)
    for sort in ("name", "updated_at"):
        record(queries.search, "C", kind=None, sort=sort, limit=100)
        record(queries.search, "flights l", kind=None, sort=sort, limit=100)
    record(queries.search, "ch", kind="job", sort="name", limit=1)
    record(queries.search, "ch", kind="dataset", sort="name", limit=1)
    record(queries.list_sources, limit=100, offset=0)
    record(queries.list_sources, limit=1, offset=1)
    for source in ("default", "lake", "warehouse"):
        record(queries.find_source, source)
    record(queries.list_tags, limit=100, offset=0)
    record(queries.list_tags, limit=1, offset=1)
    for kind in (None, "job", "dataset", "column"):
        record(queries.search_tagged, "Pii", kind=kind, sort="name", limit=100)
    record(queries.search_tagged, "pii", "c", kind=None, sort="updated_at", limit=1)
    for owner in _OWNERS:
        record(queries.search_owned, owner.upper(), kind=None, sort="name", limit=100)
        record(queries.search_owned, owner, "c", kind="dataset", sort="updated_at", limit=2, within="fl")
    for namespace in sorted(namespaces):
        record(queries.search_tagged, "team:blue", kind=None, sort="name", limit=100, namespace=namespace)
        record(queries.search, "T", kind=None, sort="name", limit=1, namespace=namespace)


def _query_job(record, queries, job):
    record(queries.find_job, job)
    record(queries.list_runs, job, limit=100, offset=0)
    record(queries.list_runs, job, limit=1, offset=1)
    record(queries.list_child_jobs, job, limit=100, offset=0)
    record(queries.list_child_jobs, job, sort="state", limit=1, offset=1)
    versions = record(queries.list_job_versions, job, limit=100, offset=0)
    for version in versions.items if versions else ():
        record(queries.find_job_version, job, version.version)
        record(queries.find_graph, f"{job.node_id}#{version.version}", depth=9, select=structure_of_versions)


def _query_dataset(record, queries, dataset):
    record(queries.find_dataset, dataset)
    versions = record(queries.list_dataset_versions, dataset, limit=100, offset=0)
    record(queries.list_dataset_versions, dataset, limit=1, offset=1)
    for version in versions.items if versions else ():
        record(queries.find_dataset_version, dataset, version.version)
        record(queries.find_graph, dataset.node_id, depth=9, version=version.version, select=structure_of_versions)
        record(queries.find_graph, f"{dataset.node_id}#{version.version}", depth=0, select=structure_of_versions)


def structure_of_versions(graph):
    """Return a graph of versions as node names and edges."""
    if graph is None:
        return None
    jobs = sorted([job.id.node_id, job.version, sorted(job.runs)] for job in graph.jobs)
    return [jobs, sorted([dataset.id.node_id, dataset.version] for dataset in graph.datasets), sorted(graph.edges)]


def structure_then(graph):
    """Return a graph of the past without update times and facets, which are not promised of it."""
    if graph is None:
        return None
    jobs = sorted(
        [job.id.node_id, _plain(job.inputs), _plain(job.outputs), job.created, rendered(job.assertions)]
        for job in graph.jobs
    )
    datasets = [
        [
            dataset.id.node_id,
            dataset.created,
            rendered(dataset.assertions),
            dataset.stale,
            dataset.last_written_by and dataset.last_written_by.run,
        ]
        for dataset in graph.datasets
    ]
    return [jobs, sorted(datasets), sorted(graph.edges)]


def rendered(result):
    """Return the result as JSON text, whichever kind of sequence it holds."""
    return orjson.dumps(_plain(result), default=list, option=orjson.OPT_SORT_KEYS).decode()


def _plain(value):
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return asdict(value) if hasattr(value, "__dataclass_fields__") else value

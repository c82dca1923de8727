"""Every question there is, asked of whoever answers: of the model, and of what loaders made of the same events."""

from __future__ import annotations

from dataclasses import asdict

import orjson

_DEPTHS = (0, 1, 9)


def every_answer(questions, *, jobs, datasets, runs, times=()):
    """The answers as JSON text by the question asked, about these names and about all that the answers name."""
    asked = _Asked()
    _ask_lists(asked, questions, {one.namespace for one in [*jobs, *datasets]})
    for job in jobs:
        _ask_job(asked, questions, job)
    for dataset in datasets:
        _ask_dataset(asked, questions, dataset)
    for run in runs:
        asked(questions.find_run, run)
        for depth in _DEPTHS:
            asked(questions.find_upstream_runs, run, depth=depth)
    for node in [*jobs, *datasets]:
        for depth in _DEPTHS:
            asked(questions.find_graph, node.node_id, depth=depth)
        for time in times:
            asked(questions.find_graph, node.node_id, depth=9, at=time, seen=structure_then)
    return asked.answers


class _Asked:
    """What was asked, and the answers."""

    def __init__(self):
        self.answers = {}

    def __call__(self, question, *about, seen=lambda answer: answer, **how):
        answer = question(*about, **how)
        named = [getattr(one, "node_id", one) for one in about]
        self.answers[f"{question.__name__} {named} {how}"] = rendered(seen(answer))
        return answer


def _ask_lists(asked, questions, namespaces):
    asked(questions.list_namespaces, limit=100, offset=0)
    asked(questions.list_namespaces, limit=1, offset=1)
    asked(questions.list_jobs, None, limit=100, offset=0)
    asked(questions.list_jobs, None, limit=1, offset=1)
    asked(questions.list_jobs, None, states=("COMPLETED", "NEW"), limit=1, offset=1)
    for namespace in sorted(namespaces):
        asked(questions.find_namespace, namespace)
        asked(questions.list_jobs, namespace, limit=100, offset=0)
        asked(questions.list_datasets, namespace, limit=100, offset=0)
        asked(questions.list_datasets, namespace, limit=1, offset=1)
    for sort in ("name", "updated_at"):
        asked(questions.search, "E", kind=None, sort=sort, limit=100)
    asked(questions.search, "ch", kind="job", sort="name", limit=1)
    asked(questions.search, "ch", kind="dataset", sort="name", limit=1)
    for namespace in sorted(namespaces):
        asked(questions.search, "E", kind=None, sort="name", limit=1, namespace=namespace)


def _ask_job(asked, questions, job):
    asked(questions.find_job, job)
    asked(questions.list_runs, job, limit=100, offset=0)
    asked(questions.list_runs, job, limit=1, offset=1)
    versions = asked(questions.list_job_versions, job, limit=100, offset=0)
    for version in versions.items if versions else ():
        asked(questions.find_job_version, job, version.version)
        asked(questions.find_graph, f"{job.node_id}#{version.version}", depth=9, seen=structure_of_versions)


def _ask_dataset(asked, questions, dataset):
    asked(questions.find_dataset, dataset)
    versions = asked(questions.list_dataset_versions, dataset, limit=100, offset=0)
    asked(questions.list_dataset_versions, dataset, limit=1, offset=1)
    for version in versions.items if versions else ():
        asked(questions.find_dataset_version, dataset, version.version)
        asked(questions.find_graph, dataset.node_id, depth=9, version=version.version, seen=structure_of_versions)
        asked(questions.find_graph, f"{dataset.node_id}#{version.version}", depth=0, seen=structure_of_versions)


def structure_of_versions(graph):
    """A graph of versions without what is told of each node beside its name."""
    if graph is None:
        return None
    jobs = sorted([job.id.node_id, job.version, sorted(job.runs)] for job in graph.jobs)
    return [jobs, sorted([one.id.node_id, one.version] for one in graph.datasets), sorted(graph.edges)]


def structure_then(graph):
    """A graph of the past without what is not promised of it: when things were last updated, and facets."""
    if graph is None:
        return None
    jobs = sorted([job.id.node_id, _plain(job.inputs), _plain(job.outputs), job.created] for job in graph.jobs)
    datasets = [
        [one.id.node_id, one.created, one.stale, one.last_written_by and one.last_written_by.run]
        for one in graph.datasets
    ]
    return [jobs, sorted(datasets), sorted(graph.edges)]


def rendered(answer):
    """The answer as JSON text, whichever kind of sequence it holds."""
    return orjson.dumps(_plain(answer), option=orjson.OPT_SORT_KEYS).decode()


def _plain(value):
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return asdict(value) if hasattr(value, "__dataclass_fields__") else value

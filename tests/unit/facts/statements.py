"""Statements about runs, short to write: seconds, runs by two letters, datasets with their facets or without."""

from headwater.events.event import DatasetUse, Deletion, Event
from headwater.facts.run_facts import run_version_id
from headwater_model.ids import DatasetId, JobId, RunKey
from tests.unit.facts.strategies import stamped

A, B, C = (JobId("emissions", name) for name in "ABC")
X, Y, Z = (DatasetId("s3://flights", name) for name in "XYZ")


def run_id(run):
    """Return the id of a run that a test names by two letters."""
    return f"00000000-0000-4000-8000-0000000000{run}"


def version_by(dataset, job, run):
    """Return the id of the version that the job's run made."""
    return run_version_id(dataset, RunKey.of(job, run_id(run)))


def letters(run):
    """Return the two letters of a run's id."""
    return run and run[-2:]


def at(second):
    return f"2025-11-20T12:00:{second:02}.000000Z"


def uses(datasets):
    """Return uses of datasets, each given alone, as (dataset, facets), or whole."""
    return tuple(
        dataset
        if isinstance(dataset, DatasetUse)
        else DatasetUse(*dataset)
        if isinstance(dataset, tuple)
        else DatasetUse(dataset)
        for dataset in datasets
    )


def an_event(second, run, job, type="COMPLETE", inputs=(), outputs=(), **more):  # noqa: A002 - the event's word
    rest = {"inputs": uses(inputs), "outputs": uses(outputs), **more}
    return stamped(Event(kind="RUN", time=at(second), hash="", type=type, run=run_id(run), job=job, **rest))


def a_job_event(second, job, inputs=(), outputs=(), **more):
    rest = {"inputs": uses(inputs), "outputs": uses(outputs), **more}
    return stamped(Event(kind="JOB", time=at(second), hash="", job=job, **rest))


def a_dataset_event(second, dataset, **facets):
    return stamped(Event(kind="DATASET", time=at(second), hash="", dataset=DatasetUse(dataset, facets)))


def a_deletion(second, thing=None, namespace="emissions"):
    kind = {"job": thing} if isinstance(thing, JobId) else {"dataset": thing}
    return stamped(Deletion(time=at(second), hash="", namespace=thing.namespace if thing else namespace, **kind))


def code(version, url="https://git/a"):
    facet = {"type": "git", "url": url, "version": version}
    return {"sourceCodeLocation": {name: value for name, value in facet.items() if value is not None}}


STREAM = {"jobType": {"processingType": "STREAMING", "integration": "FLINK"}}


def nodes(graph):
    """Return a graph's nodes by their short names."""
    return "".join(sorted(node.id.name for node in (*graph.jobs, *graph.datasets)))

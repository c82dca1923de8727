"""The index rows of a run's facts: written before the facts, checked against them when read (see `keys`)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from lineage.names import DatasetId, JobId, RunKey
from lineage.runs.facts.growing import RunFacts, dataset_of, facets_of, text_of
from lineage.runs.facts.keys import dataset_pk, job_pk
from lineage.runs.facts.run import (
    code_of,
    io_at,
    is_live,
    known,
    owner,
    parent_run,
    positions,
    run_version_id,
    storage_version,
    version_at,
)
from lineage.runs.facts.table import Key, Row
from lineage.runs.facts.tellings import ever_sources, ever_told
from lineage.runs.times import EARLIEST


def rows_of(run: RunKey, facts: RunFacts) -> dict[Key, Row]:
    """Every index row that these facts ask for, now or as of an earlier time (a run may not have streamed yet then)."""
    job = owner(facts)
    if job is None:
        return {}
    return {row.key: row for row in (*_of_job(run, facts, job), *_of_datasets(run, facts, job))}


def _of_job(run: RunKey, facts: RunFacts, job: JobId) -> Iterator[Row]:
    pk = job_pk(job)
    if not facts.declared:
        yield Row(pk, f"N#{facts.first or EARLIEST}#{run}")
    location, code = code_of(facts)
    told = sorted(map(dataset_of, ever_told(facts)))
    for time in positions(facts):
        version = version_at(facts, time)
        yield Row(pk, f"{'K' if known(facts) else 'U'}#{time}#{run}")
        if version:
            inputs, outputs = io_at(facts, time)
            sides = {"inputs": list(map(text_of, inputs)), "outputs": list(map(text_of, outputs))}
            yield Row(pk, f"JV#{version}", {**sides, "location": location, "code": code})
            yield Row(pk, f"JR#{version}#{time}#{run}")
        for dataset in told:
            yield Row(pk, f"{told_prefix(dataset)}#{time}#{run}")


def _of_datasets(run: RunKey, facts: RunFacts, job: JobId) -> Iterator[Row]:
    if not positions(facts):
        return
    sources = sorted(ever_sources(facts) - facts.inputs.keys())
    for direction, side in (("R", facts.inputs), ("W", facts.outputs), ("S", sources)):
        for text in side:
            yield Row(dataset_pk(dataset_of(text)), f"H#{direction}#{job.key}", {"job": text_of(job)})
    if not facts.declared:
        for dataset in map(dataset_of, facts.outputs):
            yield from _of_versions(run, facts, job, dataset)


def _of_versions(run: RunKey, facts: RunFacts, job: JobId, dataset: DatasetId) -> Iterator[Row]:
    pk = dataset_pk(dataset)
    parent = parent_run(facts)
    storage = storage_version(facets_of(facts.written_facets.get(text_of(dataset), {})))
    yield Row(pk, f"I#{run_version_id(dataset, job.namespace, run.id)}", {"run": str(run)})
    if facts.streaming:
        yield from (Row(pk, f"L#{time}#{run}") for time in positions(facts))
    for prefix, time in _made(facts, dataset):
        yield Row(pk, f"{prefix}#{time}#{run}")
        if parent:
            yield Row(pk, f"P#{parent}#{time}#{run}")
        if storage:
            yield Row(pk, f"S#{storage_key(storage)}#{time}#{run}")


def _made(facts: RunFacts, dataset: DatasetId) -> Iterator[tuple[str, str]]:
    """When its version was made, as of any time: G of a run that did not fail, X of one that did."""
    first = facts.outputs[text_of(dataset)]
    if is_live(facts):
        yield "G", first
    for terminal in facts.terminals:
        time, _, state = terminal.split("#")
        prefix = "G" if state == "COMPLETED" else "X"
        yield prefix, time
        if facts.streaming:
            yield prefix, first
            yield "G", first  # while it was live


def told_prefix(dataset: DatasetId) -> str:
    """Where a job's runs that told of the columns of a dataset lie among its rows."""
    return f"T#{dataset.key[:32]}"


def storage_key(version: str) -> str:
    """A storage's version as part of a sort key."""
    return hashlib.sha256(version.encode()).hexdigest()[:32]

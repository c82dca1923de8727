"""The index rows of a run's facts: written before the facts, checked against them when read (see `keys`)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from lineage.graph.facet_refs import (
    datasets_ever_with_columns,
    datasets_with_columns,
    ever_sources,
    is_explicit,
    read_by,
    reported_columns,
)
from lineage.graph.facts import IdText, RunFacts, dataset_of, facets_of, text_of
from lineage.graph.keys import dataset_pk, job_pk
from lineage.graph.run_facts import (
    code_of,
    effective_times,
    has_io,
    io_at,
    is_active_stream,
    owner,
    parent_run,
    root_run,
    run_version_id,
    state,
    storage_version,
    version_at,
)
from lineage.graph.table import Key, Row
from lineage.times import EARLIEST
from lineage_model.ids import DatasetId, JobId, RunKey


def rows_of(run: RunKey, facts: RunFacts) -> dict[Key, Row]:
    """Every index row that these facts ask for, now or as of an earlier time (a run may not have streamed yet then)."""
    job = owner(facts)
    if job is None:
        return {}
    return {row.key: row for row in (*_of_job(run, facts, job), *_of_datasets(run, facts, job))}


def _of_job(run: RunKey, facts: RunFacts, job: JobId) -> Iterator[Row]:
    pk = job_pk(job)
    if not facts.declared:
        yield Row(pk, f"RUN#{facts.first or EARLIEST}#{run}")
    location, code = code_of(facts)
    told = sorted(map(dataset_of, datasets_ever_with_columns(facts)))
    for time in effective_times(facts):
        version = version_at(facts, time)
        yield Row(pk, f"{'WITH_IO' if has_io(facts) else 'WITHOUT_IO'}#{time}#{run}")
        if version:
            inputs, outputs = io_at(facts, time)
            sides = {"inputs": list(map(text_of, inputs)), "outputs": list(map(text_of, outputs))}
            yield Row(pk, f"VERSION#{version}", {**sides, "location": location, "code": code})
            yield Row(pk, f"VERSION_RUN#{version}#{time}#{run}")
        for dataset in told:
            yield Row(pk, f"{columns_prefix(dataset)}#{time}#{run}")


def _of_datasets(run: RunKey, facts: RunFacts, job: JobId) -> Iterator[Row]:
    if not effective_times(facts):
        return
    sources = sorted(ever_sources(facts) - facts.inputs.keys())
    for direction, side in (("READER", facts.inputs), ("PRODUCER", facts.outputs), ("SOURCE_OF", sources)):
        for text in side:
            yield Row(dataset_pk(dataset_of(text)), f"EVER#{direction}#{job.digest}", {"job": text_of(job)})
    if not facts.declared:
        for dataset in map(dataset_of, facts.outputs):
            yield from _of_versions(run, facts, job, dataset)


def _of_versions(run: RunKey, facts: RunFacts, job: JobId, dataset: DatasetId) -> Iterator[Row]:
    pk = dataset_pk(dataset)
    parent = parent_run(facts)
    storage = storage_version(facets_of(facts.written_facets.get(text_of(dataset), {})))
    yield Row(pk, f"VERSION_ID#{run_version_id(dataset, job.namespace, run.id)}", {"run": str(run)})
    if facts.streaming:
        yield from (Row(pk, f"ACTIVE#{time}#{run}") for time in effective_times(facts))
    for prefix, time in _made(facts, dataset):
        yield Row(pk, f"{prefix}#{time}#{run}")
        if parent:
            yield Row(pk, f"BY_PARENT#{parent}#{time}#{run}")
        if storage:
            yield Row(pk, f"BY_STORAGE#{storage_key(storage)}#{time}#{run}")


def _made(facts: RunFacts, dataset: DatasetId) -> Iterator[tuple[str, str]]:
    """When its version was made, as of any time: G of a run that did not fail, X of one that did."""
    first = facts.outputs[text_of(dataset)]
    if is_active_stream(facts):
        yield "VERSION", first
    for terminal in facts.terminals:
        time, _, state = terminal.split("#")
        prefix = "VERSION" if state == "COMPLETED" else "FAILED"
        yield prefix, time
        if facts.streaming:
            yield prefix, first
            yield "VERSION", first  # while it was live


def columns_prefix(dataset: DatasetId) -> str:
    """Where a job's runs that told of the columns of a dataset lie among its rows."""
    return f"COLUMNS#{dataset.digest[:32]}"


def storage_key(version: str) -> str:
    """A storage's version as part of a sort key."""
    return hashlib.sha256(version.encode()).hexdigest()[:32]


# As many go and as many come in a transaction of 99, with what else moves.
EXACT_MAX = 45


def transactional_rows(run: RunKey, facts: RunFacts) -> dict[Key, Row]:
    """The rows that move with the facts."""
    return dict(islice(time_range_rows(run, facts).items(), EXACT_MAX))


def overflow_rows(run: RunKey, facts: RunFacts) -> dict[Key, Row]:
    """The rows for which the reader asks the facts."""
    rest = islice(time_range_rows(run, facts), EXACT_MAX, None)
    return {key: Row(*key, {"unverified": True}) for key in rest}


def time_range_rows(run: RunKey, facts: RunFacts) -> dict[Key, Row]:
    """Every row of a run, by key and in the order of keys."""
    rows = _rows(run, facts) if facts.first else iter(())
    return {row.key: row for row in sorted(rows, key=lambda row: row.key)}


def _rows(run: RunKey, facts: RunFacts) -> Iterator[Row]:
    job = owner(facts)
    place = f"{facts.first}#{run}"
    shared = {
        "job": text_of(job) if job else None,
        "root": str(root_run(run, facts)),
        "declared": bool(facts.declared),
        "state": None if facts.declared else state(facts),
    }
    written = _written(facts)
    read: dict[IdText, dict[IdText, Any]] = {text: {} for text in facts.inputs}
    for dataset, told in written.items():
        yield Row(dataset_pk(dataset_of(dataset)), f"BACKWARD#{place}", {**shared, **told})
        for source in told["sources"]:
            read.setdefault(source, {})[dataset] = told["refs"]
    by_operations = read_by(facts)
    for source in {**read, **by_operations}:
        told = {"outputs": read.get(source, {}), "reads": by_operations.get(source, [])}
        yield Row(dataset_pk(dataset_of(source)), f"FORWARD#{place}", {**shared, **told})


def _written(facts: RunFacts) -> Mapping[IdText, Mapping[str, Any]]:
    """By dataset that it wrote or told of: its tellings, and what it depends on (all inputs, if nothing was told)."""
    found = {}
    for dataset in sorted(facts.outputs.keys() | datasets_with_columns(facts)):
        told = reported_columns(facts, dataset)
        sources = sorted(facts.inputs) if told is None and not is_explicit(facts) else []
        found[dataset] = {
            "refs": list(told.refs) if told else [],
            "sources": list(told.sources) if told else sources,
        }
    return found

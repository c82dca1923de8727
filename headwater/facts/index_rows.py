"""The index rows of runs, and of jobs with a parent: written before the facts, checked when read (see `keys`).

A parent's partition lists its child jobs and child runs, by their parent run facets. Rows never move, so a reader
checks each row against the facts: a job may get another parent, and a run may turn out to have started earlier.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from headwater.facts.facet_refs import datasets_ever_with_columns, ever_sources, is_explicit
from headwater.facts.facts import IdText, JobFacts, RunFacts, dataset_of, facets_of, text_of
from headwater.facts.keys import dataset_pk, job_pk, run_pk, sortable
from headwater.facts.run_facts import (
    code_of,
    effective_times,
    has_io,
    is_active_stream,
    parent_of,
    parent_run,
    storage_version,
)
from headwater.facts.run_io import io_at, version_at, version_times
from headwater.facts.run_reports import running_rows, transactional_rows
from headwater.facts.stream_rows import stream_positions
from headwater.facts.table import Key, Row, RowQuery
from headwater.times import EARLIEST
from headwater_model.ids import DatasetId, JobId, RunKey, namespace_hash, sha256_hex

_CHILD = "CHILD#"
# The prefix of a job's runs with a `lineage` facet, perhaps without datasets.
LINEAGE_WITHOUT_IO = "LINEAGE_WITHOUT_IO"
# In place of the time. Among a dataset's versions, rows with it are read first.
_STREAMED = "STREAMED"


def child_job_rows(job: JobId, facts: JobFacts) -> Iterator[Row]:
    """Yield the row of a job in its parent's partition; a job is no child of itself."""
    parent = parent_of(facts.parents)
    if parent is not None and parent.job != job:
        end = f"{namespace_hash(job.namespace)}#{sortable(job.name)}#{job.digest[:16]}"
        yield Row(job_pk(parent.job), f"{_CHILD}{end}", {"job": text_of(job)})


def child_run_rows(run: RunKey, facts: RunFacts) -> Iterator[Row]:
    """Yield the row of a run in its parent's partition; a run is no child of itself."""
    parent = parent_run(facts)
    if parent is not None and parent != run:
        yield Row(run_pk(parent.id), f"{_CHILD}{parent.job_hash}#{facts.first or EARLIEST}#{run}")


def child_jobs_query(parent: JobId, namespace: str | None, limit: int) -> RowQuery:
    """Query the possible children of a job, `CHILD#<namespace>#...`; a namespace of None: in all namespaces."""
    prefix = _CHILD if namespace is None else f"{_CHILD}{namespace_hash(namespace)}#"
    return RowQuery(job_pk(parent), prefix=prefix, limit=limit)


def child_runs_query(parent: RunKey, limit: int) -> RowQuery:
    """Query the possible children of a run, `CHILD#<job>#<start>#<run>`, the last started first."""
    return RowQuery(run_pk(parent.id), prefix=f"{_CHILD}{parent.job_hash}#", newest_first=True, limit=limit)


def rows_of(run: RunKey, facts: RunFacts) -> dict[Key, Row]:
    """Make all index rows of these facts, now or as of an earlier time (a stream may have been unknown as such)."""
    rows = {} if transactional_rows(run, facts) else running_rows(run, facts)
    job = facts.job_id
    if job is not None:
        rows |= {row.key: row for row in job_rows(run, facts, job)}
        rows |= {row.key: row for row in dataset_rows(run, facts, job, facts.inputs.keys())}
    return rows


def job_rows(run: RunKey, facts: RunFacts, job: JobId) -> Iterator[Row]:
    """Yield the rows in the job's partition: the run by start and by effective time, its versions and its columns."""
    if not facts.declared:
        yield Row(job_pk(job), f"RUN#{facts.first or EARLIEST}#{run}")
        yield from child_run_rows(run, facts)
    times = effective_times(facts)
    yield from io_rows(run, facts, job, times)
    yield from version_rows(run, facts, job, version_times(facts))
    yield from column_rows(run, facts, job, datasets_ever_with_columns(facts), times)


def io_rows(run: RunKey, facts: RunFacts, job: JobId, times: Iterable[str]) -> Iterator[Row]:
    """Yield the rows `WITH_IO#<time>#<run>`, or `WITHOUT_IO#...`, of the run at these times."""
    times = list(times)
    yield from _placed(job_pk(job), "WITH_IO" if has_io(facts) else "WITHOUT_IO", run, facts, times)
    if _is_ever_explicit_without_io(facts):
        yield from _placed(job_pk(job), LINEAGE_WITHOUT_IO, run, facts, times)


def _is_ever_explicit_without_io(facts: RunFacts) -> bool:
    """True if the run counts, or counted as of an earlier time, with a `lineage` facet but without datasets."""
    if not is_explicit(facts):
        return False
    first = min((*facts.inputs.values(), *facts.outputs.values()), default="~")
    return facts.streaming is not None or any(time < first for time in effective_times(facts))


def version_rows(run: RunKey, facts: RunFacts, job: JobId, times: Iterable[str]) -> Iterator[Row]:
    """Yield the rows of the job versions of the run at these times (see `version_times`)."""
    pk = job_pk(job)
    about = dict(zip(("location", "code"), code_of(facts), strict=True))
    for time in times:
        if version := version_at(facts, time):
            inputs, outputs = map(list, io_at(facts, time))
            yield Row(pk, f"VERSION#{version}", {"inputs": inputs, "outputs": outputs, **about})
            yield Row(pk, f"VERSION_RUN#{version}#{time}#{run}")


def column_rows(
    run: RunKey, facts: RunFacts, job: JobId, datasets: Iterable[IdText], times: Iterable[str]
) -> Iterator[Row]:
    """Yield the rows `COLUMNS#<dataset>#<time>#<run>` of the reporters of these datasets' columns, at these times."""
    for dataset in sorted(map(dataset_of, datasets)):
        yield from _placed(job_pk(job), columns_prefix(dataset), run, facts, times)


def _placed(pk: str, prefix: str, run: RunKey, facts: RunFacts, times: Iterable[str]) -> Iterator[Row]:
    """Yield the rows under a prefix at the places of these times."""
    return (Row(pk, f"{name}#{place}#{run}") for name, place in stream_positions(prefix, facts, times))


def dataset_rows(run: RunKey, facts: RunFacts, job: JobId, inputs: Set[IdText]) -> Iterator[Row]:
    """Yield the rows in the datasets' partitions: readers, producers and sources ever, and versions.

    The facts may be reduced to a part of the run's datasets. `inputs` are all its inputs: inputs are no sources.
    """
    if not effective_times(facts):
        return
    sources = sorted(ever_sources(facts) - inputs)
    yield from ever_rows(job, facts.inputs, facts.outputs)
    yield from (_ever(text, "SOURCE_OF", job) for text in sources)
    if not facts.declared:
        for dataset in map(dataset_of, facts.outputs):
            yield from _of_versions(run, facts, dataset)


def ever_rows(job: JobId, inputs: Iterable[IdText], outputs: Iterable[IdText]) -> Iterator[Row]:
    """Yield the rows of a job as a past reader and producer of these datasets; a stored node has them already."""
    yield from (_ever(text, "READER", job) for text in inputs)
    yield from (_ever(text, "PRODUCER", job) for text in outputs)


def _ever(text: IdText, direction: str, job: JobId) -> Row:
    return Row(dataset_pk(dataset_of(text)), f"EVER#{direction}#{job.digest}", {"job": text_of(job)})


def _of_versions(run: RunKey, facts: RunFacts, dataset: DatasetId) -> Iterator[Row]:
    """Yield the rows of a dataset's versions: by time, by parent and by storage."""
    pk = dataset_pk(dataset)
    parent = parent_run(facts)
    storage = storage_version(facets_of(facts.written_facets.get(text_of(dataset), {})))
    if facts.streaming:
        yield from active_rows(run, facts, dataset, effective_times(facts))
    for prefix, time in _created(facts, dataset):
        yield Row(pk, f"{prefix}#{time}#{run}")
        if parent:
            yield Row(pk, f"BY_PARENT#{parent}#{time}#{run}")
        if storage:
            yield Row(pk, f"{storage_prefix(storage)}#{time}#{run}")


def active_rows(run: RunKey, facts: RunFacts, dataset: DatasetId, times: Iterable[str]) -> Iterator[Row]:
    """Yield the rows `ACTIVE#<time>#<run>` of a stream's writes of a dataset: from its first mention, and at ends."""
    ends, first = facts.ends, facts.outputs[text_of(dataset)]
    written = (time for time in times if time >= first or time in ends)
    return _placed(dataset_pk(dataset), "ACTIVE", run, facts, written)


def _created(facts: RunFacts, dataset: DatasetId) -> Iterator[tuple[str, str]]:
    """Yield the prefix and time of each version of the dataset, as of any time: FAILED if the run failed."""
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
    """Name the prefix `COLUMNS#<dataset>` of a job's runs with columns of a dataset."""
    return f"COLUMNS#{dataset.digest[:32]}"


def storage_prefix(version: str) -> str:
    """Name the prefix, `BY_STORAGE#<hash>`, of a dataset's versions by a storage's own version."""
    return f"BY_STORAGE#{sha256_hex(version)[:32]}"


def streamed_version(dataset: DatasetId, storage: str, run: RunKey) -> Row:
    """Make the row of a storage's version by a stream; further runs may have the same version."""
    return Row(dataset_pk(dataset), f"{storage_prefix(storage)}#{_STREAMED}#{run}")


def is_of_stream(row: Row) -> bool:
    """True for a row of `streamed_version`."""
    return row.sk.split("#")[-2] == _STREAMED

"""The index rows of runs, and of jobs with a parent: written before the facts, checked when read (see `keys`).

A parent's partition lists its child jobs and child runs, by their parent run facets. Rows never move, so a reader
checks each row against the facts: a job may get another parent, and a run may turn out to have started earlier.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import replace

import orjson

from headwater.facts.facet_refs import datasets_ever_with_columns, ever_sources, is_explicit
from headwater.facts.facts import DatasetFacts, IdText, JobFacts, RunFacts, dataset_of, facets_of, text_of
from headwater.facts.keys import dataset_pk, facts_key, job_pk, run_pk, sortable
from headwater.facts.lattice import CONTENTS_MAX
from headwater.facts.run_facts import (
    code_of,
    effective_time,
    effective_times,
    has_io,
    is_active_stream,
    owner,
    parent_of,
    parent_run,
    storage_version,
)
from headwater.facts.run_io import io_at, version_at, version_times
from headwater.facts.run_reports import UNVERIFIED, RunReports, unverified_row
from headwater.facts.stream_rows import stream_positions
from headwater.facts.table import Key, Row, RowQuery
from headwater.times import EARLIEST
from headwater_model.ids import DatasetId, JobId, RunKey, namespace_hash, sha256_hex

_CHILD = "CHILD#"
# The prefix of a job's runs with a `lineage` facet, perhaps without datasets.
LINEAGE_WITHOUT_IO = "LINEAGE_WITHOUT_IO"
# In place of the time. Among a dataset's versions, rows with it are read first.
_STREAMED = "STREAMED"
# A transaction of 99 rows deletes and writes up to so many each, with room for further rows.
EXACT_MAX = 45
# Of the 4 MB of a transaction: the facts, in the bucket from 300 KB on, and counters take the rest.
EXACT_BYTES_MAX = 1_000_000


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
    job = owner(facts)
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


def transactional_rows(run: RunKey, facts: RunFacts) -> dict[Key, Row]:
    """Make the reports `BACKWARD#...`, `FORWARD#...`: all of a run that counts, if they fit, or none.

    The end of a run that goes on changes all rows again. In a wide run each row would repeat the names of the run's
    other side, so rows of wide runs leave the names to the facts.
    """
    if not effective_time(facts) or _is_wide(facts):
        return {}
    reports = RunReports(run, facts)
    if len(reports.keys) > EXACT_MAX:
        return {}
    rows = {key: reports.row(*key_of) for key, key_of in reports.keys.items()}
    return rows if sum(len(orjson.dumps(row.data)) for row in rows.values()) <= EXACT_BYTES_MAX else {}


def late_reports(run: RunKey, old: RunFacts, new: RunFacts, delta: RunFacts) -> Iterator[Row]:
    """Yield the reports of a run that counts for the first time, or with repeated events: a loader may have died.

    A row without a predecessor has version 1, a row in place of an unverified row version 2.
    """
    counted = transactional_rows(run, old)
    forgotten = min(old.times) if len(old.times) >= CONTENTS_MAX else ""
    if counted and not any(time in old.times or time < forgotten for time in delta.times):
        return
    running = () if counted else running_rows(run, old)
    for key, row in transactional_rows(run, new).items():
        yield replace(row, version=2 if key in running else 1)


def changed_reports(run: RunKey, old: RunFacts, new: RunFacts) -> Iterator[Row]:
    """Yield the changed reports of a run that counted before, and unverified rows in place of lost reports.

    The version keeps late rows of a slower loader away.
    """
    before = transactional_rows(run, old)
    if not before:
        return
    stay = RunReports(run, new).keys
    lost = {key: row for key, row in unverified_rows(run, old).items() if key not in stay}
    for key, row in {**transactional_rows(run, new), **lost}.items():
        if before.get(key) != row:
            yield replace(row, version=1)


def _is_wide(facts: RunFacts) -> bool:
    """True if the run has more rows than a transaction holds: a row for each input and output."""
    return len(facts.inputs) + len(facts.outputs) > EXACT_MAX


def unverified_rows(run: RunKey, facts: RunFacts) -> dict[Key, Row]:
    """Make the rows for a run whose rows do not move with the facts: readers check them against the facts."""
    return {key: Row(*key, UNVERIFIED) for key in RunReports(run, facts).keys}


def running_rows(run: RunKey, facts: RunFacts) -> dict[Key, Row]:
    """Make the unverified rows of a run that goes on, without the rows in the facts of its datasets (`uses`)."""
    in_facts = {"BACKWARD": facts.outputs, "FORWARD": facts.inputs} if has_begun_alone(facts) else {}
    keys = RunReports(run, facts).keys
    return {key: Row(*key, UNVERIFIED) for key, (kind, text) in keys.items() if text not in in_facts.get(kind, ())}


def has_begun_alone(facts: RunFacts) -> bool:
    """True for a run with a START alone, unless it is wide: the facts of its datasets have its start."""
    return list(facts.times) == [facts.first] and not (facts.first_other or facts.streaming or _is_wide(facts))


def begun_uses(run: RunKey, facts: RunFacts) -> Iterator[tuple[Key, str, Row]]:
    """Yield the uses of datasets by a run with a START alone: the key of the facts, the name in `uses`, and the row."""
    for kind, texts in (("BACKWARD", facts.outputs), ("FORWARD", facts.inputs)) if has_begun_alone(facts) else ():
        for dataset in map(dataset_of, texts):
            use = f"{kind}#{run}"
            yield facts_key(dataset), use, unverified_row(dataset_pk(dataset), use, facts.first or "")


def left_out_rows(dataset: DatasetId, old: DatasetFacts, new: DatasetFacts, delta: DatasetFacts) -> Iterator[Row]:
    """Yield the unverified rows of runs with a START alone without room in the new facts: of old runs and new runs."""
    for key, (time, has_gone_on) in (*old.uses.items(), *delta.uses.items()):
        if not has_gone_on and key not in new.uses:
            yield unverified_row(dataset_pk(dataset), key, time)

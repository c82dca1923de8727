"""Facts of an event about jobs, runs and namespaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headwater.events.event import TERMINAL, DatasetUse, Event, Facets
from headwater.facts.facet_refs import LINEAGE, is_reference, ref_of
from headwater.facts.facts import Histories, JobFacts, NamespaceFacts, RunFacts, text_of
from headwater.facts.facts_delta import Added, Report, histories_of, references_in
from headwater.facts.index_rows import streamed_version
from headwater.facts.lattice import history_of
from headwater.facts.run_facts import storage_version
from headwater.facts.run_io import window_of

# Facets of an input with the version read; the rest is stored with the dataset alone.
_OF_INPUTS = frozenset({"version"})
# Facets of a run about its job: dbt sends the tags of a model there.
_OF_JOB_BY_RUN = frozenset({"tags"})


def jobs(report: Report) -> Iterator[Added]:
    """Yield the mention of the event's job: facets, parents, and the first times of columns, streams and lineage."""
    event = report.event
    if event.job is None:
        return
    reported = {text for reference in references_in(event) for text in reference["outputs"]}
    # With columns outside its outputs, the reporters of the job's columns must be searched (`job_nodes`).
    foreign = reported - {text_of(use.dataset) for use in event.outputs}
    of_run = {name: event.run_facets[name] for name in _OF_JOB_BY_RUN & event.run_facets.keys()}
    yield (
        event.job,
        JobFacts(
            first=event.time,
            last=event.time,
            mentioned_at=(event.time,),
            facets=histories_of(event.job_facets, event.stamp),
            run_facets=histories_of(of_run, event.stamp),
            parents=_parents(event),
            first_columns=event.time if reported else None,
            first_foreign_columns=event.time if foreign else None,
            first_streamed=event.time if _streams(event) else None,
            first_explicit=event.time if is_reference(event.job_facets.get(LINEAGE, {})) else None,
        ),
    )


def runs(report: Report) -> Iterator[Added]:
    """Yield the facts of a run event or a JobEvent; a JobEvent counts as a run, completed at once."""
    event, stamp = report.event, report.event.stamp
    if event.job is None:
        return
    declared = event.kind == "JOB"
    state = "COMPLETED" if declared else TERMINAL.get(event.type or "")
    lineage = ref_of(event.job_facets.get(LINEAGE, {}))
    yield (
        report.run,
        RunFacts(
            job=text_of(event.job),
            first=event.time,
            last=event.time,
            first_typed=event.time if event.type else None,
            first_other=event.time if event.type != "START" else None,
            streaming=event.time if _streams(event) else None,
            declared=event.time if declared else None,
            times=(event.time,),
            starts=(event.time,) if event.type == "START" else (),
            terminals=(f"{stamp}#{state}",) if state else (),
            parents=_parents(event),
            inputs={text_of(use.dataset): event.time for use in event.inputs},
            outputs={text_of(use.dataset): event.time for use in event.outputs},
            job_sources={text_of(source): event.time for source in report.job_sources},
            windows=window_of(event, stamp, lineage, report.job_sources),
            run_facets=histories_of(event.run_facets, stamp),
            job_facets=histories_of(event.job_facets, stamp),
            input_facets=_used(event.inputs, stamp),
            output_facets=_used(event.outputs, stamp),
            read_facets=_described(event.inputs, stamp, only=_OF_INPUTS),
            written_facets=_described(event.outputs, stamp),
        ),
    )


def _used(uses: Iterable[DatasetUse], stamp: str) -> Mapping[str, Histories]:
    return {text_of(use.dataset): histories_of(use.use_facets, stamp) for use in uses if use.use_facets}


def _described(uses: Iterable[DatasetUse], stamp: str, only: frozenset[str] | None = None) -> Mapping[str, Histories]:
    described = {}
    for use in uses:
        facets = {name: body for name, body in use.facets.items() if only is None or name in only}
        if facets:
            described[text_of(use.dataset)] = histories_of(facets, stamp)
    return described


def _streams(event: Event) -> bool:
    """True for a run's event whose job declares long-lived runs: their lineage counts before they end."""
    kind = event.job_facets.get("jobType", {}).get("processingType")
    return event.kind == "RUN" and isinstance(kind, str) and kind.upper() in ("STREAMING", "SERVICE")


def _parents(event: Event) -> Mapping[str, Any]:
    if event.parent is None:
        return {}
    parent = {"run": event.parent.run, "namespace": event.parent.job.namespace, "job": event.parent.job.name}
    if event.root is not None:
        root = event.root
        parent |= {"root": root.run, "rootNamespace": root.job.namespace, "rootJob": root.job.name}
    return history_of(parent, event.stamp)


def streamed_versions(report: Report) -> Iterator[Added]:
    """Yield a row for each storage version made by a stream; its facts hold the last version alone."""
    event, run = report.event, report.run
    for use in event.outputs if run and _streams(event) else ():
        if run and (storage := storage_version(use.facets)):
            yield streamed_version(use.dataset, storage, run)


def dependents(report: Report) -> Iterator[Added]:
    """Yield the event's job as a dependent of the jobs in its edges."""
    event = report.event
    for other in report.other_jobs if event.job else ():
        if event.job:
            yield other, JobFacts(dependents={text_of(event.job): event.time})


def parents(report: Report) -> Iterator[Added]:
    """Yield the mentions of the parent and the root, with the event's facets of their jobs."""
    event = report.event
    for parent, facets in ((event.parent, event.parent_facets), (event.root, event.root_facets)):
        if parent is not None:
            yield parent.key, RunFacts(job=text_of(parent.job), named_first=event.time, named_last=event.time)
            yield parent.job, _named_job(event, facets)
    if event.parent is not None and event.parent.job != event.job:
        yield event.parent.job, JobFacts(is_parent=True)


def _named_job(event: Event, facets: Facets) -> JobFacts:
    named = histories_of(facets, event.stamp)
    return JobFacts(first=event.time, last=event.time, mentioned_at=(event.time,), named_facets=named)


def namespaces(report: Report) -> Iterator[Added]:
    """Yield the mentions of the namespaces of the event's datasets and jobs."""
    event = report.event
    jobs_of = (event.job, *(run.job for run in (event.parent, event.root) if run))
    names = {job.namespace for job in jobs_of if job} | {mention.use.dataset.namespace for mention in report.mentions}
    for name in sorted(names):
        yield namespace_mention(name, event.time)


def namespace_mention(name: str, time: str) -> Added:
    """Make the mention of a namespace."""
    return name, NamespaceFacts(first=time, last=time, mentioned_at=(time,))

"""The facts delta of an event: what it adds to the facts of everything it mentions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from headwater.events.event import TERMINAL, ApiChange, DatasetUse, Event, Facets, ParentRun, Renaming, is_deleted
from headwater.facts.assertions import (
    METRICS,
    facts_of,
    metrics_in,
    results_of_dataset,
    results_of_run,
    results_row,
)
from headwater.facts.facet_refs import LINEAGE, OF_DATASETS, OF_JOBS, OF_RUNS, is_reference, ref_of
from headwater.facts.facts import (
    NO_PARENT,
    DatasetFacts,
    Histories,
    JobFacts,
    RunFacts,
    dataset_of,
    text_of,
)
from headwater.facts.facts_delta import FactsDelta, add, add_api_change
from headwater.facts.index_rows import streamed_version
from headwater.facts.job_edges import jobs_reported
from headwater.facts.keys import dataset_pk, job_pk
from headwater.facts.lattice import history_of
from headwater.facts.list_rows import failure_rows, sources_in
from headwater.facts.run_facts import storage_version
from headwater.facts.table import Row
from headwater.facts.windows import window_of
from headwater_model.ids import DatasetId, JobId, RunKey, name_uuid

Statement: TypeAlias = Event | ApiChange | Renaming
# A dataset in an event: read or written by a run, or declared by a Job- or DatasetEvent.
_Role: TypeAlias = Literal["input", "output", "described"]

# Facets of an input that show which version was read; the rest is stored with the dataset.
_OF_INPUTS = frozenset({"version"})
# A reader may know a part (its projection) of these facets, and a run that fails does not write them.
_OF_USES = frozenset({"schema"})
# Facets of a run that describe its job: dbt sends the tags of a model there.
_OF_JOB_BY_RUN = frozenset({"tags"})


def delta_of(statements: Iterable[Statement]) -> FactsDelta:
    """Return the facts that these statements add together."""
    delta = FactsDelta()
    for statement in statements:
        if isinstance(statement, Event):
            _event(delta, statement)
        elif isinstance(statement, Renaming):
            _renaming(delta, statement)
        else:
            add_api_change(delta, statement)
    return delta


def _renaming(delta: FactsDelta, renaming: Renaming) -> None:
    """Add a mention of a dataset with its other names."""
    time, stamp, dataset = renaming.time, f"{renaming.time}#{renaming.hash}", renaming.dataset
    facts = DatasetFacts(first=time, last=time, mentioned_at=(time,), mentioned_undropped_at=(time,))
    add(delta.datasets, dataset, replace(facts, other_names={text_of(other): stamp for other in renaming.others}))
    for other in renaming.others:
        add(delta.datasets, other, DatasetFacts(aliases={text_of(dataset): (stamp,)}))
    delta.mention(time, dataset.namespace)


def _event(delta: FactsDelta, sent: Event) -> None:
    """Add the facts of an event: of its datasets, its job and run, its parent and root."""
    event = _with_references(delta, sent)
    stamp = f"{event.time}#{event.hash}"
    delta.senders[stamp] = event.job, event.run
    _datasets(delta, event, stamp)
    _assertions(delta, event, stamp)
    if event.job is not None:
        _users(delta, event, event.job)
        add(delta.jobs, event.job, _job_facts(event, stamp))
        delta.mention(event.time, event.job.namespace)
        run = RunKey.of(event.job, event.run or name_uuid(event.hash))
        sources, others = jobs_reported(sent)
        add(delta.runs, run, _run_facts(event, stamp, sources))
        for other in others:
            add(delta.jobs, other, JobFacts(dependents={text_of(event.job): event.time}))
        delta.rows += _streamed_versions(event, run)
    for parent, facets in ((event.parent, event.parent_facets), (event.root, event.root_facets)):
        if parent is not None:
            _parent(delta, parent, stamp, facets)
    if event.parent is not None and event.parent.job != event.job:
        add(delta.jobs, event.parent.job, JobFacts(is_parent=True))


def _datasets(delta: FactsDelta, event: Event, stamp: str) -> None:
    """Add the facts of the inputs, outputs, the described dataset, and further sources of columns."""
    reads = event.kind != "RUN"
    parent_run = None if reads else str(event.parent.key) if event.parent else NO_PARENT
    dropped = {use.dataset for use in (*event.inputs, *event.outputs) if _drops(use)}
    named = frozenset(event.named)
    for use in [mention for mention in event.inputs if mention.dataset not in named]:
        _dataset(delta, use, stamp, parent_run, reads=True, role="input", drops=use.dataset in dropped)
    for use in event.outputs:
        role: _Role = "described" if reads else "output"
        _dataset(delta, use, stamp, parent_run, reads=reads, role=role, drops=use.dataset in dropped)
        add(delta.datasets, use.dataset, DatasetFacts(first_written=event.time))
    if event.kind == "DATASET":
        _description(delta, event, stamp)
    for source in sorted({*_other_sources(event)} - named):
        _dataset(delta, DatasetUse(source), stamp, parent_run, reads=True)
    for dataset in named:
        # Graphs of the event's job show it; nothing else changes.
        add(delta.datasets, dataset, DatasetFacts(named_first=event.time, named_at=(event.time,)))


def _assertions(delta: FactsDelta, event: Event, stamp: str) -> None:
    """Add the results of tests, and the measures of datasets, that the event may report."""
    named = frozenset(event.named)
    uses: dict[DatasetId, list[DatasetUse]] = {}
    for use in (*event.inputs, *event.outputs, *([event.dataset] if event.dataset else [])):
        if use.dataset not in named:
            uses.setdefault(use.dataset, []).append(use)
            for facet in metrics_in(use):
                add(delta.datasets, use.dataset, DatasetFacts(facets=_histories({METRICS: facet}, stamp)))
    for dataset in sorted(uses):
        if results := results_of_dataset(uses[dataset]):
            facts = facts_of(results, stamp)
            add(delta.datasets, dataset, DatasetFacts(assertions=facts))
            delta.rows += [results_row(dataset_pk(dataset), event, results), *failure_rows(dataset, facts)]
    if event.job is not None and (results := results_of_run(event)):
        facts = facts_of(results, stamp)
        add(delta.jobs, event.job, JobFacts(assertions=facts))
        delta.rows += [results_row(job_pk(event.job), event, results), *failure_rows(event.job, facts)]


def _users(delta: FactsDelta, event: Event, job: JobId) -> None:
    """Add the job to the users of its inputs and outputs."""
    user = {text_of(job): event.time}
    for use in event.inputs:
        add(delta.datasets, use.dataset, DatasetFacts(read_by=user))
    for use in event.outputs:
        add(delta.datasets, use.dataset, DatasetFacts(written_by=user))


def _with_references(delta: FactsDelta, event: Event) -> Event:
    """Return the event with references in place of the facets that are stored by content."""
    named = frozenset(event.named)

    def replaced(use: DatasetUse) -> DatasetUse:
        return replace(use, facets=delta.replace_facets(use.facets, OF_DATASETS, named, use.dataset))

    return replace(
        event,
        dataset=replaced(event.dataset) if event.dataset else None,
        inputs=tuple(map(replaced, event.inputs)),
        outputs=tuple(map(replaced, event.outputs)),
        run_facets=delta.replace_facets(event.run_facets, OF_RUNS, named),
        job_facets=delta.replace_facets(event.job_facets, OF_JOBS, named),
    )


def _references(event: Event) -> Iterator[Mapping[str, Any]]:
    """Yield the references to the column lineage that this event reports."""
    uses = (*event.outputs, *([event.dataset] if event.dataset else []))
    groups = [(event.run_facets, OF_RUNS), (event.job_facets, OF_JOBS), *((use.facets, OF_DATASETS) for use in uses)]
    for facets, names in groups:
        yield from (facets[name] for name in names if name in facets and is_reference(facets[name]))


def _other_sources(event: Event) -> list[DatasetId]:
    """Return the datasets that columns come from but that the event does not name itself."""
    named = {use.dataset for use in (*event.inputs, *event.outputs, *([event.dataset] if event.dataset else []))}
    reported = {
        source for reference in _references(event) for sources in reference["outputs"].values() for source in sources
    }
    return sorted(set(map(dataset_of, reported)) - named)


def _dataset(
    delta: FactsDelta,
    use: DatasetUse,
    stamp: str,
    parent_run: str | None,
    *,
    reads: bool,
    role: _Role = "described",
    drops: bool = False,
) -> None:
    """Add the facts of a dataset in an event; `drops` if the event drops it, in this mention or another."""
    time = stamp.partition("#")[0]
    separate = use.facets.keys() & _OF_USES if role != "described" else set()
    schemas = _histories({name: use.facets[name] for name in separate}, stamp)
    facts = DatasetFacts(
        first=time,
        last=time,
        mentioned_at=(time,),
        first_read=time if reads else None,
        facets=_histories({name: use.facets[name] for name in use.facets.keys() - separate}, stamp),
        read_schemas=schemas if role == "input" else {},
        written_schemas=schemas if role == "output" else {},
        dropped_at=(time,) if drops else (),
        mentioned_undropped_at=() if drops else (time,),
        temporary=time if use.temporary else None,
        parent_runs={parent_run: time} if parent_run else {},
        other_names={text_of(other): stamp for other in symlinks(use)},
    )
    add(delta.datasets, use.dataset, facts)
    delta.mention(time, use.dataset.namespace)
    for source, reported in sources_in(use, time):
        add(delta.sources, source, reported)
    for other in symlinks(use):
        add(delta.datasets, other, DatasetFacts(aliases={text_of(use.dataset): (stamp,)}))


def _drops(use: DatasetUse) -> bool:
    return use.facets.get("lifecycleStateChange", {}).get("lifecycleStateChange") == "DROP"


def symlinks(use: DatasetUse) -> Iterator[DatasetId]:
    """Yield the other names of the dataset in its `symlinks` facet."""
    facet = use.facets.get("symlinks", {})
    if is_deleted(facet):
        return
    for identifier in facet.get("identifiers") or ():
        other = DatasetId(identifier["namespace"], identifier["name"])
        if other != use.dataset:
            yield other


def _description(delta: FactsDelta, event: Event, stamp: str) -> None:
    """Add the facts of a DatasetEvent: its description, its row, and the columns that it declares."""
    use = event.dataset
    if use is None:
        return
    _dataset(delta, use, stamp, None, reads=True, drops=_drops(use))
    add(delta.datasets, use.dataset, DatasetFacts(first_described=event.time))
    delta.rows.append(Row(dataset_pk(use.dataset), f"EVENT#{stamp}", {"facets": dict(use.facets)}))
    declared = next(_references(event), None)
    text = text_of(use.dataset)
    for source in declared["outputs"].get(text, ()) if declared else ():
        add(delta.datasets, dataset_of(source), DatasetFacts(derived={text: event.time}))
    if not use.facets.keys().isdisjoint(OF_DATASETS):
        # A deleted facet (`_deleted`) withdraws the earlier declaration.
        add(delta.datasets, use.dataset, DatasetFacts(declarations={stamp: declared or {"outputs": {}}}))
    if declared is not None:
        run = RunKey.of(use.dataset, name_uuid(event.hash))
        add(delta.runs, run, _declaration(event, use, stamp))


def _declaration(event: Event, use: DatasetUse, stamp: str) -> RunFacts:
    """Return a DatasetEvent that reports columns as a run: of no job, completed when it began."""
    return RunFacts(
        first=event.time,
        last=event.time,
        declared=event.time,
        times=(event.time,),
        terminals=(f"{stamp}#COMPLETED",),
        outputs={text_of(use.dataset): event.time},
        written_facets=_described([use], stamp, only=frozenset(OF_DATASETS)),
    )


def _job_facts(event: Event, stamp: str) -> JobFacts:
    reported = {text for reference in _references(event) for text in reference["outputs"]}
    foreign = reported - {text_of(use.dataset) for use in event.outputs}
    return JobFacts(
        first=event.time,
        last=event.time,
        mentioned_at=(event.time,),
        facets=_histories(event.job_facets, stamp),
        run_facets=_histories(
            {name: event.run_facets[name] for name in _OF_JOB_BY_RUN & event.run_facets.keys()}, stamp
        ),
        parents=_parents(event, stamp),
        first_columns=event.time if reported else None,
        first_foreign_columns=event.time if foreign else None,
        first_streamed=event.time if event.kind == "RUN" and _streams(event) else None,
        first_explicit=event.time if is_reference(event.job_facets.get(LINEAGE, {})) else None,
    )


def _run_facts(event: Event, stamp: str, job_sources: Set[JobId]) -> RunFacts:
    """Return the facts of a run event or JobEvent; a JobEvent is a run that completed at once."""
    declared = event.kind == "JOB"
    state = "COMPLETED" if declared else TERMINAL.get(event.type or "")
    return RunFacts(
        job=text_of(event.job) if event.job else None,
        first=event.time,
        last=event.time,
        first_typed=event.time if event.type else None,
        streaming=event.time if not declared and _streams(event) else None,
        declared=event.time if declared else None,
        times=(event.time,),
        starts=(event.time,) if event.type == "START" else (),
        terminals=(f"{stamp}#{state}",) if state else (),
        parents=_parents(event, stamp),
        inputs={text_of(use.dataset): event.time for use in event.inputs},
        outputs={text_of(use.dataset): event.time for use in event.outputs},
        job_sources={text_of(source): event.time for source in job_sources},
        windows=window_of(event, stamp, ref_of(event.job_facets.get(LINEAGE, {})), job_sources),
        run_facets=_histories(event.run_facets, stamp),
        job_facets=_histories(event.job_facets, stamp),
        input_facets=_used(event.inputs, stamp),
        output_facets=_used(event.outputs, stamp),
        read_facets=_described(event.inputs, stamp, only=_OF_INPUTS),
        written_facets=_described(event.outputs, stamp),
    )


def _streamed_versions(event: Event, run: RunKey) -> Iterator[Row]:
    """Yield a row for each version of a storage that a stream made; its facts have the last one alone."""
    for use in event.outputs if event.kind == "RUN" and _streams(event) else ():
        if storage := storage_version(use.facets):
            yield streamed_version(use.dataset, storage, run)


def _used(uses: Iterable[DatasetUse], stamp: str) -> Mapping[str, Histories]:
    return {text_of(use.dataset): _histories(use.use_facets, stamp) for use in uses if use.use_facets}


def _described(uses: Iterable[DatasetUse], stamp: str, only: frozenset[str] | None = None) -> Mapping[str, Histories]:
    described = {}
    for use in uses:
        facets = {name: body for name, body in use.facets.items() if only is None or name in only}
        if facets:
            described[text_of(use.dataset)] = _histories(facets, stamp)
    return described


def _streams(event: Event) -> bool:
    """True if the event's job declares that its runs last: their lineage counts before they end."""
    kind = event.job_facets.get("jobType", {}).get("processingType")
    return isinstance(kind, str) and kind.upper() in ("STREAMING", "SERVICE")


def _parent(delta: FactsDelta, parent: ParentRun, stamp: str, facets: Facets) -> None:
    """Add the mention of a parent or root, and the facets by which its child describes its job."""
    time = stamp.partition("#")[0]
    add(delta.runs, parent.key, RunFacts(job=text_of(parent.job), named_first=time, named_last=time))
    add(
        delta.jobs,
        parent.job,
        JobFacts(first=time, last=time, mentioned_at=(time,), named_facets=_histories(facets, stamp)),
    )
    delta.mention(time, parent.job.namespace)


def _parents(event: Event, stamp: str) -> Mapping[str, Any]:
    if event.parent is None:
        return {}
    parent = {"run": event.parent.run, "namespace": event.parent.job.namespace, "job": event.parent.job.name}
    if event.root is not None:
        root = event.root
        parent |= {"root": root.run, "rootNamespace": root.job.namespace, "rootJob": root.job.name}
    return history_of(parent, stamp)


def _histories(facets: Facets, stamp: str) -> Histories:
    return {name: history_of(body, stamp) for name, body in facets.items()}

"""What an event says, as facts of everything it mentions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from lineage.graph.facet_refs import OF_DATASETS, OF_JOBS, OF_RUNS, FacetRef, is_reference, refs_in
from lineage.graph.facts import (
    NO_PARENT,
    DatasetFacts,
    F,
    Histories,
    JobFacts,
    NamespaceFacts,
    RunFacts,
    dataset_of,
    join,
    text_of,
)
from lineage.graph.keys import dataset_pk
from lineage.graph.lattice import history_of
from lineage.graph.table import Row
from lineage.openlineage.event import TERMINAL, DatasetUse, Deletion, Event, Facets, ParentRun
from lineage_model.ids import DatasetId, JobId, RunKey, name_uuid

Change: TypeAlias = Event | Deletion
# A dataset in an event: what is read, what a run writes, or what a Job- or DatasetEvent declares.
_Role: TypeAlias = Literal["input", "output", "described"]

# What of an input's description tells which version was read; the rest is kept with the dataset.
_OF_INPUTS = frozenset({"version"})
# What a reader may know in part (its projection), and what a run that fails does not write.
_OF_USES = frozenset({"schema"})


@dataclass(slots=True)
class FactsDelta:
    """Facts by what they are of (run, job, dataset, namespace), DatasetEvents as rows, and tellings by name."""

    runs: dict[RunKey, RunFacts] = field(default_factory=dict)
    jobs: dict[JobId, JobFacts] = field(default_factory=dict)
    datasets: dict[DatasetId, DatasetFacts] = field(default_factory=dict)
    namespaces: dict[str, NamespaceFacts] = field(default_factory=dict)
    described: list[Row] = field(default_factory=list)
    tellings: dict[str, FacetRef] = field(default_factory=dict)

    def mention(self, time: str, *namespaces: str) -> None:
        """Something in these namespaces was heard of."""
        for namespace in namespaces:
            _add(self.namespaces, namespace, NamespaceFacts(first=time, last=time, mentioned_at=(time,)))

    def keep(self, facets: Facets, names: Iterable[str], dataset: DatasetId | None = None) -> Facets:
        """The facets with references in place of those that are kept by content."""
        kept = dict(facets)
        for name, telling in refs_in(facets, names, dataset):
            self.tellings[telling.id] = telling
            kept[name] = telling.reference
        return kept


def delta_of(statements: Iterable[Change]) -> FactsDelta:
    """What all of them say together."""
    whole = FactsDelta()
    for statement in statements:
        if isinstance(statement, Deletion):
            _deletion(whole, statement)
        else:
            _event(whole, statement)
    return whole


def _deletion(whole: FactsDelta, deletion: Deletion) -> None:
    times = (deletion.time,)
    if deletion.job is not None:
        _add(whole.jobs, deletion.job, JobFacts(deleted_at=times))
    elif deletion.dataset is not None:
        _add(whole.datasets, deletion.dataset, DatasetFacts(deleted_at=times))
    else:
        _add(whole.namespaces, deletion.namespace, NamespaceFacts(deleted_at=times))


def _event(whole: FactsDelta, sent: Event) -> None:
    event = _with_references(whole, sent)
    stamp = f"{event.time}#{event.hash}"
    reads = event.kind != "RUN"
    user = None if reads else str(event.parent.key) if event.parent else NO_PARENT
    dropped = {use.dataset for use in (*event.inputs, *event.outputs) if _drops(use)}
    for use in event.inputs:
        _dataset(whole, use, stamp, user, reads=True, role="input", drops=use.dataset in dropped)
    for use in event.outputs:
        role: _Role = "described" if reads else "output"
        _dataset(whole, use, stamp, user, reads=reads, role=role, drops=use.dataset in dropped)
        _add(whole.datasets, use.dataset, DatasetFacts(first_written=event.time))
    if event.kind == "DATASET":
        _description(whole, event, stamp)
    for source in _other_sources(event):
        _dataset(whole, DatasetUse(source), stamp, user, reads=True)
    if event.job is not None:
        _add(whole.jobs, event.job, _job_facts(event, stamp))
        whole.mention(event.time, event.job.namespace)
        run = RunKey.of(event.job.namespace, event.run or name_uuid(event.hash))
        _add(whole.runs, run, _run_facts(event, stamp))
    for parent in (event.parent, event.root):
        if parent is not None:
            _parent(whole, parent, stamp, event.time)


def _with_references(whole: FactsDelta, event: Event) -> Event:
    """The event with references in place of the facets that are kept by content."""

    def kept(use: DatasetUse) -> DatasetUse:
        return replace(use, facets=whole.keep(use.facets, OF_DATASETS, use.dataset))

    return replace(
        event,
        dataset=kept(event.dataset) if event.dataset else None,
        inputs=tuple(map(kept, event.inputs)),
        outputs=tuple(map(kept, event.outputs)),
        run_facets=whole.keep(event.run_facets, OF_RUNS),
        job_facets=whole.keep(event.job_facets, OF_JOBS),
    )


def _references(event: Event) -> Iterator[Mapping[str, Any]]:
    """The references to what this event tells of columns."""
    uses = (*event.outputs, *([event.dataset] if event.dataset else []))
    places = [(event.run_facets, OF_RUNS), (event.job_facets, OF_JOBS), *((use.facets, OF_DATASETS) for use in uses)]
    for facets, names in places:
        yield from (facets[name] for name in names if name in facets and is_reference(facets[name]))


def _other_sources(event: Event) -> list[DatasetId]:
    """The datasets that columns are told to come from, besides those that the event names itself."""
    named = {use.dataset for use in (*event.inputs, *event.outputs, *([event.dataset] if event.dataset else []))}
    told = {source for one in _references(event) for sources in one["outputs"].values() for source in sources}
    return sorted(set(map(dataset_of, told)) - named)


def _dataset(
    whole: FactsDelta,
    use: DatasetUse,
    stamp: str,
    user: str | None,
    *,
    reads: bool,
    role: _Role = "described",
    drops: bool = False,
) -> None:
    """Add what an event says of a dataset; `drops` if the event drops it, in this mention or another."""
    time = stamp.partition("#")[0]
    apart = use.facets.keys() & _OF_USES if role != "described" else set()
    schemas = _histories({name: use.facets[name] for name in apart}, stamp)
    facts = DatasetFacts(
        first=time,
        last=time,
        mentioned_at=(time,),
        first_read=time if reads else None,
        facets=_histories({name: use.facets[name] for name in use.facets.keys() - apart}, stamp),
        read_schemas=schemas if role == "input" else {},
        written_schemas=schemas if role == "output" else {},
        dropped_at=(time,) if drops else (),
        mentioned_undropped_at=() if drops else (time,),
        temporary=time if use.temporary else None,
        parent_runs={user: time} if user else {},
        other_names={text_of(other): stamp for other in symlinks(use)},
    )
    _add(whole.datasets, use.dataset, facts)
    whole.mention(time, use.dataset.namespace)
    for other in symlinks(use):
        _add(whole.datasets, other, DatasetFacts(aliases={text_of(use.dataset): (stamp,)}))


def _drops(use: DatasetUse) -> bool:
    return use.facets.get("lifecycleStateChange", {}).get("lifecycleStateChange") == "DROP"


def symlinks(use: DatasetUse) -> Iterator[DatasetId]:
    """The other names that the dataset says it has."""
    facet = use.facets.get("symlinks", {})
    if facet.get("_deleted") is True:
        return
    for one in facet.get("identifiers") or ():
        other = DatasetId(one["namespace"], one["name"])
        if other != use.dataset:
            yield other


def _description(whole: FactsDelta, event: Event, stamp: str) -> None:
    use = event.dataset
    if use is None:
        return
    _dataset(whole, use, stamp, None, reads=True, drops=_drops(use))
    _add(whole.datasets, use.dataset, DatasetFacts(first_described=event.time))
    whole.described.append(Row(dataset_pk(use.dataset), f"EVENT#{stamp}", {"facets": dict(use.facets)}))
    declared = next(_references(event), None)
    if not use.facets.keys().isdisjoint(OF_DATASETS):
        # A facet that says that it is deleted takes back what was declared before.
        _add(whole.datasets, use.dataset, DatasetFacts(declarations={stamp: declared or {"outputs": {}}}))
    if declared is not None:
        run = RunKey.of(use.dataset.namespace, name_uuid(event.hash))
        _add(whole.runs, run, _declaration(event, use, stamp))


def _declaration(event: Event, use: DatasetUse, stamp: str) -> RunFacts:
    """A DatasetEvent that tells of columns, as the run that it stands for: of no job, over when it began."""
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
    told = {text for one in _references(event) for text in one["outputs"]}
    apart = told - {text_of(use.dataset) for use in event.outputs}
    return JobFacts(
        first=event.time,
        last=event.time,
        mentioned_at=(event.time,),
        facets=_histories(event.job_facets, stamp),
        parents=_parents(event, stamp),
        first_columns=event.time if told else None,
        first_foreign_columns=event.time if apart else None,
    )


def _run_facts(event: Event, stamp: str) -> RunFacts:
    declared = event.kind == "JOB"
    state = "COMPLETED" if declared else TERMINAL.get(event.type or "")
    job = event.job
    return RunFacts(
        jobs={} if job is None else {text_of(job): stamp},
        first=event.time,
        last=event.time,
        first_typed=event.time if event.type else None,
        streaming=event.time if not declared and _streams(event) else None,
        declared=event.time if declared else None,
        times=(event.time,),
        terminals=(f"{stamp}#{state}",) if state else (),
        parents=_parents(event, stamp),
        inputs={text_of(use.dataset): event.time for use in event.inputs},
        outputs={text_of(use.dataset): event.time for use in event.outputs},
        run_facets=_histories(event.run_facets, stamp),
        job_facets=_histories(event.job_facets, stamp),
        input_facets=_used(event.inputs, stamp),
        output_facets=_used(event.outputs, stamp),
        read_facets=_described(event.inputs, stamp, only=_OF_INPUTS),
        written_facets=_described(event.outputs, stamp),
    )


def _used(uses: Iterable[DatasetUse], stamp: str) -> Mapping[str, Histories]:
    return {text_of(use.dataset): _histories(use.use_facets, stamp) for use in uses if use.use_facets}


def _described(uses: Iterable[DatasetUse], stamp: str, only: frozenset[str] | None = None) -> Mapping[str, Histories]:
    found = {}
    for use in uses:
        facets = {name: body for name, body in use.facets.items() if only is None or name in only}
        if facets:
            found[text_of(use.dataset)] = _histories(facets, stamp)
    return found


def _streams(event: Event) -> bool:
    kind = event.job_facets.get("jobType", {}).get("processingType")
    return isinstance(kind, str) and kind.upper() == "STREAMING"


def _parent(whole: FactsDelta, parent: ParentRun, stamp: str, time: str) -> None:
    _add(
        whole.runs,
        parent.key,
        RunFacts(named_as_parent={text_of(parent.job): stamp}, named_first=time, named_last=time),
    )
    _add(whole.jobs, parent.job, JobFacts(first=time, last=time, mentioned_at=(time,)))
    whole.mention(time, parent.job.namespace)


def _parents(event: Event, stamp: str) -> Mapping[str, Any]:
    if event.parent is None:
        return {}
    parent = {"run": event.parent.run, "namespace": event.parent.job.namespace, "job": event.parent.job.name}
    if event.root is not None:
        parent |= {"root": event.root.run, "rootNamespace": event.root.job.namespace}
    return history_of(parent, stamp)


def _histories(facets: Facets, stamp: str) -> Histories:
    return {name: history_of(body, stamp) for name, body in facets.items()}


def _add(known: dict[Any, F], entity: Any, facts: F) -> None:
    known[entity] = join(known[entity], facts) if entity in known else facts

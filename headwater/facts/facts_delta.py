"""The additions of statements, joined by thing: the order and the repetition of statements never matter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

from headwater.events.event import DatasetUse, Event, Facets
from headwater.facts.facet_refs import OF_DATASETS, OF_JOBS, OF_RUNS, FacetRef, is_reference, refs_in
from headwater.facts.facts import DatasetFacts, Facts, Histories, JobFacts, Reference, dataset_of, join
from headwater.facts.job_edges import jobs_reported
from headwater.facts.lattice import history_of
from headwater.facts.table import Key, Row
from headwater_model.ids import DatasetId, JobId, RunKey, name_uuid

# The job and the run id of an event: None for the missing part of an event about a dataset, or about a job alone.
Sender: TypeAlias = tuple[JobId | None, str | None]
# A thing and its added facts, or a row, the same whoever writes it.
Added: TypeAlias = tuple[Any, Facts] | Row


@dataclass(slots=True)
class FactsDelta:
    """Facts by their class and their thing, further rows, and facet refs by `complete_key`.

    `senders` are the jobs and runs of the events, by stamp.
    """

    facts: dict[type[Facts], dict[Any, Any]] = field(default_factory=partial(defaultdict, dict))
    rows: list[Row] = field(default_factory=list)
    refs: dict[Key, FacetRef] = field(default_factory=dict)
    senders: dict[str, Sender] = field(default_factory=dict)

    @property
    def jobs(self) -> Mapping[JobId, JobFacts]:
        """The facts of jobs."""
        return self.facts[JobFacts]

    def add(self, added: Added) -> None:
        """Add a row, or join facts to those of the same thing."""
        if isinstance(added, Row):
            self.rows.append(added)
            return
        thing, facts = added
        known = self.facts[type(facts)]
        known[thing] = join(known[thing], facts) if thing in known else facts


def about(thing: JobId | DatasetId, **facts: Any) -> Added:
    """Pair a job or a dataset with facts; they are no mention."""
    return thing, JobFacts(**facts) if isinstance(thing, JobId) else DatasetFacts(**facts)


class Mention(NamedTuple):
    """A dataset described by an event: as an input or output of a run, or by itself."""

    use: DatasetUse
    role: Literal["input", "output", "described"]
    is_read: bool


@dataclass(frozen=True, slots=True)
class Report:
    """An event, with references in place of facets stored by content.

    `job_sources` are the jobs whose data its job takes without a dataset between, `other_jobs` all its edges' jobs.
    """

    event: Event
    job_sources: frozenset[JobId]
    other_jobs: frozenset[JobId]
    mentions: Sequence[Mention]

    @property
    def run(self) -> RunKey | None:
        """The run of the event; for a JobEvent a run named by the event's hash."""
        job = self.event.job
        return RunKey.of(job, self.event.run or name_uuid(self.event.hash)) if job else None


def report_of(sent: Event, refs: dict[Key, FacetRef]) -> Report:
    """Make the report of an event, and add the refs of its facets to `refs`."""
    event = _with_references(sent, refs)
    job_sources, others = jobs_reported(sent)
    return Report(event, frozenset(job_sources), frozenset(others), list(_mentions(event)))


def _with_references(event: Event, refs: dict[Key, FacetRef]) -> Event:
    named = frozenset(event.named)

    def of(facets: Facets, names: Sequence[str], dataset: DatasetId | None = None) -> Facets:
        replaced = dict(facets)
        for name, ref in refs_in(facets, names, dataset):
            limited = ref.limited(named)
            refs[limited.complete_key] = limited
            replaced[name] = ref.reference
        return replaced

    def of_use(use: DatasetUse) -> DatasetUse:
        return replace(use, facets=of(use.facets, OF_DATASETS, use.dataset))

    return replace(
        event,
        dataset=of_use(event.dataset) if event.dataset else None,
        inputs=tuple(map(of_use, event.inputs)),
        outputs=tuple(map(of_use, event.outputs)),
        run_facets=of(event.run_facets, OF_RUNS),
        job_facets=of(event.job_facets, OF_JOBS),
    )


def _mentions(event: Event) -> Iterator[Mention]:
    """Yield the datasets of an event, without its `named` inputs; sources of columns come last."""
    of_run, named = event.kind == "RUN", frozenset(event.named)
    for use in event.inputs:
        if use.dataset not in named:
            yield Mention(use, "input", is_read=True)
    for use in event.outputs:
        yield Mention(use, "output" if of_run else "described", is_read=not of_run)
    if event.dataset is not None:
        yield Mention(event.dataset, "described", is_read=True)
    reported = (sources for reference in references_in(event) for sources in reference["outputs"].values())
    sources = {source for group in reported for source in group}
    for source in sorted(set(map(dataset_of, sources)) - {use.dataset for use in event.uses} - named):
        yield Mention(DatasetUse(source), "described", is_read=True)


def references_in(event: Event) -> Iterator[Reference]:
    """Yield the references to the column lineage of an event."""
    of_datasets = ((use.facets, OF_DATASETS) for use in event.described)
    for facets, names in ((event.run_facets, OF_RUNS), (event.job_facets, OF_JOBS), *of_datasets):
        yield from (facet for name in names if is_reference(facet := facets.get(name, {})))


def histories_of(facets: Facets, stamp: str) -> Histories:
    """Make the histories of facets, each with a single content, as facts hold them."""
    return {name: history_of(body, stamp) for name, body in facets.items()}

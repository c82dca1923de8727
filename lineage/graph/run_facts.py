"""What a run's facts come to: whose it is, its state, where it stands in time, and which versions it made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from lineage.graph.entities import State
from lineage.graph.facts import Histories, IdText, RunFacts, dataset_of, facets_of, job_of, parent_of, text_of
from lineage.graph.lattice import latest
from lineage.openlineage.event import Facets
from lineage.times import parse_time
from lineage_model.ids import DatasetId, JobId, RunKey, name_uuid

_FAILED = frozenset({"FAILED", "ABORTED"})


def owner(facts: RunFacts) -> JobId | None:
    """The job of its earliest event; of one known only as a parent, the job it was first named with."""
    claims = facts.jobs or facts.named_as_parent
    return job_of(min(claims, key=lambda job: (claims[job], job))) if claims else None


def jobs_of(facts: RunFacts) -> set[JobId]:
    """Return its job and the others whose events claim it; all are of one namespace."""
    mine = owner(facts)
    return {*map(job_of, facts.jobs), *([mine] if mine else [])}


def others(facts: RunFacts) -> tuple[JobId, ...]:
    """The other jobs whose events claim this run."""
    return tuple(sorted(jobs_of(facts) - {owner(facts)}))


def first_claim(facts: RunFacts) -> tuple[bool, str]:
    """Return a run's place among those that have its id: by the first event of its own, then by the first naming it."""
    return not facts.jobs, min((facts.jobs or facts.named_as_parent).values(), default="")


def _last_terminal(facts: RunFacts) -> Sequence[str]:
    return max(facts.terminals, default="##").split("#")


def ended(facts: RunFacts) -> str | None:
    """The time of its last terminal event: a later event of another type reopens nothing."""
    return _last_terminal(facts)[0] or None


def state(facts: RunFacts) -> State:
    """Its state as Marquez prints it."""
    if facts.terminals:
        return cast(State, _last_terminal(facts)[2])
    return "RUNNING" if facts.first_typed else "NEW"


def failed(facts: RunFacts) -> bool:
    """Whether it did not complete: what it wrote is never current."""
    return state(facts) in _FAILED


def is_active_stream(facts: RunFacts) -> bool:
    """Whether it is a streaming run that has not ended: what it does counts already."""
    return facts.streaming is not None and not facts.terminals


def has_io(facts: RunFacts) -> bool:
    """Whether it told of any dataset: one side told of means that the other has none."""
    return bool(facts.inputs or facts.outputs)


def effective_time(facts: RunFacts) -> str | None:
    """Where it stands among its job's runs: its end, or the last event of a live one; None before it counts."""
    return ended(facts) or (facts.last if is_active_stream(facts) else None)


def effective_times(facts: RunFacts) -> list[str]:
    """Every time that is its position, or was as of some earlier time."""
    ends = {terminal.partition("#")[0] for terminal in facts.terminals}
    return sorted(ends | set(facts.times) if facts.streaming else ends)


def io_at(facts: RunFacts, time: str) -> tuple[list[DatasetId], list[DatasetId]]:
    """Its inputs and outputs, sorted: those of a streaming run as far as they were heard of by then, all at its end."""
    whole = not facts.streaming or time == ended(facts)

    def heard(side: Mapping[IdText, str]) -> list[DatasetId]:
        return sorted(dataset_of(text) for text, first in side.items() if whole or first <= time)

    return heard(facts.inputs), heard(facts.outputs)


def code_of(facts: RunFacts) -> tuple[str | None, str | None]:
    """The location and version of its code, as the `sourceCodeLocation` facet gives them."""
    return _code(facts.job_facets)


def _code(histories: Histories) -> tuple[str | None, str | None]:
    facet: Mapping[str, Any] = facets_of(histories).get("sourceCodeLocation", {})
    return text_in(facet, "url"), text_in(facet, "version")


def text_in(facet: Mapping[str, Any], name: str) -> str | None:
    """A facet's field, if it is a text of any length but none."""
    value = facet.get(name)
    return value if isinstance(value, str) and value else None


def time_in(facet: Mapping[str, Any], name: str) -> str | None:
    """A facet's field as a time, if it is one."""
    try:
        return parse_time(text_in(facet, name) or "")
    except ValueError:
        return None


def job_version_id(
    job: JobId,
    inputs: Iterable[DatasetId],
    outputs: Iterable[DatasetId],
    location: str | None = None,
    code: str | None = None,
) -> str:
    """The id of a job version; without a code version the bytes hashed are those of Marquez (`Utils.java`).

    >>> job_version_id(JobId("ns", "job"), [DatasetId("ns", "a"), DatasetId("ns", "b")], [DatasetId("ns", "c")])
    '27b12297-0463-32be-bc26-b463467b981c'
    """
    sides = [":".join(f"{one.namespace}:{one.name}" for one in sorted(side)) for side in (inputs, outputs)]
    return name_uuid(":".join([job.namespace, job.name, *sides, *filter(None, (location, code))]))


def version_at(facts: RunFacts, time: str) -> str | None:
    """The job version that the run had at this position; None if it told of no datasets by then."""
    job, (inputs, outputs) = owner(facts), io_at(facts, time)
    if job is None or not (inputs or outputs):
        return None
    return job_version_id(job, inputs, outputs, *code_of(facts))


def dataset_version_id(dataset: DatasetId, made_by: str) -> str:
    """Return the id of the version that a DatasetEvent (by its hash) made of it; of the initial one with ''."""
    return name_uuid(f"{dataset.namespace}:{dataset.name}:{made_by}")


def run_version_id(dataset: DatasetId, namespace: str, run: str) -> str:
    """Return the id of the version that a run made: that of its dataset, its job's namespace and its run id.

    Runs of two namespaces that have one id make two versions of a dataset.
    """
    return dataset_version_id(dataset, f"{namespace}:{run}")


def version_created(facts: RunFacts, dataset: DatasetId) -> str | None:
    """When the run's version of the dataset was made: at its end, if it streams when it was first heard of; or not."""
    first = facts.outputs.get(text_of(dataset))
    if first is None or facts.declared or effective_time(facts) is None:
        return None
    return first if facts.streaming else ended(facts)


def written_datasets(facts: RunFacts) -> Iterator[DatasetId]:
    """The datasets of which the run made a version."""
    return (dataset for dataset in map(dataset_of, facts.outputs) if version_created(facts, dataset))


def storage_version(facets: Facets) -> str | None:
    """The storage's own version of a dataset (OpenLineage's `version` facet: Delta, Iceberg)."""
    return text_in(facets.get("version", {}), "datasetVersion")


def root_run(run: RunKey, facts: RunFacts) -> RunKey:
    """Return the run at the root of those that started it: as its parent facet says, else its parent, else itself."""
    said = latest(facts.parents)
    if said is None:
        return run
    parent = said[1]
    if "root" in parent:
        return RunKey.of(parent["rootNamespace"], parent["root"])
    return RunKey.of(parent["namespace"], parent["run"])


def parent_run(facts: RunFacts) -> RunKey | None:
    """Return the run that started it."""
    parent = parent_of(facts.parents)
    return parent.key if parent else None

"""The facts of a run, a job, a dataset, a namespace, a tag and a source, which only grow (see `lattice`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeAlias, TypedDict, TypeVar

from headwater.events.event import Facets, ParentRun, is_deleted
from headwater.facts import lattice
from headwater.facts.lattice import CONTENTS_MAX, MENTIONS_MAX, History, JoinRule, latest
from headwater_model.ids import DatasetId, JobId

Histories: TypeAlias = Mapping[str, History]
# An id as text, so that it can be a JSON key: namespaces hold no control characters.
IdText: TypeAlias = str
# By field and name (`tag_text`), the tags that the API set: stamp, name, field, whether it is present, and the caller.
Tagged: TypeAlias = Mapping[str, Sequence[Any]]
# By name for comparison, the owners that the API set: stamp, name, type, whether it is present, and the caller.
Owned: TypeAlias = Mapping[str, Sequence[Any]]
# By field (empty for the thing itself), the descriptions that the API set: stamp, text (None: withdrawn) and caller.
Documented: TypeAlias = Mapping[str, Sequence[Any]]
NO_PARENT = "-"


def _grows(rule: JoinRule, kind: Callable[[], Any] | None = None) -> Any:
    """Declare a field of facts: it is empty at first, or None, and grows by a rule."""
    metadata = {"rule": rule}
    if kind is dict:
        return field(default_factory=dict, metadata=metadata)
    return field(default=kind and kind(), metadata=metadata)


class Reference(TypedDict):
    """A reference to a facet that reports columns (`facet_refs`): its ref, and the datasets that it names.

    `outputs` have the datasets that each depends on; `reads` are those that operations read.
    """

    ref: str
    outputs: Mapping[IdText, Sequence[IdText]]
    reads: Sequence[IdText]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """Facts of a run of `job`; None for a DatasetEvent that stands for a run.

    `named_first` and `named_last` are of the events that name it as a parent, the rest is of its own events.
    `terminals` are `<stamp>#<state>`, the latest hundred of each state; `times` the latest hundred times of its own
    events; `starts` the first and the last fifty times of its START events (see `run_attempts`).
    `first_typed` is the first event with a type, `streaming` the first that declares the run as streaming. `inputs` and
    `outputs` hold the first mention of each dataset, up to `RUN_DATASETS_MAX`. `input_facets` and `output_facets`
    describe the use; `read_facets` and `written_facets` describe the dataset. `declared`: a JobEvent in place of a run;
    its time is its terminal. `job_sources` are jobs whose data it takes without a dataset, each with its first time.
    `windows` are of its events that are complete snapshots (see `windows`).
    """

    job: IdText | None = _grows(lattice.CONSTANT)
    first: str | None = _grows(lattice.LEAST)
    last: str | None = _grows(lattice.GREATEST)
    named_first: str | None = _grows(lattice.LEAST)
    named_last: str | None = _grows(lattice.GREATEST)
    first_typed: str | None = _grows(lattice.LEAST)
    streaming: str | None = _grows(lattice.LEAST)
    declared: str | None = _grows(lattice.LEAST)
    times: Sequence[str] = _grows(lattice.LATEST_TIMES, tuple)
    starts: Sequence[str] = _grows(lattice.OUTERMOST_TIMES, tuple)
    terminals: Sequence[str] = _grows(lattice.TERMINALS, tuple)
    parents: History = _grows(lattice.LATEST_EVER, dict)
    inputs: Mapping[IdText, str] = _grows(lattice.DATASETS, dict)
    outputs: Mapping[IdText, str] = _grows(lattice.DATASETS, dict)
    job_sources: Mapping[IdText, str] = _grows(lattice.JOBS, dict)
    windows: Mapping[str, Sequence[Any]] = _grows(lattice.LATEST_WINDOWS, dict)
    run_facets: Histories = _grows(lattice.FACETS, dict)
    job_facets: Histories = _grows(lattice.FACETS, dict)
    input_facets: Mapping[IdText, Histories] = _grows(lattice.FACETS_OF_EACH, dict)
    output_facets: Mapping[IdText, Histories] = _grows(lattice.FACETS_OF_EACH, dict)
    read_facets: Mapping[IdText, Histories] = _grows(lattice.READ_FACETS_OF_EACH, dict)
    written_facets: Mapping[IdText, Histories] = _grows(lattice.FACETS_OF_EACH, dict)

    @property
    def ends(self) -> set[str]:
        """The times of its terminal events."""
        return {terminal.partition("#")[0] for terminal in self.terminals}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """Facts of a job: its mentions (`mentioned_at`: the latest ten times), its facets, its deletions.

    `run_facets` are those of its runs that describe the job: their tags. `named_facets` are those by which runs that it
    started describe it; its own facet of a name outweighs them.
    `first_columns` is the first of its events that reported columns, `first_foreign_columns` the first that reported
    columns of a dataset which the event did not write, `first_streamed` the first that declared its run as streaming,
    `first_explicit` the first with a `lineage` facet of the job. `dependents` are jobs whose events have an edge to it,
    each with its first time (`job_edges`). `is_parent`: a run of another job names it as its parent. `assertions` are
    the last outcomes of its runs' tests (`assertions`).
    """

    first: str | None = _grows(lattice.LEAST)
    last: str | None = _grows(lattice.GREATEST)
    mentioned_at: Sequence[str] = _grows(lattice.LATEST_MENTIONS, tuple)
    facets: Histories = _grows(lattice.FACETS, dict)
    run_facets: Histories = _grows(lattice.FACETS, dict)
    named_facets: Histories = _grows(lattice.FACETS, dict)
    parents: History = _grows(lattice.LATEST_EVER, dict)
    is_parent: bool = _grows(lattice.CONSTANT, bool)
    first_columns: str | None = _grows(lattice.LEAST)
    first_foreign_columns: str | None = _grows(lattice.LEAST)
    first_streamed: str | None = _grows(lattice.LEAST)
    first_explicit: str | None = _grows(lattice.LEAST)
    dependents: Mapping[IdText, str] = _grows(lattice.JOBS, dict)
    deleted_at: Sequence[str] = _grows(lattice.LATEST_TIMES, tuple)
    tagged: Tagged = _grows(lattice.LATEST_EACH, dict)
    owned: Owned = _grows(lattice.LATEST_EACH, dict)
    documented: Documented = _grows(lattice.LATEST_EACH, dict)
    assertions: Mapping[str, Sequence[Any]] = _grows(lattice.OUTCOMES, dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetFacts:
    """Facts of a dataset name: `first_read` is its first read, description or declaration.

    `facets` describe it, but for schemas of reads (`read_schemas`: a reader may send a projection) and of runs' outputs
    (`written_schemas`: a run may fail). `first_written` is the first event with it as an output, `first_described` its
    first DatasetEvent: without both it has no versions. `first_streamed` is the first event that declares a run which
    wrote it as streaming. `declarations` are the refs of DatasetEvents about its columns, by stamp, the latest hundred.
    `aliases` are the datasets of which it is another name, with the stamps of the statements; `other_names` are its own
    other names, with the first stamp.
    `parent_runs` are the parents (`RunKey`) of the events that mention it, two at most. With only one, dropping the
    dataset makes it that parent's private storage. `dropped_at` are the latest ten times of events that drop it,
    `mentioned_undropped_at` of all others that mention it. `temporary`: its name shows that it is.
    `read_by` and `written_by` are the jobs that ever read it (or reported columns that come from it) and wrote it,
    `derived` the datasets that DatasetEvents derive from it, each with its first time; with more than `USERS_MAX` of a
    kind there may be others.
    `assertions` are the last outcomes of its tests (`assertions`).
    `named_first` and `named_at` (the latest ten) are the times of events that name it as an input or a source, of
    senders who may not describe it: these are no mentions, and change nothing else but its users.
    """

    first: str | None = _grows(lattice.LEAST)
    last: str | None = _grows(lattice.GREATEST)
    mentioned_at: Sequence[str] = _grows(lattice.LATEST_MENTIONS, tuple)
    named_first: str | None = _grows(lattice.LEAST)
    named_at: Sequence[str] = _grows(lattice.LATEST_MENTIONS, tuple)
    first_read: str | None = _grows(lattice.LEAST)
    first_written: str | None = _grows(lattice.LEAST)
    first_described: str | None = _grows(lattice.LEAST)
    first_streamed: str | None = _grows(lattice.LEAST)
    facets: Histories = _grows(lattice.FACETS, dict)
    read_schemas: Histories = _grows(lattice.FACETS, dict)
    written_schemas: Histories = _grows(lattice.FACETS, dict)
    declarations: Mapping[str, Reference] = _grows(lattice.LATEST_STATED, dict)
    aliases: Mapping[IdText, Sequence[str]] = _grows(lattice.STATEMENTS, dict)
    other_names: Mapping[IdText, str] = _grows(lattice.NAMES, dict)
    deleted_at: Sequence[str] = _grows(lattice.LATEST_TIMES, tuple)
    dropped_at: Sequence[str] = _grows(lattice.LATEST_MENTIONS, tuple)
    mentioned_undropped_at: Sequence[str] = _grows(lattice.LATEST_MENTIONS, tuple)
    temporary: str | None = _grows(lattice.LEAST)
    parent_runs: Mapping[str, str] = _grows(lattice.TWO_LEAST, dict)
    read_by: Mapping[IdText, str] = _grows(lattice.USERS, dict)
    written_by: Mapping[IdText, str] = _grows(lattice.USERS, dict)
    derived: Mapping[IdText, str] = _grows(lattice.USERS, dict)
    tagged: Tagged = _grows(lattice.LATEST_EACH, dict)
    owned: Owned = _grows(lattice.LATEST_EACH, dict)
    documented: Documented = _grows(lattice.LATEST_EACH, dict)
    assertions: Mapping[str, Sequence[Any]] = _grows(lattice.OUTCOMES, dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TagFacts:
    """Facts of a tag: the last name and description that the API gave it."""

    described: History = _grows(lattice.LATEST, dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceFacts:
    """Facts of a namespace: mentions of anything in it, its deletions, and its last description through the API."""

    first: str | None = _grows(lattice.LEAST)
    last: str | None = _grows(lattice.GREATEST)
    mentioned_at: Sequence[str] = _grows(lattice.LATEST_MENTIONS, tuple)
    deleted_at: Sequence[str] = _grows(lattice.LATEST_TIMES, tuple)
    described: History = _grows(lattice.LATEST, dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFacts:
    """Facts of a source: what the datasets of one namespace report, or, of no namespace, its description by the API.

    `urls` are its connection URLs with their first times, the first hundred by text. No last mention is stored: a
    steady event changes nothing here.
    """

    first: str | None = _grows(lattice.LEAST)
    urls: Mapping[str, str] = _grows(lattice.NAMES, dict)
    described: History = _grows(lattice.LATEST, dict)


Facts: TypeAlias = RunFacts | JobFacts | DatasetFacts | NamespaceFacts | TagFacts | SourceFacts
F = TypeVar("F", RunFacts, JobFacts, DatasetFacts, NamespaceFacts, TagFacts, SourceFacts)


# By class and field; a field's name means the same in all classes.
_RULES: Mapping[type, Mapping[str, JoinRule]] = {
    kind: {each.name: each.metadata["rule"] for each in fields(kind)}
    for kind in (RunFacts, JobFacts, DatasetFacts, NamespaceFacts, TagFacts, SourceFacts)
}


def join(left: F, right: F) -> F:
    """Return the facts of both."""
    both: dict[str, Any] = {}
    for name, rule in _RULES[type(left)].items():
        old, new = getattr(left, name), getattr(right, name)
        both[name] = rule.join(old, new) if old and new else old or new
    return type(left)(**both)


def as_of(facts: F, time: str) -> F:
    """Return the facts that held before the time, as far as they are still stored.

    Runs and jobs keep their parents, whenever these were stated: who started a run is no matter of time.
    """
    rules = _RULES[type(facts)]
    changes = {name: rules[name].as_of(value, time) for name, value in to_json(facts).items()}
    if not isinstance(facts, TagFacts | SourceFacts) and facts.last and not changes["last"]:
        changes["last"] = _last_mentioned(facts, changes, time)
    if isinstance(facts, RunFacts):
        if not (changes.get("first") or changes.get("named_first")):
            changes["job"] = None
        if facts.named_last and not changes["named_last"]:
            changes["named_last"] = changes["named_first"]
    if isinstance(facts, DatasetFacts):
        # Where mentions are forgotten, they are taken to have gone on.
        for name in ("mentioned_undropped_at", "named_at"):
            if len(getattr(facts, name)) >= MENTIONS_MAX and not changes[name]:
                changes[name] = [time]
    return replace(facts, **changes)


def _last_mentioned(
    facts: RunFacts | JobFacts | DatasetFacts | NamespaceFacts, changes: Mapping[str, Any], time: str
) -> str | None:
    """Return the last mention before a time; where it is forgotten, mentions are taken to have gone on."""
    stored, stored_max = (
        (facts.times, CONTENTS_MAX) if isinstance(facts, RunFacts) else (facts.mentioned_at, MENTIONS_MAX)
    )
    before = [earlier for earlier in stored if earlier < time]
    if before or not changes["first"]:
        return max(before, default=None)
    return time if len(stored) >= stored_max else changes["first"]


def to_json(facts: Facts) -> dict[str, Any]:
    """Return the facts as a row holds them, without empty fields."""
    return {name: value for name in type(facts).__slots__ if (value := getattr(facts, name))}


def text_of(id: DatasetId | JobId) -> IdText:  # noqa: A002 - what it is
    """Return the id as a JSON key."""
    return f"{id.namespace}\0{id.name}"


def dataset_of(text: IdText) -> DatasetId:
    """Return the dataset of a JSON key."""
    return DatasetId(*text.split("\0", 1))


def job_of(text: IdText) -> JobId:
    """Return the job of a JSON key."""
    return JobId(*text.split("\0", 1))


def facets_of(histories: Histories) -> Facets:
    """Return the latest facets by name, in order, without deleted ones (`_deleted`, OpenLineage 2-0-1).

    The order of the facts' names is that of arrival.
    """
    return present({name: last[1] for name, history in histories.items() if (last := latest(history))})


def describing_facets(facts: JobFacts | DatasetFacts) -> Histories:
    """Return the facets that describe a job or dataset: its own and, of names that a job lacks, its children's."""
    return {**facts.named_facets, **facts.facets} if isinstance(facts, JobFacts) else facts.facets


def present(facets: Facets) -> Facets:
    """Return the facets by name, in order, without deleted ones."""
    return {name: facets[name] for name in sorted(facets) if not is_deleted(facets[name])}


def merged_facets(by_name: Mapping[IdText, Histories], names: Iterable[DatasetId]) -> Facets:
    """Return the latest facets of a dataset that was written under several names."""
    merged: Histories = {}
    for name in names:
        merged = lattice.FACETS.join(merged, by_name.get(text_of(name), {}))
    return facets_of(merged)


def primary_of(facts: DatasetFacts) -> DatasetId | None:
    """Return the dataset of which this name was last declared another name."""
    stated = facts.aliases
    return dataset_of(max(stated, key=lambda text: (stated[text][-1], text))) if stated else None


def parent_of(history: History) -> ParentRun | None:
    """Return the last parent run."""
    last = latest(history)
    return None if last is None else ParentRun(last[1]["run"], JobId(last[1]["namespace"], last[1]["job"]))


def is_dropped(facts: DatasetFacts) -> bool:
    """True if it was dropped and not mentioned since; an event of the same time may have followed the drop."""
    return max(facts.dropped_at, default="") > max(facts.mentioned_undropped_at, default="")


def last_deleted(facts: JobFacts | DatasetFacts | NamespaceFacts) -> str:
    """Return the time of the last deletion; the empty text if there is none."""
    return max(facts.deleted_at, default="")

"""The facts of a run, a job, a dataset, a namespace, a tag and a source, which only grow (see `lattice`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

from headwater.events.event import Facets, ParentRun, is_deleted
from headwater.facts.lattice import (
    CONSTANT,
    CONTENTS_MAX,
    DATASETS,
    FACETS,
    FACETS_OF_EACH,
    GREATEST,
    JOBS,
    LATEST,
    LATEST_EACH,
    LATEST_EVER,
    LATEST_MENTIONS,
    LATEST_STATED,
    LATEST_TIMES,
    LATEST_WINDOWS,
    LEAST,
    MENTIONS_MAX,
    NAMES,
    OUTCOMES,
    OUTERMOST_TIMES,
    READ_FACETS_OF_EACH,
    STATEMENTS,
    TERMINALS,
    TWO_LEAST,
    USERS,
    History,
    JoinRule,
    latest,
)
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

    job: IdText | None = None
    first: str | None = None
    last: str | None = None
    named_first: str | None = None
    named_last: str | None = None
    first_typed: str | None = None
    streaming: str | None = None
    declared: str | None = None
    times: Sequence[str] = ()
    starts: Sequence[str] = ()
    terminals: Sequence[str] = ()
    parents: History = field(default_factory=dict)
    inputs: Mapping[IdText, str] = field(default_factory=dict)
    outputs: Mapping[IdText, str] = field(default_factory=dict)
    job_sources: Mapping[IdText, str] = field(default_factory=dict)
    windows: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    run_facets: Histories = field(default_factory=dict)
    job_facets: Histories = field(default_factory=dict)
    input_facets: Mapping[IdText, Histories] = field(default_factory=dict)
    output_facets: Mapping[IdText, Histories] = field(default_factory=dict)
    read_facets: Mapping[IdText, Histories] = field(default_factory=dict)
    written_facets: Mapping[IdText, Histories] = field(default_factory=dict)

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

    first: str | None = None
    last: str | None = None
    mentioned_at: Sequence[str] = ()
    facets: Histories = field(default_factory=dict)
    run_facets: Histories = field(default_factory=dict)
    named_facets: Histories = field(default_factory=dict)
    parents: History = field(default_factory=dict)
    is_parent: bool = False
    first_columns: str | None = None
    first_foreign_columns: str | None = None
    first_streamed: str | None = None
    first_explicit: str | None = None
    dependents: Mapping[IdText, str] = field(default_factory=dict)
    deleted_at: Sequence[str] = ()
    tagged: Tagged = field(default_factory=dict)
    owned: Owned = field(default_factory=dict)
    documented: Documented = field(default_factory=dict)
    assertions: Mapping[str, Sequence[Any]] = field(default_factory=dict)


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

    first: str | None = None
    last: str | None = None
    mentioned_at: Sequence[str] = ()
    named_first: str | None = None
    named_at: Sequence[str] = ()
    first_read: str | None = None
    first_written: str | None = None
    first_described: str | None = None
    first_streamed: str | None = None
    facets: Histories = field(default_factory=dict)
    read_schemas: Histories = field(default_factory=dict)
    written_schemas: Histories = field(default_factory=dict)
    declarations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    aliases: Mapping[IdText, Sequence[str]] = field(default_factory=dict)
    other_names: Mapping[IdText, str] = field(default_factory=dict)
    deleted_at: Sequence[str] = ()
    dropped_at: Sequence[str] = ()
    mentioned_undropped_at: Sequence[str] = ()
    temporary: str | None = None
    parent_runs: Mapping[str, str] = field(default_factory=dict)
    read_by: Mapping[IdText, str] = field(default_factory=dict)
    written_by: Mapping[IdText, str] = field(default_factory=dict)
    derived: Mapping[IdText, str] = field(default_factory=dict)
    tagged: Tagged = field(default_factory=dict)
    owned: Owned = field(default_factory=dict)
    documented: Documented = field(default_factory=dict)
    assertions: Mapping[str, Sequence[Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TagFacts:
    """Facts of a tag: the last name and description that the API gave it."""

    described: History = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceFacts:
    """Facts of a namespace: mentions of anything in it, its deletions, and its last description through the API."""

    first: str | None = None
    last: str | None = None
    mentioned_at: Sequence[str] = ()
    deleted_at: Sequence[str] = ()
    described: History = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFacts:
    """Facts of a source: what the datasets of one namespace report, or, of no namespace, its description by the API.

    `urls` are its connection URLs with their first times, the first hundred by text. No last mention is stored: a
    steady event changes nothing here.
    """

    first: str | None = None
    urls: Mapping[str, str] = field(default_factory=dict)
    described: History = field(default_factory=dict)


# The rule by which each field grows; a name means the same in all classes.
_RULES: Mapping[str, JoinRule] = {
    "first": LEAST,
    "last": GREATEST,
    "named_first": LEAST,
    "named_last": GREATEST,
    "first_typed": LEAST,
    "streaming": LEAST,
    "declared": LEAST,
    "first_read": LEAST,
    "first_written": LEAST,
    "first_described": LEAST,
    "first_streamed": LEAST,
    "first_explicit": LEAST,
    "first_columns": LEAST,
    "first_foreign_columns": LEAST,
    "temporary": LEAST,
    "job": CONSTANT,
    "is_parent": CONSTANT,
    "inputs": DATASETS,
    "outputs": DATASETS,
    "parent_runs": TWO_LEAST,
    "other_names": NAMES,
    "urls": NAMES,
    "read_by": USERS,
    "written_by": USERS,
    "derived": USERS,
    "dependents": JOBS,
    "job_sources": JOBS,
    "times": LATEST_TIMES,
    "starts": OUTERMOST_TIMES,
    "mentioned_at": LATEST_MENTIONS,
    "named_at": LATEST_MENTIONS,
    "terminals": TERMINALS,
    "windows": LATEST_WINDOWS,
    "dropped_at": LATEST_MENTIONS,
    "mentioned_undropped_at": LATEST_MENTIONS,
    "deleted_at": LATEST_TIMES,
    "parents": LATEST_EVER,
    "declarations": LATEST_STATED,
    "aliases": STATEMENTS,
    "tagged": LATEST_EACH,
    "owned": LATEST_EACH,
    "documented": LATEST_EACH,
    "assertions": OUTCOMES,
    "described": LATEST,
    "facets": FACETS,
    "named_facets": FACETS,
    "read_schemas": FACETS,
    "written_schemas": FACETS,
    "job_facets": FACETS,
    "run_facets": FACETS,
    "input_facets": FACETS_OF_EACH,
    "output_facets": FACETS_OF_EACH,
    "read_facets": READ_FACETS_OF_EACH,
    "written_facets": FACETS_OF_EACH,
}

Facts: TypeAlias = RunFacts | JobFacts | DatasetFacts | NamespaceFacts | TagFacts | SourceFacts
F = TypeVar("F", RunFacts, JobFacts, DatasetFacts, NamespaceFacts, TagFacts, SourceFacts)


def join(left: F, right: F) -> F:
    """Return the facts of both."""
    both: dict[str, Any] = {}
    for name in _names(left):
        old, new = getattr(left, name), getattr(right, name)
        both[name] = _RULES[name].join(old, new) if old and new else old or new
    return type(left)(**both)


def as_of(facts: F, time: str) -> F:
    """Return the facts that held before the time, as far as they are still stored.

    Runs and jobs keep their parents, whenever these were stated: who started a run is no matter of time.
    """
    changes = {name: _RULES[name].as_of(value, time) for name, value in to_json(facts).items()}
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
    return {name: value for name in _names(facts) if (value := getattr(facts, name))}


def _names(facts: Facts) -> tuple[str, ...]:
    return type(facts).__slots__


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
        merged = FACETS.join(merged, by_name.get(text_of(name), {}))
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

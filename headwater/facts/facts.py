"""The facts of a run, a job, a dataset, a namespace, a tag and a source, which only grow (see `lattice`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import lru_cache
from typing import Any, TypeAlias, TypedDict, TypeVar

from headwater.events.event import Facet, Facets, is_deleted
from headwater.facts import lattice
from headwater.facts.lattice import CONTENTS_MAX, MENTIONS_MAX, History, JoinRule, latest
from headwater.facts.value import value
from headwater_model.ids import DatasetId, JobId
from headwater_model.partitions import is_location

Histories: TypeAlias = Mapping[str, History]
# An id as text, to be a JSON key: namespaces hold no control characters.
IdText: TypeAlias = str
# By field and name (`tag_key`), the tags set by the API: stamp, name, field, present or removed, and the caller.
Tagged: TypeAlias = Mapping[str, Sequence[Any]]
# By name for comparison, the owners set by the API: stamp, name, type, present or removed, and the caller.
Owned: TypeAlias = Mapping[str, Sequence[Any]]
# By field (empty for the thing itself), the descriptions set by the API: stamp, text (None: withdrawn) and caller.
Documented: TypeAlias = Mapping[str, Sequence[Any]]
NO_PARENT = "-"


def _grows(rule: JoinRule, kind: Callable[[], Any] | None = None) -> Any:
    """Declare a field of facts: empty at first, or None; it grows by the rule."""
    metadata = {"rule": rule}
    if kind is dict:
        return field(default_factory=dict, metadata=metadata)
    return field(default=kind and kind(), metadata=metadata)


class Reference(TypedDict):
    """A reference to a facet with columns (`facet_refs`): its ref, and its datasets.

    `outputs` has the sources of each output; `reads` are the datasets read by operations.
    """

    ref: str
    outputs: Mapping[IdText, Sequence[IdText]]
    reads: Sequence[IdText]


@value(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """Facts of a run of `job`; None for a DatasetEvent in the place of a run.

    `named_first` and `named_last` are times of the events that name the run as a parent; the rest is of its own events.

        terminals           `<stamp>#<state>`, the latest hundred of each state
        times               the latest hundred times of its events
        starts              the first fifty and the last fifty times of its START events (see `run_facts`)
        first_typed         the first event with a type
        first_other         the first event with another type than START, or with none
        streaming           the first event to declare the run as streaming
        declared            the time of a JobEvent in the place of a run; it is also the terminal
        inputs, outputs     the first mention of each dataset, up to `RUN_DATASETS_MAX`
        input_facets, ...   facets of the use; `read_facets` and `written_facets` describe the dataset
        job_sources         jobs whose data it takes without a dataset between, each with its first time
        windows             its events with complete snapshots (see `run_io`)
    """

    job: IdText | None = _grows(lattice.CONSTANT)
    first: str | None = _grows(lattice.LEAST)
    last: str | None = _grows(lattice.GREATEST)
    named_first: str | None = _grows(lattice.LEAST)
    named_last: str | None = _grows(lattice.GREATEST)
    first_typed: str | None = _grows(lattice.LEAST)
    first_other: str | None = _grows(lattice.LEAST)
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
        """The times of the run's terminal events."""
        return {terminal.partition("#")[0] for terminal in self.terminals}

    @property
    def job_id(self) -> JobId | None:
        """The run's job; None for a DatasetEvent's run, and before the run's first mention."""
        return job_of(self.job) if self.job else None


@value(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """Facts of a job: its mentions (`mentioned_at`: the latest ten times), its facets, its deletions.

        run_facets             facets of its runs that describe the job: their tags
        named_facets           facets of the job, sent by its child runs; its own facet of a name outweighs them
        first_columns          the first of its events with columns
        first_foreign_columns  the first of its events with columns of a dataset that the event did not write
        first_streamed         the first of its events to declare its run as streaming
        first_explicit         the first of its events with a `lineage` facet of the job
        dependents             jobs whose events have an edge to it, each with its first time (`job_edges`)
        is_parent              a run of another job names it as its parent
        assertions             the last outcomes of its runs' tests (`assertions`)

    "First" means the time of the first such event.
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


@value(frozen=True, slots=True, kw_only=True)
class DatasetFacts:
    """Facts of a dataset name: `first_read` is its first read, description or declaration.

        facets                  describe it; schemas of runs' uses stand apart:
        read_schemas            of reads: a reader may send a projection
        written_schemas         of outputs: the run may fail
        first_written           the first event with it as an output
        first_described         its first DatasetEvent; without both it has no versions
        first_streamed          the first event to declare a run that wrote it as streaming
        declarations            refs of DatasetEvents about its columns, by stamp, the latest hundred
        aliases                 the datasets with it as an alias, with the stamps of the statements
        other_names             its own aliases, with the first stamp
        parent_runs             parents (`RunKey`) of the events about it, two at most; with a single parent, a drop
                                makes it the parent's private storage
        dropped_at              the latest ten times of events that drop it
        mentioned_undropped_at  the latest ten times of its further mentions
        temporary               the first event to mark its name as temporary
        read_by, written_by     the jobs that ever read it (or reported columns from it) and wrote it
        uses                    the latest uses by runs, `{"FORWARD#<run>": [<time>, 0]}`; 1 after any event but a START
        derived                 the datasets derived from it by DatasetEvents, each with its first time
        assertions              the last outcomes of its tests (`assertions`)
        named_first, named_at   times (the latest ten) of events whose senders may not describe it: they name it as an
                                input or a source, are no mentions, and change its users alone

    More than `USERS_MAX` entries of `read_by`, `written_by` or `derived` mean: there may be more.
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
    uses: Mapping[str, Sequence[Any]] = _grows(lattice.LATEST_USES, dict)
    derived: Mapping[IdText, str] = _grows(lattice.USERS, dict)
    tagged: Tagged = _grows(lattice.LATEST_EACH, dict)
    owned: Owned = _grows(lattice.LATEST_EACH, dict)
    documented: Documented = _grows(lattice.LATEST_EACH, dict)
    assertions: Mapping[str, Sequence[Any]] = _grows(lattice.OUTCOMES, dict)


@value(frozen=True, slots=True, kw_only=True)
class TagFacts:
    """Facts of a tag: its last name and description, set by the API."""

    described: History = _grows(lattice.LATEST, dict)


@value(frozen=True, slots=True, kw_only=True)
class NamespaceFacts:
    """Facts of a namespace: mentions of its things, its deletions, and its last description through the API."""

    first: str | None = _grows(lattice.LEAST)
    last: str | None = _grows(lattice.GREATEST)
    mentioned_at: Sequence[str] = _grows(lattice.LATEST_MENTIONS, tuple)
    deleted_at: Sequence[str] = _grows(lattice.LATEST_TIMES, tuple)
    described: History = _grows(lattice.LATEST, dict)


@value(frozen=True, slots=True, kw_only=True)
class SourceFacts:
    """Facts of a source: reports by the datasets of a namespace or, of no namespace, its description by the API.

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
    """Join the facts of both sides, field by field.

    >>> join(SourceFacts(first="2026-11-20"), SourceFacts(first="2026-11-19")).first
    '2026-11-19'
    """
    both: dict[str, Any] = {}
    for name, rule in _RULES[type(left)].items():
        old, new = getattr(left, name), getattr(right, name)
        both[name] = rule.join(old, new) if old and new else old or new
    return type(left)(**both)


def as_of(facts: F, time: str) -> F:
    """Cut the facts to the time before `"2026-11-20T00:00:00.000000Z"`, as far as they are still stored.

    Runs and jobs keep their parents, whenever an event named them: who started a run is no matter of time.
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
        # Where mentions are forgotten, they count as gone on.
        for name in ("mentioned_undropped_at", "named_at"):
            if len(getattr(facts, name)) >= MENTIONS_MAX and not changes[name]:
                changes[name] = [time]
    return replace(facts, **changes)


def _last_mentioned(
    facts: RunFacts | JobFacts | DatasetFacts | NamespaceFacts, changes: Mapping[str, Any], time: str
) -> str | None:
    """Find the last mention before a time; where mentions are forgotten, they count as gone on."""
    stored, stored_max = (
        (facts.times, CONTENTS_MAX) if isinstance(facts, RunFacts) else (facts.mentioned_at, MENTIONS_MAX)
    )
    before = [earlier for earlier in stored if earlier < time]
    if before or not changes["first"]:
        return max(before, default=None)
    return time if len(stored) >= stored_max else changes["first"]


def to_json(facts: Facts) -> dict[str, Any]:
    """Render the facts as a row holds them, without empty fields."""
    return {name: value for name in type(facts).__slots__ if (value := getattr(facts, name))}


def text_of(id: DatasetId | JobId) -> IdText:  # noqa: A002 - what it is
    r"""Render the id as a JSON key: `s3://lake\0raw`."""
    return f"{id.namespace}\0{id.name}"


# A query parses the same few names thousands of times, and compares equal ids by identity.
@lru_cache(maxsize=10_000)
def dataset_of(text: IdText) -> DatasetId:
    r"""Parse the dataset of a JSON key: `s3://lake\0raw` is `raw` in `s3://lake`."""
    return DatasetId(*text.split("\0", 1))


@lru_cache(maxsize=10_000)
def job_of(text: IdText) -> JobId:
    r"""Parse the job of a JSON key: `etl\0load` is `load` in `etl`."""
    return JobId(*text.split("\0", 1))


def facets_of(histories: Histories) -> Facets:
    """List the latest facets by name, sorted by name, without deleted facets (`_deleted`, OpenLineage 2-0-1).

    The facts hold names in the order of arrival.
    """
    return present({name: last[1] for name, history in histories.items() if (last := latest(history))})


def facet_of(histories: Histories, name: str) -> Facet:
    """Look up the latest facet of a name, `{"url": "a"}`; empty if it is missing or deleted."""
    last = latest(histories.get(name, {}))
    return {} if last is None or is_deleted(last[1]) else last[1]


def describing_facets(facts: JobFacts | DatasetFacts) -> Histories:
    """List a thing's own facets; a job without `documentation` has the `documentation` sent by its child runs."""
    return {**facts.named_facets, **facts.facets} if isinstance(facts, JobFacts) else facts.facets


def present(facets: Facets) -> Facets:
    """Sort the facets by name, without deleted facets (`"_deleted": true`)."""
    return {name: facets[name] for name in sorted(facets) if not is_deleted(facets[name])}


def merged_facets(by_name: Mapping[IdText, Histories], names: Iterable[DatasetId]) -> Facets:
    """List the latest facets of a dataset written under several names, such as `s3a://lake raw` and `s3://lake raw`."""
    merged: Histories = {}
    for name in names:
        sent = by_name.get(text_of(name), {})
        merged = lattice.FACETS.join(merged, sent) if merged else sent
    return facets_of(merged)


def primary_of(facts: DatasetFacts) -> DatasetId | None:
    """Find the dataset of an alias: `s3://lake/orders` for `shop.orders`; None for a name with rivals."""
    stated = facts.aliases
    if not stated or rivals_of(facts):
        return None
    return dataset_of(max(stated, key=lambda text: (stated[text][-1], text)))


def rivals_of(facts: DatasetFacts) -> Sequence[DatasetId]:
    """List the locations that claim a name in turns, `[s3://a t, s3://b t]`, last claim last; none of a moved table.

    Two warehouses of a catalog may have a table of the same name: the name means neither.
    """
    claims = {text: stamps for text, stamps in facts.aliases.items() if is_location(dataset_of(text).namespace)}
    *earlier, last = sorted(claims, key=lambda text: (claims[text][-1], text)) or [""]
    rivals = [text for text in earlier if claims[text][-1] > claims[last][-lattice.STATEMENTS_MAX :][0]]
    return [dataset_of(text) for text in (*rivals, last)] if rivals else []


def is_dropped(facts: DatasetFacts) -> bool:
    """True if `dropped_at` is after `mentioned_undropped_at`: of equal times, a mention may have followed the drop."""
    return max(facts.dropped_at, default="") > max(facts.mentioned_undropped_at, default="")


def last_deleted(facts: JobFacts | DatasetFacts | NamespaceFacts) -> str:
    """Find the time of the last deletion; `""` without a deletion."""
    return max(facts.deleted_at, default="")

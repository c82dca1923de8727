"""What events say of a run, a job, a dataset and a namespace, as facts that only grow (see `lattice`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeAlias, TypeVar

from lineage.graph.lattice import (
    CONTENTS_MAX,
    FACETS,
    FACETS_OF_EACH,
    GREATEST,
    LATEST,
    LATEST_MENTIONS,
    LATEST_STATED,
    LATEST_TIMES,
    LEAST,
    LEAST_EACH,
    MENTIONS_MAX,
    NAMES,
    STATEMENTS,
    TWO_LEAST,
    History,
    JoinRule,
    latest,
)
from lineage.openlineage.event import Facets, ParentRun
from lineage_model.ids import DatasetId, JobId

Histories: TypeAlias = Mapping[str, History]
# An id as text, so that it can be a JSON key: namespaces hold no control characters.
IdText: TypeAlias = str
NO_PARENT = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """A run: `jobs` by the least stamp of the run's own events, `named` by that of events that named it as a parent.

    `terminals` are `<stamp>#<state>`, the latest hundred; `times` the latest hundred of its own events' times;
    `typed` the first of an event with a type, `streaming` the first that said so. `inputs` and `outputs` tell when each
    was first heard of; `input_facets` and `output_facets` are of the use, `read_facets` and `written_facets` of the
    dataset as this run described it. `declared`: no run at all, but a JobEvent, whose time is its terminal.
    """

    jobs: Mapping[IdText, str] = field(default_factory=dict)
    named_as_parent: Mapping[IdText, str] = field(default_factory=dict)
    first: str | None = None
    last: str | None = None
    named_first: str | None = None
    named_last: str | None = None
    first_typed: str | None = None
    streaming: str | None = None
    declared: str | None = None
    times: Sequence[str] = ()
    terminals: Sequence[str] = ()
    parents: History = field(default_factory=dict)
    inputs: Mapping[IdText, str] = field(default_factory=dict)
    outputs: Mapping[IdText, str] = field(default_factory=dict)
    run_facets: Histories = field(default_factory=dict)
    job_facets: Histories = field(default_factory=dict)
    input_facets: Mapping[IdText, Histories] = field(default_factory=dict)
    output_facets: Mapping[IdText, Histories] = field(default_factory=dict)
    read_facets: Mapping[IdText, Histories] = field(default_factory=dict)
    written_facets: Mapping[IdText, Histories] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """A job: when it was heard of (`touches`: the latest ten times), what its events say of it, when it was deleted.

    `told`: when one of its events first told of columns; `told_apart`: of a dataset that the event did not write.
    """

    first: str | None = None
    last: str | None = None
    mentioned_at: Sequence[str] = ()
    facets: Histories = field(default_factory=dict)
    parents: History = field(default_factory=dict)
    first_columns: str | None = None
    first_foreign_columns: str | None = None
    deleted_at: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetFacts:
    """A dataset name: `read` is when it was first read, described or declared.

    `facets` describe it; but a schema that came with a read is in `read_schemas`, as who reads may send a projection,
    and one that came with a run's output in `written_schemas`, as the run may fail.
    `written` is when an event first named it as an output, `described` the time of its first DatasetEvent: without them
    there are no versions to look for.
    `declarations` are the tellings of DatasetEvents about its columns, by stamp, the latest hundred.
    `aliases` are the datasets that it was stated to be another name of, with the stamps of the statements; `names` are
    those stated to be other names of it, with the first.
    `users` are the parent runs (`RunKey`) of the events that mention it, two at most: with one alone, dropping it makes
    it that parent's private storage. `dropped` are the latest ten times of events that drop it, `used` of all others
    that mention it. `temporary`: its name tells so.
    """

    first: str | None = None
    last: str | None = None
    mentioned_at: Sequence[str] = ()
    first_read: str | None = None
    first_written: str | None = None
    first_described: str | None = None
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


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceFacts:
    """A namespace: when anything in it was heard of, and when it was deleted."""

    first: str | None = None
    last: str | None = None
    mentioned_at: Sequence[str] = ()
    deleted_at: Sequence[str] = ()


# How each field grows; a name means the same in all four.
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
    "first_columns": LEAST,
    "first_foreign_columns": LEAST,
    "temporary": LEAST,
    "jobs": LEAST_EACH,
    "named_as_parent": LEAST_EACH,
    "inputs": LEAST_EACH,
    "outputs": LEAST_EACH,
    "parent_runs": TWO_LEAST,
    "other_names": NAMES,
    "times": LATEST_TIMES,
    "mentioned_at": LATEST_MENTIONS,
    "terminals": LATEST_TIMES,
    "dropped_at": LATEST_MENTIONS,
    "mentioned_undropped_at": LATEST_MENTIONS,
    "deleted_at": LATEST_TIMES,
    "parents": LATEST,
    "declarations": LATEST_STATED,
    "aliases": STATEMENTS,
    "facets": FACETS,
    "read_schemas": FACETS,
    "written_schemas": FACETS,
    "job_facets": FACETS,
    "run_facets": FACETS,
    "input_facets": FACETS_OF_EACH,
    "output_facets": FACETS_OF_EACH,
    "read_facets": FACETS_OF_EACH,
    "written_facets": FACETS_OF_EACH,
}

Facts: TypeAlias = RunFacts | JobFacts | DatasetFacts | NamespaceFacts
F = TypeVar("F", RunFacts, JobFacts, DatasetFacts, NamespaceFacts)


def join(left: F, right: F) -> F:
    """Both together."""
    changes: dict[str, Any] = {}
    for one in fields(right):
        new, old = getattr(right, one.name), getattr(left, one.name)
        if new:
            changes[one.name] = _RULES[one.name].join(old, new) if old else new
    return replace(left, **changes)


def as_of(facts: F, time: str) -> F:
    """What was already so before the time, as far as the facts still tell."""
    changes: dict[str, Any] = {}
    for one in fields(facts):
        value = getattr(facts, one.name)
        if value:
            changes[one.name] = _RULES[one.name].as_of(value, time)
    if facts.last and not changes["last"]:
        changes["last"] = _last_mentioned(facts, changes, time)
    if isinstance(facts, RunFacts) and facts.named_last and not changes["named_last"]:
        changes["named_last"] = changes["named_first"]
    if (
        isinstance(facts, DatasetFacts)
        and len(facts.mentioned_undropped_at) >= MENTIONS_MAX
        and not changes["mentioned_undropped_at"]
    ):
        changes["mentioned_undropped_at"] = [time]
    return replace(facts, **changes)


def _last_mentioned(facts: Facts, changes: Mapping[str, Any], time: str) -> str | None:
    """When it was last heard of before a time; where that is forgotten, it is taken as heard of all the while."""
    kept, most = (facts.times, CONTENTS_MAX) if isinstance(facts, RunFacts) else (facts.mentioned_at, MENTIONS_MAX)
    before = [one for one in kept if one < time]
    if before or not changes["first"]:
        return max(before, default=None)
    return time if len(kept) >= most else changes["first"]


def to_json(facts: Facts) -> dict[str, Any]:
    """The facts as a row holds them, without what nothing is known of."""
    return {one.name: value for one in fields(facts) if (value := getattr(facts, one.name))}


def text_of(id: DatasetId | JobId) -> IdText:  # noqa: A002 - what it is
    """The id as a JSON key."""
    return f"{id.namespace}\0{id.name}"


def dataset_of(text: IdText) -> DatasetId:
    """The dataset of a JSON key."""
    return DatasetId(*text.split("\0", 1))


def job_of(text: IdText) -> JobId:
    """The job of a JSON key."""
    return JobId(*text.split("\0", 1))


def facets_of(histories: Histories) -> Facets:
    """The facets as last said, without those that were deleted (`_deleted`, OpenLineage 2-0-1)."""
    return present({name: said[1] for name, history in histories.items() if (said := latest(history))})


def present(facets: Facets) -> Facets:
    """The facets without those that say that they are deleted."""
    return {name: body for name, body in facets.items() if body.get("_deleted") is not True}


def merged_facets(told: Mapping[IdText, Histories], names: Iterable[DatasetId]) -> Facets:
    """The facets of a dataset that was written under several names, as last said of any."""
    united: Histories = {}
    for name in names:
        united = FACETS.join(united, told.get(text_of(name), {}))
    return facets_of(united)


def primary_of(facts: DatasetFacts) -> DatasetId | None:
    """The dataset that the name was last stated to be another name of."""
    stated = facts.aliases
    return dataset_of(max(stated, key=lambda text: (stated[text][-1], text))) if stated else None


def parent_of(history: History) -> ParentRun | None:
    """The parent run as last said."""
    found = latest(history)
    return None if found is None else ParentRun(found[1]["run"], JobId(found[1]["namespace"], found[1]["job"]))


def is_dropped(facts: DatasetFacts) -> bool:
    """True if it was dropped and no event mentions it since; one of the same time may have come after the drop."""
    return max(facts.dropped_at, default="") > max(facts.mentioned_undropped_at, default="")


def last_deleted(facts: JobFacts | DatasetFacts | NamespaceFacts) -> str:
    """When it was last deleted; the empty text if never."""
    return max(facts.deleted_at, default="")

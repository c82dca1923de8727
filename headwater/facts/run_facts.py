"""A run, and its properties computed from facts: state, effective time, and versions of its outputs.

Times are normalized (`times`); facets are as their producers sent them.

A START later than a terminal event begins another attempt, as when a failed run is cleared.

    START 0  FAIL 60  START 600  COMPLETE 660      two attempts; the run completed
    START 0  FAIL 60  COMPLETE 61                  a single attempt (of Spark's listener); the run failed
    START 0  START 300  COMPLETE 660               a single attempt (of a sensor that is rescheduled)

The last attempt with a terminal event decides. A START alone reopens nothing: clocks differ. At equal times the START
comes first, so a run of no duration is a single attempt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias, cast

from headwater.events.event import WEIGHT, Facet, Facets, ParentRun, State
from headwater.facts.facts import RunFacts, dataset_of, facet_of, text_of
from headwater.facts.keys import run_pk
from headwater.facts.lattice import STARTS_MAX, History, latest
from headwater_model.ids import DatasetId, JobId, RunKey, name_uuid
from headwater_model.times import parse_time

ResolvedBy: TypeAlias = Literal["storage", "parentRun", "time", "initial"]
EXTRACTION_ERROR = "extractionError"
CAPTURE = "headwater_capture"
# The parts of lineage in a capture's `cut`: the event had no room for them.
_LINEAGE_CUT = ("columnLineage", "indirect", "inputs", "unknown")
_FAILED = frozenset({"FAILED", "ABORTED"})


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt of a run, begun with the run or by a later START; `ended` is None until it ends."""

    state: State
    started: str
    ended: str | None = None


class _Part(NamedTuple):
    """The start of an attempt, and its terminal events as the facts hold them."""

    started: str
    terminals: list[str]


@dataclass(frozen=True, slots=True)
class UsedVersion:
    """A dataset version that a run read or wrote; `facets` are the input or output facets of the use."""

    dataset: DatasetId
    version: str
    facets: Facets = field(default_factory=dict)
    resolved_by: ResolvedBy | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run. `started` is its first event's time, `ended` the time of the terminal event that decides.

    `attempt_started` is the START of the attempt that decides, if it is not the first; `completed_before` is the end of
    the last attempt before it to complete. `job_version` is None until the run is done. `attempts`, and versions, are
    resolved on demand; with `attempts_cut`, there may be earlier attempts. A look-up by run id lists `other_jobs`:
    their runs have the same id; `others_cut` if there are more than the look-up reads. `truncated`: the run read
    more than `inputs` shows. `incomplete`: its producer could not read all of its lineage.
    """

    id: str
    job: JobId
    state: State
    created: str
    updated: str
    started: str | None = None
    ended: str | None = None
    attempt_started: str | None = None
    completed_before: str | None = None
    nominal_start: str | None = None
    nominal_end: str | None = None
    parent: ParentRun | None = None
    job_version: str | None = None
    inputs: tuple[UsedVersion, ...] = ()
    outputs: tuple[UsedVersion, ...] = ()
    facets: Facets = field(default_factory=dict)
    job_facets: Facets = field(default_factory=dict)
    other_jobs: tuple[JobId, ...] = ()
    others_cut: bool = False
    truncated: bool = False
    incomplete: bool = False
    attempts: tuple[Attempt, ...] = ()
    attempts_cut: bool = False

    @property
    def key(self) -> RunKey:
        """The run's identity."""
        return RunKey.of(self.job, self.id)


class Code(NamedTuple):
    """The location and version of a job's code."""

    location: str | None = None
    version: str | None = None

    def then(self, code: Code) -> Code:
        """Advance to the code of a next run; missing values stay, but no version at a new location."""
        if code.location is None or code.location == self.location:
            return Code(self.location, code.version or self.version)
        return code


def first_mention(facts: RunFacts) -> tuple[bool, str]:
    """Order a run among the runs of its id: by `first`, its own first event, then by `named_first`, as a parent."""
    return facts.first is None, facts.first or facts.named_first or ""


def attempts_of(facts: RunFacts) -> tuple[Attempt, ...]:
    """List the run's attempts, `Attempt("FAILED", start, end)`, as far as its facts hold them; a mere parent: none."""
    return tuple(map(_attempt, _parts(facts))) if facts.first_typed else ()


def are_attempts_cut(facts: RunFacts) -> bool:
    """True if `starts` is full: STARTs in its middle may be forgotten, and attempts there show as a single attempt."""
    return len(facts.starts) >= 2 * STARTS_MAX


def last_ended(facts: RunFacts) -> Attempt | None:
    """Find the attempt that decides, `Attempt("FAILED", start, end)`; None before the run ends."""
    ended = [part for part in _parts(facts) if part.terminals] if facts.terminals else []
    return _attempt(ended[-1]) if ended else None


def completed_before(facts: RunFacts) -> str | None:
    """Find the end of the last COMPLETED attempt before the last: 60 of `COMPLETE 60, START 600, FAIL`; or None."""
    several = facts.first_typed and len(facts.terminals) > 1
    ended = [part for part in _parts(facts) if part.terminals] if several else []
    before = map(_attempt, ended[-2::-1])
    return next((attempt.ended for attempt in before if attempt.state == "COMPLETED"), None)


def _parts(facts: RunFacts) -> list[_Part]:
    if not facts.starts or not facts.terminals or facts.starts[-1] <= facts.terminals[0]:
        return [_Part(facts.first or "", list(facts.terminals))]
    marks = [(start, "") for start in facts.starts]
    marks += [(terminal.partition("#")[0], terminal) for terminal in facts.terminals]
    parts = [_Part(facts.first or "", [])]
    for time, terminal in sorted(marks):
        if terminal:
            parts[-1].terminals.append(terminal)
        elif parts[-1].terminals:
            parts.append(_Part(time, []))
    return parts


def _attempt(part: _Part) -> Attempt:
    """Name the state by the terminal events: FAIL decides before ABORT before COMPLETE, and the last of a type."""
    if not part.terminals:
        return Attempt("RUNNING", part.started)
    ended, _, state = max((terminal.split("#") for terminal in part.terminals), key=_weight)
    return Attempt(cast(State, state), part.started, ended)


def _weight(terminal: Sequence[str]) -> tuple[int, Sequence[str]]:
    return WEIGHT[terminal[2]], terminal


def ended(facts: RunFacts) -> str | None:
    """Find the time of the terminal event that decides, of the last attempt to end: 60 of `FAIL 60, START 600`."""
    last = last_ended(facts)
    return last.ended if last else None


def began(facts: RunFacts) -> str | None:
    """Find the start of the attempt that decides, or of a run that goes on (`first`); None before its first event."""
    last = last_ended(facts)
    return last.started if last else facts.first


def state(facts: RunFacts) -> State:
    """Name the run's state, as Marquez prints it: `RUNNING` from its first typed event until an attempt ends."""
    last = last_ended(facts)
    return last.state if last else "RUNNING" if facts.first_typed else "NEW"


def failed(facts: RunFacts) -> bool:
    """True if the run is `FAILED` or `ABORTED`: its outputs are never current."""
    return state(facts) in _FAILED


def is_active_stream(facts: RunFacts) -> bool:
    """True for a streaming run that has not ended: it counts already."""
    return facts.streaming is not None and not facts.terminals


def has_io(facts: RunFacts) -> bool:
    """True if the run reported `inputs` or `outputs`; a report of one side means that the other side is empty."""
    return bool(facts.inputs or facts.outputs)


def effective_time(facts: RunFacts) -> str | None:
    """Find the run's end, or an active stream's `last` event; None before it counts. Orders the job's runs."""
    return ended(facts) or (facts.last if is_active_stream(facts) else None)


def effective_times(facts: RunFacts) -> list[str]:
    """List all effective times of the run (`ends`, and `times` of a stream), now or as of an earlier time."""
    return sorted(facts.ends | set(facts.times) if facts.streaming else facts.ends)


def is_incomplete(facts: RunFacts) -> bool:
    """True if an event reports unread lineage of the run: by `extractionError`, or by our own capture."""
    return any(
        says(body)
        for name, says in ((EXTRACTION_ERROR, _lists_errors), (CAPTURE, _lost_in_capture))
        for _, _, body in facts.run_facets.get(name, {}).values()
    )


def _lists_errors(facet: Facet) -> bool:
    return bool(facet.get("errors") or facet.get("failedTasks"))


def _lost_in_capture(facet: Facet) -> bool:
    """True if a `headwater_capture` names unknown parts, doubts or losses (docs/facets/headwater_capture.json).

    Such a facet is not validated, whoever sends it: each member may have any shape.
    """
    cut, counts = facet.get("cut"), facet.get("counts")
    lost = counts.get("lost") if isinstance(counts, Mapping) else None
    return (
        any(facet.get(name) for name in ("unknown", "unknownInputs", "unknownOutput", "misread"))
        or facet.get("tier") == "doubtful"
        or (isinstance(cut, list) and any(part in cut for part in _LINEAGE_CUT))
        or (isinstance(lost, int) and lost > 0)
    )


def text_in(facet: Facet, name: str) -> str | None:
    """Read a facet's field, if it is a text and not empty: `text_in({"url": "a"}, "url")` is `"a"`."""
    value = facet.get(name)
    return value if isinstance(value, str) and value else None


def time_in(facet: Facet, name: str) -> str | None:
    """Parse a facet's field as a time; None for another value."""
    try:
        return parse_time(text) if (text := text_in(facet, name)) else None
    except ValueError:
        return None


def dataset_version_id(dataset: DatasetId, made_by: str) -> str:
    """Compute the UUID of a DatasetEvent's version, by its hash; `dataset_version_id(dataset, "")` is the initial."""
    return name_uuid(f"{dataset.namespace}:{dataset.name}:{made_by}")


def run_version_id(dataset: DatasetId, run: RunKey) -> str:
    """Compute the UUID (version 8) of a run's version: it begins as `run_pk`, and differs by job, id and dataset."""
    digits = run_pk(run.id).removeprefix("RUN#")
    return f"{digits[:8]}-{digits[8:12]}-8{digits[12:]}-{dataset_version_id(dataset, str(run))[19:]}"


def pk_of_version(version: str) -> str:
    """Name the partition of the run that may have made a version, as `run_pk` does."""
    return f"RUN#{version[:8]}{version[9:13]}{version[15:18]}"


def version_created(facts: RunFacts, dataset: DatasetId) -> str | None:
    """Find the time of the run's version: its end, or a stream's first mention in `outputs`; None without a version."""
    first = facts.outputs.get(text_of(dataset))
    time = None if first is None or facts.declared else effective_time(facts)
    return first if time and facts.streaming else time


def written_datasets(facts: RunFacts) -> Iterator[DatasetId]:
    """Yield the datasets in `outputs` with a version made by the run: none while a batch run goes on."""
    return (dataset for dataset in map(dataset_of, facts.outputs) if version_created(facts, dataset))


def storage_version(facets: Facets) -> str | None:
    """Read the storage's own version of a dataset (OpenLineage's `version` facet: Delta, Iceberg)."""
    return text_in(facets.get("version", {}), "datasetVersion")


def branch_of(use_facets: Facets) -> str | None:
    """Read the written branch of a table, in the facet `headwater_branch` of the output; None: the table itself.

    A branch's content is not the table's version before it is published.
    """
    return text_in(use_facets.get("headwater_branch", {}), "branch")


def code_of(facts: RunFacts) -> Code:
    """Read the location and version of the run's code, from the `sourceCodeLocation` facet."""
    facet = facet_of(facts.job_facets, "sourceCodeLocation")
    return Code(text_in(facet, "url"), text_in(facet, "version"))


def root_run(run: RunKey, facts: RunFacts) -> RunKey:
    """Find the root run: the `root` in the parent facet, else the parent, else the run itself."""
    last = latest(facts.parents)
    if last is None:
        return run
    parent = last[1]
    if "root" in parent:
        return RunKey.of(JobId(parent["rootNamespace"], parent["rootJob"]), parent["root"])
    return RunKey.of(JobId(parent["namespace"], parent["job"]), parent["run"])


def parent_of(history: History) -> ParentRun | None:
    """Find the last parent run."""
    last = latest(history)
    return None if last is None else ParentRun(last[1]["run"], JobId(last[1]["namespace"], last[1]["job"]))


def parent_run(facts: RunFacts) -> RunKey | None:
    """Find the run's parent: the `run` and `job` of its last `parent` facet."""
    parent = parent_of(facts.parents)
    return parent.key if parent else None

"""Parsing of OpenLineage events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, TypedDict, TypeVar

from pydantic import BaseModel, ValidationError

from headwater.events.canonical import canonical, in_order
from headwater.events.event import (
    DESCRIBING,
    DatasetUse,
    Event,
    Facets,
    ParentRun,
    is_deleted,
)
from headwater.events.event_models import (
    WORDS,
    DatasetEventModel,
    DatasetModel,
    FacetsModel,
    JobEventModel,
    JobRunModel,
    RunEventModel,
)
from headwater.events.facet_models import NamedModel
from headwater.events.lineage_facets import sources_in, targets_in_lineage
from headwater.events.mentions import merge_mentions
from headwater.events.naming import NamingRules, rename_datasets
from headwater.times import milliseconds_between
from headwater.validation import invalid
from headwater_model.errors import Fault, Invalid, TooLarge
from headwater_model.ids import DatasetId, JobId, normalize_run_id
from headwater_model.operation_checks import check_operations
from headwater_model.operations import parse_operations

Kind: TypeAlias = Literal["RUN", "JOB", "DATASET"]
F = TypeVar("F", bound=BaseModel)

# The kinds of a change through the API (`api_changes`).
API_CHANGES = ("DELETE", "TAG", "UNTAG", "OWN", "DISOWN", "DOCUMENT", "DESCRIBE")
# A clock that is further ahead than this is wrong.
AHEAD_MAX_S = 24 * 3600
# Datasets that one event may name: loading so many new ones takes 11,300 requests.
DATASETS_MAX = 10_000


def parse_event(body: object, rules: NamingRules, *, now: str | None) -> Event:
    """Return the event in a JSON body; its time may be at most a day after `now` (normalized), None sets no bound.

    An event with a run (and its job) is a RunEvent, with a job alone a JobEvent, with a dataset alone a DatasetEvent.
    `schemaURL` does not decide: it may be missing or wrong. An unknown `eventType` is kept. Mentions of one dataset
    (sent twice, or partitions of it) are merged: column facets and subsets are joined, of other facets of one name the
    one with the greater canonical JSON stays. Datasets that the job's `lineage` facet relates are inputs and outputs,
    and sources of columns and operations are inputs, whether or not the event lists them there.

    Raises:
        Invalid: the event breaks a rule of `event_models` or of its operations, is a deletion, or its time is too late.
        TooLarge: the event names more than `DATASETS_MAX` inputs, outputs and sources of columns.
    """
    if not isinstance(body, dict):
        canonical(body)  # whose rules come first: a body that nests too deep cannot be shown
        raise Invalid.because("event", body, "must be a JSON object")
    body, hash_ = in_order(body)
    if is_api_change(body):
        raise Invalid.because("change", body["change"], "must not come as an event; the API's routes delete and tag")
    event = with_sources(_PARSERS[_kind(body)](body, hash_, rules), rules)
    if now is not None and milliseconds_between(now, event.time) > AHEAD_MAX_S * 1000:
        rule = f"must not be more than 24 hours after now ({now})"
        raise Invalid.because("eventTime", body["eventTime"], rule)
    _check_size(event)
    return event


def is_api_change(body: object) -> bool:
    """True if the body is a change through the API: every event names its producer, no such change does."""
    return isinstance(body, dict) and body.get("change") in API_CHANGES and body.get("producer") is None


def with_sources(event: Event, rules: NamingRules) -> Event:
    """Return an event of a job with all datasets that it names as sources among its inputs."""
    return replace(event, inputs=_with_named(event.inputs, sources_in(event), rules)) if event.job else event


def _check_size(event: Event) -> None:
    named = len({use.dataset for use in (*event.inputs, *event.outputs)})
    if named > DATASETS_MAX:
        raise TooLarge(
            f"inputs, outputs and sources of columns: an event may name {DATASETS_MAX} datasets, got {named}; "
            "further events of the same run may name the others"
        )


def _kind(body: Mapping[str, object]) -> Kind:
    if body.get("run") is not None:
        return "RUN"
    if body.get("job") is not None:
        return "JOB"
    # A body without any of them is refused as an incomplete RunEvent, as in Marquez.
    return "DATASET" if body.get("dataset") is not None else "RUN"


def read_model(model: type[F], body: object, further: Sequence[Fault] = ()) -> F:
    """Return the validated model of the body; `further` faults are raised with the model's own."""
    try:
        read = model.model_validate(body)
    except ValidationError as error:
        raise Invalid([*invalid(error, "event", WORDS).faults, *further]) from error
    if further:
        raise Invalid(further)
    return read


def _run_event(body: object, hash_: str, rules: NamingRules) -> Event:
    model = read_model(RunEventModel, body, operation_faults(body))
    parent = model.run.facets.parentRun or model.run.facets.parent
    root = parent.root if parent else None
    return Event(
        kind="RUN",
        time=model.eventTime,
        hash=hash_,
        type=_type(model.eventType),
        run=normalize_run_id(model.run.runId),
        run_facets=rename_datasets(model.run.facets.sent, rules),
        parent=_run_of_job(parent),
        root=_run_of_job(root),
        parent_facets=_describing(parent),
        root_facets=_describing(root),
        **_job_members(model, rules),
    )


def _job_event(body: object, hash_: str, rules: NamingRules) -> Event:
    model = read_model(JobEventModel, body)
    return Event(
        kind="JOB",
        time=model.eventTime,
        hash=hash_,
        type=_type(model.eventType),
        **_job_members(model, rules),
    )


class _JobMembers(TypedDict):
    job: JobId
    inputs: tuple[DatasetUse, ...]
    outputs: tuple[DatasetUse, ...]
    job_facets: Facets


def _job_members(model: JobEventModel, rules: NamingRules) -> _JobMembers:
    """Return what a RunEvent and a JobEvent have in common."""
    job, facets = _job(model.job), rename_datasets(model.job.facets.sent, rules)
    outputs = merge_mentions(_use(mention, mention.outputFacets, rules) for mention in model.outputs)
    return {
        "job": job,
        "inputs": merge_mentions(_use(mention, mention.inputFacets, rules) for mention in model.inputs),
        "outputs": _with_named(outputs, targets_in_lineage(job, facets), rules),
        "job_facets": facets,
    }


def _with_named(uses: tuple[DatasetUse, ...], named: Iterable[DatasetId], rules: NamingRules) -> tuple[DatasetUse, ...]:
    """Append the named datasets that are missing."""
    missing = sorted(set(named) - {use.dataset for use in uses})
    return (
        *uses,
        *(DatasetUse(dataset, temporary=rules.is_temporary(dataset.namespace, dataset.name)) for dataset in missing),
    )


def _dataset_event(body: object, hash_: str, rules: NamingRules) -> Event:
    model = read_model(DatasetEventModel, body)
    dataset = _use(model.dataset, FacetsModel(), rules)
    return Event(kind="DATASET", time=model.eventTime, hash=hash_, type=_type(model.eventType), dataset=dataset)


_PARSERS: Mapping[Kind, Callable[[object, str, NamingRules], Event]] = {
    "RUN": _run_event,
    "JOB": _job_event,
    "DATASET": _dataset_event,
}


def _type(text: str | None) -> str | None:
    return None if text is None else text.upper()


def _job(model: NamedModel) -> JobId:
    return JobId(model.namespace, model.name)


def _describing(model: JobRunModel | None) -> Facets:
    """Return the facets that describe the job of a parent or root."""
    sent: Facets = model.job.facets.sent if model else {}
    return {name: sent[name] for name in DESCRIBING & sent.keys()}


def _run_of_job(model: JobRunModel | None) -> ParentRun | None:
    return None if model is None else ParentRun(normalize_run_id(model.run.runId), _job(model.job))


def _use(model: DatasetModel, use_facets: FacetsModel, rules: NamingRules) -> DatasetUse:
    return DatasetUse(
        rules.dataset(model.namespace, model.name),
        rename_datasets(model.facets.sent, rules),
        use_facets.sent,
        rules.is_temporary(model.namespace, model.name),
    )


_FACET = "headwater_operations"
_WHERE = f"run.facets.{_FACET}.operations"


def operation_faults(body: object) -> tuple[Fault, ...]:
    """Return the faults of the operations in a run event as it was sent; none if it has no operations."""
    facet = body
    for name in ("run", "facets", _FACET):
        facet = facet.get(name) if isinstance(facet, dict) else None
    if not isinstance(facet, dict) or is_deleted(facet):
        return ()
    try:
        check_operations(parse_operations(facet.get("operations"), _WHERE), _WHERE)
    except Invalid as error:
        return error.faults
    return ()

"""An OpenLineage event, or our own message of a deletion, as the domain knows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from lineage.openlineage.canonical import canonical, content_hash
from lineage.openlineage.event import DatasetUse, Deletion, Event, Facets, ParentRun
from lineage.openlineage.event_models import (
    WORDS,
    DatasetEventForm,
    DatasetForm,
    DeletionForm,
    FacetsForm,
    JobEventForm,
    RunEventForm,
    RunFacetsForm,
    RunOfJobForm,
)
from lineage.openlineage.facet_models import NamedForm, is_deleted
from lineage.openlineage.naming import NameRules, rename_datasets
from lineage.times import milliseconds_between
from lineage.validation import invalid
from lineage_model.errors import Fault, Invalid, TooLarge
from lineage_model.ids import DatasetId, JobId, run_id_of
from lineage_model.operation_checks import check_operations
from lineage_model.operations import parse_operations

Kind: TypeAlias = Literal["RUN", "JOB", "DATASET"]
F = TypeVar("F", bound=BaseModel)

# A clock that is further ahead than this is wrong.
AHEAD_MAX_S = 24 * 3600
# Datasets that one event may name: loading so many new ones takes 11,300 requests.
DATASETS_MAX = 10_000


def parse_event(body: object, rules: NameRules, *, now: str | None) -> Event:
    """The event that a body of JSON is; `now` (as `times` keeps it) bounds its time, None bounds it not.

    With a run (and its job) it is a RunEvent, with a job alone a JobEvent, with a dataset alone a DatasetEvent:
    `schemaURL` is not asked, for it may be missing or wrong, and events exist that hold all three. An unknown
    `eventType` is kept. Datasets that are one by name (sent twice, or partitions of one) are united: what facets tell
    of columns together, of other facets of one name the one with the greater canonical JSON stays.

    Raises:
        Invalid: it breaks a rule of `wire` or of its `operations`, is a deletion, or is later than a day after `now`.
        TooLarge: it names more than `DATASETS_MAX` inputs and outputs.
    """
    hash_ = content_hash(body)
    if not isinstance(body, dict):
        raise Invalid.because("event", body, "must be a JSON object")
    if _is_deletion(body):
        raise Invalid.because("change", body["change"], "must not come as an event; the API's DELETE routes delete")
    event = _PARSERS[_kind(body)](body, hash_, rules)
    _check_time(event.time, body["eventTime"], now)
    _check_size(event)
    return event


def parse_statement(body: object, rules: NameRules) -> Event | Deletion:
    """Parse a line of the raw log: an event, or a deletion of ours, whatever its time.

    Only the log holds both: who may send events may not delete.
    """
    return _deletion(body, rules) if _is_deletion(body) else parse_event(body, rules, now=None)


def parse_deletion(body: object, rules: NameRules) -> Deletion:
    """Parse the message of a deletion, as `render_deletion` makes it.

    Raises:
        Invalid: it is none, or breaks a rule.
    """
    if not _is_deletion(body):
        raise Invalid.because("change", body, "must be DELETE, without a producer: only deletions come this way")
    return _deletion(body, rules)


def _is_deletion(body: object) -> bool:
    """Return True for a deletion: every event names its producer, no deletion does."""
    return isinstance(body, dict) and body.get("change") == "DELETE" and body.get("producer") is None


def _check_time(time: str, sent: object, now: str | None) -> None:
    if now is not None and milliseconds_between(now, time) > AHEAD_MAX_S * 1000:
        raise Invalid.because("eventTime", sent, f"must not be more than 24 hours after now ({now})")


def _check_size(event: Event) -> None:
    named = len({use.dataset for use in (*event.inputs, *event.outputs)})
    if named > DATASETS_MAX:
        raise TooLarge(
            f"inputs, outputs: an event may name {DATASETS_MAX} datasets, got {named}; "
            "further events of the same run may name the others"
        )


def render_deletion(namespace: str, *, time: str, job: str | None = None, dataset: str | None = None) -> dict[str, str]:
    """The message of a deletion accepted at `time` (as `times` keeps it): of a job, a dataset, or a whole namespace."""
    form = {"change": "DELETE", "eventTime": time, "namespace": namespace, "job": job, "dataset": dataset}
    return {name: value for name, value in form.items() if value is not None}


def _kind(body: Mapping[str, object]) -> Kind:
    if body.get("run") is not None:
        return "RUN"
    if body.get("job") is not None:
        return "JOB"
    # What has none of them lacks what a RunEvent needs, as in Marquez.
    return "DATASET" if body.get("dataset") is not None else "RUN"


def _read(form: type[F], body: object, further: Sequence[Fault] = ()) -> F:
    """The body as the form has it; `further` faults are told with the form's own."""
    try:
        read = form.model_validate(body)
    except ValidationError as error:
        raise Invalid([*invalid(error, "event", WORDS).faults, *further]) from error
    if further:
        raise Invalid(further)
    return read


def _run_event(body: object, hash_: str, rules: NameRules) -> Event:
    form = _read(RunEventForm, body, operation_faults(body))
    parent, root = _parents(form.run.facets)
    return Event(
        kind="RUN",
        time=form.eventTime,
        hash=hash_,
        type=_type(form.eventType),
        run=run_id_of(form.run.runId),
        job=_job(form.job),
        inputs=_inputs(form, rules),
        outputs=_outputs(form, rules),
        run_facets=rename_datasets(form.run.facets.sent, rules),
        job_facets=rename_datasets(form.job.facets.sent, rules),
        parent=parent,
        root=root,
    )


def _job_event(body: object, hash_: str, rules: NameRules) -> Event:
    form = _read(JobEventForm, body)
    return Event(
        kind="JOB",
        time=form.eventTime,
        hash=hash_,
        type=_type(form.eventType),
        job=_job(form.job),
        inputs=_inputs(form, rules),
        outputs=_outputs(form, rules),
        job_facets=rename_datasets(form.job.facets.sent, rules),
    )


def _dataset_event(body: object, hash_: str, rules: NameRules) -> Event:
    form = _read(DatasetEventForm, body)
    dataset = _use(form.dataset, FacetsForm(), rules)
    return Event(kind="DATASET", time=form.eventTime, hash=hash_, type=_type(form.eventType), dataset=dataset)


_PARSERS: Mapping[Kind, Callable[[object, str, NameRules], Event]] = {
    "RUN": _run_event,
    "JOB": _job_event,
    "DATASET": _dataset_event,
}


def _deletion(body: object, rules: NameRules) -> Deletion:
    hash_ = content_hash(body)
    form = _read(DeletionForm, body)
    return Deletion(
        time=form.eventTime,
        hash=hash_,
        namespace=form.namespace,
        job=JobId(form.namespace, form.job) if form.job else None,
        dataset=rules.dataset(form.namespace, form.dataset) if form.dataset else None,
    )


def _type(text: str | None) -> str | None:
    return None if text is None else text.upper()


def _job(form: NamedForm) -> JobId:
    return JobId(form.namespace, form.name)


def _parents(facets: RunFacetsForm) -> tuple[ParentRun | None, ParentRun | None]:
    parent = facets.parentRun or facets.parent
    return (_run_of_job(parent), _run_of_job(parent.root)) if parent else (None, None)


def _run_of_job(form: RunOfJobForm | None) -> ParentRun | None:
    return None if form is None else ParentRun(run_id_of(form.run.runId), _job(form.job))


def _inputs(form: JobEventForm, rules: NameRules) -> tuple[DatasetUse, ...]:
    return _united(_use(one, one.inputFacets, rules) for one in form.inputs)


def _outputs(form: JobEventForm, rules: NameRules) -> tuple[DatasetUse, ...]:
    return _united(_use(one, one.outputFacets, rules) for one in form.outputs)


def _use(form: DatasetForm, use_facets: FacetsForm, rules: NameRules) -> DatasetUse:
    return DatasetUse(
        rules.dataset(form.namespace, form.name),
        rename_datasets(form.facets.sent, rules),
        use_facets.sent,
        rules.is_temporary(form.namespace, form.name),
    )


def _united(uses: Iterable[DatasetUse]) -> tuple[DatasetUse, ...]:
    """Each dataset once, in the order of their first mention."""
    united: dict[DatasetId, DatasetUse] = {}
    for use in uses:
        known = united.get(use.dataset)
        united[use.dataset] = use if known is None else unite_uses(known, use)
    return tuple(united.values())


_FACET = "headwater_operations"
_WHERE = f"run.facets.{_FACET}.operations"


def operation_faults(body: object) -> tuple[Fault, ...]:
    """What is wrong with the operations of a run event as it was sent; nothing if it has none."""
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


# These tell of columns, of which each mention may tell its own.
_TELLING = frozenset({"columnLineage", "lineage"})


def unite_uses(one: DatasetUse, other: DatasetUse) -> DatasetUse:
    """Both mentions of a dataset: what facets tell of columns together, and of others the greater canonical JSON."""
    return DatasetUse(
        one.dataset,
        _united_facets(one.facets, other.facets),
        _united_facets(one.use_facets, other.use_facets),
        one.temporary or other.temporary,
    )


def _united_facets(one: Facets, other: Facets) -> Facets:
    merged = dict(one)
    for name, facet in other.items():
        known = merged.get(name, facet)
        merged[name] = _told(known, facet) if name in _TELLING else max(known, facet, key=canonical)
    return merged


def _told(one: Any, other: Any) -> Any:
    """Both, unless one says that the facet is no more."""
    if is_deleted(one) != is_deleted(other):
        return other if is_deleted(one) else one
    return _together(one, other)


def _together(one: Any, other: Any) -> Any:
    """Objects field by field, lists as the set of what is in them; of anything else the greater."""
    if one is None or other is None:
        return other if one is None else one
    if isinstance(one, dict) and isinstance(other, dict):
        return {**one, **{name: _together(one.get(name), value) for name, value in other.items()}}
    if isinstance(one, list) and isinstance(other, list):
        each = {canonical(entry): entry for entry in (*one, *other)}
        return [each[text] for text in sorted(each)]
    return max(one, other, key=canonical)

"""Marquez's deprecated write routes of datasets, jobs and runs: each makes an event of its body.

The event is accepted as if sent to `/api/v1/lineage`: all facts come from events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.event_handler import Response

from headwater.api.access import spend_budget
from headwater.api.http.parameters import moment
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond
from headwater.api.marquez import types, write_types
from headwater.api.marquez.datasets import render_datasets
from headwater.api.marquez.job_views import render_job
from headwater.api.marquez.parameters import (
    DATASET,
    JOB,
    JOB_NAMESPACE,
    NAMESPACE,
    RUN_ID,
    read_dataset_id,
    read_job_id,
)
from headwater.api.marquez.responses import require, wait_until_shown
from headwater.api.marquez.run_views import render_run
from headwater.api.marquez.written_events import dataset_event, describe_dataset, job_event, run_event, run_facets
from headwater.api.route import Services, Within, event_route
from headwater.api.values import run_path
from headwater.events.event import TERMINAL, WEIGHT
from headwater.facts.run_facts import Run
from headwater.queries.results.entities import Dataset, Job
from headwater_model.ids import DatasetId, normalize_run_id

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_AT = moment("at", "When it happened; now without it.")


def put_dataset(services: Services, request: HttpRequest) -> Response[str]:
    """Describe a dataset; deprecated in Marquez in favour of OpenLineage's events.

    Returns:
        The dataset as readers see it, or after three seconds as they will see it.
    """
    dataset_id, body, time = read_dataset_id(request), _read_body(request, write_types.DatasetToPut), services.now()
    run = None if body.get("runId") is None else _find_run(services, str(body["runId"]))
    events = [dataset_event(dataset_id, body, time)]
    if run is not None:
        # A run with outputs alone reads nothing: its job's inputs become the run's, as in Marquez.
        job = services.queries.find_job(run.job)
        inputs = [{"namespace": dataset.namespace, "name": dataset.name} for dataset in (job.inputs if job else ())]
        events.append(run_event(run.job, run.id, time, inputs=inputs, outputs=[describe_dataset(dataset_id, body)]))
    _accept(services, request, *events)
    known = services.queries.find_dataset(dataset_id) or Dataset(
        id=dataset_id, type="DB_TABLE", created=time, updated=time, physical_name=dataset_id.name, source_name="default"
    )
    fields = body.get("fields") or known.fields
    changed = replace(
        known,
        updated=max(time, known.updated),
        type=body.get("type") or known.type,
        source_name=body.get("sourceName") or known.source_name,
        fields=[{name: value for name, value in field.items() if name != "tags"} for field in fields],
        description=body.get("description") or known.description,
    )
    shown = wait_until_shown(
        services,
        lambda: services.queries.find_dataset(dataset_id),
        lambda dataset: _is_shown(dataset, changed, time) and (run is None or _has_event(services, run.id, time)),
        otherwise=changed,
    )
    return respond(next(render_datasets(services.queries, [shown])))


def put_job(services: Services, request: HttpRequest) -> Response[str]:
    """Declare a job with its inputs and outputs; deprecated in Marquez in favour of OpenLineage's events.

    Returns:
        The job as readers see it, or after three seconds as they will see it.
    """
    job_id, body, time = read_job_id(request), _read_body(request, write_types.JobToPut), services.now()
    event = job_event(job_id, body, time)
    _accept(services, request, event)
    known = services.queries.find_job(job_id) or Job(id=job_id, type="BATCH", created=time, updated=time)
    sides = [
        [DatasetId(dataset["namespace"], dataset["name"]) for dataset in event[side]] for side in ("inputs", "outputs")
    ]
    if any(sides):
        known = replace(known, inputs=tuple(sides[0]), outputs=tuple(sides[1]))
    # The response shows the job as the event will leave it, if the loader is late.
    changed = replace(
        known,
        updated=max(time, known.updated),
        type=body.get("type", "BATCH"),
        location=body.get("location") or known.location,
        description=body.get("description") or known.description,
    )
    shown = wait_until_shown(
        services,
        lambda: services.queries.find_job(job_id),
        lambda job: _is_shown(job, changed, time),
        otherwise=changed,
    )
    return respond(render_job(shown))


def post_run(services: Services, request: HttpRequest) -> Response[str]:
    """Create a run of a job; deprecated in Marquez in favour of OpenLineage's events.

    Returns:
        The run, not yet started, as readers see it, or after three seconds as they will see it.
    """
    job_id, body, time = read_job_id(request), _read_body(request, write_types.RunToCreate), services.now()
    sent = body.get("id") or services.new_id()
    facets = run_facets(body)
    _accept(services, request, run_event(job_id, sent, time, run_facets=facets))
    run = normalize_run_id(sent)
    times = facets.get("nominalTime", {})
    created = Run(
        id=run,
        job=job_id,
        state="NEW",
        created=time,
        updated=time,
        nominal_start=times.get("nominalStartTime"),
        nominal_end=times.get("nominalEndTime"),
        facets=facets,
    )
    shown = wait_until_shown(
        services, lambda: services.queries.find_run(run), lambda known: known.updated >= time, otherwise=created
    )
    return respond(render_run(shown), status=201, headers={"Location": run_path(run)})


def _marker(verb: str, state: str) -> Callable[[Services, HttpRequest], Response[str]]:
    """Build the handler of an event that changes a run's state."""

    def handler(services: Services, request: HttpRequest) -> Response[str]:
        return _change_state(services, request, kind=verb.upper())

    handler.__name__ = f"{verb}_run"
    handler.__doc__ = f"""Mark a run as {state}; deprecated in Marquez, as OpenLineage's events do that.

    Returns:
        The run as other requests show it by then; after three seconds, as they will show it.
    """
    return handler


def _change_state(services: Services, request: HttpRequest, *, kind: str) -> Response[str]:
    time = _AT.read(request) or services.now()
    run = _find_run(services, RUN_ID.read(request))
    _accept(services, request, run_event(run.job, run.id, time, kind))
    changed = _apply_event(run, kind, time)
    shown = wait_until_shown(
        services,
        lambda: services.queries.find_run(run.id),
        lambda known: _shows(known, changed),
        otherwise=changed,
    )
    return respond(render_run(shown))


def _apply_event(run: Run, kind: str, time: str) -> Run:
    """Change the run as an event of this type will."""
    changed = replace(run, updated=max(time, run.updated), started=min(time, run.started or time))
    if kind == "START":
        return replace(changed, state="RUNNING" if run.ended is None else run.state)
    ended = replace(changed, state=TERMINAL[kind], ended=time, attempt_started=_attempt_at(run, time))
    return changed if _end(run) > _end(ended) else ended


def _attempt_at(run: Run, time: str) -> str | None:
    """Find the START of the attempt under way at a time, else of the deciding attempt; None of the first."""
    going_on = [attempt.started for attempt in run.attempts[1:] if attempt.ended is None and attempt.started <= time]
    return going_on[0] if going_on else run.attempt_started


def _shows(run: Run, changed: Run) -> bool:
    """True if the run has the values changed by the mark."""
    if run.updated < changed.updated or (run.started or "~") > (changed.started or "~"):
        return False
    return _end(run) >= _end(changed) if changed.ended else run.state != "NEW"


def _end(run: Run) -> tuple[str, int, str]:
    """Compute the position of the run's end among its possible ends: the greatest decides."""
    return (run.attempt_started or "", WEIGHT[run.state], run.ended) if run.ended else ("", -1, "")


def _read_body(request: HttpRequest, shape: type) -> Mapping[str, Any]:
    """Parse the body of a type, without unknown fields."""
    from pydantic import ValidationError

    from headwater.validation import invalid

    try:
        body: Mapping[str, Any] = _adapter(shape).validate_python(request.json())
    except ValidationError as error:
        raise invalid(error, "body") from error
    return body


@cache
def _adapter(shape: type) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(shape)


def _accept(services: Services, request: HttpRequest, *events: Mapping[str, Any]) -> None:
    """Queue events, if the token's rights suffice for all of them."""
    from headwater.events.ingest import accept_event

    spend_budget(services, request, len(events))
    accepted = accept_event(
        *events,
        queue=services.events,
        now=services.now(),
        caller=request.caller,
        rights=request.rights,
        spend=partial(spend_budget, services, request),
    )
    services.count_all(accepted.counts)


def _find_run(services: Services, run_id: str) -> Run:
    """Find the run; its creation has waited until it is known."""
    return require(services.queries.find_run(run_id), "Run", run_id)


def _is_shown(known: Dataset | Job, changed: Dataset | Job, time: str) -> bool:
    """True if events up to this time are known, with the type and description of the last event."""
    return known.updated >= time and (known.type, known.description) == (changed.type, changed.description)


def _has_event(services: Services, run_id: str, time: str) -> bool:
    """True if the run has an event of this time or later."""
    run = services.queries.find_run(run_id)
    return run is not None and run.updated >= time


ROUTES = (
    event_route(
        "PUT",
        "/api/v1/namespaces/<namespace>/datasets/<dataset>",
        put_dataset,
        within=Within.NEW,
        parameters=(NAMESPACE, DATASET),
        accepts=write_types.DatasetToPut,
        returns=types.Dataset,
        errors=(400, 404, 413, 422, 429, 503),
    ),
    event_route(
        "PUT",
        "/api/v1/namespaces/<namespace>/jobs/<job>",
        put_job,
        within=Within.NEW,
        parameters=(JOB_NAMESPACE, JOB),
        accepts=write_types.JobToPut,
        returns=types.Job,
        errors=(400, 413, 422, 429, 503),
    ),
    event_route(
        "POST",
        "/api/v1/namespaces/<namespace>/jobs/<job>/runs",
        post_run,
        within=Within.NAMESPACE,
        parameters=(JOB_NAMESPACE, JOB),
        accepts=write_types.RunToCreate,
        returns=types.Run,
        status=201,
        headers=("Location",),
        errors=(400, 413, 422, 429, 503),
    ),
    *(
        event_route(
            "POST",
            f"/api/v1/jobs/runs/<run_id>/{verb}",
            _marker(verb, state),
            within=Within.RUN,
            parameters=(RUN_ID, _AT),
            returns=types.Run,
            errors=(400, 404, 429, 503),
        )
        for verb, state in (("start", "started"), ("complete", "completed"), ("fail", "failed"), ("abort", "aborted"))
    ),
)

"""The input function: a lineage request, or OpenLineage events, from a Step Functions task or a client, to a queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from aws_lambda_powertools.utilities.typing import LambdaContext

from headwater.records.request import parse_request, render_bounded_response
from headwater.settings import RECORDS_TTL_S
from headwater_model.errors import Unavailable
from lambdas import wiring
from lambdas.telemetry import count, metrics

if TYPE_CHECKING:
    from headwater.events.ingest import Accepted

# Lambda's quota for a synchronous response is 6 MB.
_RESPONSE_BYTES_MAX = 6_000_000
_EVENT_FIELDS = frozenset({"eventTime", "run", "job", "dataset"})


@metrics.log_metrics
def handler(event: Any, context: LambdaContext) -> dict[str, object]:
    """Accept a request as a whole, or events, and return the response.

        {"root_id": ...}                  a request; the response is for the next step
        {"eventTime": ..., "run": ...}    an event; `{}`
        {"events": [...]}                 up to 1,000 events; as of `POST /api/v1/lineage/batch`

    Step Functions catches errors by name: `Invalid`, `TooLarge`, `Unavailable`. A batch is `Unavailable` if AWS refused
    an event of it; sending the whole batch again does no harm.
    """
    if isinstance(event, dict) and "root_id" not in event:
        if "events" in event:
            return _accept_events(event["events"])
        if not _EVENT_FIELDS.isdisjoint(event):
            return _accept_event(event)
    request = parse_request(event, now_s=wiring.now_s(), new_id=lambda: str(uuid4()))
    response = render_bounded_response(request, wiring.number(RECORDS_TTL_S), bytes_max=_RESPONSE_BYTES_MAX)
    wiring.record_queue().put(request.records)
    count("RecordsAccepted", len(request.records))
    return response


# Events' own modules are loaded for events alone: a cold start for a request does without them.


def _accept_event(body: object) -> dict[str, object]:
    from headwater.events.ingest import accept_event

    _count(accept_event(body, queue=wiring.event_queue(), now=wiring.now()))
    return {}


def _count(accepted: Accepted) -> None:
    for name, number in accepted.counts.items():
        count(name, number)


def _accept_events(bodies: object) -> dict[str, object]:
    from headwater.events.ingest import accept_events, render_accepted

    accepted = accept_events(bodies, wiring.event_queue(), now=wiring.now())
    _count(accepted)
    refused = [failure for failure in accepted.failed if failure.retriable]
    if refused:
        raise Unavailable(f"{len(refused)} of {accepted.received} events were not accepted: {refused[0].reason}")
    return render_accepted(accepted)

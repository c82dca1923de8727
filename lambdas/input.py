"""The input function: a lineage request from a Step Functions task or a client, onto the queue."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from aws_lambda_powertools.utilities.typing import LambdaContext

from lambdas import wiring
from lambdas.telemetry import count, metrics
from lineage.records.request import parse_request, render_bounded_answer
from lineage.settings import RECORDS_TTL_S

# Lambda's quota for a synchronous answer is 6 MB.
_ANSWER_BYTES_MAX = 6_000_000


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, object]:
    """Accept a request whole and answer what the next step needs.

    Step Functions catches what it raises by name: `Invalid`, `TooLarge`, `Unavailable`.
    """
    request = parse_request(event, now_s=wiring.now_s(), new_id=lambda: str(uuid4()))
    answer = render_bounded_answer(request, wiring.number(RECORDS_TTL_S), bytes_max=_ANSWER_BYTES_MAX)
    wiring.intake().put(request.records)
    count("RecordsAccepted", len(request.records))
    return answer

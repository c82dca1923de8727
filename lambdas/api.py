"""The api function: every query and request over HTTP."""

from __future__ import annotations

import os
from typing import Any
from uuid import uuid4

from aws_lambda_powertools.utilities.typing import LambdaContext

from headwater import settings
from headwater.api.app import Api, all_routes
from headwater.api.http.responses import Links
from headwater.api.route import Services
from lambdas import wiring
from lambdas.telemetry import count, logger, metrics
from lambdas.wiring import at_first_use


def _services() -> Services:
    return Services(
        records=at_first_use(wiring.record_queue),
        events=at_first_use(wiring.event_queue),
        changes=at_first_use(wiring.change_queue),
        event_log=at_first_use(wiring.event_log),
        queries=at_first_use(wiring.lineage_queries),
        sources=at_first_use(wiring.sources),
        dirty_roots=at_first_use(wiring.dirty_roots),
        root_ids=at_first_use(wiring.root_ids),
        proofs=at_first_use(wiring.proofs),
        searcher=wiring.searcher,
        tokens=at_first_use(wiring.tokens),
        links=Links(wiring.s3(), os.environ[settings.ARCHIVE_BUCKET], os.environ[settings.INTAKE_BUCKET]),
        sqs=wiring.sqs(),
        trace_queue_url=os.environ[settings.TRACE_QUEUE_URL],
        ttl_s=wiring.number(settings.RECORDS_TTL_S),
        now_s=wiring.now_s,
        now=wiring.now,
        new_id=lambda: str(uuid4()),
        sleep=wiring.sleep,
        count=count,
        door=wiring.door(),
        strict_namespaces=os.environ.get(settings.STRICT_NAMESPACES, "false") != "false",
    )


_api = Api(_services, lambda entry: logger.info("request", extra=dict(entry)))

# A snapshot holds everything that requests would load, and nothing that ages: no connection, time, id or token.
if os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "snap-start":
    all_routes()
    wiring.lineage_queries()


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Respond to an HTTP request; an unexpected error is raised, and API Gateway returns 502."""
    return _api.resolve(event, context)

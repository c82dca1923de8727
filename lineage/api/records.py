"""The routes of records: requests in, pages of a root, a node's place."""

from __future__ import annotations

from collections.abc import Iterable

from aws_lambda_powertools.event_handler import Response

from lineage.api.answers import ANSWER_BYTES_MAX, answer, size_of
from lineage.api.cursor import parse_cursor, render_cursor
from lineage.api.request import HttpRequest
from lineage.api.services import Services
from lineage.api.views import render_place, render_some
from lineage.records.live_records import find_paths, is_known, live_page, unknown_root
from lineage.records.record import LineageRecord
from lineage.records.request import parse_request, render_bounded_response
from lineage_model.errors import Forbidden, NotFound, shown

_LIMIT = 100
LIMIT_MAX = 1000


def post_records(services: Services, request: HttpRequest) -> Response[str]:
    """Accept a lineage request, whole or not at all."""
    accepted = parse_request(request.json(), now_s=services.now_s(), new_id=services.new_id)
    _check_roots(accepted.records, request)
    told = render_bounded_response(accepted, services.ttl_s, bytes_max=ANSWER_BYTES_MAX, size_of=size_of)
    services.intake.put(accepted.records)
    services.count("RecordsAccepted", len(accepted.records))
    return answer(told, status=201)


def _check_roots(records: Iterable[LineageRecord], request: HttpRequest) -> None:
    """Refuse a request whole that adds a record to a root which is none of the caller's."""
    for root_id in {record.root_id: None for record in records}:
        if not request.covers_root(root_id):
            raise Forbidden(f"token: may not use records of the root {shown(root_id)}")


def get_root(services: Services, request: HttpRequest) -> Response[str]:
    """The live records of a root, by node id, or those of one action; a known root may have none any more."""
    root_id, action = request.root_id, request.action
    limit = request.number("limit", least=1, most=LIMIT_MAX) or _LIMIT
    question = (root_id,) if action is None else (root_id, action)
    cursor = request.value("cursor")
    after = None if cursor is None else parse_cursor(question, cursor)
    page = live_page(services.sources.table, root_id, action=action, after=after, limit=limit, now_s=services.now_s())
    if not page.records and page.after is None and not is_known(root_id, services.sources):
        raise unknown_root(root_id)
    records, _ = render_some(page.records)
    last = page.after if len(records) == len(page.records) else page.records[len(records) - 1].record.node_id
    return answer({"records": records, "cursor": None if last is None else render_cursor(question, last)})


def get_node(services: Services, request: HttpRequest) -> Response[str]:
    """A live node, the path to it from its root, and what came of it; a list of these if several roots have it."""
    node_id = request.node_id
    found = find_paths(services.sources.table, node_id, now_s=services.now_s(), covers_root=request.covers_root)
    if not found.paths:
        raise NotFound(f"node_id: no live record {shown(node_id)}; the archive may hold it: /api/v1/records/search")
    matches = [render_place(place, ANSWER_BYTES_MAX // len(found.paths)) for place in found.paths]
    if len(matches) == 1 and not found.truncated:
        return answer(matches[0])
    return answer({"matches": matches, "truncated": found.truncated})

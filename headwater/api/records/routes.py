"""Routes of records: requests in, pages of a root, a node and its path, searches and traces."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.cursor import parse_cursor, render_cursor
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import RESPONSE_BYTES_MAX, respond, size_of
from headwater.api.records import proofs, search, traces, types
from headwater.api.records.parameters import ACTION, CURSOR, LIMIT, NODE_ID, NODE_PREFIX, ROOT_ID, ROOT_PREFIX
from headwater.api.records.views import render_live_within, render_path, render_root
from headwater.api.route import Services, Within, record_route
from headwater.records.live_records import find_paths, is_known, live_page, unknown_root
from headwater.records.request import parse_request, render_bounded_response
from headwater_model.errors import Forbidden, NotFound, print_value

_PATH = "/api/v1/records"


def post_records(services: Services, request: HttpRequest) -> Response[str]:
    """Record a step of a pipeline.

    A request is accepted whole or not at all. It may come gzipped (`Content-Encoding: gzip`), 4 MB as sent. With a
    `request_id` and `requested_at` a retry makes the same records again.

    Returns:
        Durable in a queue; the records can be read within a minute or two.
    """
    accepted = parse_request(request.json(), now_s=services.now_s(), new_id=services.new_id)
    # A request for a foreign root is refused as a whole.
    for root_id in {record.root_id: None for record in accepted.records}:
        if not request.covers_root(root_id):
            raise Forbidden(f"token: may not use records of the root {print_value(root_id)}")
    response = render_bounded_response(accepted, services.ttl_s, bytes_max=RESPONSE_BYTES_MAX, size_of=size_of)
    services.records.put(accepted.records)
    services.count("RecordsAccepted", len(accepted.records))
    return respond(response, status=201)


def list_roots(services: Services, request: HttpRequest) -> Response[str]:
    """List the roots of all records, page by page.

    A root is listed within a minute or two of its first record, and stays. A token limited to roots must give a
    `prefix` within a root of its own.

    Returns:
        By id, in the order of its first 512 bytes; a page may be short, or empty, and not be the last.
    """
    prefix, limit, cursor = ROOT_PREFIX.read(request) or "", LIMIT.read(request), CURSOR.read(request)
    after = None if cursor is None else parse_cursor((prefix,), cursor)
    page = services.root_ids.beginning_with(prefix, after=after, limit=limit)
    archives = services.sources.pointers.find_many(page.root_ids)
    body: types.RootPage = {
        "roots": [render_root(root_id, archives.get(root_id)) for root_id in page.root_ids],
        "cursor": None if page.after is None else render_cursor((prefix,), page.after),
    }
    return respond(body)


def get_root(services: Services, request: HttpRequest) -> Response[str]:
    """List the live records of a root, page by page.

    Expired records are in the root's trace alone: a root may have an empty list. An unknown root is 404.

    Returns:
        By node id; a page may be short, or empty, and not be the last.
    """
    root_id, action, prefix = ROOT_ID.read(request), ACTION.read(request), NODE_PREFIX.read(request)
    limit = LIMIT.read(request)
    criteria = (root_id, action or "", prefix or "")
    cursor = CURSOR.read(request)
    after = None if cursor is None else parse_cursor(criteria, cursor)
    page = live_page(
        services.sources.table,
        root_id,
        action=action,
        prefix=prefix,
        after=after,
        limit=limit,
        now_s=services.now_s(),
    )
    # An empty page is 404 for an unknown root alone.
    if not page.records and page.after is None and not is_known(root_id, services.sources):
        raise unknown_root(root_id)
    # Records beyond the response's size come with the next page.
    records, _ = render_live_within(page.records)
    last = page.after if len(records) == len(page.records) else page.records[len(records) - 1].record.node_id
    body: types.RecordPage = {
        "records": records,
        "cursor": None if last is None else render_cursor(criteria, last),
    }
    return respond(body)


def get_node(services: Services, request: HttpRequest) -> Response[str]:
    """Find a record, the path to it, and its descendants.

    Live records only. Up to 10,000 records of a root are read; `truncated` is true if it has more.

    Returns:
        One path; `matches` if several roots have the node id.
    """
    node_id = NODE_ID.read(request)
    node_paths = find_paths(services.sources.table, node_id, now_s=services.now_s(), covers_root=request.covers_root)
    if not node_paths.paths:
        raise NotFound(
            f"node_id: no live record {print_value(node_id)}; the archive may hold it: /api/v1/records/search"
        )
    matches = [render_path(place, RESPONSE_BYTES_MAX // len(node_paths.paths)) for place in node_paths.paths]
    if len(matches) == 1 and not node_paths.truncated:
        return respond(matches[0])
    body: types.NodePaths = {"matches": matches, "truncated": node_paths.truncated}
    return respond(body)


ROUTES = (
    record_route(
        "POST",
        _PATH,
        post_records,
        within=Within.RECORDS,
        accepts=types.LineageRequest,
        returns=types.LineageResponse,
        status=201,
        errors=(400, 413, 422, 503),
    ),
    record_route(
        "GET",
        f"{_PATH}/roots",
        list_roots,
        within=Within.PREFIX,
        parameters=(ROOT_PREFIX, LIMIT, CURSOR),
        returns=types.RootPage,
        errors=(400,),
    ),
    record_route(
        "GET",
        f"{_PATH}/roots/<root_id>",
        get_root,
        within=Within.ROOT,
        parameters=(ROOT_ID, ACTION, NODE_PREFIX, LIMIT, CURSOR),
        returns=types.RecordPage,
    ),
    *traces.ROUTES,
    *proofs.ROUTES,
    record_route(
        "GET",
        f"{_PATH}/nodes/<node_id>",
        get_node,
        within=Within.RECORDS,
        parameters=(NODE_ID,),
        returns=types.NodePath | types.NodePaths,
    ),
    *search.ROUTES,
)

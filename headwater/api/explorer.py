"""The explorer's files under `/explore/`: a page for people, no part of the API, and public.

The page queries the API with the reader's token.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import urlsplit

from aws_lambda_powertools.event_handler import Response

from headwater.api import page_files
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import JSON, Links
from headwater.api.route import Route, Services, Within

# The settings of sign-in are public: the page loads them at its first refusal.
_SIGN_IN = "sign-in.json"
_NOT_BUILT = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Headwater</title>'
    "<h1>The explorer is not built</h1>"
    "<p>Install Node.js 20 or newer with npm, then run <code>make explorer</code>. The API works without it.</p>"
)


def redirect_to_page(services: Services, request: HttpRequest) -> Response[str]:
    """Respond to `/explore/` with the page; redirect `/explore`, where its relative links would be wrong."""
    if request.event.path.endswith("/"):
        return _respond(services, page_files.INDEX)
    return Response(308, headers={"Location": "explore/", "Cache-Control": page_files.REVALIDATE})


def get_file(services: Services, request: HttpRequest) -> Response[str]:
    """Respond with a file of the build, or with the page for the name of a view; 404 for a file of an older build."""
    if services.door is not None and request.segment("file") == _SIGN_IN:
        return Response(200, JSON, json.dumps(services.door.page), _headers(services, page_files.REVALIDATE))
    return _respond(services, request.segment("file"))


def _respond(services: Services, name: str) -> Response[str]:
    file = page_files.find_file(page_files.built_files(), name)
    if file is None and page_files.built_files():
        return Response(404, "text/plain; charset=utf-8", f"no file {name}", _headers(services, page_files.REVALIDATE))
    if file is None:
        return Response(503, page_files.HTML, _NOT_BUILT, _headers(services, page_files.REVALIDATE))
    return Response(200, file.content_type, file.text, _headers(services, file.cache_control))


def _headers(services: Services, cache_control: str) -> Mapping[str, str]:
    return {
        "Cache-Control": cache_control,
        "Content-Security-Policy": _policy(services.links, services.door.origins if services.door else ()),
        "Referrer-Policy": "no-referrer",
    }


def _policy(links: Links, further: Sequence[str]) -> str:
    """Render the page's content security policy: it loads its own files, and large responses from their buckets."""
    # The origins of signed links; in a local stack both buckets have the same origin.
    signed = (urlsplit(links.sign(bucket, "any")) for bucket in (links.archive, links.incoming))
    sources = " ".join(("'self'", *sorted({f"{url.scheme}://{url.netloc}" for url in signed}), *further))
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; worker-src 'self'; img-src 'self' blob:; "
        f"font-src data:; connect-src {sources}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


_page = partial(Route, "GET", scope=None, within=Within.ANYTHING)
ROUTES = (_page("/explore", redirect_to_page), _page("/explore/<file>", get_file))

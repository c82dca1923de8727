"""The HTTP API: all routes, among them `/`, `/openapi.json`, `/api/v1/me`, and refusals of requests without a route."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from importlib import import_module
from typing import Any, TypeAlias
from urllib.parse import quote, unquote

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.utilities.typing import LambdaContext
from typing_extensions import TypedDict

from headwater.api import explorer
from headwater.api.access import check_access, get_caller, name_caller, seen_by, under_rules
from headwater.api.http.errors import AWS_ERRORS, refuse_method, refuse_route, render_aws_error, render_error
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import JSON, respond
from headwater.api.route import Route, Services, Within, operation_id
from headwater.api.tokens import SCOPES, Scope, Token
from headwater.api.types import ApiInfo
from headwater.api.values import when
from headwater.features import FEATURES
from headwater.namespaces import EVERY_RIGHT, EVERYWHERE
from headwater.times import from_seconds
from headwater_model.errors import Forbidden, HeadwaterError, Unauthorized

Entry: TypeAlias = Mapping[str, object]

# Headers of all responses: a browser does not guess the type, and a proxy does not cache them for another caller.
_HEADERS = {"X-Content-Type-Options": ["nosniff"], "Cache-Control": ["no-store"]}
_INFO: ApiInfo = {"name": "Headwater", "version": "1", "openapi": "openapi.json"}
# The modules of routes, in the order of the document, features last, each with the pattern that its paths begin with.
# The first request of such a path imports the module.
MODULES = (
    ("headwater.api.records.routes", "/api/v1/records"),
    ("headwater.api.events", "/api/v1/lineage"),
    ("headwater.api.marquez.routes", "/api/(v1/(?!records|reports|me$)|v2beta/)"),
    ("headwater.api.cdap.mappings", "/v3/"),
    ("headwater.api.cdap.lineage", "/v3/"),
    ("headwater.api.reports.routes", "/api/v1/reports"),
    *(module for feature in FEATURES for module in feature.routes),
)
# API Gateway's status where the function raises.
_RAISED = 502
_PATH_CHARS_MAX = 1000


class Me(TypedDict):
    """The caller.

    `namespaces`, `references` and `roots` are names, or beginnings with `*` behind them; `*` alone is all.
    """

    caller: str | None
    """`token:<id>`, `user:` or `client:` with a name of the issuer, or the ARN of the signature's principal; null where
    API Gateway names none."""
    scopes: list[Scope]
    namespaces: list[str]
    """It may read, write and delete there. If a search over all is refused, name a namespace."""
    writes: list[str]
    """It may write there: a signed-in caller may read in further namespaces."""
    references: list[str]
    """Further namespaces: its events may name their datasets as inputs and as sources of columns."""
    roots: list[str]
    """The roots of its records."""
    expiresAt: str | None
    """The time at which the token expires; null if it never does, and without a token."""
    stage: str
    strictNamespaces: bool
    """Foreign neighbours show their id and type alone."""
    features: list[str]
    """Ids of the operations within its scopes, as in the OpenAPI document."""


@cache
def render_document() -> str:
    """Render this API's OpenAPI document at its first request: it costs as much as a cold start."""
    from headwater.api.document.openapi import build

    return json.dumps(build(all_routes(), _INFO), indent=2, ensure_ascii=False) + "\n"


def document(_services: Services, _request: HttpRequest) -> Response[str]:
    """Return this document.

    Returns:
        OpenAPI 3.1.
    """
    return Response(200, JSON, render_document())


def start(_services: Services, request: HttpRequest) -> Response[str]:
    """Return the API's name and the path of its document; redirect a browser to the explorer.

    Returns:
        The API.
    """
    if "text/html" in (request.event.headers.get("Accept") or ""):
        return Response(303, headers={"Location": "explore/", "Vary": "Accept"})
    return respond(_INFO)


def routes_of(module: str) -> tuple[Route, ...]:
    """Import a module, and list its routes."""
    routes: tuple[Route, ...] = import_module(module).ROUTES
    return routes


def all_routes() -> tuple[Route, ...]:
    """Import all modules, and list their routes: `GET /`, `GET /openapi.json` and so on."""
    return (*_OWN, *(route for module, _ in MODULES for route in routes_of(module)))


def get_me(services: Services, request: HttpRequest) -> Response[str]:
    """Show the caller's scopes, namespaces and roots, and the operations within its scopes.

    Returns:
        The caller.
    """
    token = request.token
    scopes = SCOPES if token is None else token.scopes
    body: Me = {
        "caller": request.caller,
        "scopes": list(scopes),
        "namespaces": [EVERYWHERE] if token is None else list(token.namespaces),
        "writes": _writes(token),
        "references": list(EVERY_RIGHT.references if token is None else token.references),
        "roots": [EVERYWHERE] if token is None else list(token.roots),
        "expiresAt": None if token is None or token.expires is None else when(from_seconds(token.expires)),
        "stage": request.event.request_context.stage or "",
        "strictNamespaces": services.strict_namespaces,
        "features": sorted(operation_id(route) for route in all_routes() if route.scope in (None, *scopes)),
    }
    return respond(body)


def _writes(token: Token | None) -> list[str]:
    if token is None:
        return [EVERYWHERE]
    writing = [part for part in token.parts or (token,) if "write" in part.scopes]
    return sorted({namespace for part in writing for namespace in part.namespaces})


_for_all = partial(Route, "GET", scope=None, within=Within.ANYTHING, linked=False)
_OWN = (
    _for_all("/", start, returns=ApiInfo, errors=()),
    _for_all("/openapi.json", document, returns=dict[str, Any], errors=()),
    _for_all("/api/v1/me", get_me, returns=Me, errors=(503,)),
)


def _methods_of(route: Route) -> set[str]:
    return {"GET", "HEAD"} if route.method == "GET" else {route.method}


@cache
def _shapes() -> tuple[tuple[re.Pattern[str], set[str]], ...]:
    """Compile the pattern of each route's path, with its methods; slashes at the end do not count, as in the router."""
    return tuple(
        (re.compile(re.sub("<.*?>", "[^/]+", route.path) + "/*"), _methods_of(route))
        for route in (*all_routes(), *explorer.ROUTES)
    )


def _entry(event: Mapping[str, Any], caller: str | None, status: int) -> Entry:
    """Render a request for the log: its caller and path, never its query, headers or body."""
    return {
        "caller": caller,
        "method": event["httpMethod"],
        "path": event["path"][:_PATH_CHARS_MAX],
        "status": status,
        "api_request_id": (event.get("requestContext") or {}).get("requestId"),
    }


def _own_path(event: Mapping[str, Any]) -> str:
    """Return the path below the base path of a custom domain: API Gateway matches the path without the base path.

    >>> _own_path({"path": "/lineage/api/v1/jobs", "pathParameters": {"proxy": "api/v1/jobs"}, "resource": "/{proxy+}"})
    '/api/v1/jobs'
    """
    path, resource = str(event["path"]), event.get("resource") or ""
    # The part of the path below the base path: `/{proxy+}` is `/api/v1/jobs`, `/explore/{proxy+}` is `/explore/map`.
    proxy = (event.get("pathParameters") or {}).get("proxy") if "{" in resource else resource
    if not proxy or proxy == "/":
        return "/" if resource == "/" else path
    proxy = resource.replace("{proxy+}", proxy).strip("/")
    # The parameter may come decoded, and without a slash at its end.
    for form in (path, unquote(path)):
        base, matched, rest = form.rpartition(f"/{proxy}")
        if matched and not rest.strip("/"):
            return path.removeprefix(base) or "/"
    return path


class Api:
    """The routes behind API Gateway; `services` is called at each request, and `log` once with its status."""

    def __init__(self, services: Callable[[], Services], log: Callable[[Entry], None] = lambda _: None) -> None:
        self._services = services
        self._log = log
        self._caller: str | None = None  # of the request under way; the router, too, has one at a time
        self._app = APIGatewayRestResolver()
        self._waiting = list(MODULES)
        self._add(_OWN)
        for route in explorer.ROUTES:
            self._app.route(route.path, sorted(_methods_of(route)))(self._handle_page(route))
        self._app.exception_handler(HeadwaterError)(render_error)
        self._app.exception_handler(AWS_ERRORS)(render_aws_error)
        self._app.not_found(self._refuse)

    def resolve(self, event: Mapping[str, Any], context: LambdaContext) -> dict[str, object]:
        """Respond to a proxy event; HEAD has the status and headers of GET, and no body (RFC 9110, 9.3.2)."""
        # The router knows the characters of RFC 3986; servers let further characters through undecoded.
        event = {**event, "path": quote(_own_path(event), safe="/%:@!$&'()*+,;=~", errors="surrogatepass")}
        self.load(event["httpMethod"], event["path"])
        self._caller, status = None, _RAISED
        try:
            response = self._app.resolve(event, context)
            status = response["statusCode"]
        finally:
            self._log(_entry(event, self._caller, status))
        response["multiValueHeaders"] = {**_HEADERS, **response.get("multiValueHeaders", {})}
        return {**response, "body": ""} if event["httpMethod"] == "HEAD" else response

    def load(self, method: str, path: str) -> None:
        """Add the routes that a request may take, a module after another, up to a route of its very path."""
        for module in [module for module in self._waiting if re.match(module[1], path)]:
            self._waiting.remove(module)
            routes = routes_of(module[0])
            self._add(routes)
            if any(route.path == path and route.method == method for route in routes):
                return

    def _add(self, routes: Iterable[Route]) -> None:
        for route in routes:
            self._app.route(route.path, sorted(_methods_of(route)))(self._handle(route))

    def _identify(self, services: Services) -> Token | None:
        """Return the token that the request brought, as `get_caller`, and keep its name for the log."""
        event = self._app.current_event.raw_event
        token = get_caller(services, event)
        self._caller = name_caller(token, event)
        return token

    def _handle(self, route: Route) -> Callable[..., Response[str]]:
        def run(**segments: str) -> Response[str]:
            context = self._app.lambda_context
            services = self._services()
            token = self._identify(services)
            if token is not None:
                token = token.for_scope(route.scope)
            request = HttpRequest(
                self._app.current_event,
                segments,
                lambda: context.get_remaining_time_in_millis() / 1000,
                token,
                self._caller,
            )
            if token is not None:
                request = under_rules(services, token, request, route)
                check_access(services, token, request, route)
                services = seen_by(services, token, request)
            return route.handler(services, request)

        return run

    def _handle_page(self, route: Route) -> Callable[..., Response[str]]:
        """Handle a route of the explorer: the same for every caller, so nobody is identified."""

        def run(**segments: str) -> Response[str]:
            return route.handler(self._services(), HttpRequest(self._app.current_event, segments, lambda: 0.0))

        return run

    def _refuse(self, _error: NotFoundError) -> Response[str]:
        """Refuse a request without a route: 404 for its path, 405 for its method; 401 or 403 come first."""
        event = self._app.current_event
        try:
            self._identify(self._services())
        except (Unauthorized, Forbidden) as error:
            return render_error(error)
        allowed = {method for shape, methods in _shapes() if shape.fullmatch(event.path) for method in methods}
        return refuse_method(event.http_method, allowed) if allowed else refuse_route(event.path)

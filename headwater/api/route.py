"""Routes: a method on a path, its handler, the services for it, and its description in the OpenAPI document.

The function's edge (`lambdas/api.py`) puts the services together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeAlias

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import AnyParameter
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import JSON

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

    from headwater.api.http.responses import Links
    from headwater.api.tokens import Scope, Token, Tokens
    from headwater.events.api_change_queue import ApiChangeQueue
    from headwater.events.ingest import EventQueue
    from headwater.loading.event_log import EventLog
    from headwater.queries.service import LineageQueries
    from headwater.records.dirty_roots import DirtyRoots
    from headwater.records.proof import Proofs
    from headwater.records.queues import RecordQueue
    from headwater.records.root_ids import RootIds
    from headwater.records.root_records import RecordSources
    from headwater.records.search.searcher import Searcher


# The member of a request's authorizer context with the SHA-256 of a verified token of a foreign issuer. API Gateway
# makes the context: no caller can.
VERIFIED = "verified"


class Door(Protocol):
    """A way in for callers with tokens of a foreign issuer, which an authorizer of API Gateway has verified."""

    @property
    def page(self) -> Mapping[str, object]:
        """The settings with which the explorer signs in."""

    @property
    def origins(self) -> Sequence[str]:
        """The origins that the explorer calls to sign in."""

    def find_caller(self, text: str, verified: str, *, now_s: int) -> Token:
        """Find the rights of the token's holder; raise `Unauthorized` for another token than the verified one."""


@dataclass(frozen=True, slots=True)
class Services:
    """Stores, queues, clients; clocks (seconds since 1970, and normalized times), new ids, a counter of metrics.

    `strict_namespaces`: a token for some namespaces is shown foreign neighbours by id and type alone. `door` lets
    callers of a foreign issuer in, where a feature adds it.

    Stores are imported where they are made, not here: a cold start imports only the stores in use. `searcher` makes the
    search of records at the first search.
    """

    records: RecordQueue
    events: EventQueue
    changes: ApiChangeQueue
    event_log: EventLog
    queries: LineageQueries
    sources: RecordSources
    dirty_roots: DirtyRoots
    root_ids: RootIds
    proofs: Proofs
    searcher: Callable[[], Searcher]
    tokens: Tokens
    links: Links
    sqs: SQSClient
    trace_queue_url: str
    ttl_s: int
    now_s: Callable[[], int]
    now: Callable[[], str]
    new_id: Callable[[], str]
    count: Callable[[str, int], None]
    sleep: Callable[[float], None]
    strict_namespaces: bool = False
    door: Door | None = None

    def count_all(self, metrics: Mapping[str, int]) -> None:
        """Count several metrics, by name."""
        for name, number in metrics.items():
            self.count(name, number)


Handler: TypeAlias = Callable[[Services, HttpRequest], Response[str]]


class Within(Enum):
    """The part of a request that must lie within a token's limits, in the words of docs/security.md."""

    ANYTHING = "none: any valid token"
    NAMESPACE = "`namespace` of the path"
    NEW = "`namespace` of the path, before it exists"
    NODE = "the node in the query"
    RUN = "the namespace of the run's job"
    SEEN = "each row of the response: other rows are left out"
    EVENTS = "each job and dataset of the body"
    DEPLOYMENT = "all namespaces: only a token for all"
    ROOT = "`root_id` of the path"
    ROOT_QUERY = "`root` of the query"
    PREFIX = "`prefix` of the query"
    RECORDS = "each record of the request or response"


@dataclass(frozen=True, slots=True)
class Reply:
    """A response of a route: its status, the type of its body (None: it has none), its content types and headers."""

    status: int
    body: object
    description: str
    content_types: tuple[str, ...] = (JSON,)
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    """A method on a path; segments in angle brackets are ids, each percent-encoded. HEAD is answered wherever GET is.

    A token needs the `scope` (None: any valid token); `within` is the part of the request limited by the token.
    A route that `makes_events` takes them from the token's budget itself. Any further write or deletion counts as an
    event. `returns` is the type of the body of a response with this `status`, None without a body. `linked`: a body
    above 4 MB is behind a link (303), and both responses have the `headers`. `replies` are further responses. `accepts`
    is the type of the request's body. The handler's docstring is the operation's summary and description, and under
    `Returns:` the response's.
    """

    method: str
    path: str
    handler: Handler
    _: KW_ONLY
    scope: Scope | None
    within: Within
    parameters: tuple[AnyParameter, ...] = ()
    returns: object = None
    status: int = 200
    linked: bool = True
    content_types: tuple[str, ...] = (JSON,)
    headers: tuple[str, ...] = ()
    replies: tuple[Reply, ...] = ()
    accepts: object = None
    errors: tuple[int, ...] = (400, 404, 503)
    makes_events: bool = False


def read_route(
    path: str,
    handler: Handler,
    within: Within,
    parameters: tuple[AnyParameter, ...],
    returns: object,
    *,
    errors: tuple[int, ...] = (400, 404, 503),
) -> Route:
    """Make a route that reads the graph: a GET with the scope `read`."""
    return Route(
        "GET", path, handler, scope="read", within=within, parameters=parameters, returns=returns, errors=errors
    )


# A deletion hides a thing of a namespace until an event mentions it again.
delete_route = partial(Route, "DELETE", scope="delete", within=Within.NAMESPACE)
# Of descriptions of a namespace, a source or a tag.
describe_route = partial(Route, "PUT", scope="write", linked=False, errors=(400, 413, 422, 503))
# Of requests that become events.
event_route = partial(Route, scope="write", makes_events=True, linked=False)
# Of records: a response is never behind a link.
record_route = partial(Route, scope="records", linked=False)
# Of a page of a list: an empty page is no error.
list_route = partial(read_route, errors=(400, 503))


def operation_id(route: Route) -> str:
    """Make the id of a route's operation in the OpenAPI document: its handler's name in camel case.

    `get_dataset` becomes `getDataset`.
    """
    first, *others = route.handler.__name__.split("_")
    return first + "".join(word.capitalize() for word in others)

"""Access: API Gateway checks signatures itself, bearer tokens are checked here.

For a token of a few namespaces, foreign jobs and datasets do not exist: routes, lists, counts, searches and ids respond
as if they had never been written. A graph does show foreign neighbours; in a strict deployment by id and type alone.

An event must describe nothing outside the token's namespaces: its job, its parent and root jobs, its outputs or its
dataset. Its inputs and the sources of its columns may also lie in the token's `references`
(`headwater.events.rights`). A batch with an event outside is refused as a whole.

A request may name a dataset as its producer does. The rules of names turn the name into the graph's, and the namespace
of the graph's name counts. A name outside the token's namespaces gets the response of an unknown dataset.

Records are in no namespace: their scope is `records`, limited by the token's roots. A root outside responds as if it
did not exist; a request with new records for it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from headwater import settings
from headwater.api.http.request import HttpRequest
from headwater.api.route import VERIFIED, Route, Services, Within
from headwater.api.tokens import Scope, Token
from headwater.facts.visibility import NoRows, Visibility
from headwater_model.errors import Forbidden, Unauthorized, print_value
from headwater_model.ids import DatasetId


def get_caller(services: Services, event: Mapping[str, Any]) -> Token | None:
    """Find the token of a request, and record its use; None where API Gateway checked a signature.

    Raises:
        Forbidden: the stage names no check of its callers, so perhaps nobody checks them.
        Unauthorized: the stage is the token API's, and the request has no valid token.
    """
    name, iam, token_auth = settings.AUTH_STAGE_VARIABLE, settings.IAM_AUTH, settings.TOKEN_AUTH
    auth = (event.get("stageVariables") or {}).get(name)
    if auth == iam:
        return None
    if auth != token_auth:
        raise Forbidden(f"stage variable {name}: must be {iam} or {token_auth}")
    kind, _, text = _authorization(event).strip().partition(" ")
    if kind.lower() != "bearer" or not text:
        raise Unauthorized("Authorization: must be `Bearer` and a token")
    checked = (event.get("requestContext") or {}).get("authorizer") or {}
    if services.door is not None and checked.get(VERIFIED):
        return services.door.find_caller(text.strip(), checked[VERIFIED], now_s=services.now_s())
    token = services.tokens.find(text.strip(), now_s=services.now_s())
    if token is None:
        services.count("RequestsUnauthorized", 1)
        raise Unauthorized("Authorization: the token is unknown, expired or revoked")
    services.tokens.record_use(token, now_s=services.now_s())
    return token


def spend_budget(services: Services, request: HttpRequest, events: int) -> None:
    """Take events from the budget of the caller's token, if there is one.

    Raises:
        TooLarge: more events than the budget of a minute.
        OverBudget: more events than the rest of this minute's budget.
    """
    if request.token is not None:
        services.tokens.spend(request.token, events, now_s=services.now_s())


def name_caller(token: Token | None, event: Mapping[str, Any]) -> str | None:
    """Name the caller for logs: the token's id, or the ARN of a signature's principal from API Gateway.

    >>> name_caller(None, {"requestContext": {"identity": {"userArn": "arn:aws:iam::123456789012:user/ann"}}})
    'arn:aws:iam::123456789012:user/ann'
    """
    if token is not None:
        return token.caller
    return ((event.get("requestContext") or {}).get("identity") or {}).get("userArn") or None


def _authorization(event: Mapping[str, Any]) -> str:
    """Read the header `Authorization`; empty if it is missing or sent twice."""
    many = event.get("multiValueHeaders") or {name: [value] for name, value in (event.get("headers") or {}).items()}
    values = [value for name, sent in many.items() if name.lower() == "authorization" for value in sent]
    return values[0] if len(values) == 1 else ""


def check_access(services: Services, token: Token, request: HttpRequest, route: Route) -> None:
    """Refuse a request beyond the token's rights; take a change through the API from its budget.

    Raises:
        Forbidden: the token has not the scope, the root, or the namespace to write to or delete from.
        NotFound: the root in the path is none of the token's.
        OverBudget: a change through the API counts as an event, and the token's budget is spent.
    """
    scope = route.scope
    if scope is None:
        return
    if scope not in token.scopes:
        raise Forbidden(f"token: needs the scope {scope}; this one has {', '.join(token.scopes) or 'none'}")
    if scope == "records":
        _check_roots(token, request, route.within)
    elif not token.is_everywhere:
        _check_namespaces(services, token, request, scope, route.within)
    if scope in ("write", "delete") and not route.makes_events:
        spend_budget(services, request, 1)


def _check_roots(token: Token, request: HttpRequest, within: Within) -> None:
    """Refuse records outside the token's roots, before anything is read; handlers check `RECORDS` themselves."""
    if token.is_of_every_root or within is Within.RECORDS:
        return
    if within is Within.ROOT:
        from headwater.api.records.parameters import ROOT_ID
        from headwater.records.live_records import unknown_root

        root_id = ROOT_ID.read(request)
        if not token.covers_root(root_id):
            raise unknown_root(root_id)
    elif within is Within.PREFIX:
        prefix = request.value("prefix") or ""
        if not token.covers_roots_from(prefix):
            raise Forbidden(f"token: may not list the roots that begin with {print_value(prefix)}")
    else:
        _check_root_of_query(token, request)


def _check_root_of_query(token: Token, request: HttpRequest) -> None:
    root = request.value("root")
    if root is None:
        raise Forbidden("token: may not use records without naming one of its roots (root=...)")
    if not token.covers_root(root):
        raise Forbidden(f"token: may not use records of the root {print_value(root)}")


def _check_namespaces(services: Services, token: Token, request: HttpRequest, scope: Scope, within: Within) -> None:
    """Refuse writes outside the token's namespaces; `seen_by` hides foreign rows, the queue checks each event."""
    if within is Within.DEPLOYMENT:
        raise Forbidden(f"token: may not {scope} what is not in one of its namespaces")
    if within is Within.NEW:
        check_covered(token, scope, [request.segment("namespace")])
    elif scope != "read" and "dataset" in request.segments:
        _check_primary_name(services, token, request, scope)


def under_rules(services: Services, token: Token, request: HttpRequest, route: Route) -> HttpRequest:
    """Give the request the dataset's name in the graph, if the token covers only this name, not the requested name.

    A token without the route's scope is refused by `check_access` later, so nothing is read for it here.
    """
    segment = next((name for name in ("dataset", "endpoint") if name in request.segments), None)
    if segment is None or token.is_everywhere or route.scope not in token.scopes:
        return request
    named = DatasetId(request.segment("namespace"), request.segment(segment))
    if token.covers(named.namespace):
        return request
    dataset = services.queries.seen_by(_visibility(services, token)).find_name_by_rules(named)
    if dataset is None:
        return request
    renamed = {"namespace": quote(dataset.namespace, safe=""), segment: quote(dataset.name, safe="")}
    return replace(request, segments={**request.segments, **renamed})


def check_covered(token: Token, scope: Scope, namespaces: Iterable[str]) -> None:
    """Raise `Forbidden` with the name of the first namespace that the token does not cover."""
    for namespace in namespaces:
        if not token.covers(namespace):
            raise _refusal(scope, namespace)


def _refusal(scope: Scope, namespace: str) -> Forbidden:
    return Forbidden(f"token: may not {scope} in the namespace {print_value(namespace)}")


def _check_primary_name(services: Services, token: Token, request: HttpRequest, scope: Scope) -> None:
    """Refuse to delete or tag a foreign dataset by an alias in a namespace of the token's."""
    named = DatasetId(request.segment("namespace"), request.segment("dataset"))
    if not token.covers(named.namespace):
        return
    dataset = services.queries.seen_by(_visibility(services, token)).find_dataset(named)
    if dataset is None:
        return
    check_covered(token, scope, [dataset.id.namespace])
    # The loader applies the change by the rules of names, and they may be newer than the dataset's events.
    if not all(token.covers(other.namespace) for other in services.queries.names_by_rules(dataset.id)):
        raise _refusal(scope, named.namespace)


def seen_by(services: Services, token: Token, request: HttpRequest) -> Services:
    """Limit queries and the event log to the token's namespaces.

    A path in a foreign namespace is looked up in an empty table: 404, without a request to DynamoDB.
    """
    if token.is_everywhere:
        return services
    if "namespace" in request.segments and not token.covers(request.segment("namespace")):
        from headwater.queries.service import LineageQueries

        return replace(services, queries=LineageQueries(NoRows()))
    visibility = _visibility(services, token)
    return replace(
        services,
        queries=services.queries.seen_by(visibility),
        event_log=services.event_log.seen_by(visibility),
    )


def _visibility(services: Services, token: Token) -> Visibility:
    return Visibility(token.covers, token.namespaces, strict=services.strict_namespaces)

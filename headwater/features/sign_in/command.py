"""`headwater access`: the rights of signed-in callers; `headwater login`: a person's sign-in on the command line."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from headwater.cli.deployment import Deployment, add_options, find_deployment
from headwater.cli.options import add_command, add_url
from headwater.cli.service import NoResponse, printable
from headwater.cli.token import add_rights, cells_of, document_of, line_of, token_of

if TYPE_CHECKING:
    from headwater.api.tokens import Token
    from headwater.features.sign_in.grants import Grants

_ABOUT = """\
Grant rights to callers who sign in at the company's issuer (the context value sign_in_issuer), by a claim of their
tokens: a group, a mail address, a client. The rights are those of a token. Several grants to a caller add up, each
scope by itself. Each change is a line of the log, so the AWS credentials need the tag of operators
(docs/operations.md). A change takes effect within a minute.
"""
_EXAMPLES = """\
examples:
  %(prog)s grant groups=analysts --scope read --namespace 'gold*' --never-expires
  %(prog)s grant email=ann@example.org --scope read --scope write --namespace team-a
  %(prog)s grant client_id=airflow --scope write --namespace airflow
  %(prog)s grant 'sub=*' --scope read --all-namespaces          everybody who signs in
  %(prog)s list
  %(prog)s explain ann@example.org --claim groups=analysts
  %(prog)s revoke groups=analysts
"""
_LOGIN = """\
Sign in at the issuer of a stack: open the printed address, and enter the code there. The token is kept in a file that
you alone can read, for all commands with this --url; it is renewed until the issuer ends it. `--forget` removes it.
"""
_DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"
_SUBJECTS = ("sub", "email", "client_id", "azp", "cid")
# A poll that comes too early makes the interval longer (RFC 8628, 3.5).
_SLOWER_S = 5
_CLAIM_BYTES_MAX = 500


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add both commands."""
    summary = "grant rights to people and machines that sign in"
    parser = add_command(subparsers, "access", summary, _ABOUT, _EXAMPLES, run=_run)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    grant = commands.add_parser("grant", help="give callers with a claim these rights, in place of earlier rights")
    grant.add_argument("to", type=_claim, metavar="CLAIM=VALUE")
    add_rights(grant)
    revoke = commands.add_parser("revoke", help="end the rights of a claim, within a minute")
    revoke.add_argument("to", type=_claim, metavar="CLAIM=VALUE")
    listing = commands.add_parser("list", help="print all grants")
    listing.add_argument("--json", action="store_true", help="print them as JSON, with times in ISO 8601 (UTC)")
    explain = commands.add_parser("explain", help="print what a caller may see, and which grant gives it")
    explain.add_argument("user", help="an id, a verified mail address or a client of the issuer; or a whole token")
    explain.add_argument("--claim", action="append", default=[], type=_claim, metavar="CLAIM=VALUE", help="a group")
    for command, act in ((grant, _grant), (revoke, _revoke), (listing, _list), (explain, _explain)):
        add_options(command)
        command.set_defaults(act=act)
    login = add_command(subparsers, "login", "sign in at the issuer of a deployed stack", _LOGIN, run=_login)
    add_url(login)
    login.add_argument("--forget", action="store_true", help="remove the token of this URL")


def _claim(text: str) -> str:
    """Parse `groups=analysts`."""
    name, _, value = text.partition("=")
    if not name or not value or len(text.encode()) > _CLAIM_BYTES_MAX:
        raise argparse.ArgumentTypeError(f"must be CLAIM=VALUE of at most {_CLAIM_BYTES_MAX} bytes, got {text[:99]!r}")
    return text


def _run(given: argparse.Namespace) -> int:
    """Run a command of `access`."""
    from headwater.api.tokens import Tokens
    from headwater.features.sign_in.grants import Grants

    deployment = find_deployment(given)
    given.act(given, deployment, Grants(Tokens(deployment.graph_table())))
    return 0


def _log(deployment: Deployment, change: str, to: str, **rights: Any) -> None:
    """Put a change into the log, before it takes effect."""
    from headwater.aws.queues import from_caller, send_all
    from headwater.events.api_changes import parse_api_change
    from headwater.events.ingest import render_event_message
    from headwater.events.naming import AS_SENT
    from headwater.times import from_seconds

    body = {"change": change, "eventTime": from_seconds(time.time()), "grantee": to, **rights}
    parse_api_change(body, AS_SENT)
    message = from_caller(render_event_message(body), None)
    send_all(deployment.client("sqs"), deployment.outputs["ChangesQueueUrl"], [message])


def _grant(given: argparse.Namespace, deployment: Deployment, grants: Grants) -> None:
    from dataclasses import replace

    _, token = token_of(given)
    rights = {name: list(getattr(token, name)) for name in ("scopes", "namespaces", "references", "roots")}
    grants.check_room(given.to)
    _log(deployment, "GRANT", given.to, **rights)
    grants.put(token, given.to)
    print(line_of(replace(token, id=given.to)))


def _revoke(given: argparse.Namespace, deployment: Deployment, grants: Grants) -> None:
    _log(deployment, "REVOKE", given.to)
    grants.revoke(given.to, now_s=int(time.time()))
    print(f"revoked: {printable(given.to)}")


def _list(given: argparse.Namespace, _deployment: Deployment, grants: Grants) -> None:
    from headwater.cli.text.terminal import print_json

    listed = grants.list()
    if listed.more:
        print("headwater access: there are more grants; only these are listed, and count", file=sys.stderr)
    if given.json:
        broken = [{"id": to, "state": "broken", "fault": fault} for to, fault in listed.broken.items()]
        print_json([*map(_document, listed.good), *broken])
        return
    for token in listed.good:
        print(line_of(token))
    for to, fault in listed.broken.items():
        print(f"{printable(to)}  broken  {printable(fault)}")


def _document(grant: Token) -> dict[str, object]:
    return {name: value for name, value in document_of(grant, None).items() if name != "lastUsed"}


def _explain(given: argparse.Namespace, _deployment: Deployment, grants: Grants) -> None:
    """Print the rights of a caller by scope, each with its grants."""
    from headwater.api.tokens import SCOPES
    from headwater.features.sign_in.claims import fitting_grants
    from headwater.features.sign_in.grants import unite

    who, claims = _claims_of(given)
    fitting = fitting_grants(claims, grants.list().good, int(time.time()))
    if not fitting:
        print(f"{who}: no grant fits, so all but the page itself is refused")
    caller = unite(who, fitting, created=0, expires=None)
    for scope in (scope for scope in SCOPES if scope in caller.scopes):
        rights = caller.for_scope(scope)
        limits = rights.roots if scope == "records" else rights.namespaces
        print(f"{who} has {scope} in {printable(', '.join(limits))}")
        for part in rights.parts:
            print(f"  by the grant {'  '.join(cells_of(part))}")


def _claims_of(given: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Name the caller; read the claims of a token, or make those of a name and of `--claim`."""
    from headwater.features.sign_in.claims import name_caller, read_claims, values_of

    try:
        claims = dict(read_claims(given.user))
        who = name_caller(claims)
    except ValueError:
        claims, who = {**dict.fromkeys(_SUBJECTS, given.user), "email_verified": True}, given.user
        if not given.claim:
            print("Groups are known to the issuer alone: give them by --claim, or the whole token.", file=sys.stderr)
    for name, _, value in (claim.partition("=") for claim in given.claim):
        claims[name] = [*values_of(claims, name), value]
    return printable(who), claims


def _login(given: argparse.Namespace) -> int:
    """Sign in, or forget the sign-in."""
    from headwater.cli.logins import login_of, logins_file, write_login

    if given.forget:
        write_login(given.url, None)
        return 0
    settings, endpoints = _find_issuer(given.url)
    response = _poll_for_token(settings, endpoints)
    place = {"token_endpoint": endpoints["token_endpoint"], "client": settings["client"]}
    write_login(given.url, {**place, **login_of(response, time.time)})
    print(f"signed in at {settings['issuer']}; the token is in {logins_file()}")
    return 0


def _find_issuer(url: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Read the stack's settings of sign-in, and the issuer's endpoints."""
    from headwater.cli.logins import send_form

    status, settings = send_form(f"{url.rstrip('/')}/explore/sign-in.json")
    if status != HTTPStatus.OK:
        raise NoResponse(f"{url}: HTTP {status}")
    if not settings.get("client"):
        raise NoResponse(f"{url}: the stack has no client for people (the context value sign_in_client)")
    _, endpoints = send_form(f"{settings['issuer'].rstrip('/')}/.well-known/openid-configuration")
    if endpoints.get("issuer") != settings["issuer"] or not endpoints.get("device_authorization_endpoint"):
        raise NoResponse(f"{settings['issuer']}: the issuer has no sign-in of devices; set HEADWATER_TOKEN")
    return settings, endpoints


def _poll_for_token(settings: Mapping[str, str], endpoints: Mapping[str, str]) -> Any:
    """Print the code, and wait until it is entered (RFC 8628)."""
    from headwater.cli.logins import send_form

    form = {"client_id": settings["client"], "scope": settings["scope"]}
    status, device = send_form(endpoints["device_authorization_endpoint"], form)
    if status != HTTPStatus.OK:
        raise NoResponse(f"{settings['issuer']}: {_reason(device)}")
    address = device.get("verification_uri_complete") or device["verification_uri"]
    print(f"Open {printable(address)}\nand enter the code {printable(device['user_code'])}", flush=True)
    wait_s, ends = float(device.get("interval", 5)), time.monotonic() + float(device["expires_in"])
    poll = {"grant_type": _DEVICE_CODE, "device_code": device["device_code"], "client_id": settings["client"]}
    while time.monotonic() < ends:
        time.sleep(wait_s)
        status, response = send_form(endpoints["token_endpoint"], poll)
        if status == HTTPStatus.OK:
            return response
        if response.get("error") not in ("authorization_pending", "slow_down"):
            raise NoResponse(f"{settings['issuer']}: {_reason(response)}")
        wait_s += _SLOWER_S if response["error"] == "slow_down" else 0
    raise NoResponse("the code was not entered in time")


def _reason(response: Any) -> str:
    return printable(str(response.get("error_description") or response.get("error") or "no response of OAuth"))

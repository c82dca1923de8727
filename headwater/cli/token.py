"""`headwater token`: the bearer tokens of a stack."""

from __future__ import annotations

import argparse
import sys
import time
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from headwater.cli.deployment import add_options, find_deployment
from headwater.cli.options import add_command, whole_number
from headwater.cli.service import printable

if TYPE_CHECKING:
    from headwater.api.tokens import Token, Tokens

_DAY_S = 24 * 3600
_ABOUT = """\
Create, list and revoke the bearer tokens of a stack's second API (the context value auth=token, or `serve
--token-api`). A token is printed once; the stack stores only its hash. docs/security.md lists what each scope allows.
"""
_EXAMPLES = """\
examples:
  TOKEN=$(%(prog)s create --scope write --namespace 'airflow*' --namespace 's3://*')
  %(prog)s create --scope write --namespace team-a --reference 's3://shared-*'
  %(prog)s create --scope read --all-namespaces --expires-days 365
  %(prog)s create --scope write --namespace flink --events-per-minute 600
  %(prog)s create --scope records --root 'flights-*' --stage test
  %(prog)s list --stage test
  %(prog)s revoke 0123456789abcdef
  %(prog)s create --scope read --all-namespaces --local http://127.0.0.1:4566
"""
# In the order and words of headwater.api.tokens.SCOPES; --help does not wait for its import.
_SCOPES = ("records", "read", "write", "delete")
# The second is headwater.api.tokens.LIFETIME_DAYS_MAX.
_EXPIRES_DAYS, _EXPIRES_DAYS_MAX = 90, 3650
# The last second of the calendar.
_LAST_S = 253_402_300_799


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command, its own commands and their options."""
    parser = add_command(subparsers, "token", "create, list and revoke bearer tokens", _ABOUT, _EXAMPLES, run=_run)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    create = commands.add_parser("create", help="make a token and print it, once")
    add_rights(create)
    revoke = commands.add_parser("revoke", help="refuse a token from now on, within a minute")
    revoke.add_argument("id", help="as `list` prints it: the part between the token's underscores")
    listing = commands.add_parser("list", help="print all tokens, and when each was last used")
    listing.add_argument("--json", action="store_true", help="print them as JSON, with times in ISO 8601 (UTC)")
    for command, act in ((create, _create), (listing, _list), (revoke, _revoke)):
        add_options(command)
        command.set_defaults(act=act)


def add_rights(create: argparse.ArgumentParser) -> None:
    """Add the options of the rights of a token or a grant, such as `--scope read`."""
    create.add_argument(
        "--scope",
        action="append",
        required=True,
        choices=_SCOPES,
        help="records: send, read and trace records; read: read all else; write: send events; delete: delete jobs, "
        "datasets and namespaces; may be repeated",
    )
    namespaces = create.add_mutually_exclusive_group()
    namespaces.add_argument(
        "--namespace",
        action="append",
        default=[],
        metavar="NAME",
        help="a namespace to read, write or delete in, or the beginning of namespaces and `*`; may be repeated",
    )
    namespaces.add_argument("--all-namespaces", action="store_true", help="all namespaces, and lists over all of them")
    create.add_argument(
        "--reference",
        action="append",
        default=[],
        metavar="NAME",
        help="another namespace whose datasets the token's events may name as inputs and sources of columns, or the "
        "beginning of namespaces and `*`; may be repeated (default: all namespaces)",
    )
    create.add_argument(
        "--root",
        action="append",
        default=[],
        metavar="ID",
        help="a root of the scope records, or the beginning of roots and `*`; may be repeated (default: all roots)",
    )
    _add_bounds(create)


def _add_bounds(create: argparse.ArgumentParser) -> None:
    """Add the options for the number of events and for the time of a token."""
    create.add_argument(
        "--events-per-minute",
        type=int,
        metavar="N",
        help="the most events by the token in a minute; more are refused with 429 and Retry-After (default: no "
        "bound of its own)",
    )
    expiry = create.add_mutually_exclusive_group()
    expiry.add_argument(
        "--expires-days",
        type=whole_number(1, _EXPIRES_DAYS_MAX),
        default=_EXPIRES_DAYS,
        metavar="N",
        help=f"days until it is refused, {_EXPIRES_DAYS_MAX} at most (default: {_EXPIRES_DAYS})",
    )
    expiry.add_argument("--never-expires", action="store_true", help="accept it until it is revoked")


def _run(given: argparse.Namespace) -> int:
    """Run a command."""
    from headwater.api.tokens import Tokens

    deployment = find_deployment(given)
    if "TokenApiUrl" not in deployment.outputs:
        print("headwater token: no API of this stack takes tokens yet; deploy it with -c auth=token", file=sys.stderr)
    given.act(given, Tokens(deployment.graph_table()))
    return 0


def token_of(given: argparse.Namespace) -> tuple[str, Token]:
    """Make the token of the options in `add_rights`: its text, and the stored token."""
    from secrets import token_bytes

    from headwater.api.tokens import new_token

    return new_token(
        scopes=given.scope,
        namespaces=["*"] if given.all_namespaces else given.namespace,
        references=given.reference,
        roots=given.root,
        now_s=int(time.time()),
        lifetime_s=None if given.never_expires else given.expires_days * _DAY_S,
        random=token_bytes,
        events_per_minute=given.events_per_minute,
    )


def _create(given: argparse.Namespace, tokens: Tokens) -> None:
    text, token = token_of(given)
    tokens.put(token)
    print(f"{line_of(token)}\nKeep it: it is printed this once.", file=sys.stderr)
    print(text)


def _list(given: argparse.Namespace, tokens: Tokens) -> None:
    from rich.table import Table
    from rich.text import Text

    from headwater.cli.text.terminal import output_console, print_json, print_part

    listed, last_uses = tokens.all(), tokens.last_uses()
    if given.json:
        broken = [{"id": id_, "state": "broken", "fault": fault} for id_, fault in listed.broken.items()]
        print_json([*(document_of(token, last_uses.get(token.id)) for token in listed.good), *broken])
        return
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for token in listed.good:
        used_s = last_uses.get(token.id)
        used = "never used" if used_s is None else f"last used {_moment(used_s)[:10]}"
        table.add_row(*(Text(cell, overflow="fold") for cell in (*cells_of(token), used)))
    for id_, fault in listed.broken.items():
        table.add_row(*(Text(printable(cell), overflow="fold") for cell in (id_, "", "", "broken", fault, "")))
    print_part(output_console(), table)


def document_of(token: Token, used_s: int | None) -> dict[str, object]:
    """Render the token without the hash of its secret: `{"id": "0123456789abcdef", ...}`."""
    return {
        "id": token.id,
        "state": _state(token),
        "scopes": token.scopes,
        "namespaces": token.namespaces,
        "references": token.references,
        "roots": token.roots,
        "eventsPerMinute": token.events_per_minute,
        "created": _iso(token.created),
        "expires": _iso(token.expires),
        "revoked": _iso(token.revoked),
        "lastUsed": None if used_s is None else _moment(used_s)[:10],
    }


def _iso(moment_s: int | None) -> str | None:
    return None if moment_s is None else _datetime(moment_s).isoformat()


def _revoke(given: argparse.Namespace, tokens: Tokens) -> None:
    print(line_of(tokens.revoke(given.id, now_s=int(time.time()))))


def line_of(token: Token) -> str:
    """Print a token on a line, such as `0123456789abcdef  read  created 2026-11-20 12:00  ...`."""
    return "  ".join(cells_of(token))


def cells_of(token: Token) -> tuple[str, ...]:
    """Print the parts of a token's line, such as `read+write`."""
    state = _state(token)
    moments = {"revoked": token.revoked, "expired": token.expires, "valid": token.expires}
    moment = moments[state]
    until = "never expires" if moment is None else f"{'expires' if state == 'valid' else state} {_moment(moment)}"
    limits = [f"namespaces {' '.join(token.namespaces)}"] if token.namespaces else []
    limits += [f"references {' '.join(token.references)}"] if token.references else []
    limits += [f"roots {' '.join(token.roots)}"] if token.roots else []
    limits += [f"{token.events_per_minute} events a minute"] if token.events_per_minute else []
    return token.id, "+".join(token.scopes), f"created {_moment(token.created)}", until, printable(", ".join(limits))


def _state(token: Token) -> str:
    if token.revoked is not None:
        return "revoked"
    return "valid" if token.is_good(int(time.time())) else "expired"


def _moment(moment_s: int) -> str:
    return _datetime(moment_s).strftime("%Y-%m-%d %H:%M")


def _datetime(moment_s: int) -> datetime:
    """Convert the time, or the nearest time of the calendar."""
    return datetime.fromtimestamp(min(max(moment_s, 0), _LAST_S), timezone.utc)

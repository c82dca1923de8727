"""`headwater search`: records by what they are, in the table and in the archive."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from headwater.graph import add_url

if TYPE_CHECKING:
    from rich.table import Table

_PAGE = 200
_LIMIT = 1000
_ABOUT = """\
Ask a running service for records, by root, node, action, the beginning of their storage location, and time; all that
is given must hold. What is in the table and what is archived are searched alike: records print as they are found, the
archive's by day. The last column says under which day the archive has a record; one that it does not have yet is in the
table, or has expired there (not yet).

The URL may be that of a deployed stack: a call to API Gateway is signed with the AWS credentials of the environment, or
carries the bearer token in HEADWATER_TOKEN.
Exit code: 0 when the search came to its end or its limit, 1 when it failed.
"""
_EXAMPLES = """\
examples:
  headwater search --root flights/2013-01-01.csv
  headwater search --location s3://lake/checked/ --action REJECT --from 2026-11-01 --to 2026-11-20
  headwater search --node UA1545 --json | jq .storage_location
  headwater search --from now-1d --limit 20
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The command and its options."""
    parser = subparsers.add_parser(
        "search",
        help="find records, in the table and in the archive",
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--root", metavar="ID", help="records of this root")
    parser.add_argument("--node", metavar="ID", help="records of this node id")
    parser.add_argument("--action", help="records that this action made")
    parser.add_argument("--location", metavar="PREFIX", help="records whose storage location begins so")
    time = "seconds since 1970, a day or a time in ISO 8601 (UTC), or now-7d"
    parser.add_argument("--from", dest="start", type=_moment, metavar="TIME", help=f"recorded from then on: {time}")
    parser.add_argument("--to", dest="end", type=_moment, metavar="TIME", help="recorded before then")
    parser.add_argument(
        "--limit", type=_count, default=_LIMIT, metavar="N", help=f"stop after N records (default: {_LIMIT})"
    )
    parser.add_argument("--json", action="store_true", help="print JSON lines, as the API answers them")
    add_url(parser)
    parser.set_defaults(func=run_search)


def run_search(given: argparse.Namespace) -> int:
    """The command; 1 if the service did not answer."""
    from headwater.service import NoAnswer

    names = ("root", "node", "action", "location", "start", "end")
    asked = {name: getattr(given, name) for name in names if getattr(given, name) is not None}
    found, said = 0, ""
    try:
        for page in _pages(given, asked):
            _print(page["records"], as_json=given.json)
            found += len(page["records"])
            said = _said(page)
    except NoAnswer as error:
        print(f"headwater search: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(f"{found:,} record{'' if found == 1 else 's'}{said}", file=sys.stderr)
    return 0


def _pages(given: argparse.Namespace, asked: Mapping[str, object]) -> Iterator[Mapping[str, Any]]:
    """The pages of answers, up to the limit."""
    from rich.console import Console

    from headwater.service import ask

    token = os.environ.get("HEADWATER_TOKEN")
    console = Console(stderr=True)
    left: int = given.limit
    cursor: dict[str, object] = {}
    while left > 0:
        # A request waits for the archive itself, for as long as one may.
        with console.status(f"{given.limit - left:,} records found, searching"):
            query = {**asked, **cursor, "limit": min(left, _PAGE)}
            page = _checked(given.url, ask(given.url, "/api/v1/records/search", query, token=token))
        yield page
        left -= len(page["records"])
        if page["cursor"] is None:
            return
        cursor = {"cursor": page["cursor"]}


def _checked(url: str, answer: Any) -> Mapping[str, Any]:
    from headwater.service import NoAnswer

    match answer:
        case {"records": list(), "cursor": None | str(), "truncated": bool()}:
            page: Mapping[str, Any] = answer
            return page
    raise NoAnswer(f"{url}: not an answer about records")


def _said(page: Mapping[str, Any]) -> str:
    if page["cursor"] is not None:
        return "; there may be more (--limit)"
    return "; there are more than a search may look at: narrow it" if page["truncated"] else ""


def _print(records: list[Mapping[str, Any]], *, as_json: bool) -> None:
    if as_json:
        for record in records:
            print(json.dumps(record, ensure_ascii=False))
    elif records:
        from headwater.terminal import UNFOLDED, output_console

        console = output_console()
        console.print(_table_of(records, expand=console.width < UNFOLDED), highlight=False)


def _table_of(records: list[Mapping[str, Any]], *, expand: bool) -> Table:
    """Return the records of a page; expanded, the tables of all pages are alike in their widths."""
    from rich.table import Table
    from rich.text import Text

    from headwater.service import printable

    table = Table(box=None, expand=expand, show_header=False, pad_edge=False)
    for name, ratio in (("recorded", 19), ("action", 14), ("root", 24), ("node", 24), ("location", 40), ("in", 10)):
        table.add_column(name, ratio=ratio, overflow="fold")
    for record in records:
        names = ("action_taken", "root_id", "node_id", "storage_location")
        texts = (_time(record["recordedAt"]), *(str(record[name]) for name in names), _place(record))
        table.add_row(*(Text(printable(text)) for text in texts))
    return table


def _place(record: Mapping[str, Any]) -> str:
    """Where a record was found: under a day of the archive, in the table, or on its way from there to the archive."""
    return record["archivedOn"] or ("table" if record["ttl_expiry"] is not None else "not yet")


def _time(moment_s: int) -> str:
    """A time in UTC; one that no calendar has as its seconds.

    >>> _time(1_763_640_000)
    '2025-11-20 12:00:00'
    """
    try:
        return datetime.fromtimestamp(moment_s, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return str(moment_s)


def _moment(text: str) -> str:
    """A time as the API takes it; ISO 8601 as seconds, of UTC where no zone is named.

    >>> _moment("2025-11-20"), _moment("now-7d")
    ('1763596800', 'now-7d')
    """
    try:
        moment = None if text.isdecimal() else datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        moment = None
    if moment is None:
        return text
    return str(int((moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()))


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {count}")
    return count

"""`headwater search`: records by root, node, action, location and time, in the table and in the archive."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from headwater.cli.options import add_command, add_url, whole_number

if TYPE_CHECKING:
    from rich.table import Table

_PAGE = 200
_LIMIT = 1000
_ABOUT = """\
Search a running service for records by root, node, action, the beginning of their storage location, and time; a record
must match every option. The search reads the table and the archive, the archive by day, and prints records as it finds
them. The last column is the day under which a record is archived; before that it is in the table ("table"), or has
expired from there ("not yet").

Exit code: 0 when the search reached its end or its limit, 1 when it failed.
"""
_EXAMPLES = """\
examples:
  %(prog)s --root flights/2013-01-01.csv
  %(prog)s --location s3://lake/checked/ --action REJECT --from 2026-11-01 --to 2026-11-20
  %(prog)s --node UA1545 --json | jq .storage_location
  %(prog)s --from now-1d --limit 20
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    summary = "find records, in the table and in the archive"
    parser = add_command(subparsers, "search", summary, _ABOUT, _EXAMPLES, run=run_search)
    parser.add_argument("--root", metavar="ID", help="records of this root")
    parser.add_argument("--node", metavar="ID", help="records of this node id")
    parser.add_argument("--action", help="records made by this action")
    parser.add_argument("--location", metavar="PREFIX", help="records with this beginning of their storage location")
    time = "seconds since 1970, a day or a time in ISO 8601 (UTC), or now-7d"
    parser.add_argument(
        "--from", dest="start", type=_moment, metavar="TIME", help=f"recorded at this time or later: {time}"
    )
    parser.add_argument("--to", dest="end", type=_moment, metavar="TIME", help="recorded before this time")
    parser.add_argument(
        "--limit", type=whole_number(1), default=_LIMIT, metavar="N", help=f"stop after N records (default: {_LIMIT})"
    )
    parser.add_argument("--json", action="store_true", help="print JSON lines, as the API returns them")
    add_url(parser)


def run_search(given: argparse.Namespace) -> int:
    """Print the records."""
    names = ("root", "node", "action", "location", "start", "end")
    criteria = {name: getattr(given, name) for name in names if getattr(given, name) is not None}
    total, ending = 0, ""
    for page in record_pages(given.url, criteria, given.limit):
        _print(page["records"], as_json=given.json)
        total += len(page["records"])
        if page["cursor"] is not None:
            ending = "; there may be more (--limit)"
        else:
            ending = "; there are more than a search may look at: narrow it" if page["truncated"] else ""
    print(f"{total:,} record{'' if total == 1 else 's'}{ending}", file=sys.stderr)
    return 0


def record_pages(url: str, criteria: Mapping[str, object], limit: int) -> Iterator[Mapping[str, Any]]:
    """Yield pages of records, up to the limit: of the criteria `{"root": "flights-2013"}`."""
    from headwater.cli.logins import token_for
    from headwater.cli.service import NoResponse, fetch_json
    from headwater.cli.text.terminal import progress_console

    token = token_for(url)
    console = progress_console()
    remaining = limit
    cursor: dict[str, object] = {}
    while remaining > 0:
        # Each request waits for the archive as long as the API permits.
        with console.status(f"{limit - remaining:,} records found, searching"):
            query = {**criteria, **cursor, "limit": min(remaining, _PAGE)}
            page = fetch_json(url, "/api/v1/records/search", query, token=token)
        match page:
            case {"records": list(), "cursor": None | str(), "truncated": bool()}:
                yield page
            case _:
                raise NoResponse(f"{url}: not a response about records")
        remaining -= len(page["records"])
        if page["cursor"] is None:
            return
        cursor = {"cursor": page["cursor"]}


def _print(records: list[Mapping[str, Any]], *, as_json: bool) -> None:
    if as_json:
        for record in records:
            print(json.dumps(record))
    elif records:
        from headwater.cli.text.terminal import output_console, print_part

        console = output_console()
        print_part(console, _table_of(records, expand=console.is_terminal))


def _table_of(records: list[Mapping[str, Any]], *, expand: bool) -> Table:
    """Draw the records of a page as a table; with `expand`, all pages have the same column widths."""
    from rich.table import Table
    from rich.text import Text

    from headwater.cli.service import printable

    table = Table(box=None, expand=expand, show_header=False, pad_edge=False)
    for name, ratio in (("recorded", 19), ("action", 14), ("root", 24), ("node", 24), ("location", 40), ("in", 10)):
        table.add_column(name, ratio=ratio, overflow="fold")
    for record in records:
        names = ("action_taken", "root_id", "node_id", "storage_location")
        # The day of its archive; an expired record has neither before its archive.
        place = record["archivedOn"] or ("table" if record["ttl_expiry"] is not None else "not yet")
        texts = (_time(record["recordedAt"]), *(str(record[name]) for name in names), place)
        table.add_row(*(Text(printable(text)) for text in texts))
    return table


def _time(moment_s: int) -> str:
    """Print a time in UTC, or its seconds beyond the calendar.

    >>> _time(1_763_640_000)
    '2025-11-20 12:00:00'
    """
    try:
        return datetime.fromtimestamp(moment_s, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return str(moment_s)


def _moment(text: str) -> str:
    """Translate a time for the API: ISO 8601 into seconds, in UTC without a zone.

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

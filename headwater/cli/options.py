"""Common parts of command lines: the command itself, options, and their values."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType

_URL = "http://127.0.0.1:8080"


def add_command(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    summary: str,
    about: str,
    examples: str | None = None,
    *,
    run: Callable[[argparse.Namespace], int],
    failed: int = 1,
    interrupted: str = "",
    **options: Any,
) -> argparse.ArgumentParser:
    """Add a command: `summary` is its line in the list of commands, `about` and `examples` are printed as they are.

    `run` returns the exit status; `failed` is the status of an error in it, `interrupted` the message of a Ctrl-C.
    """
    parser = subparsers.add_parser(
        name,
        help=summary,
        description=about,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        **options,
    )
    parser.set_defaults(func=run, parser=parser, command=name, failed=failed, interrupted=interrupted)
    return parser


# The message of a command that goes on where it was interrupted.
GOES_ON = "interrupted; call it again to go on"


def add_url(parser: argparse.ArgumentParser) -> None:
    """Add the option for the service's URL: `--url http://127.0.0.1:8080`."""
    parser.add_argument(
        "--url",
        type=parse_url,
        default=os.environ.get("HEADWATER_URL") or _URL,
        help="of the service, or of a deployed stack: calls to API Gateway are signed with the AWS credentials of the "
        f"environment, or carry the bearer token in HEADWATER_TOKEN (default: HEADWATER_URL, {_URL})",
    )


def parse_url(text: str) -> str:
    """Parse the URL of a service; messages and files show it, so `http://user:secret@host` is refused.

    Raises:
        ArgumentTypeError: it may hold a user; the message does not show it.
    """
    if "@" in text:
        raise argparse.ArgumentTypeError("must hold no user and no password (nor any other @)")
    return text


def add_formats(parser: argparse.ArgumentParser) -> None:
    """Add the options of forms other than the tree: the response, or Mermaid text (`print_in_format`)."""
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--json", action="store_true", help="print the API's response instead of the tree")
    about = "write it as a Mermaid flowchart into this file, too; - prints that instead of the tree"
    formats.add_argument("--mermaid", type=Path, metavar="FILE", help=about)


def print_in_format(
    given: argparse.Namespace, response: object, tree: RenderableType, flowchart: str, link: str
) -> None:
    """Print a graph in the form of `add_formats`; below a tree, its address in the explorer."""
    from headwater.cli.text.mermaid import STANDARD_OUTPUT, write_mermaid
    from headwater.cli.text.terminal import output_console, print_json, print_part

    if given.json:
        print_json(response)
    elif given.mermaid != STANDARD_OUTPUT:
        console = output_console()
        print_part(console, tree)
        console.print(f"\nexplorer: {link}", highlight=False, markup=False, soft_wrap=True)
    if given.mermaid:
        write_mermaid(flowchart, given.mermaid)


def add_days(
    parser: argparse.ArgumentParser, day: str, *, required: bool = False, defaults: tuple[str, str] | None = None
) -> None:
    """Add `--from` and `--to`, which set `first` and `last`; the help names them by `day`, and shows the `defaults`."""
    first, last = (f" (default: {default})" for default in defaults) if defaults else ("", "")
    about = f"the first {day}, YYYY-MM-DD{first}"
    parser.add_argument("--from", dest="first", type=_parse_day, required=required, metavar="DAY", help=about)
    parser.add_argument("--to", dest="last", type=_parse_day, metavar="DAY", help=f"the last {day}{last}")


def _parse_day(text: str) -> str:
    """Parse the day of an option, `YYYY-MM-DD`.

    >>> _parse_day("2026-11-20")
    '2026-11-20'
    """
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"must be a day as YYYY-MM-DD, got {text!r}") from error


def whole_number(low: int, high: int | None = None) -> Callable[[str], int]:
    """Build the `type` of an option with a whole number from `low` to `high`, both included.

    >>> whole_number(1, 30)("7")
    7
    """
    bounds = f"from {low} on" if high is None else f"from {low} to {high}"

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if number < low or (high is not None and number > high):
            raise argparse.ArgumentTypeError(f"must be a whole number {bounds}, got {text!r}")
        return number

    return parse


# A port to listen on; 0 is any free port.
parse_port = whole_number(0, 65_535)


def parse_amount(text: str) -> float:
    """Parse the value of an option: a finite number from 0 on.

    >>> parse_amount("0.5")
    0.5
    """
    try:
        amount = float(text)
    except ValueError:
        amount = -1
    if not 0 <= amount < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number from 0 on, got {text!r}")
    return amount

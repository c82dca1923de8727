"""The command line: `headwater serve`, `headwater demo`, all `_COMMANDS` and the commands of features.

A command is a module with `add_parser(subparsers)`, which calls `add_command`. Its function takes the parsed arguments
and returns the exit status. Heavy imports belong inside it, for a quick `--help`.
"""

from __future__ import annotations

import argparse
import importlib
import os
import select
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from headwater.cli.program import CommandFailed, program
from headwater.features import FEATURES

_COMMANDS = (
    "demo",
    "serve",
    "graph",
    "column",
    "explore",
    "cdk",
    "iam",
    "token",
    "replay",
    "search",
    "verify",
)
# The stack, its functions and jobs, and their local runtime: folders of a checkout; a wheel has them here.
_PROJECT = Path(__file__).resolve().parents[1] / "project"
_NEEDS_PACKAGES = "headwater: this command needs {}: run `pip install 'headwater[demo]'`\n"
# The status of a program without a reader, as behind `head`: SIGPIPE's; and of an interrupted program: SIGINT's.
_BROKEN_PIPE, _INTERRUPTED = 128 + 13, 128 + 2
_ABOUT = "Serverless data lineage for Spark pipelines on AWS: the whole stack on this machine, or into your account."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, `main(["graph", "job:etl:load"])`, and return its exit status."""
    if _PROJECT.is_dir():
        sys.path.append(str(_PROJECT))
    parser = argparse.ArgumentParser(prog=program(), description=_ABOUT)
    parser.add_argument("--version", action=_Version, help="print the version of this installation")
    add_commands(parser)
    parsed = parser.parse_args(arguments)
    try:
        status: int = parsed.func(parsed)
        sys.stdout.flush()
    except BrokenPipeError:
        if not _is_unread():
            raise
        # Unread output goes nowhere: Python would complain of it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except ModuleNotFoundError as error:
        if not _PROJECT.is_dir():
            raise
        sys.stderr.write(_NEEDS_PACKAGES.format(error.name))
        return 2
    except KeyboardInterrupt:
        return _end(parsed, parsed.interrupted, _INTERRUPTED)
    except _failures() as error:
        return _end(parsed, str(error), parsed.failed)
    return status


def _failures() -> tuple[type[Exception], ...]:
    """List the errors that end a command with a message; Python calls it only after an error."""
    from botocore.exceptions import BotoCoreError, ClientError

    from headwater_model.errors import HeadwaterError
    from spark_client.errors import LineageError

    return CommandFailed, HeadwaterError, LineageError, BotoCoreError, ClientError, OSError


def _end(parsed: argparse.Namespace, message: str, status: int) -> int:
    if message:
        print(f"headwater {parsed.command}: {message}", file=sys.stderr)
    return status


def add_commands(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """Add the commands to a parser, and return their parsers by name."""
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    features = [feature.command for feature in FEATURES if feature.command]
    for module in (*(f"headwater.cli.{name}" for name in _COMMANDS), *features):
        importlib.import_module(module).add_parser(subparsers)
    return subparsers.choices


def _is_unread() -> bool:
    """True if standard output is a pipe without a reader: a BrokenPipeError may be of a different pipe."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


class _Version(argparse.Action):
    """An option that prints the version of the distribution; its metadata is read only here."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:  # noqa: A002 - argparse names it
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print the version and end."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"headwater {version('headwater')}")
        except PackageNotFoundError:
            parser.error("--version: this Python has no distribution headwater: run `make setup`, or install a wheel")
        parser.exit()

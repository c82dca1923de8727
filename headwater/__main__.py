"""The command line: `headwater serve`, `headwater demo` and the others of `_COMMANDS`.

Each command is a module of this package with `add_parser(subparsers)`, which sets `func`. `func` takes the parsed
arguments and returns the exit status. Heavy imports belong inside it, so that `--help` is quick.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

from headwater.program import program

_COMMANDS = ("demo", "serve", "graph", "column", "explore", "cdk", "iam", "token", "replay", "search", "verify")
# The folders that no wheel has: the stack, its functions and jobs, and what runs them on one machine.
_CHECKOUT = frozenset({"examples", "infra", "jobs", "lambdas", "local"})
_NEEDS_A_CHECKOUT = "headwater: this command needs a checkout of the repository: run it there, after `make setup`\n"
_ABOUT = "Serverless data lineage for Spark pipelines on AWS: the whole stack on this machine, or into your account."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    parser = argparse.ArgumentParser(prog=program(), description=_ABOUT)
    parser.add_argument("--version", action=_Version, help="print the version of this installation")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in _COMMANDS:
        importlib.import_module(f"headwater.{name}").add_parser(subparsers)
    parsed = parser.parse_args(arguments)
    try:
        status: int = parsed.func(parsed)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _CHECKOUT:
            raise
        sys.stderr.write(_NEEDS_A_CHECKOUT)
        return 2
    return status


class _Version(argparse.Action):
    """An option that prints the version of the distribution; its metadata is read for nothing else."""

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


if __name__ == "__main__":
    sys.exit(main())

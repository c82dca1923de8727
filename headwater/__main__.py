"""The command line: `headwater serve`, `headwater demo` and the others of `_COMMANDS`.

Each command is a module of this package that offers `add_parser(subparsers)`, which sets `func`: a function of the
parsed arguments that returns the exit status. Heavy imports belong inside it, so that `--help` is quick.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

_COMMANDS = ("demo", "serve", "graph", "column", "cdk", "iam", "token", "replay", "search", "verify")
_ABOUT = "Serverless data lineage for Spark pipelines on AWS: the whole stack on this machine, or into your account."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status."""
    parser = argparse.ArgumentParser(prog="headwater", description=_ABOUT)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in _COMMANDS:
        importlib.import_module(f"headwater.{name}").add_parser(subparsers)
    parsed = parser.parse_args(arguments)
    status: int = parsed.func(parsed)
    return status


if __name__ == "__main__":
    sys.exit(main())

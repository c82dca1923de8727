"""`headwater cdk ...`: the pinned CDK command line, installed on first use."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from headwater.cli.options import add_command
from headwater.cli.program import CommandFailed

_ROOT = Path(__file__).resolve().parents[2]
_CDK = _ROOT / "node_modules" / "aws-cdk" / "bin" / "cdk"
_ABOUT = """\
Run the AWS CDK command line that this project is pinned to, with this project's Python: `%(prog)s synth`,
`%(prog)s diff`, `%(prog)s deploy -c stage=test`. It is installed into node_modules/ on first use. cdk.json
lists the context values that -c sets; docs/operations.md describes them.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command; pass everything after it to CDK."""
    summary = "the pinned AWS CDK command line: synth, diff, deploy, destroy"
    # CDK has options of its own.
    parser = add_command(subparsers, "cdk", summary, _ABOUT, run=run_cdk, prefix_chars="\0", add_help=False)
    parser.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="passed to cdk unchanged")


def run_cdk(arguments: argparse.Namespace) -> int:
    """Run CDK, as in `headwater cdk deploy`, and return its exit status."""
    if not (_ROOT / "cdk.json").is_file():
        print("headwater cdk: needs a checkout of the repository: run it there, after `make setup`", file=sys.stderr)
        return 2
    from local_stack.errors import ToolMissing
    from local_stack.toolchain import find_node, npm_command, with_node

    try:
        node = find_node()
        environment = with_node(os.environ)
        if not _CDK.exists():
            print("installing the CDK command line into node_modules/ ...", file=sys.stderr, flush=True)
            install = [*npm_command(node), "ci", "--no-audit", "--no-fund"]
            subprocess.run(install, cwd=_ROOT, env=environment, check=True, stdout=sys.stderr)  # noqa: S603 - pinned
    except (ToolMissing, subprocess.CalledProcessError) as error:
        raise CommandFailed(str(error)) from error
    # `python3 app.py` in cdk.json must find this environment's Python first.
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    command = [str(node), str(_CDK), *arguments.arguments]
    return subprocess.run(command, cwd=_ROOT, env=environment, check=False).returncode  # noqa: S603 - pinned

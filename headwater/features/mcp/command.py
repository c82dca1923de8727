"""`headwater mcp`: lineage for programs that speak the Model Context Protocol, over stdio or HTTP."""

from __future__ import annotations

import argparse
import sys

from headwater.cli.options import add_command, add_url, parse_port
from headwater.cli.program import CommandFailed

_HOST, _PORT = "127.0.0.1", 8765
_NEEDS = "needs the package mcp: pip install 'headwater[mcp]', in a checkout `make setup`"
_ABOUT = f"""\
Serve lineage to programs that speak the Model Context Protocol: find, upstream, downstream, paths, changes,
column_usage, dataset_status and record_trace. The tools read a running service and change nothing. Every result is
bounded, and says what was cut.

Without --http the program that starts this command speaks with it over standard input and output.

With --http it serves streamable HTTP at /mcp on {_HOST}, until Ctrl-C. The `Authorization: Bearer` of each request
goes on to the service; credentials of this process are not used. On another host, put TLS in front of it.
"""
_EXAMPLES = """\
examples:
  %(prog)s
  %(prog)s --url https://a1b2c3.execute-api.eu-west-1.amazonaws.com/prod
  %(prog)s --http --port 8765
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    summary = "serve lineage to clients of the Model Context Protocol"
    parser = add_command(subparsers, "mcp", summary, _ABOUT, _EXAMPLES, run=run_mcp)
    parser.add_argument(
        "--http", action="store_true", help="serve streamable HTTP in place of standard input and output"
    )
    parser.add_argument("--host", default=_HOST, help=f"of --http (default: {_HOST})")
    parser.add_argument("--port", type=parse_port, default=_PORT, help=f"of --http (default: {_PORT})")
    add_url(parser)


def run_mcp(given: argparse.Namespace) -> int:
    """Serve until the client goes, or Ctrl-C."""
    from importlib.metadata import version

    try:
        from headwater.features.mcp.server import make_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "anyio"):
            raise
        raise CommandFailed(_NEEDS) from error
    from headwater.cli.logins import token_for

    token = token_for(given.url)
    server = make_server(given.url, token, version=version("headwater"), over_http=given.http)
    if given.http:
        print(f"http://{given.host}:{given.port}/mcp", file=sys.stderr, flush=True)
        server.run("streamable-http", host=given.host, port=given.port, stateless_http=True, json_response=True)
    else:
        server.run()
    return 0

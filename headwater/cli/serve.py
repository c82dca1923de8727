"""`headwater serve`: the stack on this machine, until Ctrl-C."""

from __future__ import annotations

import argparse
import json
import shlex
import signal
import sys
import threading
from collections.abc import Sequence
from datetime import datetime, timezone
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from headwater.cli.options import add_command, parse_amount, parse_port
from headwater.cli.program import CommandFailed, program
from headwater.features import FEATURES

if TYPE_CHECKING:
    from local_stack.stack import LocalStack

_ABOUT = """\
Run the whole stack on this machine until Ctrl-C: queues, tables, buckets, functions, the compaction state machine and
its schedule, wired as the synthesized template says. No AWS account is used. Everything is held in memory and gone when
the command ends, unless --data names a folder: then records, events, tokens and the archive are there again at the
next start, also after a crash.

These ports open, all on 127.0.0.1:
  8080  the HTTP API (--api-port); it requires no credentials
  8081  with --token-api, the HTTP API for bearer tokens (--token-port)
  4566  AWS endpoints for boto3 and the AWS CLI (--aws-port); they accept any credentials
  any   one more that runs functions and Spark jobs for the stack itself; its address holds a secret
  any   while a Spark job runs, those of Spark's driver
The ports of the HTTP API open last, when everything behind them responds. Requests must name a loopback address in the
Host header, and pages of other origins in a browser may change nothing (docs/security.md).
Functions log into .headwater/logs/, a file each; an edited function takes effect at the next start.
"""
_EXAMPLES = """\
examples:
  %(prog)s                          the HTTP API on 8080, AWS endpoints on 4566
  %(prog)s --api-port 0             any free port; the chosen one is printed
  %(prog)s --token-api              also the HTTP API for bearer tokens, on 8081
  %(prog)s --data ~/headwater       what is stored stays
  %(prog)s --window 60              batches wait as long as they do on AWS
  make synth ARGS="-c records_ttl_hours=1" && %(prog)s --template cdk.out/Headwater-prod.template.json
"""
_A_REQUEST = (
    '{"root_id": "flights-2013-01-01", "parent_id": "flights-2013-01-01", "action_taken": "READ",'
    ' "storage_location": "s3://flights/2013-01-01.csv"}'
)
_A_RUN = {
    "producer": "https://example.com/by-hand",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    "run": {"runId": "0197a1de-0000-7000-8000-000000000000"},
    "job": {"namespace": "example", "name": "estimate"},
    "inputs": [{"namespace": "example", "name": "flights"}],
    "outputs": [{"namespace": "example", "name": "emissions"}],
}
_SWEEP_S = 60.0


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    summary = "run the whole stack on this machine until Ctrl-C"
    parser = add_command(subparsers, "serve", summary, _ABOUT, _EXAMPLES, run=serve)
    parser.add_argument(
        "--api-port", type=parse_port, default=8080, metavar="PORT", help="of the HTTP API (default: 8080)"
    )
    parser.add_argument(
        "--token-api",
        action="store_true",
        help="serve the API for bearer tokens as well (the context value auth=token)",
    )
    parser.add_argument(
        "--token-port",
        type=parse_port,
        default=8081,
        metavar="PORT",
        help="of the API for bearer tokens (default: 8081)",
    )
    for each in _of_features():
        each.add_option(parser)
    parser.add_argument(
        "--aws-port", type=parse_port, default=4566, metavar="PORT", help="of the AWS endpoints (default: 4566)"
    )
    parser.add_argument(
        "--window",
        type=parse_amount,
        default=1.0,
        metavar="SECONDS",
        help="the longest wait for a batch to fill; 60 in a deployed stack (default: 1)",
    )
    parser.add_argument(
        "--template",
        type=Path,
        metavar="FILE",
        help="a synthesized template to run, for context values other than cdk.json's (default: synthesize one)",
    )
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help="keep all stored data in this folder (default: in memory)"
    )


def _of_features() -> Sequence[ModuleType]:
    return [import_module(feature.serve) for feature in FEATURES if feature.serve]


def serve(arguments: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM, then return 0; return 1 if the stack does not start."""
    from local_stack.errors import LocalError

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        # They take seconds; Ctrl-C ends the command, too.
        from local_stack.stack import LocalStack
        from local_stack.template.synthesis import synthesize
        from local_stack.template.template import load_template

        print("starting the stack ..." if arguments.template else "synthesizing and starting the stack ...", flush=True)
        context = {"auth": "token"} if arguments.token_api else {}
        for each in _of_features():
            context |= each.context_of(arguments)
        stack = LocalStack(
            load_template(arguments.template) if arguments.template else synthesize(**context),
            api_port=arguments.api_port,
            token_port=arguments.token_port,
            aws_port=arguments.aws_port,
            window_cap_s=arguments.window,
            schedules=True,
            sweep_s=_SWEEP_S,
            data=arguments.data and arguments.data.expanduser(),
            on_failure=lambda failure: print(f"! {failure}", file=sys.stderr, flush=True),
            on_event=lambda event: print(*(each.show(event) for each in _of_features()), sep="\n", flush=True),
        )
        with stack:
            print(greeting(stack), flush=True)
            threading.Event().wait()
    except KeyboardInterrupt:
        print("\nstopped", flush=True)
    except (LocalError, json.JSONDecodeError) as error:
        raise CommandFailed(str(error)) from error
    return 0


def greeting(stack: LocalStack) -> str:
    """Print the addresses of the stack, with a command to try for each."""
    from headwater.api.page_files import built_files

    explorer = f"{stack.api_url}/explore/" if built_files() else "not built; `make explorer` builds it, and needs npm"
    aws = " ".join(f"{name}={shlex.quote(value)}" for name, value in stack.environment.items() if "META" not in name)
    now = datetime.fromtimestamp(stack.now, timezone.utc)
    today = shlex.quote(json.dumps({"day": now.date().isoformat()}))  # The schedule's input of tomorrow
    event = shlex.quote(json.dumps({"eventType": "COMPLETE", "eventTime": now.isoformat(), **_A_RUN}))
    return f"""
Explorer: {explorer}
HTTP API: {stack.api_url}
  curl -s {stack.api_url}/api/v1/records -d {shlex.quote(_A_REQUEST)}
  curl -s {stack.api_url}/api/v1/records/roots/flights-2013-01-01
{_token_greeting(stack)}{"".join(each.greet(stack.outputs) for each in _of_features())}
AWS endpoints: {stack.endpoint_url}
  export {aws}
  aws dynamodb scan --table-name {stack.outputs["RecordsTableName"]}
  aws stepfunctions start-execution --state-machine-arn {stack.outputs["CompactionStateMachineArn"]} --input {today}

Nothing is stored yet. Three ways to the first lineage in the explorer:
  press "Load the demo's data" there
  send an event: curl -s {stack.api_url}/api/v1/lineage -d {event}
  call `capture(spark)` in a PySpark job, with HEADWATER_URL={stack.api_url} in its environment

The compaction's schedule ticks. Logs: .headwater/logs/. Ctrl-C stops."""


def _token_greeting(stack: LocalStack) -> str:
    if not stack.token_api_url:
        return ""
    return f"""
The same with bearer tokens: {stack.token_api_url}
  {program()} token create --local {stack.endpoint_url} --scope read --scope write --scope records \\
      --all-namespaces
  curl -s -H "Authorization: Bearer $TOKEN" {stack.token_api_url}/api/v1/namespaces
"""

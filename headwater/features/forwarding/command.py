"""`headwater forward`: the events of some days, announced again for an endpoint that lacks them."""

from __future__ import annotations

import argparse
import json
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.cli.deployment import Deployment, NotDeployed, add_options, find_deployment
from headwater.cli.options import GOES_ON, add_command, add_days

if TYPE_CHECKING:
    from headwater.features.forwarding.announcements import Announcer
    from headwater.loading.event_log import EventLog

_STATE_FOLDER = Path(".headwater") / "forward"
_ABOUT = """\
Announce the events that arrived on some days again: the stack forwards them to its target (the context values
forward_url, forward_domain), those of the namespaces that it forwards, in the order in which they were stored. Use it
to fill a new target from the raw log. The target may get an event more than once.
After an interruption, the same options continue with the day that was interrupted.
On AWS, the queue takes messages of principals with the tag headwater=operator alone.
"""
_EXAMPLES = """\
examples:
  %(prog)s --from 2026-11-01 --to 2026-11-20    events that arrived on these days (UTC)
  %(prog)s --stage test --from 2026-11-01       from a day on
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    summary = "forward the stored events of some days again, to fill a new endpoint"
    parser = add_command(subparsers, "forward", summary, _ABOUT, _EXAMPLES, run=run_forward, interrupted=GOES_ON)
    add_options(parser)
    add_days(parser, "day of arrival", required=True)


def run_forward(given: argparse.Namespace) -> int:
    """Announce the days and return the exit code."""
    from headwater.loading.event_log import EventLog

    deployment = find_deployment(given)
    announcer = _announcer_of(deployment)
    table = deployment.graph_table()
    log = EventLog(table, table.s3, table.bucket)
    days = [day for day in log.days() if given.first <= day <= (given.last or "9999")]
    state_file = _STATE_FOLDER / f"{table.table}.{given.first}.{given.last or ''}.json"
    announce_days(log, announcer, days, state_file)
    return 0


def announce_days(log: EventLog, announcer: Announcer, days: Iterable[str], state_file: Path) -> None:
    """Announce the days after the day in the state file, and print the number of events of each."""
    total, done = 0, ""
    with suppress(FileNotFoundError):
        done = json.loads(state_file.read_text(encoding="utf-8"))["to"]
    for day in (day for day in days if day > done):
        number = sum(announcer.announce(log.stored_lines(key)) for key in log.keys_by_arrival(day))
        print(f"{day}: {number:,} events announced", flush=True)
        total += number
        state_file.parent.mkdir(parents=True, exist_ok=True)
        state_file.write_text(json.dumps({"to": day}), encoding="utf-8")
    state_file.unlink(missing_ok=True)
    print(f"{total:,} events announced")


def _announcer_of(deployment: Deployment) -> Announcer:
    """Make the announcer of the stack's own namespaces.

    Raises:
        NotDeployed: the stack forwards nothing.
    """
    from headwater.features.forwarding.announcements import Announcer
    from headwater.features.forwarding.settings import FORWARD_NAMESPACES

    if "ForwardQueueUrl" not in deployment.outputs:
        raise NotDeployed(f"the stack {deployment.name} forwards nothing; deploy it with forward_url or forward_domain")
    function = deployment.outputs["EventsFunctionName"]
    configuration = deployment.client("lambda").get_function_configuration(FunctionName=function)
    namespaces = json.loads(configuration["Environment"]["Variables"][FORWARD_NAMESPACES])
    return Announcer(
        deployment.client("sqs"), deployment.outputs["ForwardQueueUrl"], namespaces, again=f"-{uuid.uuid4().hex[:8]}"
    )

"""`headwater replay`: the graph of jobs and datasets, made anew from the events as they were sent."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.deployment import Deployment, NotDeployed, add_options, find_deployment

if TYPE_CHECKING:
    from lineage.graph.event_log import EventLog
    from lineage.openlineage.naming import NamingRules

_PLACES = Path(".headwater") / "replay"
_TOLD_FAULTS = 20
_ABOUT = """\
Read every event that the stack has accepted and load it again: into the stack's own graph table, or into another one of
the same shape. Loading an event twice changes nothing, so this may be done at any time, and beside the running stack.
Interrupted, it goes on with the day that it was at when it is called again with the same options.
Exit code: 0 when every event was loaded, 1 when some could not be, or something failed.
"""
_EXAMPLES = """\
examples:
  headwater replay                                             everything, into the stack's own table
  headwater replay --from 2026-11-01 --to 2026-11-20           what arrived on these days (UTC)
  headwater replay --stage test --into headwater-restored      into another table
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The command and its options."""
    parser = subparsers.add_parser(
        "replay",
        help="load every event that was kept again, into the graph table or another one",
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser)
    parser.add_argument("--from", dest="first", type=_day, metavar="DAY", help="the first day of arrival, YYYY-MM-DD")
    parser.add_argument("--to", dest="last", type=_day, metavar="DAY", help="the last day of arrival")
    parser.add_argument("--into", metavar="TABLE", help="another table with the keys of the graph table")
    parser.set_defaults(func=run_replay)


def run_replay(given: argparse.Namespace) -> int:
    """The command; its exit code."""
    from botocore.exceptions import BotoCoreError, ClientError

    from lineage.graph.event_log import EventLog
    from lineage_model.errors import HeadwaterError

    try:
        deployment = find_deployment(given)
        table = deployment.graph_table(given.into)
        log = EventLog(table, table.s3, table.bucket)
        place = _PLACES / f"{table.table}.{given.first or ''}.{given.last or ''}.json"
        failed = _replay(log, _rules_of(deployment), _days_of(log, given), place)
    except (NotDeployed, HeadwaterError, BotoCoreError, ClientError) as error:
        print(f"headwater replay: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("headwater replay: interrupted; call it again to go on", file=sys.stderr)
        return 130
    for reason in failed[:_TOLD_FAULTS]:
        print(f"! {reason}", file=sys.stderr)
    return 1 if failed else 0


def _replay(log: EventLog, rules: NamingRules, days: list[str], place: Path) -> list[str]:
    """Replay the days that are left; why events failed that did."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from lineage.graph.load import replay

    done_to = _done_to(place)
    left = [day for day in days if day > done_to]
    events, failed = 0, list[str]()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("objects"))
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as progress:
        for day in left:
            keys = log.keys_of(day)
            task = progress.add_task(day, total=len(keys))
            for some in replay(keys, log, rules):
                events, failed = events + some.events, failed + list(some.failed)
                progress.advance(task, some.objects)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(json.dumps({"done_to": day}), encoding="utf-8")
    place.unlink(missing_ok=True)
    print(f"{events:,} events of {len(left):,} days loaded, {len(failed):,} failed")
    return failed


def _done_to(place: Path) -> str:
    """The last day that an interrupted replay finished; nothing if there was none."""
    with suppress(FileNotFoundError):
        done_to: str = json.loads(place.read_text(encoding="utf-8"))["done_to"]
        return done_to
    return ""


def _days_of(log: EventLog, given: argparse.Namespace) -> list[str]:
    return [day for day in log.days() if (given.first or "") <= day <= (given.last or "9999")]


def _rules_of(deployment: Deployment) -> NamingRules:
    """The rules by which the stack's own function reads names."""
    from lineage.openlineage.naming import parse_rules

    made = deployment.client("lambda").get_function_configuration(FunctionName=deployment.outputs["EventsFunctionName"])
    return parse_rules(made.get("Environment", {}).get("Variables", {}))


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"must be a day as YYYY-MM-DD, got {text!r}") from error

"""`headwater replay`: the graph table rebuilt from the bucket: the rows of the archive, then of the events."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from headwater.cli.deployment import add_options, find_deployment, stack_errors
from headwater.cli.options import add_command, add_days

if TYPE_CHECKING:
    from headwater.events.naming import NamingRules
    from headwater.facts.table import GraphTable
    from headwater.loading.event_log import EventLog
    from headwater.loading.screens import Screens

_STATE_FOLDER = Path(".headwater") / "replay"
_ABOUT = """\
Read every event that the stack has accepted and load it again: into the stack's own graph table, or into another table
with the same keys. Loading an event twice changes nothing, so a replay is safe at any time, beside the running stack.
Before that, make what the table lacks of the archive's rows from its digests and objects: pointers, seals, and the end
of the chain, without which no compaction runs. With --from or --to, events alone are loaded.
After an interruption, the same options continue with the day that was interrupted.
Each event that cannot be loaded is a line on standard error, and the replay goes on.
Exit code: 0 when every event was loaded, 1 when an event could not be loaded, or the replay failed.
"""
_EXAMPLES = """\
examples:
  %(prog)s                                             everything, into the stack's own table
  %(prog)s --from 2026-11-01 --to 2026-11-20           events that arrived on these days (UTC)
  %(prog)s --stage test --into headwater-restored      into another table
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = add_command(
        subparsers,
        "replay",
        "make the graph table again, or another: from the archive and every stored event",
        _ABOUT,
        _EXAMPLES,
    )
    add_options(parser)
    add_days(parser, "day of arrival")
    parser.add_argument("--into", metavar="TABLE", help="another table with the keys of the graph table")
    parser.set_defaults(func=run_replay)


def run_replay(given: argparse.Namespace) -> int:
    """Run the replay and return its exit code."""
    from headwater.loading.event_log import EventLog
    from headwater.loading.screens import read_screens
    from headwater.loading.stored_rules import StoredRules

    try:
        deployment = find_deployment(given)
        table = deployment.graph_table(given.into, loads=True)
        log = EventLog(table, table.s3, table.bucket)
        # A replay of some days leaves the archive's rows as they are.
        screens = read_screens(table.dynamodb, deployment.outputs["GraphTableName"])
        unread = () if given.first or given.last else _rebuild(table, screens)
        state_file = _STATE_FOLDER / f"{table.table}.{given.first or ''}.{given.last or ''}.json"
        for reason in unread:
            _print_fault(reason)
        # The rules stay in the stack's own table, whichever table is filled.
        rules = StoredRules(deployment.graph_table(), deployment.naming_rules()).at(int(time.time()))
        days = [day for day in log.days() if (given.first or "") <= day <= (given.last or "9999")]
        failed = _replay(log, rules, screens, days, state_file)
    except stack_errors() as error:
        print(f"headwater replay: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("headwater replay: interrupted; call it again to go on", file=sys.stderr)
        return 130
    return 1 if unread or failed else 0


def _print_fault(reason: str) -> None:
    print(f"! {reason}", file=sys.stderr)


def _rebuild(table: GraphTable, screens: Screens) -> Sequence[str]:
    """Make the archive's missing rows; return the reasons of failed objects."""
    from headwater.records.archive import Archive
    from headwater.records.archive_state import ArchiveState
    from headwater.records.digest import Digests
    from headwater.records.dirty_roots import DirtyRoots
    from headwater.records.expired import Staged
    from headwater.records.pointers import Pointers
    from headwater.records.publications import Publications
    from headwater.records.rebuild import Rebuild
    from headwater.records.root_ids import RootIds

    rows, objects = (table.dynamodb, table.table), (table.s3, table.bucket)
    rebuild = Rebuild(
        Archive(*objects),
        Digests(*objects),
        Pointers(*rows),
        ArchiveState(*rows),
        Publications(*rows),
        Staged(*rows),
        DirtyRoots(*rows, lambda: int(time.time() * 1000)),
        RootIds(*rows),
        screens.keeps,
    )
    rebuilt = rebuild.run(now_s=int(time.time()))
    print(
        f"archive: rows of {rebuilt.objects:,} objects of {rebuilt.days:,} sealed days made, "
        f"{rebuilt.staged:,} records of unsealed days staged, {len(rebuilt.failed):,} objects failed"
    )
    return rebuilt.failed


def _replay(log: EventLog, rules: NamingRules, screens: Screens, days: list[str], state_file: Path) -> int:
    """Replay the remaining days; count the failed events, with those before an interruption."""
    from rich.progress import TimeElapsedColumn

    from headwater.cli.text.progress import object_bars
    from headwater.loading.replay import replay

    done = _Done()
    with suppress(FileNotFoundError):
        done = _Done(**json.loads(state_file.read_text(encoding="utf-8")))
    # An interrupted replay continues after its last finished day.
    remaining = [day for day in days if day > done.to]
    events, failed = 0, done.failed
    with object_bars(TimeElapsedColumn()) as progress:
        for day in remaining:
            keys = log.keys_of(day)
            task = progress.add_task(day, total=len(keys))
            for loaded in replay(keys, log, rules, screens):
                events, failed = events + loaded.events, failed + len(loaded.failed)
                for reason in loaded.failed:
                    _print_fault(reason)
                progress.advance(task, loaded.objects)
            state_file.parent.mkdir(parents=True, exist_ok=True)
            state_file.write_text(json.dumps(_Done(day, failed)._asdict()), encoding="utf-8")
    state_file.unlink(missing_ok=True)
    print(f"{events:,} events of {len(remaining):,} days loaded, {failed:,} failed")
    return failed


class _Done(NamedTuple):
    """Progress of an interrupted replay: its last finished day, and the failed events until then."""

    to: str = ""
    failed: int = 0

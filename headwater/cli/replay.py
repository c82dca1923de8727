"""`headwater replay`: the graph table rebuilt from the bucket: the rows of the archive, then of the events."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from headwater.cli.deployment import add_options, find_deployment
from headwater.cli.options import GOES_ON, add_command, add_days

if TYPE_CHECKING:
    from headwater.events.naming import NamingRules
    from headwater.facts.table import GraphTable
    from headwater.loading.event_log import EventLog
    from headwater.loading.replay import Exclusion
    from headwater.loading.screens import Screens

_STATE_FOLDER = Path(".headwater") / "replay"
_ABOUT = """\
Read every event that the stack has accepted and load it again: into the stack's own graph table, or into another table
with the same keys. Loading an event twice changes nothing, so a replay is safe at any time, beside the running stack.
Before that, make what the table lacks of the archive's rows from its digests and objects: pointers, seals, and the end
of the chain, without which no compaction runs. With --from or --to, events alone are loaded.
With --except-..., into an empty table: the graph as if these events had never come. Archive and log stay whole.
After an interruption, the same options continue with the day that was interrupted.
Each event that cannot be loaded is a line on standard error, and the replay goes on.
Exit code: 0 when every event was loaded, 1 when an event could not be loaded, or the replay failed.
"""
_EXAMPLES = """\
examples:
  %(prog)s                                             everything, into the stack's own table
  %(prog)s --from 2026-11-01 --to 2026-11-20           events that arrived on these days (UTC)
  %(prog)s --stage test --into headwater-restored      into another table
  %(prog)s --into headwater-without --except-run 01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c
"""
# Options that leave out events.
_EXCEPTIONS = (
    ("run", "ID", "the events of this run; repeatable"),
    ("producer", "NAME", "the events of this `producer`; repeatable"),
    ("token", "ID", "the events that this token sent; repeatable"),
)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    summary = "make the graph table again, or another: from the archive and every stored event"
    parser = add_command(subparsers, "replay", summary, _ABOUT, _EXAMPLES, run=run_replay, interrupted=GOES_ON)
    add_options(parser)
    add_days(parser, "day of arrival")
    parser.add_argument("--into", metavar="TABLE", help="another table with the keys of the graph table")
    for name, value, about in _EXCEPTIONS:
        parser.add_argument(
            f"--except-{name}", action="append", default=[], metavar=value, help=f"with --into: leave out {about}"
        )


def run_replay(given: argparse.Namespace) -> int:
    """Run the replay and return its exit code."""
    from headwater.loading.event_log import EventLog
    from headwater.loading.screens import read_screens
    from headwater.loading.stored_rules import StoredRules

    exclusion = _exclusion(given)
    if exclusion and not given.into:
        given.parser.error("--except-... needs --into: what is loaded in the stack's own table stays there")
    deployment = find_deployment(given)
    table = deployment.graph_table(given.into, loads=True)
    log = EventLog(table, table.s3, table.bucket)
    # A replay of some days leaves the archive's rows as they are.
    screens = read_screens(table.dynamodb, deployment.outputs["GraphTableName"])
    state_file = _state_file(given, table.table, exclusion)
    if exclusion and not state_file.exists():
        _begin_in_empty(table, state_file, given.parser)
    unread = () if given.first or given.last else _rebuild(table, screens)
    for reason in unread:
        _print_fault(reason)
    # The rules stay in the stack's own table, whichever table is filled.
    rules = StoredRules(deployment.graph_table(), deployment.naming_rules()).at(int(time.time()))
    days = [day for day in log.days() if (given.first or "") <= day <= (given.last or "9999")]
    failed = _replay(log, rules, screens, days, state_file, exclusion)
    return 1 if unread or failed else 0


def _exclusion(given: argparse.Namespace) -> Exclusion | None:
    from headwater.loading.replay import Exclusion
    from headwater_model.ids import normalize_run_id

    runs = frozenset(map(normalize_run_id, given.except_run))
    exclusion = Exclusion(runs, frozenset(given.except_producer), frozenset(given.except_token))
    return None if exclusion == Exclusion() else exclusion


def _state_file(given: argparse.Namespace, table: str, exclusion: Exclusion | None) -> Path:
    """Name the file of the progress: another for each set of options."""
    name = f"{table}.{given.first or ''}.{given.last or ''}"
    if exclusion:
        parts = [sorted(exclusion.runs), sorted(exclusion.producers), sorted(exclusion.tokens)]
        name += f".{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]}"
    return _STATE_FOLDER / f"{name}.json"


def _begin_in_empty(table: GraphTable, state_file: Path, parser: argparse.ArgumentParser) -> None:
    """Refuse a table with rows, and write the file of the progress: the same command may go on."""
    if table.dynamodb.scan(TableName=table.table, Limit=1)["Items"]:
        parser.error(f"--into: must be an empty table with --except-..., but {table.table} has rows")
    _write_state(state_file, _Done())


def _write_state(state_file: Path, done: _Done) -> None:
    state_file.parent.mkdir(parents=True, exist_ok=True)
    state_file.write_text(json.dumps(done._asdict()), encoding="utf-8")


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


def _replay(
    log: EventLog,
    rules: NamingRules,
    screens: Screens,
    days: list[str],
    state_file: Path,
    exclusion: Exclusion | None = None,
) -> int:
    """Replay the remaining days; count the failed events, with those before an interruption."""
    from rich.progress import TimeElapsedColumn

    from headwater.cli.text.progress import object_bars
    from headwater.loading.replay import NOTHING, replay

    done = _Done()
    with suppress(FileNotFoundError):
        done = _Done(**json.loads(state_file.read_text(encoding="utf-8")))
    # An interrupted replay continues after its last finished day.
    remaining = [day for day in days if day > done.to]
    events, failed, excluded = 0, done.failed, 0
    with object_bars(TimeElapsedColumn()) as progress:
        for day in remaining:
            keys = log.keys_of(day)
            task = progress.add_task(day, total=len(keys))
            for loaded in replay(keys, log, rules, screens, exclusion or NOTHING):
                events, failed = events + loaded.events, failed + len(loaded.failed)
                excluded += loaded.excluded
                for reason in loaded.failed:
                    _print_fault(reason)
                progress.advance(task, loaded.objects)
            _write_state(state_file, _Done(day, failed))
    state_file.unlink(missing_ok=True)
    left_out = f", {excluded:,} left out" if exclusion else ""
    print(f"{events:,} events of {len(remaining):,} days loaded, {failed:,} failed{left_out}")
    return failed


class _Done(NamedTuple):
    """Progress of an interrupted replay: its last finished day, and the failed events until then."""

    to: str = ""
    failed: int = 0

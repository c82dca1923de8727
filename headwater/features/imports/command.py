"""`headwater import`: OpenLineage events from files, S3 or a running Marquez, into a service."""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.cli.options import add_command, add_url, parse_url

if TYPE_CHECKING:
    from headwater.features.imports.event_sources import EventSource

_STATE = Path(".headwater") / "import.json"
# Faults printed; the rest is counted.
_FAULTS_SHOWN = 100
_ABOUT = """\
Import OpenLineage events into a running service, with the times that they have, or the lineage of DataHub or Spline.
A file holds JSON lines, one JSON document or an array, gzipped or not. A folder's files are those with .json, .jsonl
or .ndjson in their names. s3:// reads objects with the AWS credentials of the environment, - reads standard input, and
--from-marquez reads a running Marquez.

An import can be interrupted, and goes on when the same command runs again: files of which every event was accepted are
skipped, unless they changed. An event that is sent twice is one event. A refused event is printed with its place and
the reason, and harms no other. A bearer token needs the scope write.

Exit code: 0 when every event was accepted, 1 when some were refused or the import stopped.
"""
_EXAMPLES = """\
examples:
  %(prog)s events/ more.jsonl.gz
  %(prog)s s3://lake/openlineage/2026/
  %(prog)s --from-marquez http://marquez:5000
  %(prog)s --format datahub datahub.json
  %(prog)s --format spline plans/
  psql -At -c "SELECT event FROM lineage_events" marquez | %(prog)s -
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    summary = "import OpenLineage events from files, S3 or Marquez"
    parser = add_command(subparsers, "import", summary, _ABOUT, _EXAMPLES, run=run_import)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a file, a folder, s3://bucket/prefix, or -")
    parser.add_argument(
        "--format",
        choices=("openlineage", "datahub", "spline"),
        default="openlineage",
        help="of the files: events, DataHub's metadata change proposals as its file sink writes them, or Spline's "
        "execution plans and events (default: openlineage)",
    )
    parser.add_argument(
        "--from-marquez", type=parse_url, metavar="URL", help="a running Marquez: all events that it was sent"
    )
    parser.add_argument(
        "--state", type=Path, default=_STATE, metavar="FILE", help=f"where to keep how far it got (default: {_STATE})"
    )
    add_url(parser)


def run_import(given: argparse.Namespace) -> int:
    """Import each source; return 1 if an event was refused."""
    from headwater.cli.logins import token_for
    from headwater.cli.text.terminal import progress_console
    from headwater.features.imports.importer import Importer, ImportState
    from spark_client.transport.destination import Destination
    from spark_client.transport.http import HttpTransport
    from spark_client.transport.retry import RetryPolicy

    if given.format == "spline" and "-" in given.paths:
        given.parser.error("--format spline reads files twice, and standard input can be read once")
    if not (given.paths or given.from_marquez):
        given.parser.error("name a file, a folder, s3://bucket/prefix, - or --from-marquez URL")
    faults = _Faults()
    transport = HttpTransport(Destination(url=given.url, token=token_for(given.url)), RetryPolicy())
    with progress_console().status("looking for events") as status:
        state = ImportState(given.state, given.url, faults.print)
        importer = Importer(transport, state, faults.print, status.update)
        for source in _sources(given):
            importer.run(source)
    faults.end()
    skipped = f"; {importer.skipped:,} sources were imported before" if importer.skipped else ""
    print(f"{importer.counts}{skipped}")
    return 1 if importer.refused else 0


def _sources(given: argparse.Namespace) -> Iterator[EventSource]:
    from headwater.features.imports.event_sources import marquez_source, sources_of

    if given.format == "spline":
        yield from _of_spline(given.paths)
    elif given.format == "datahub":
        yield from _of_datahub(list(sources_of(given.paths)))
    else:
        yield from sources_of(given.paths)
    if given.from_marquez:
        yield marquez_source(given.from_marquez.rstrip("/"))


def _of_spline(paths: Sequence[str]) -> Iterator[EventSource]:
    """Yield the sources of Spline's plans and events; all plans are read before the first event."""
    from headwater.features.imports.catalogs.spline import FILES, Plans
    from headwater.features.imports.event_sources import converted, sources_of

    plans, sources = Plans(), list(sources_of(paths, FILES))
    for source in sources:
        _read(source, plans.add)
    for source in sources:
        yield converted(source, lambda: plans.events_of)


def _of_datahub(sources: Sequence[EventSource]) -> Iterator[EventSource]:
    """Yield the sources of DataHub's proposals; a patch adds to the sources before it, even if they are skipped."""
    from headwater.features.imports.catalogs.datahub import Proposals
    from headwater.features.imports.event_sources import STANDARD_INPUT, converted

    before = Proposals()
    for source in sources:
        yield converted(source, lambda: before.copied().events_of)
        if source.name != STANDARD_INPUT:
            _read(source, lambda document: deque(before.events_of(document), maxlen=0))


def _read(source: EventSource, take: Callable[[Any], object]) -> None:
    """Take each document of a source; its faults are reported when it is imported."""
    import orjson

    from headwater.features.imports.event_sources import UNEXPECTED

    with suppress(OSError):
        for event in source.events(0):
            with suppress(*UNEXPECTED):
                take(orjson.loads(event.body))


class _Faults:
    """The faults on standard error, the first hundred of them."""

    def __init__(self) -> None:
        self._count = 0

    def print(self, line: str) -> None:
        """Print a fault, or count it."""
        from headwater.cli.service import printable

        self._count += 1
        if self._count <= _FAULTS_SHOWN:
            print(printable(line), file=sys.stderr)

    def end(self) -> None:
        """Print the number of faults that were counted alone."""
        if self._count > _FAULTS_SHOWN:
            print(f"... and {self._count - _FAULTS_SHOWN:,} more", file=sys.stderr)

"""The job that traces a root too large for the trace function: the same object and commit, gathered on Spark.

    python -m jobs.trace_root --root-sha <sha> --marked-on 2026-11-20 --day 2026-11-20 --execution <name>
        --started-at <seconds> [--graph-table ... --records-table ... --archive-bucket ... --records-dlq-url ...]

Arguments in brackets may come from the environment (GRAPH_TABLE and so on). The root's id is in its dirty-root row.
"""

from __future__ import annotations

import os
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import orjson
from pyspark.sql import DataFrame, SparkSession

from headwater import settings
from headwater.aws.clients import client
from headwater.records.archive import Archive
from headwater.records.archive_state import ArchiveState
from headwater.records.dirty_roots import DirtyRoots
from headwater.records.expired import Staged
from headwater.records.lines import Compaction, in_blocks, parse_step
from headwater.records.pointers import LastArchive, Pointers
from headwater.records.queues import DeadLetters
from headwater.records.record import LineageRecord
from headwater.records.root_records import RecordSources, check_steps
from headwater.records.table import RecordsTable
from headwater.records.trace import Tracer, trace
from headwater.records.trace_message import TraceRequest
from headwater_model.errors import NotFound, TooLarge
from jobs.deduplicate import decide
from jobs.forest import arrange, number
from jobs.rendered import render_rows
from jobs.root_sources import sources_of

_RUN = ("root-sha", "marked-on", "day", "execution", "started-at")
_PLACES = {
    name.lower().replace("_", "-"): name
    for name in (settings.GRAPH_TABLE, settings.RECORDS_TABLE, settings.ARCHIVE_BUCKET, settings.RECORDS_DLQ_URL)
}
ARGUMENTS = (*_RUN, *_PLACES)


@dataclass(frozen=True, slots=True)
class GatheredOnSpark:
    """All records of a root, read and decided, on Spark's disks.

    Displaced records, and the sort keys of staged images, are held in memory: they are few beside the records.
    """

    root_id: str
    pointer: LastArchive | None
    nodes: DataFrame
    count: int
    displaced: Sequence[LineageRecord]
    staged: Sequence[str]

    def lines(self, compaction: Compaction) -> Iterator[bytes]:
        """Render the trace lines, in blocks of whole lines, in the order of `render_lines`.

        Raises:
            TooManySteps: see `check_steps`.
        """
        arranged = arrange(self.nodes, [self.root_id], lambda steps: check_steps(self.root_id, steps, self.count))
        rows = arranged.toLocalIterator(prefetchPartitions=True)
        return in_blocks(render_rows(rows, [self.root_id], compaction))


@dataclass(frozen=True, slots=True)
class OnSpark:
    """A gatherer of roots in a Spark session."""

    spark: SparkSession

    def gather(self, root_id: str, sources: RecordSources) -> GatheredOnSpark:
        """Read all records of the root, the pointer first: a later commit has read more."""
        pointer = sources.pointers.find(root_id)
        records = sources_of(root_id, sources, pointer).read(self.spark).localCheckpoint()
        decided = decide(records, [root_id])
        nodes = number(decided.records)
        displaced = [] if decided.displaced is None else decided.displaced.toLocalIterator()
        return GatheredOnSpark(
            root_id=root_id,
            pointer=pointer,
            nodes=nodes,
            count=nodes.count(),
            displaced=[parse_step(root_id, orjson.loads(bytes(row.step))) for row in displaced],
            staged=[row.place for row in records.where("place is not null").select("place").toLocalIterator()],
        )


def main(arguments: Sequence[str], spark: SparkSession | None = None) -> int:
    """Trace the root if it is still dirty; return 0 when it is archived, or refused for good.

    Raises:
        NotFound: the root has no mark on the day.
        TooLarge: no object can hold the trace.
    """
    options = _parse(arguments)
    session = spark or SparkSession.builder.appName("trace_root").getOrCreate()
    tracer = _tracer(options, OnSpark(prepare_session(session)))
    mark = tracer.dirty_roots.find(options.marked_on, options.root_sha)
    if mark is None:
        raise NotFound(f"no root {options.root_sha} is marked on {options.marked_on}")
    marked = (options.marked_on,)
    request = TraceRequest(mark.root_id, options.day, options.execution, options.started_at, marked=marked)
    traced = trace(request, tracer)
    if traced.deferred:
        raise TooLarge(traced.deferred)
    return 0


def prepare_session(spark: SparkSession) -> SparkSession:
    """Open a second session, set for many joins of a table with itself.

    Spark would infer constraints of columns from join to join, twice as many with each (3.5 to 4.3). And it would hold
    each small table of a chain of joins in memory, all at once; sorting joins can spill.
    """
    own = spark.newSession()
    own.conf.set("spark.sql.constraintPropagation.enabled", "false")
    own.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    return own


def _parse(arguments: Sequence[str]) -> Namespace:
    parser = ArgumentParser(prog="trace_root")
    for name in _RUN:
        parser.add_argument(f"--{name}", required=True, type=int if name == "started-at" else str)
    for argument, name in _PLACES.items():
        parser.add_argument(f"--{argument}", default=os.environ.get(name), dest=name)
    options = parser.parse_args(arguments)
    if missing := [name for name in _PLACES.values() if getattr(options, name) is None]:
        raise NotFound(f"neither an argument nor the environment names {', '.join(missing)}")
    return options


def _tracer(options: Namespace, on_spark: OnSpark) -> Tracer:
    graph, dynamodb = getattr(options, settings.GRAPH_TABLE), client("dynamodb")
    sources = RecordSources(
        RecordsTable(dynamodb, getattr(options, settings.RECORDS_TABLE)),
        Staged(dynamodb, graph),
        Pointers(dynamodb, graph),
        Archive(client("s3"), getattr(options, settings.ARCHIVE_BUCKET)),
    )
    dead_letters = DeadLetters(client("sqs"), getattr(options, settings.RECORDS_DLQ_URL))
    dirty_roots = DirtyRoots(dynamodb, graph, lambda: int(time.time() * 1000))
    return Tracer(sources, dirty_roots, ArchiveState(dynamodb, graph), dead_letters, _now_s, on_spark.gather)


def _now_s() -> int:
    return int(time.time())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

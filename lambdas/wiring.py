"""The edge of every function: its variables, clients and clock, handed to the domain as plain arguments.

Each part is imported where it is made: a cold start pays for its own function alone (`expired` needs no pydantic).
"""

from __future__ import annotations

import os
import time
from datetime import datetime, timezone
from functools import cache
from typing import TYPE_CHECKING

from lineage import settings
from lineage.aws.clients import CONCURRENCY, READ_CONCURRENCY, client

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.api.tokens import Tokens
    from lineage.graph.event_log import EventLog
    from lineage.graph.load import EventStores
    from lineage.graph.table import GraphTable
    from lineage.openlineage.ingest import DeletionsIntake, EventsIntake
    from lineage.openlineage.naming import NameRules
    from lineage.queries.service import FieldQuestions, Questions
    from lineage.records.archive_state import Calendar
    from lineage.records.compaction import Compactor
    from lineage.records.dead_letters import DeadLetters
    from lineage.records.dirty_roots import Marks
    from lineage.records.intake import RecordsIntake
    from lineage.records.load import LoadStores
    from lineage.records.pointers import Pointers
    from lineage.records.publications import Publications
    from lineage.records.publisher import Publisher
    from lineage.records.root_records import Gathered, Sources
    from lineage.records.search.searcher import Searcher
    from lineage.records.signatures import Signatures
    from lineage.records.staged import Staged
    from lineage.records.table import RecordsTable
    from lineage.records.trace import Tracer


def now_s() -> int:
    """The clock, in whole seconds since 1970 UTC."""
    return int(time.time())


def now() -> str:
    """The clock, as times of events are kept."""
    from lineage.times import kept

    return kept(datetime.now(timezone.utc))


def number(name: str) -> int:
    """A variable that holds a whole number."""
    return int(os.environ[name])


@cache
def intake() -> RecordsIntake:
    """Where requests go."""
    from lineage.records.intake import RecordsIntake

    return RecordsIntake(
        sqs=client("sqs"),
        s3=client("s3"),
        records_queue_url=os.environ[settings.RECORDS_QUEUE_URL],
        packed_queue_url=os.environ[settings.PACKED_QUEUE_URL],
        bucket=os.environ[settings.INTAKE_BUCKET],
    )


@cache
def events_intake() -> EventsIntake:
    """Where events about runs go."""
    from lineage.openlineage.ingest import EventsIntake

    return EventsIntake(
        sqs=client("sqs"),
        s3=client("s3"),
        queue_url=os.environ[settings.EVENTS_QUEUE_URL],
        bucket=os.environ[settings.INTAKE_BUCKET],
    )


@cache
def deletions_intake() -> DeletionsIntake:
    """Return the queue that deletions go to."""
    from lineage.openlineage.ingest import DeletionsIntake

    return DeletionsIntake(client("sqs"), os.environ[settings.DELETIONS_QUEUE_URL])


@cache
def table() -> RecordsTable:
    """The records table."""
    from lineage.records.table import RecordsTable

    return RecordsTable(client("dynamodb"), os.environ[settings.RECORDS_TABLE])


@cache
def marks() -> Marks:
    """The marks in the graph table."""
    from lineage.records.dirty_roots import Marks

    return Marks(client("dynamodb"), os.environ[settings.GRAPH_TABLE])


@cache
def pointers() -> Pointers:
    """The archive pointers in the graph table."""
    from lineage.records.pointers import Pointers

    return Pointers(client("dynamodb"), os.environ[settings.GRAPH_TABLE])


@cache
def staged() -> Staged:
    """The staged images in the graph table."""
    from lineage.records.staged import Staged

    return Staged(client("dynamodb"), os.environ[settings.GRAPH_TABLE])


@cache
def dead_letters() -> DeadLetters:
    """The records' dead-letter queue."""
    from lineage.records.dead_letters import DeadLetters

    return DeadLetters(client("sqs"), os.environ[settings.RECORDS_DLQ_URL])


@cache
def sources() -> Sources:
    """Where records of a root may be."""
    from lineage.records.archive import Archive
    from lineage.records.root_records import Sources

    return Sources(table(), staged(), pointers(), Archive(client("s3"), os.environ[settings.ARCHIVE_BUCKET]))


def load_stores() -> LoadStores:
    """What the load function reads and writes."""
    from lineage.records.load import LoadStores

    return LoadStores(table(), marks(), dead_letters(), client("s3"), number(settings.RECORDS_TTL_S))


def tracer(gather: Callable[[str, Sources], Gathered]) -> Tracer:
    """What a trace reads and writes; `gather` reads a root."""
    from lineage.records.trace import Tracer

    return Tracer(sources(), marks(), calendar(), dead_letters(), now_s, gather)


@cache
def calendar() -> Calendar:
    """The archive's calendar in the graph table."""
    from lineage.records.archive_state import Calendar

    return Calendar(client("dynamodb"), os.environ[settings.GRAPH_TABLE])


def compactor() -> Compactor:
    """What the compaction's steps read and write."""
    from lineage.records.compaction import Compactor
    from lineage.records.digests import Digests

    return Compactor(
        calendar=calendar(),
        marks=marks(),
        pointers=pointers(),
        digests=Digests(client("s3"), os.environ[settings.ARCHIVE_BUCKET]),
        publications=publications(),
        sqs=client("sqs"),
        trace_queue_url=os.environ[settings.TRACE_QUEUE_URL],
        signatures=_signatures(),
    )


def _signatures() -> Signatures | None:
    """What signs digests, if this deployment signs them."""
    key = os.environ.get(settings.SIGNING_KEY)
    if not key:
        return None
    from lineage.records.signatures import Signatures

    return Signatures(client("s3"), os.environ[settings.ARCHIVE_BUCKET], client("kms"), key)


@cache
def publications() -> Publications:
    """The published days in the graph table."""
    from lineage.records.publications import Publications

    return Publications(client("dynamodb"), os.environ[settings.GRAPH_TABLE])


def publisher() -> Publisher:
    """What publishes a compacted day."""
    from lineage.aws.catalog import Catalog
    from lineage.records.digests import Digests
    from lineage.records.publisher import Publisher

    bucket = os.environ[settings.ARCHIVE_BUCKET]
    catalog = Catalog(client("glue"), os.environ[settings.SEARCH_DATABASE])
    return Publisher(client("s3"), bucket, Digests(client("s3"), bucket), publications(), catalog)


@cache
def graph_table() -> GraphTable:
    """The graph table, as facts about runs see it."""
    return _graph_table(CONCURRENCY)


def _graph_table(concurrency: int) -> GraphTable:
    from lineage.graph.table import GraphTable

    table, bucket = os.environ[settings.GRAPH_TABLE], os.environ[settings.ARCHIVE_BUCKET]
    return GraphTable(client("dynamodb"), table, client("s3"), bucket, concurrency=concurrency)


@cache
def event_log() -> EventLog:
    """The raw log of events, and their list."""
    from lineage.graph.event_log import EventLog

    return EventLog(graph_table(), client("s3"), os.environ[settings.ARCHIVE_BUCKET])


@cache
def questions() -> Questions:
    """What the events told, asked of the graph table."""
    from lineage.queries.service import Questions

    return Questions(_graph_table(READ_CONCURRENCY))


@cache
def fields() -> FieldQuestions:
    """What the events told of columns, asked of the same table."""
    from lineage.queries.service import FieldQuestions

    return FieldQuestions(_graph_table(READ_CONCURRENCY))


@cache
def name_rules() -> NameRules:
    """How this deployment reads the names of datasets."""
    from lineage.openlineage.naming import parse_rules

    return parse_rules(os.environ)


def event_stores() -> EventStores:
    """What the events function reads and writes."""
    from lineage.graph.load import EventStores

    return EventStores(event_log(), graph_table(), client("s3"), name_rules())


@cache
def searcher() -> Searcher:
    """What searches the records, live and archived."""
    from lineage.aws.athena import Athena
    from lineage.records.search.archive import ArchiveSearch
    from lineage.records.search.live import LiveSearch
    from lineage.records.search.roots import Roots
    from lineage.records.search.searcher import Searcher

    athena = Athena(client("athena"), os.environ[settings.SEARCH_DATABASE], os.environ[settings.SEARCH_WORKGROUP])
    live = LiveSearch(sources(), Roots(marks(), pointers()))
    return Searcher(live, ArchiveSearch(athena, time.sleep), calendar(), publications(), now_s)


@cache
def tokens() -> Tokens:
    """The bearer tokens in the graph table, and those of them that this process has seen of late."""
    from lineage.api.tokens import Tokens

    return Tokens(graph_table())

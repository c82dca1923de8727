"""The edge of every function: its variables, clients and clock, handed to the domain as plain arguments.

Each part is imported where it is made: a cold start pays for its own function alone (`expired` needs no pydantic).
"""

from __future__ import annotations

import json
import os
import time
from datetime import datetime, timezone
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar, cast

from headwater import settings
from headwater.aws.clients import CONCURRENCY, READ_CONCURRENCY, client, dynamodb

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

    from headwater.api.route import Door
    from headwater.api.tokens import Tokens
    from headwater.events.api_change_queue import ApiChangeQueue
    from headwater.events.ingest import EventQueue
    from headwater.events.naming import NamingRules
    from headwater.facts.kept import Days
    from headwater.facts.table import GraphTable
    from headwater.loading.event_log import EventLog
    from headwater.loading.load import EventStores
    from headwater.loading.screens import Screens
    from headwater.loading.stored_rules import StoredRules
    from headwater.queries.service import LineageQueries
    from headwater.records.archive_state import ArchiveState
    from headwater.records.compaction import Compactor
    from headwater.records.dirty_roots import DirtyRoots
    from headwater.records.expired import Staged
    from headwater.records.load import LoadStores
    from headwater.records.pointers import Pointers
    from headwater.records.proof import Proofs
    from headwater.records.publications import Publications
    from headwater.records.publisher import Publisher
    from headwater.records.queues import DeadLetters, RecordQueue
    from headwater.records.root_ids import RootIds
    from headwater.records.root_records import Gathered, RecordSources
    from headwater.records.search.searcher import Searcher
    from headwater.records.table import RecordsTable
    from headwater.records.trace import Tracer

T = TypeVar("T")


def now_s() -> int:
    """Read the clock, in whole seconds since 1970 UTC: `1767225600`."""
    return int(time.time())


def now_ms() -> int:
    """Read the clock, in whole milliseconds since 1970 UTC: `1767225600000`."""
    return int(time.time() * 1000)


def now() -> str:
    """Read the clock as a normalized time: `2026-01-01T00:00:00.000000Z`."""
    from headwater_model.times import normalize

    return normalize(datetime.now(timezone.utc))


def sleep(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)


def number(name: str) -> int:
    """Read a variable with a whole number, as in `number("TRACE_RECORDS_MAX")`."""
    return int(os.environ[name])


class _AtFirstUse:
    """A stand-in for an object, made when an attribute of it is first used."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> object:
        return getattr(self._make(), name)


def at_first_use(make: Callable[[], T]) -> T:
    """Stand in for the object of a cached factory; many invocations never use it."""
    return cast("T", _AtFirstUse(make))


def s3() -> S3Client:
    """Make the client of S3 at its first use: boto3 takes longer for it than our own modules do."""
    return at_first_use(lambda: client("s3"))


def sqs() -> SQSClient:
    """Make the client of SQS at its first use."""
    return at_first_use(lambda: client("sqs"))


@cache
def record_queue() -> RecordQueue:
    """Make the queue of requests."""
    from headwater.records.queues import RecordQueue

    return RecordQueue(
        sqs=sqs(),
        s3=s3(),
        records_queue_url=os.environ[settings.RECORDS_QUEUE_URL],
        packed_queue_url=os.environ[settings.PACKED_QUEUE_URL],
        bucket=os.environ[settings.INTAKE_BUCKET],
    )


@cache
def event_queue() -> EventQueue:
    """Make the queue of events."""
    from headwater.events.ingest import EventQueue

    return EventQueue(
        sqs=sqs(),
        s3=s3(),
        queue_url=os.environ[settings.EVENTS_QUEUE_URL],
        bucket=os.environ[settings.INTAKE_BUCKET],
        drop_running=tuple(json.loads(os.environ.get(settings.DROP_RUNNING_EVENTS, "[]"))),
        rules=lambda: _stored_rules(as_sent=True).at(now_s()),
    )


@cache
def change_queue() -> ApiChangeQueue:
    """Make the queue of changes through the API."""
    from headwater.events.api_change_queue import ApiChangeQueue

    return ApiChangeQueue(sqs(), os.environ[settings.CHANGES_QUEUE_URL])


@cache
def table() -> RecordsTable:
    """Open the records table."""
    from headwater.records.table import RecordsTable

    return RecordsTable(dynamodb(), os.environ[settings.RECORDS_TABLE])


@cache
def dirty_roots() -> DirtyRoots:
    """Open the dirty roots in the graph table."""
    from headwater.records.dirty_roots import DirtyRoots

    return DirtyRoots(dynamodb(), os.environ[settings.GRAPH_TABLE], now_ms)


@cache
def root_ids() -> RootIds:
    """Open the ids of roots in the graph table."""
    from headwater.records.root_ids import RootIds

    return RootIds(dynamodb(), os.environ[settings.GRAPH_TABLE])


@cache
def pointers() -> Pointers:
    """Open the archive pointers in the graph table."""
    from headwater.records.pointers import Pointers

    return Pointers(dynamodb(), os.environ[settings.GRAPH_TABLE])


@cache
def staged() -> Staged:
    """Open the staged images in the graph table."""
    from headwater.records.expired import Staged

    return Staged(dynamodb(), os.environ[settings.GRAPH_TABLE])


@cache
def dead_letters() -> DeadLetters:
    """Open the records' dead-letter queue."""
    from headwater.records.queues import DeadLetters

    return DeadLetters(sqs(), os.environ[settings.RECORDS_DLQ_URL])


@cache
def sources() -> RecordSources:
    """Open the stores that may hold records of a root."""
    from headwater.records.archive import Archive
    from headwater.records.root_records import RecordSources

    return RecordSources(table(), staged(), pointers(), Archive(s3(), os.environ[settings.ARCHIVE_BUCKET]))


def load_stores() -> LoadStores:
    """Open the stores of the load function."""
    from headwater.records.load import LoadStores

    bucket = os.environ[settings.INTAKE_BUCKET]
    ttl_s, keeps = number(settings.RECORDS_TTL_S), _screens().keeps
    return LoadStores(table(), dirty_roots(), dead_letters(), s3(), bucket, ttl_s, keeps=keeps)


def tracer(gather: Callable[[str, RecordSources], Gathered]) -> Tracer:
    """Make the tracer; `gather` reads a root."""
    from headwater.records.trace import Tracer

    return Tracer(sources(), dirty_roots(), archive_state(), dead_letters(), now_s, gather)


@cache
def archive_state() -> ArchiveState:
    """Open the archive's state in the graph table."""
    from headwater.records.archive_state import ArchiveState

    return ArchiveState(dynamodb(), os.environ[settings.GRAPH_TABLE])


def proofs() -> Proofs:
    """Make the proofs of archived records."""
    from headwater.records.proof import Proofs

    return Proofs(sources(), archive_state())


def compactor() -> Compactor:
    """Make the steps of the compaction with their stores."""
    from headwater.records.compaction import Compactor
    from headwater.records.digest import Digests
    from headwater.records.signatures import Signatures

    bucket, key = os.environ[settings.ARCHIVE_BUCKET], os.environ.get(settings.SIGNING_KEY)
    return Compactor(
        archive_state=archive_state(),
        dirty_roots=dirty_roots(),
        pointers=pointers(),
        digests=Digests(s3(), bucket),
        publications=publications(),
        sqs=sqs(),
        trace_queue_url=os.environ[settings.TRACE_QUEUE_URL],
        # None where digests are not signed.
        signatures=Signatures(s3(), bucket, client("kms"), key) if key else None,
    )


@cache
def publications() -> Publications:
    """Open the published days in the graph table."""
    from headwater.records.publications import Publications

    return Publications(dynamodb(), os.environ[settings.GRAPH_TABLE])


def publisher() -> Publisher:
    """Make the publisher of compacted days."""
    from headwater.aws.athena import Catalog
    from headwater.records.digest import Digests
    from headwater.records.publisher import Publisher

    bucket = os.environ[settings.ARCHIVE_BUCKET]
    catalog = Catalog(client("glue"), os.environ[settings.SEARCH_DATABASE])
    return Publisher(s3(), bucket, Digests(s3(), bucket), publications(), catalog)


@cache
def graph_table(concurrency: int = CONCURRENCY) -> GraphTable:
    """Open the graph table, which has up to `concurrency` requests under way."""
    from headwater.facts.table import GraphTable

    table, bucket = os.environ[settings.GRAPH_TABLE], os.environ[settings.ARCHIVE_BUCKET]
    return GraphTable(dynamodb(), table, s3(), bucket, concurrency=concurrency, kept=kept_days())


def kept_days() -> Days:
    """Read the days after which rows of history expire, `{"tests": 90}`."""
    from headwater.facts.kept import parse_days

    return parse_days(os.environ, settings.KEPT_DAYS)


@cache
def event_log() -> EventLog:
    """Open the raw log of events, and their list."""
    from headwater.facts.kept import oldest
    from headwater.loading.event_log import EventLog

    days = kept_days()
    bucket = os.environ[settings.ARCHIVE_BUCKET]
    return EventLog(graph_table(), s3(), bucket, oldest=lambda: oldest(days, "events", now_s()))


@cache
def lineage_queries() -> LineageQueries:
    """Make the queries over the graph table."""
    from headwater.facts.kept import oldest
    from headwater.queries.service import LineageQueries

    # Rows of streams are the first to expire.
    days, trimming = kept_days(), os.environ.get(settings.PARTITION_TRIMMING, "true") == "true"
    table = graph_table(READ_CONCURRENCY)
    return LineageQueries(table, trim_partitions=trimming, oldest=lambda: oldest(days, "streams", now_s()))


@cache
def _stored_rules(*, as_sent: bool = False) -> StoredRules:
    """Make the stored rules, before the queue over names as sent: no partition is trimmed there."""
    from headwater.events.naming import AS_SENT, parse_rules
    from headwater.loading.stored_rules import StoredRules

    return StoredRules(graph_table(), AS_SENT if as_sent else parse_rules(os.environ))


def naming_rules() -> NamingRules:
    """Read this deployment's naming rules for datasets, as they are now."""
    return _stored_rules().at(now_s())


def event_stores() -> EventStores:
    """Open the stores of the events function, with the hooks of the features switched on by its variables."""
    from headwater.features import FEATURES
    from headwater.loading.load import EventStores

    given = [feature.on_loaded for feature in FEATURES if feature.on_loaded]
    hooks = [import_module(module).make_hook() for variable, module in given if os.environ.get(variable)]
    screens, rules = _screens(), naming_rules()
    return EventStores(event_log(), graph_table(), s3(), os.environ[settings.INTAKE_BUCKET], rules, hooks, screens)


def _screens() -> Screens:
    """Read the screens of the features switched on by the function's variables."""
    from headwater.loading.screens import read_screens

    return read_screens(dynamodb(), os.environ[settings.GRAPH_TABLE], os.environ)


@cache
def searcher() -> Searcher:
    """Make the search of live and archived records."""
    from headwater.aws.athena import Athena
    from headwater.records.search.archive import ArchiveSearch
    from headwater.records.search.live import LiveSearch, Roots
    from headwater.records.search.searcher import Searcher

    athena = Athena(client("athena"), os.environ[settings.SEARCH_DATABASE], os.environ[settings.SEARCH_WORKGROUP])
    live = LiveSearch(sources(), Roots(dirty_roots(), pointers()))
    return Searcher(live, ArchiveSearch(athena, time.sleep), archive_state(), publications(), now_s)


@cache
def tokens() -> Tokens:
    """Open the bearer tokens in the graph table, with this process's cache of them."""
    from headwater.api.tokens import Tokens

    return Tokens(graph_table())


@cache
def door() -> Door | None:
    """Make the door for callers of a foreign issuer, of the feature switched on by the function's variables."""
    from headwater.features import FEATURES

    given = [feature.door for feature in FEATURES if feature.door]
    modules = [import_module(module) for variable, module in given if os.environ.get(variable)]
    return modules[0].make_door(tokens()) if modules else None

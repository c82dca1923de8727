"""Services that the routes need; the function's edge (`lambdas/api.py`) puts them together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

    from lineage.api.links import Links
    from lineage.api.tokens import Tokens
    from lineage.graph.event_log import EventLog
    from lineage.openlineage.api_change_queue import ApiChangeQueue
    from lineage.openlineage.ingest import EventQueue
    from lineage.queries.service import LineageQueries
    from lineage.records.dirty_roots import DirtyRoots
    from lineage.records.ingest import RecordQueue
    from lineage.records.proof import Proofs
    from lineage.records.root_records import RecordSources
    from lineage.records.search.searcher import Searcher


@dataclass(frozen=True, slots=True)
class Services:
    """Stores, queues, clients; clocks (seconds since 1970, and normalized times), new ids, a counter of metrics.

    `strict_namespaces`: a token for some namespaces is shown neighbours in others by id and type alone.

    The modules of the stores are imported where these are made, and not here: a cold start pays for what it uses.
    `searcher` makes the search of records at the first search.
    """

    records: RecordQueue
    events: EventQueue
    changes: ApiChangeQueue
    event_log: EventLog
    queries: LineageQueries
    sources: RecordSources
    dirty_roots: DirtyRoots
    proofs: Proofs
    searcher: Callable[[], Searcher]
    tokens: Tokens
    links: Links
    sqs: SQSClient
    trace_queue_url: str
    ttl_s: int
    now_s: Callable[[], int]
    now: Callable[[], str]
    new_id: Callable[[], str]
    count: Callable[[str, int], None]
    sleep: Callable[[float], None]
    strict_namespaces: bool = False

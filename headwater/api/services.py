"""Services that the routes need; the function's edge (`lambdas/api.py`) puts them together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

    from headwater.api.http.links import Links
    from headwater.api.tokens import Tokens
    from headwater.events.api_change_queue import ApiChangeQueue
    from headwater.events.ingest import EventQueue
    from headwater.loading.event_log import EventLog
    from headwater.queries.service import LineageQueries
    from headwater.records.dirty_roots import DirtyRoots
    from headwater.records.ingest import RecordQueue
    from headwater.records.proof import Proofs
    from headwater.records.root_ids import RootIds
    from headwater.records.root_records import RecordSources
    from headwater.records.search.searcher import Searcher


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
    root_ids: RootIds
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

    def count_all(self, metrics: Mapping[str, int]) -> None:
        """Count several metrics, by name."""
        for name, number in metrics.items():
            self.count(name, number)

"""What the routes need of the rest of the service; the function's edge (`lambdas/api.py`) puts it together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.api.answers import Links
from lineage.api.tokens import Tokens
from lineage.graph.event_log import EventLog
from lineage.openlineage.ingest import DeletionsIntake, EventsIntake
from lineage.queries.service import FieldQuestions, Questions
from lineage.records.dirty_roots import Marks
from lineage.records.intake import RecordsIntake
from lineage.records.root_records import Sources
from lineage.records.search.searcher import Searcher

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@dataclass(frozen=True, slots=True)
class Services:
    """Stores, queues, clients; clocks (seconds since 1970, and as `times` keeps it), new ids, a counter of metrics.

    `strict_namespaces`: whether a token for some namespaces is shown neighbours in others by id and type alone.

    `searcher` makes what searches records when one first asks: a cold start pays for what it uses.
    """

    intake: RecordsIntake
    events: EventsIntake
    deletions: DeletionsIntake
    event_log: EventLog
    questions: Questions
    fields: FieldQuestions
    sources: Sources
    marks: Marks
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
    strict_namespaces: bool = False

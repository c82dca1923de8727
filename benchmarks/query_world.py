"""The cost of HTTP queries, over a graph table in memory."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import orjson

from benchmarks.pipelines import Step, parsed_runs
from headwater.api.app import Api
from headwater.api.http.responses import Links
from headwater.aws.clients import CONCURRENCY
from headwater.aws.items import chunks
from headwater.events.event import Event
from headwater.facts.apply import apply_statements
from headwater.queries.service import LineageQueries
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import LINK, MemoryS3, MemoryTable
from tests.gateway import lambda_context, proxy_event

if TYPE_CHECKING:
    from headwater.api.route import Services

_RUNS_A_BATCH = 400
_TIMES = 5


@dataclass(frozen=True, slots=True)
class ApiQuery:
    """A GET: its path, with percent-encoded ids, and its parameters."""

    path: str
    parameters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ApiResult:
    """The document of a response or of its link, and its size."""

    document: Any
    size_bytes: int

    @property
    def count(self) -> int:
        """Number of nodes or items in it."""
        content = self.document
        if isinstance(content, dict):
            content = next((value for value in content.values() if isinstance(value, list)), [])
        return len(content)


class QueryWorld:
    """A table with runs, and the API over it."""

    def __init__(self) -> None:
        self.s3 = MemoryS3()
        self.table = MemoryTable(s3=self.s3, concurrency=CONCURRENCY)
        services = SimpleNamespace(
            queries=LineageQueries(self.table),
            links=Links(self.s3.client(), "archive", "intake"),
            now_s=lambda: 0,
        )
        self._api = Api(lambda: cast("Services", services))

    def load(self, steps: Iterable[Step], runs: int) -> None:
        """Load so many runs of each job, in batches."""
        for batch in chunks(list(steps), max(1, _RUNS_A_BATCH // runs)):
            self.apply(event for step in batch for event in parsed_runs(step, runs))

    def apply(self, events: Iterable[Event]) -> None:
        """Load events as one batch."""
        apply_statements(list(events), self.table)

    def query(self, api_query: ApiQuery) -> tuple[ApiResult, Calls, int]:
        """Query the API; return the result, its calls (S3's requests and bytes, too) and its rounds."""
        self.table.dynamo.calls = calls = Calls()
        self.table.calls.clear()
        self.s3.read.clear()
        event = proxy_event("GET", api_query.path, api_query.parameters)
        result = self._read(self._api.resolve(event, lambda_context()))
        calls.requests["GetObject"] += len(self.s3.read)
        calls.item_bytes += sum(self.s3.read)
        return result, calls, self.table.rounds

    def cost(self, api_query: ApiQuery, times: int = _TIMES) -> dict[str, float]:
        """Measure the cost of a query; seconds are the median of so many times."""
        result, calls, rounds = self.query(api_query)
        return {
            "rounds": rounds,
            "requests": calls.requests.total(),
            "items": calls.items,
            "bytes": calls.item_bytes,
            "response": result.size_bytes,
            "count": result.count,
            "s": median(self._seconds(api_query) for _ in range(times)),
        }

    def costs(self, queries: Mapping[str, ApiQuery], state: str, times: int = _TIMES) -> Iterator[tuple[str, float]]:
        """Yield the costs of several queries, named by state of the table, query and count."""
        for name, api_query in queries.items():
            for counted, value in self.cost(api_query, times).items():
                yield f"{state}/{name}/{counted}", value

    def _read(self, sent: Mapping[str, Any]) -> ApiResult:
        body, status = sent["body"].encode(), sent["statusCode"]
        assert status in {200, 303}, body
        if status == 303:
            key = orjson.loads(body)["location"].removeprefix(LINK)
            body = gzip.decompress(self.s3.objects[key])
        return ApiResult(orjson.loads(body), len(body))

    def _seconds(self, api_query: ApiQuery) -> float:
        begin = time.perf_counter()
        self.query(api_query)
        return time.perf_counter() - begin

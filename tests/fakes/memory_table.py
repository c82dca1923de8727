"""The graph table over DynamoDB and S3 in memory, with counted rounds: benchmarks and unit tests run on it."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, cast

from headwater.facts.table import GraphTable, Key, Row, RowPage, RowQuery, Swap
from tests.fakes.memory_dynamodb import MemoryDynamo

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

LINK = "https://s3/"


@dataclass(slots=True)
class MemoryS3:
    """Objects by key, and the sizes of the objects read."""

    objects: dict[str, bytes] = field(default_factory=dict)
    read: list[int] = field(default_factory=list)

    def client(self) -> S3Client:
        """Itself, typed as boto3's client."""
        return cast("S3Client", self)

    def put_object(self, *, Key: str, Body: bytes | IO[bytes], **_: Any) -> Mapping[str, Any]:  # noqa: N803 - boto3's
        """Store an object."""
        self.objects[Key] = Body if isinstance(Body, bytes) else Body.read()
        return {}

    def get_object(self, *, Key: str, **_: Any) -> Mapping[str, Any]:  # noqa: N803 - boto3's
        """Read a stored object."""
        self.read.append(len(self.objects[Key]))
        return {"Body": io.BytesIO(self.objects[Key])}

    def generate_presigned_url(self, *_: Any, Params: Mapping[str, str], **__: Any) -> str:  # noqa: N803 - boto3's
        """Link to a response too large for a function."""
        return f"{LINK}{Params['Key']}"


class MemoryTable(GraphTable):
    """The real table, by default without threads. `calls` counts its methods, except calls without work.

    `before` is called with the name of each method before it runs: a test may interleave or raise there.
    """

    def __init__(
        self,
        dynamo: MemoryDynamo | None = None,
        s3: MemoryS3 | None = None,
        *,
        before: Callable[[str], None] = lambda _: None,
        concurrency: int = 1,
    ) -> None:
        self.dynamo = dynamo or MemoryDynamo()
        self.calls: Counter[str] = Counter()
        self._before = before
        objects = s3 or MemoryS3()
        stores = self.dynamo.client(), "graph", objects.client(), "archive"
        # Writers of a row wait for their turn, not for time to pass.
        super().__init__(*stores, sleep=lambda _: None, concurrency=concurrency)

    @property
    def rounds(self) -> int:
        """Rounds of parallel reads so far."""
        return self.calls["get"] + self.calls["query"] + self.calls["read"]

    def get(self, keys: Iterable[Key], *, eventually: bool = False) -> dict[Key, Row]:
        """Read rows by key."""
        row_keys = list(keys)
        self._begin("get", row_keys)
        return super().get(row_keys, eventually=eventually)

    def query(self, queries: Sequence[RowQuery]) -> list[RowPage]:
        """Read rows by partition."""
        self._begin("query", queries)
        return super().query(queries)

    def read(self, keys: Iterable[Key], queries: Sequence[RowQuery]) -> tuple[dict[Key, Row], list[RowPage]]:
        """Read rows by key and by partition, together."""
        row_keys = list(keys)
        self._begin("read", [*row_keys, *queries])
        return super().read(row_keys, queries)

    def put(self, rows: Iterable[Row]) -> None:
        """Write rows; any writer's row of a key is the same."""
        written = list(rows)
        self._begin("put", written)
        super().put(written)

    def swap(self, swaps: Sequence[Swap]) -> list[bool]:
        """Write rows whose versions are still current."""
        self._begin("swap", swaps)
        return super().swap(swaps)

    def advance(self, key: Key, name: str, number: int) -> None:
        """Set a number of a row, unless it is as great already."""
        self._begin("advance", name)
        super().advance(key, name, number)

    def _begin(self, method: str, work: Sized) -> None:
        self._before(method)
        if work:
            self.calls[method] += 1

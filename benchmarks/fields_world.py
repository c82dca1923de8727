"""A graph table in memory that columns are asked of over HTTP's routes, and what each question costs there."""

from __future__ import annotations

import gzip
import io
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING, Any, cast

import orjson

from benchmarks.fields_pipelines import sends_columns
from benchmarks.graph_work import CountedTable
from benchmarks.memory_dynamodb import Calls, MemoryDynamo
from benchmarks.pipelines import Step, parsed_runs
from lineage.api.answers import Links
from lineage.api.app import Api
from lineage.aws.items import chunks
from lineage.graph.apply import apply_changes
from lineage.openlineage.event import Event
from lineage.queries.service import FieldQuestions, Questions

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext
    from mypy_boto3_s3 import S3Client

    from lineage.api.services import Services

_RUNS_A_BATCH = 400
_TIMES = 5
_LINK = "https://s3/"
# Where answers say that they were cut.
_TRUNCATED = "X-Truncated"
_CUT = ("truncated", "columnLineageTruncated")
_CONTEXT = SimpleNamespace(
    function_name="api",
    memory_limit_in_mb=1024,
    invoked_function_arn="arn",
    aws_request_id="r",
    get_remaining_time_in_millis=lambda: 29_000,
)


@dataclass(frozen=True, slots=True)
class Question:
    """A GET: its path, ids in it percent-encoded, and its query."""

    path: str
    query: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered, itself or behind a link, how large it is, and whether something says that it was cut."""

    form: Any
    size_bytes: int
    truncated: bool
    linked: bool

    @property
    def told(self) -> int:
        """The number of nodes or things in it."""
        told = self.form
        if isinstance(told, dict):
            told = next((value for value in told.values() if isinstance(value, list)), [])
        return len(told)


@dataclass(slots=True)
class MemoryS3:
    """Objects by key, as far as they are asked for here; `read` are the sizes of those that were read."""

    objects: dict[str, bytes] = field(default_factory=dict)
    read: list[int] = field(default_factory=list)

    def put_object(self, *, Key: str, Body: bytes | IO[bytes], **_: Any) -> Mapping[str, Any]:  # noqa: N803 - boto3's
        """Keep an object."""
        self.objects[Key] = Body if isinstance(Body, bytes) else Body.read()
        return {}

    def get_object(self, *, Key: str, **_: Any) -> Mapping[str, Any]:  # noqa: N803 - boto3's
        """An object that was kept."""
        self.read.append(len(self.objects[Key]))
        return {"Body": io.BytesIO(self.objects[Key])}

    def generate_presigned_url(self, *_: Any, Params: Mapping[str, str], **__: Any) -> str:  # noqa: N803 - boto3's
        """Where an answer lies that is too large for a function."""
        return f"{_LINK}{Params['Key']}"


class ColumnWorld:
    """A table that runs are loaded into, and the API that questions about columns are asked of."""

    def __init__(self) -> None:
        self.dynamo, self.s3 = MemoryDynamo(), MemoryS3()
        s3 = cast("S3Client", self.s3)
        self.table = CountedTable(self.dynamo.client(), "graph", s3, "archive")
        services = SimpleNamespace(
            questions=Questions(self.table),
            fields=FieldQuestions(self.table),
            links=Links(s3, "archive", "intake"),
            now_s=lambda: 0,
        )
        self._api = Api(lambda: cast("Services", services))

    def load(self, steps: Iterable[Step], runs: int) -> None:
        """So many runs of each of the jobs, in batches."""
        for some in chunks(list(steps), max(1, _RUNS_A_BATCH // runs)):
            self.apply(event for step in some for event in parsed_runs(step, runs, sends_columns))

    def apply(self, events: Iterable[Event]) -> None:
        """Some events, as one batch."""
        apply_changes(list(events), self.table)

    def ask(self, question: Question) -> tuple[Answer, Calls, int]:
        """The answer, what was asked for it, and rounds; what lies in S3 counts with its request and its bytes."""
        self.dynamo.calls = calls = Calls()
        self.table.rounds.clear()
        self.s3.read.clear()
        answer = self._read(self._api.resolve(_event(question), cast("LambdaContext", _CONTEXT)))
        calls.requests["GetObject"] += len(self.s3.read)
        calls.item_bytes += sum(self.s3.read)
        return answer, calls, len(self.table.rounds)

    def cost(self, question: Question, times: int = _TIMES) -> dict[str, float]:
        """What the question costs; seconds are the median of some times."""
        answer, calls, rounds = self.ask(question)
        return {
            "rounds": rounds,
            "requests": calls.requests.total(),
            "items": calls.items,
            "bytes": calls.item_bytes,
            "answer": answer.size_bytes,
            "told": answer.told,
            "truncated": answer.truncated,
            "linked": answer.linked,
            "s": median(self._seconds(question) for _ in range(times)),
        }

    def costs(self, questions: Mapping[str, Question], state: str, times: int = _TIMES) -> Iterator[tuple[str, float]]:
        """Those of several questions, as figures by state of the table, question and what is counted."""
        for name, question in questions.items():
            for counted, value in self.cost(question, times).items():
                yield f"{state}/{name}/{counted}", value

    def _read(self, sent: Mapping[str, Any]) -> Answer:
        body, status = sent["body"].encode(), sent["statusCode"]
        assert status in {200, 303}, body
        if status == 303:
            key = orjson.loads(body)["location"].removeprefix(_LINK)
            body = gzip.decompress(self.s3.objects[key])
        form = orjson.loads(body)
        headers = {**(sent.get("headers") or {}), **(sent.get("multiValueHeaders") or {})}
        cut = _TRUNCATED in headers or (isinstance(form, dict) and any(form.get(name) for name in _CUT))
        return Answer(form, len(body), truncated=cut, linked=status == 303)

    def _seconds(self, question: Question) -> float:
        begin = time.perf_counter()
        self.ask(question)
        return time.perf_counter() - begin


def _event(question: Question) -> dict[str, Any]:
    values = {name: str(value) for name, value in question.query.items()}
    return {
        "resource": "/{proxy+}",
        "path": question.path,
        "httpMethod": "GET",
        "headers": None,
        "multiValueHeaders": None,
        "queryStringParameters": values or None,
        "multiValueQueryStringParameters": {name: [value] for name, value in values.items()} or None,
        "pathParameters": {"proxy": question.path[1:]},
        "stageVariables": {"auth": "iam"},
        "requestContext": {"stage": "prod", "path": question.path, "requestId": "r", "httpMethod": "GET"},
        "body": None,
        "isBase64Encoded": False,
    }

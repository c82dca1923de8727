"""Cold starts: a handler's imports and objects, beside a bare process with the boto3 clients of its services.

Bytecode is compiled and the disk is warm, as in a function with .pyc files in its layer. A figure is the least CPU of
several processes, in turns: foreign load on the machine can only add to it.

The baseline is a process with boto3's clients of the function's services and nothing else. Ours is a handler's whole
work before its first call of AWS, late imports included. It makes its clients of S3 and SQS at their first use: *api,
of a query* makes neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from benchmarks.processes import Report, in_turns, run_code
from benchmarks.rows import Row, milliseconds, within
from headwater import settings

_ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    "AWS_DEFAULT_REGION": "us-east-1",
    "POWERTOOLS_SERVICE_NAME": "cold",
    "POWERTOOLS_METRICS_NAMESPACE": "Headwater",
    "PYDANTIC_DISABLE_PLUGINS": "true",
    # The first run writes the bytecode, whatever the shell says.
    "PYTHONDONTWRITEBYTECODE": "",
    # Names of tables, buckets, queues and searches: nothing is called.
    **dict.fromkeys((settings.RECORDS_TABLE, settings.GRAPH_TABLE), "table"),
    **dict.fromkeys((settings.INTAKE_BUCKET, settings.ARCHIVE_BUCKET), "bucket"),
    **dict.fromkeys((settings.SEARCH_DATABASE, settings.SEARCH_WORKGROUP), "search"),
    **dict.fromkeys(
        (value for name, value in vars(settings).items() if name.endswith("_URL")),
        "https://sqs.us-east-1.amazonaws.com/123456789012/queue",
    ),
    settings.RECORDS_TTL_S: "86400",
    settings.TRACE_RECORDS_MAX: "2000000",
}
_TIMED = "import time; _t = time.process_time(); {work}; print('{{\"s\": %f}}' % (time.process_time() - _t))"
_ROUNDS, _QUICK_ROUNDS = 11, 5


@dataclass(frozen=True, slots=True)
class Start:
    """The cold start of a function: the code of its first event, its services, and the goal.

    A function makes its clients of S3 and SQS at their first use: the code of such an event makes the client.
    """

    name: str
    module: str
    first_event: str
    clients: tuple[str, ...]
    at_most: float

    @property
    def ours(self) -> str:
        """Code with the function's own work."""
        return f"import lambdas.{self.module}; from lambdas import wiring; {self.first_event}"

    @property
    def bare(self) -> str:
        """Code for boto3's clients of these services, and nothing else."""
        clients = "; ".join(f"boto3.client({service!r})" for service in self.clients)
        return f"import boto3; {clients}"


# Each handler's work before its first AWS call: late imports, and the objects of `lambdas.wiring`.
_TRACE = "lambdas.trace.Limits(2_000_000, lambda: 900.0).gather"
_EVENT = "import headwater.events.ingest; wiring.event_queue().sqs.meta"
_QUERY = "lambdas.api._api.load('GET', '/api/v1/lineage'); wiring.lineage_queries(); wiring.tokens()"
# The first event builds the models for its check.
_RUN_EVENT = {
    "eventType": "START",
    "eventTime": "2025-11-20T12:00:00Z",
    "producer": "https://example.com",
    "run": {"runId": "r"},
    "job": {"namespace": "n", "name": "j"},
}
_PARSED = f"headwater.events.parse.parse_event({_RUN_EVENT}, headwater.events.naming.NamingRules(), now=None)"
# Without the rules of names, since a start has no place to read them from.
_STORES = "import headwater.loading.load, headwater.loading.stored_rules; wiring.event_log().s3.meta"
_LOADED = f"import headwater.events.parse; {_PARSED}; {_STORES}; wiring.sqs().meta"
_ALL = ("dynamodb", "sqs", "s3")
STARTS = (
    Start("input", "input", "wiring.record_queue().sqs.meta", ("sqs", "s3"), 1.2),
    Start("input, of an event", "input", _EVENT, ("sqs", "s3"), 1.2),
    Start("load", "load", "wiring.load_stores()", _ALL, 1.2),
    Start("events", "events", _LOADED, _ALL, 1.2),
    Start("trace", "trace", f"wiring.tracer({_TRACE}).sources.archive.s3.meta", _ALL, 1.2),
    Start("expired", "expired", "wiring.dirty_roots(), wiring.pointers(), wiring.staged()", ("dynamodb",), 1.2),
    Start("compact", "compact", "wiring.compactor().sqs.meta, wiring.publisher().s3.meta", (*_ALL, "glue"), 1.2),
    Start("api, of a query", "api", _QUERY, _ALL, 1.4),
    Start("api, of an event", "api", f"lambdas.api._api.load('POST', '/api/v1/lineage'); {_EVENT}", _ALL, 1.4),
)


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure every function, in turns with its bare process."""
    rows = []
    for start in STARTS:
        works = {
            f"{start.name}, {side}": partial(run_code, _TIMED.format(work=work), _ENVIRONMENT)
            for side, work in (("ours", start.ours), ("bare", start.bare))
        }
        ours, bare = in_turns(_QUICK_ROUNDS if quick else _ROUNDS, works, report, middle=min).values()
        rows.append(within(f"cold start: {start.name}", ours["s"], bare["s"], at_most=start.at_most, show=milliseconds))
    return rows

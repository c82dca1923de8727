"""What the local stack changes in moto's Athena: queries are answered; see `local.moto_patches`.

Results are in GetQueryResults, those of the last queries; they are not left in S3.
"""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import boto3
from moto.athena import models
from moto.athena.models import AthenaBackend, WorkGroup
from moto.athena.responses import AthenaResponse
from moto.core.exceptions import JsonRESTError

from local.athena_questions import Answer, Interrupt, QueryFailed, Question

Ask = Callable[[Question, Interrupt], Answer]
Json = dict[str, Any]

_AT_A_TIME = 2
_KEPT = 32
# API reference, GetQueryResults: "Valid Range: Minimum value of 1. Maximum value of 1000." The first row is the header.
_PAGE_MAX = 1000
_ENDED = {"CANCELLED", "FAILED", "SUCCEEDED"}
_stock_execution: Callable[[AthenaResponse], str] = AthenaResponse.get_query_execution


class Execution(models.Execution):
    """A query, its state and its answer."""

    def __init__(self, question: Question, **told: Any) -> None:
        super().__init__(**told)
        self._transitions = []
        self.status = "QUEUED"
        self.question = question
        self.interrupt = Interrupt()
        self.reason = ""
        self.scanned_bytes = 0
        self.answer: Answer | None = None

    def run(self, ask: Ask) -> None:
        """Have it answered, unless it was stopped before; `QueryFailed` and the workgroup's limit end it otherwise."""
        if self.interrupt.asked:
            return
        self.status = "RUNNING"
        try:
            answer = ask(self.question, self.interrupt)
        except QueryFailed as failed:
            self.end("FAILED", str(failed))
        except Exception as error:  # noqa: BLE001 - a query that breaks something must still end
            self.end("FAILED", f"GENERIC_INTERNAL_ERROR: {error!r}")
        else:
            self._settle(answer)

    def _settle(self, answer: Answer) -> None:
        self.scanned_bytes = answer.scanned_bytes
        limit = self.workgroup.configuration.get("BytesScannedCutoffPerQuery") if self.workgroup else None
        if limit is not None and answer.scanned_bytes > limit:
            self.end("CANCELLED", "Bytes scanned limit was exceeded")
        else:
            self.answer = answer
            self.end("SUCCEEDED")

    def end(self, state: str, reason: str = "") -> None:
        """It has ended so, unless it had before."""
        if self.status not in _ENDED:
            self.end_time, self.reason = time.time(), reason
            self.status = state

    def stop(self) -> None:
        """As StopQueryExecution."""
        self.end("CANCELLED", "Query was cancelled by user")
        self.interrupt.now()


class Queries:
    """All executions, by id; the answers of the last ones."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._executor = ThreadPoolExecutor(_AT_A_TIME, thread_name_prefix="athena")
        self._by_token: dict[str, Execution] = {}
        self._answered: OrderedDict[str, Execution] = OrderedDict()

    def start(self, backend: AthenaBackend, told: Json) -> Json:
        """StartQueryExecution; the same token is the same execution."""
        token = told.get("ClientRequestToken", "")
        execution = self._by_token.get(token)
        if execution is None:
            execution = _execution(backend, told)
            backend.executions[execution.id] = execution
            self._by_token[token or execution.id] = execution
            self._executor.submit(self._run, execution)
        return {"QueryExecutionId": execution.id}

    def _run(self, execution: Execution) -> None:
        execution.run(self._ask)
        self._answered[execution.id] = execution
        while len(self._answered) > _KEPT:
            self._answered.popitem(last=False)[1].answer = None


def _execution(backend: AthenaBackend, told: Json) -> Execution:
    group = _workgroup(backend, told.get("WorkGroup", "primary"))
    context = told.get("QueryExecutionContext", {})
    parameters = told.get("ExecutionParameters")
    question = Question(told["QueryString"], context.get("Database", "default"), parameters or ())
    return Execution(
        question,
        query=told["QueryString"],
        context=context,
        config=_result_configuration(group, told),
        workgroup=group,
        execution_parameters=parameters,
    )


def _workgroup(backend: AthenaBackend, name: str) -> WorkGroup:
    if name not in backend.work_groups:
        raise _invalid("WorkGroup is not found.")
    return backend.work_groups[name]


def _result_configuration(group: WorkGroup, told: Json) -> Json:
    own, of_group = told.get("ResultConfiguration", {}), group.configuration.get("ResultConfiguration", {})
    found: Json = of_group if group.configuration.get("EnforceWorkGroupConfiguration") else of_group | own
    if "OutputLocation" not in found:
        rule = "An output location is required either through the Workgroup result configuration setting or as an API"
        raise _invalid(f"No output location provided. {rule} input.")
    return dict(found)


def _invalid(message: str) -> JsonRESTError:
    return JsonRESTError("InvalidRequestException", message)


def _found(backend: AthenaBackend, told: Json) -> Execution:
    execution = backend.executions.get(told["QueryExecutionId"])
    if not isinstance(execution, Execution):
        raise _invalid(f"QueryExecution {told['QueryExecutionId']} was not found")
    return execution


def _results(execution: Execution, told: Json) -> Json:
    """GetQueryResults: rows of text, the names of the columns first."""
    if execution.status not in _ENDED:
        raise _invalid(f"Query has not yet finished. Current state: {execution.status}")
    if execution.status != "SUCCEEDED":
        raise _invalid(f"Query did not finish successfully. Final query state: {execution.status}")
    if execution.answer is None:
        raise _invalid(f"the local stack keeps the results of the last {_KEPT} queries")
    size, start = told.get("MaxResults", _PAGE_MAX), told.get("NextToken", "0")
    if not 1 <= size <= _PAGE_MAX:
        raise _invalid(f"MaxResults is more than maximum allowed length {_PAGE_MAX}.")
    if not start.isdecimal():
        raise _invalid("NextToken is invalid")
    return _page(execution.answer, int(start), size)


def _page(answer: Answer, start: int, size: int) -> Json:
    names: list[str | None] = [column["Name"] for column in answer.columns]
    end = start + size
    # Row 0 is the header.
    rows = ([names] if start == 0 else []) + answer.rows[max(0, start - 1) : end - 1]
    told: Json = {
        "UpdateCount": 0,
        "ResultSet": {
            "Rows": [{"Data": [{} if value is None else {"VarCharValue": value} for value in row]} for row in rows],
            "ResultSetMetadata": {"ColumnInfo": answer.columns},
        },
    }
    return told | ({"NextToken": str(end)} if end <= len(answer.rows) else {})


def duckdb_over(settings: Mapping[str, Any], folder: Path) -> Ask:
    """Answers from the Glue catalog and S3 that these settings of boto3's clients reach; `folder` keeps the files."""
    lock = threading.Lock()

    @cache
    def client(service: Any) -> Any:
        return boto3.client(service, **settings)

    def ask(question: Question, interrupt: Interrupt) -> Answer:
        from local.athena import answer
        from local.athena_catalog import GlueCatalog

        with lock:
            catalog = GlueCatalog(client("glue"), client("s3"), folder, lock)
        return answer(question, catalog, interrupt)

    return ask


def answer_queries_by(ask: Ask) -> None:
    """Queries are run and answered; moto answers every one with no rows."""
    queries = Queries(ask)

    def start_query_execution(self: AthenaResponse) -> str:
        return json.dumps(queries.start(self.athena_backend, json.loads(self.body)))

    def get_query_execution(self: AthenaResponse) -> str:
        execution = _found(self.athena_backend, json.loads(self.body))
        told: Json = json.loads(_stock_execution(self))
        status, statistics = told["QueryExecution"]["Status"], told["QueryExecution"]["Statistics"]
        if execution.status not in _ENDED:
            del status["CompletionDateTime"]
        if execution.reason:
            status["StateChangeReason"] = execution.reason
        statistics["DataScannedInBytes"] = execution.scanned_bytes
        return json.dumps(told)

    def get_query_results(self: AthenaResponse) -> str:
        told = json.loads(self.body)
        return json.dumps(_results(_found(self.athena_backend, told), told))

    def stop_query_execution(self: AthenaResponse) -> str:
        _found(self.athena_backend, json.loads(self.body)).stop()
        return "{}"

    AthenaResponse.start_query_execution = start_query_execution  # type: ignore[method-assign]
    AthenaResponse.get_query_execution = get_query_execution  # type: ignore[method-assign]
    AthenaResponse.get_query_results = get_query_results  # type: ignore[method-assign]
    AthenaResponse.stop_query_execution = stop_query_execution  # type: ignore[method-assign]

"""The local stack's changes to moto's Athena: it runs queries; see `local_stack.aws.moto_patches`.

GetQueryResults returns the results of the last queries; they are not written to S3.
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

from local_stack.aws.athena_query import AthenaQuery, AthenaResult, QueryFailed

RunQuery = Callable[[AthenaQuery], AthenaResult]
Json = dict[str, Any]

_AT_A_TIME = 2
_KEPT = 32
# API reference, GetQueryResults: "Valid Range: Minimum value of 1. Maximum value of 1000." The first row is the header.
_PAGE_MAX = 1000
_ENDED = {"CANCELLED", "FAILED", "SUCCEEDED"}
_stock_execution: Callable[[AthenaResponse], str] = AthenaResponse.get_query_execution


class Execution(models.Execution):
    """A query, its state and its result."""

    def __init__(self, athena_query: AthenaQuery, **request: Any) -> None:
        super().__init__(**request)
        self._transitions = []
        self.status = "QUEUED"
        self.athena_query = athena_query
        self.reason = ""
        self.scanned_bytes = 0
        self.result: AthenaResult | None = None

    def run(self, run_query: RunQuery) -> None:
        """Run the query; `QueryFailed` and the workgroup's limit end it without a result."""
        self.status = "RUNNING"
        try:
            result = run_query(self.athena_query)
        except QueryFailed as failed:
            self.end("FAILED", str(failed))
        except Exception as error:  # noqa: BLE001 - a broken query must still end
            self.end("FAILED", f"GENERIC_INTERNAL_ERROR: {error!r}")
        else:
            self._finish(result)

    def _finish(self, result: AthenaResult) -> None:
        self.scanned_bytes = result.scanned_bytes
        limit = self.workgroup.configuration.get("BytesScannedCutoffPerQuery") if self.workgroup else None
        if limit is not None and result.scanned_bytes > limit:
            self.end("CANCELLED", "Bytes scanned limit was exceeded")
        else:
            self.result = result
            self.end("SUCCEEDED")

    def end(self, state: str, reason: str = "") -> None:
        """Set the final state, unless there is one."""
        if self.status not in _ENDED:
            self.end_time, self.reason = time.time(), reason
            self.status = state


class Queries:
    """All executions, by id; the results of the last executions."""

    def __init__(self, run_query: RunQuery) -> None:
        self._run_query = run_query
        self._executor = ThreadPoolExecutor(_AT_A_TIME, thread_name_prefix="athena")
        self._by_token: dict[str, Execution] = {}
        self._finished: OrderedDict[str, Execution] = OrderedDict()

    def start(self, backend: AthenaBackend, request: Json) -> Json:
        """Start a query, as StartQueryExecution does; an equal token is the same execution."""
        token = request.get("ClientRequestToken", "")
        execution = self._by_token.get(token)
        if execution is None:
            execution = _execution(backend, request)
            backend.executions[execution.id] = execution
            self._by_token[token or execution.id] = execution
            self._executor.submit(self._run, execution)
        return {"QueryExecutionId": execution.id}

    def _run(self, execution: Execution) -> None:
        execution.run(self._run_query)
        self._finished[execution.id] = execution
        while len(self._finished) > _KEPT:
            self._finished.popitem(last=False)[1].result = None


def _execution(backend: AthenaBackend, request: Json) -> Execution:
    group = _workgroup(backend, request.get("WorkGroup", "primary"))
    context = request.get("QueryExecutionContext", {})
    parameters = request.get("ExecutionParameters")
    query = AthenaQuery(request["QueryString"], context.get("Database", "default"), parameters or ())
    return Execution(
        query,
        query=request["QueryString"],
        context=context,
        config=_result_configuration(group, request),
        workgroup=group,
        execution_parameters=parameters,
    )


def _workgroup(backend: AthenaBackend, name: str) -> WorkGroup:
    if name not in backend.work_groups:
        raise _invalid("WorkGroup is not found.")
    return backend.work_groups[name]


def _result_configuration(group: WorkGroup, request: Json) -> Json:
    own, of_group = request.get("ResultConfiguration", {}), group.configuration.get("ResultConfiguration", {})
    configuration: Json = of_group if group.configuration.get("EnforceWorkGroupConfiguration") else of_group | own
    if "OutputLocation" not in configuration:
        rule = "An output location is required either through the Workgroup result configuration setting or as an API"
        raise _invalid(f"No output location provided. {rule} input.")
    return dict(configuration)


def _invalid(message: str) -> JsonRESTError:
    return JsonRESTError("InvalidRequestException", message)


def _find_execution(backend: AthenaBackend, request: Json) -> Execution:
    execution = backend.executions.get(request["QueryExecutionId"])
    if not isinstance(execution, Execution):
        raise _invalid(f"QueryExecution {request['QueryExecutionId']} was not found")
    return execution


def _results(execution: Execution, request: Json) -> Json:
    """Render a page of GetQueryResults: rows of text, the names of the columns first."""
    if execution.status not in _ENDED:
        raise _invalid(f"Query has not yet finished. Current state: {execution.status}")
    if execution.status != "SUCCEEDED":
        raise _invalid(f"Query did not finish successfully. Final query state: {execution.status}")
    if execution.result is None:
        raise _invalid(f"the local stack keeps the results of the last {_KEPT} queries")
    size, start = request.get("MaxResults", _PAGE_MAX), request.get("NextToken", "0")
    if not 1 <= size <= _PAGE_MAX:
        raise _invalid(f"MaxResults is more than maximum allowed length {_PAGE_MAX}.")
    if not start.isdecimal():
        raise _invalid("NextToken is invalid")
    return _page(execution.result, int(start), size)


def _page(result: AthenaResult, start: int, size: int) -> Json:
    names: list[str | None] = [column["Name"] for column in result.columns]
    end = start + size
    # Row 0 is the header.
    rows = ([names] if start == 0 else []) + result.rows[max(0, start - 1) : end - 1]
    request: Json = {
        "UpdateCount": 0,
        "ResultSet": {
            "Rows": [{"Data": [{} if value is None else {"VarCharValue": value} for value in row]} for row in rows],
            "ResultSetMetadata": {"ColumnInfo": result.columns},
        },
    }
    return request | ({"NextToken": str(end)} if end <= len(result.rows) else {})


def duckdb_over(settings: Mapping[str, Any], folder: Path) -> RunQuery:
    """Build the function that queries the Glue catalog and S3 by boto3 settings; `folder` stores files."""
    lock = threading.Lock()

    @cache
    def client(service: Any) -> Any:
        return boto3.client(service, **settings)

    def run_query(query: AthenaQuery) -> AthenaResult:
        from local_stack.aws import athena
        from local_stack.aws.athena_catalog import GlueCatalog

        with lock:
            catalog = GlueCatalog(client("glue"), client("s3"), folder, lock)
        return athena.run_query(query, catalog)

    return run_query


def run_queries_by(run_query: RunQuery) -> None:
    """Let Athena run its queries; moto returns no rows for every query."""
    queries = Queries(run_query)

    def start_query_execution(self: AthenaResponse) -> str:
        return json.dumps(queries.start(self.athena_backend, json.loads(self.body)))

    def get_query_execution(self: AthenaResponse) -> str:
        execution = _find_execution(self.athena_backend, json.loads(self.body))
        request: Json = json.loads(_stock_execution(self))
        status, statistics = request["QueryExecution"]["Status"], request["QueryExecution"]["Statistics"]
        # moto ends each query at once, at its start.
        if execution.status not in _ENDED:
            del status["CompletionDateTime"]
        if execution.reason:
            status["StateChangeReason"] = execution.reason
        statistics["DataScannedInBytes"] = execution.scanned_bytes
        return json.dumps(request)

    def get_query_results(self: AthenaResponse) -> str:
        request = json.loads(self.body)
        return json.dumps(_results(_find_execution(self.athena_backend, request), request))

    AthenaResponse.start_query_execution = start_query_execution  # type: ignore[method-assign]
    AthenaResponse.get_query_execution = get_query_execution  # type: ignore[method-assign]
    AthenaResponse.get_query_results = get_query_results  # type: ignore[method-assign]

"""Queries of Athena, in one workgroup: started, looked at, and their results page by page."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from lineage_model.errors import NotFound, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_athena import AthenaClient
    from mypy_boto3_athena.type_defs import GetQueryResultsInputTypeDef

# Athena's limit of a page of results.
ROWS_AT_ONCE = 1000
_BUSY = frozenset({"TooManyRequestsException", "ThrottlingException", "InternalServerException"})
# Of an id that is none, of results that have expired, and of a query of another workgroup.
_UNKNOWN = frozenset({"InvalidRequestException", "AccessDeniedException"})
# What Athena says of a query that its workgroup's limit has cancelled.
_OVER_THE_LIMIT = "bytes scanned limit"


@dataclass(frozen=True, slots=True)
class Execution:
    """A query: its text, whether it is `done`, and why it ended without a result, if it did."""

    sql: str
    done: bool
    failed: str | None

    @property
    def over_the_limit(self) -> bool:
        """Whether it would have read more bytes than its workgroup lets a query read."""
        return self.failed is not None and _OVER_THE_LIMIT in self.failed.lower()


@dataclass(frozen=True, slots=True)
class Rows:
    """A page of a result: rows of texts (None: null), and what to ask the next page by."""

    rows: Sequence[Sequence[str | None]]
    token: str | None


@dataclass(frozen=True, slots=True)
class Athena:
    """A workgroup, and the database that its queries are about. `Unavailable` where Athena refuses for now."""

    client: AthenaClient
    database: str
    workgroup: str

    def start(self, sql: str) -> str:
        """Start a query; the id of its execution."""
        with _refusals():
            answer = self.client.start_query_execution(
                QueryString=sql,
                QueryExecutionContext={"Database": self.database},
                WorkGroup=self.workgroup,
            )
        return answer["QueryExecutionId"]

    def get(self, execution: str) -> Execution:
        """How the query stands; `NotFound` if this workgroup has none of this id."""
        with _refusals(_UNKNOWN):
            found = self.client.get_query_execution(QueryExecutionId=execution)["QueryExecution"]
        if found.get("WorkGroup") != self.workgroup:
            raise NotFound(f"query execution {execution} is of another workgroup")
        status = found["Status"]
        state = status["State"]
        failed = f"{state}: {status.get('StateChangeReason', '')}" if state in ("FAILED", "CANCELLED") else None
        return Execution(found["Query"], state == "SUCCEEDED", failed)

    def rows(self, execution: str, token: str | None) -> Rows:
        """A page of the result of a query that is done: the first, or that of a token; `NotFound` if it is gone."""
        request: GetQueryResultsInputTypeDef = {"QueryExecutionId": execution, "MaxResults": ROWS_AT_ONCE}
        if token is not None:
            request["NextToken"] = token
        with _refusals(_UNKNOWN):
            answer = self.client.get_query_results(**request)
        rows = [[cell.get("VarCharValue") for cell in row["Data"]] for row in answer["ResultSet"]["Rows"]]
        # The names of the columns are the first row of the first page.
        return Rows(rows if token else rows[1:], answer.get("NextToken"))

    def bytes_max(self) -> int | None:
        """The most bytes that the workgroup lets a query read; None if it sets no limit."""
        with _refusals():
            found = self.client.get_work_group(WorkGroup=self.workgroup)["WorkGroup"]
        return found.get("Configuration", {}).get("BytesScannedCutoffPerQuery")


@contextmanager
def _refusals(unknown: frozenset[str] = frozenset()) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        code, message = error.response["Error"]["Code"], error.response["Error"].get("Message", "")
        if code in unknown:
            raise NotFound(message) from error
        if code in _BUSY:
            raise Unavailable(f"Athena refuses for now: {message}") from error
        raise

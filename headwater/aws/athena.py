"""A workgroup of Athena: the start of queries, their state, their results page by page; and partitions of its tables.

The Glue catalog holds the tables: setting a partition's location is an atomic write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from botocore.exceptions import ClientError

from headwater_model.errors import NotFound, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_athena import AthenaClient
    from mypy_boto3_athena.type_defs import GetQueryResultsInputTypeDef
    from mypy_boto3_glue import GlueClient
    from mypy_boto3_glue.type_defs import PartitionInputTypeDef


# Athena's limit of a page of results.
ROWS_AT_ONCE = 1000
_BUSY = frozenset({"TooManyRequestsException", "ThrottlingException", "InternalServerException"})
# Athena's codes for an unknown id, for expired results, and for a query of a foreign workgroup.
_UNKNOWN = frozenset({"InvalidRequestException", "AccessDeniedException"})
# A part of Athena's reason for a query cancelled by its workgroup's limit.
_OVER_THE_LIMIT = "bytes scanned limit"


@dataclass(frozen=True, slots=True)
class Execution:
    """A query: its text, True if it is `done`, and the reason of its end without a result, if any."""

    sql: str
    done: bool
    failed: str | None

    @property
    def over_the_limit(self) -> bool:
        """True if the query would have read more bytes than its workgroup allows."""
        return self.failed is not None and _OVER_THE_LIMIT in self.failed.lower()


@dataclass(frozen=True, slots=True)
class Rows:
    """A page of a result: rows of texts (None: null), and the token of the next page."""

    rows: Sequence[Sequence[str | None]]
    token: str | None


@dataclass(frozen=True, slots=True)
class Athena:
    """A workgroup, and the database of its queries. `Unavailable` is raised while Athena refuses."""

    client: AthenaClient
    database: str
    workgroup: str

    def start(self, sql: str) -> str:
        """Start a query; return the id of its execution."""
        with _refusals():
            response = self.client.start_query_execution(
                QueryString=sql,
                QueryExecutionContext={"Database": self.database},
                WorkGroup=self.workgroup,
            )
        return response["QueryExecutionId"]

    def get(self, execution: str) -> Execution:
        """Read the state of a query; raise `NotFound` for an id unknown to this workgroup."""
        with _refusals(_UNKNOWN):
            query = self.client.get_query_execution(QueryExecutionId=execution)["QueryExecution"]
        if query.get("WorkGroup") != self.workgroup:
            raise NotFound(f"query execution {execution} is of another workgroup")
        status = query["Status"]
        state = status["State"]
        failed = f"{state}: {status.get('StateChangeReason', '')}" if state in ("FAILED", "CANCELLED") else None
        return Execution(query["Query"], state == "SUCCEEDED", failed)

    def rows(self, execution: str, token: str | None) -> Rows:
        """Read the first page of a finished query's result, or a token's; raise `NotFound` if it is gone."""
        request: GetQueryResultsInputTypeDef = {"QueryExecutionId": execution, "MaxResults": ROWS_AT_ONCE}
        if token is not None:
            request["NextToken"] = token
        with _refusals(_UNKNOWN):
            response = self.client.get_query_results(**request)
        rows = [[cell.get("VarCharValue") for cell in row["Data"]] for row in response["ResultSet"]["Rows"]]
        # The names of the columns are the first row of the first page.
        return Rows(rows if token else rows[1:], response.get("NextToken"))

    def bytes_max(self) -> int | None:
        """Read the workgroup's limit of bytes read by a query, or None."""
        with _refusals():
            group = self.client.get_work_group(WorkGroup=self.workgroup)["WorkGroup"]
        return group.get("Configuration", {}).get("BytesScannedCutoffPerQuery")


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


@dataclass(frozen=True, slots=True)
class Catalog:
    """A database of the catalog."""

    glue: GlueClient
    database: str

    def set_partition(self, table: str, value: str, location: str, parameters: Mapping[str, str]) -> None:
        """Create or update the partition of a value, with its location (an S3 URL)."""
        # A copy of the table's current description: additions of a later release hold for new partitions.
        described = self.glue.get_table(DatabaseName=self.database, Name=table)["Table"]["StorageDescriptor"]
        descriptor = {**described, "Location": location}
        form = cast(
            "PartitionInputTypeDef",
            {"Values": [value], "StorageDescriptor": descriptor, "Parameters": dict(parameters)},
        )
        try:
            self.glue.create_partition(DatabaseName=self.database, TableName=table, PartitionInput=form)
        except self.glue.exceptions.AlreadyExistsException:
            self.glue.update_partition(
                DatabaseName=self.database, TableName=table, PartitionValueList=[value], PartitionInput=form
            )

    def find_locations(self, table: str) -> dict[str, str]:
        """Find the location of each partition of a table, by its value."""
        pages = self.glue.get_paginator("get_partitions").paginate(
            DatabaseName=self.database, TableName=table, ExcludeColumnSchema=True
        )
        partitions = (partition for page in pages for partition in page["Partitions"])
        return {partition["Values"][0]: partition["StorageDescriptor"]["Location"] for partition in partitions}

    def remove_partition(self, table: str, value: str) -> None:
        """Remove the partition of a value, if it exists; its files stay."""
        with suppress(self.glue.exceptions.EntityNotFoundException):
            self.glue.delete_partition(DatabaseName=self.database, TableName=table, PartitionValues=[value])

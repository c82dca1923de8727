"""SQL through boto3's athena client: answers from Glue's partitions, failures, limits and pages as Athena has them."""

import io
import random
import time

import boto3
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from botocore.exceptions import ClientError

STEP = pa.struct([("node_id", pa.string())])
DAYS = ("2026-11-19", "2026-11-20", "2026-11-21")


class Search:
    """The small stack's table, with partitions for some days, and a client that queries it."""

    def __init__(self, stack):
        self.bucket = stack.outputs["ArchiveBucketName"]
        self.database = stack.outputs["SearchDatabase"]
        self.workgroup = stack.outputs["SearchWorkgroup"]
        self.athena = boto3.client("athena", **stack.client_settings)
        self.glue = boto3.client("glue", **stack.client_settings)
        self.s3 = boto3.client("s3", **stack.client_settings)

    def put(self, key, table, **options):
        file = io.BytesIO()
        pq.write_table(table, file, **options)
        self.s3.put_object(Bucket=self.bucket, Key=key, Body=file.getvalue())

    def register(self, day, place):
        location = {"Location": f"s3://{self.bucket}/{place}"}
        partition = {"Values": [day], "StorageDescriptor": location}
        try:
            self.glue.create_partition(DatabaseName=self.database, TableName="records", PartitionInput=partition)
        except self.glue.exceptions.AlreadyExistsException:
            self.glue.update_partition(
                DatabaseName=self.database, TableName="records", PartitionValueList=[day], PartitionInput=partition
            )

    def start(self, sql, *parameters, **requested):
        given = {"QueryExecutionContext": {"Database": self.database}, "WorkGroup": self.workgroup, **requested}
        if parameters:
            given["ExecutionParameters"] = list(parameters)
        return self.athena.start_query_execution(QueryString=sql, **given)["QueryExecutionId"]

    def ended(self, execution):
        while True:
            result = self.athena.get_query_execution(QueryExecutionId=execution)["QueryExecution"]
            if result["Status"]["State"] not in ("QUEUED", "RUNNING"):
                return result
            time.sleep(0.02)

    def rows_of(self, sql, *parameters):
        execution = self.start(sql, *parameters)
        result = self.ended(execution)
        assert result["Status"]["State"] == "SUCCEEDED", result["Status"]
        header, *rows = self.athena.get_query_results(QueryExecutionId=execution)["ResultSet"]["Rows"]
        return [[value.get("VarCharValue") for value in row["Data"]] for row in (header, *rows)]

    def failure(self, sql, *parameters):
        status = self.ended(self.start(sql, *parameters))["Status"]
        return status["State"], status.get("StateChangeReason", "")


@pytest.fixture(scope="module")
def search(search_stack):
    search = Search(search_stack)
    for n, day in enumerate(DAYS):
        # The first day's files were written before there were tags, and with narrower numbers.
        columns = {
            "root_id": ["a", "b"],
            "recorded_at": pa.array([n, 10 + n], pa.int32() if n == 0 else pa.int64()),
            "steps": pa.array([[{"node_id": "x"}], None], pa.list_(STEP)),
            "left_over": [1, 2],
        }
        if n:
            columns["tags"] = pa.array([[("k", "v"), ("l", None)], []], pa.map_(pa.string(), pa.string()))
        search.put(f"tables/records/day={day}/attempt=1/part-0.parquet", pa.table(columns))
        search.register(day, f"tables/records/day={day}/attempt=1/")
    return search


def test_a_table_is_its_partitions_with_glue_s_columns_and_types(search):
    assert search.rows_of("SELECT * FROM records ORDER BY day, root_id") == [
        ["root_id", "recorded_at", "tags", "steps", "day"],
        ["a", "0", None, "[{node_id=x, parent_id=null}]", DAYS[0]],
        ["b", "10", None, None, DAYS[0]],
        ["a", "1", "{k=v, l=null}", "[{node_id=x, parent_id=null}]", DAYS[1]],
        ["b", "11", "{}", None, DAYS[1]],
        ["a", "2", "{k=v, l=null}", "[{node_id=x, parent_id=null}]", DAYS[2]],
        ["b", "12", "{}", None, DAYS[2]],
    ]


def test_a_partition_that_moves_or_changes_is_read_anew(search):
    search.put("elsewhere/part-0.parquet", pa.table({"root_id": ["moved"]}))
    search.register("2026-11-25", "elsewhere")
    requested = "SELECT root_id FROM records WHERE day = '2026-11-25'"
    try:
        assert search.rows_of(requested) == [["root_id"], ["moved"]]
        search.put("elsewhere/part-0.parquet", pa.table({"root_id": ["changed"]}))
        assert search.rows_of(requested) == [["root_id"], ["changed"]]
    finally:
        search.glue.delete_partition(DatabaseName=search.database, TableName="records", PartitionValues=["2026-11-25"])


@pytest.mark.parametrize(
    ("condition", "parameters", "roots"),
    [
        ("root_id = ? AND recorded_at >= ?", ["'b'", "11"], ["b", "b"]),
        ("day BETWEEN ? AND ?", ["'2026-11-20'", "'2026-11-20'"], ["a", "b"]),
        ("root_id = ?", ["'a'' OR ''1''=''1'"], []),
        ("recorded_at < ?", ["0.5"], ["a"]),
        ("root_id = ?", ["NULL"], []),
    ],
)
def test_parameters_are_literals_in_their_order(search, condition, parameters, roots):
    rows = search.rows_of(f"SELECT root_id FROM records WHERE {condition} ORDER BY root_id", *parameters)
    assert rows == [["root_id"], *([root] for root in roots)]


@pytest.mark.parametrize(
    ("sql", "parameters", "reason"),
    [
        ("SELECT * FROM nothing", [], "SYNTAX_ERROR: Catalog Error: Table with name nothing does not exist"),
        ("SELECT nothing FROM records", [], "SYNTAX_ERROR: Binder Error"),
        ("SELEC 1", [], "SYNTAX_ERROR: Parser Error"),
        ("SELECT 1; SELECT 2", [], "SYNTAX_ERROR: the local stack runs one SELECT"),
        ("DROP TABLE records", [], "SYNTAX_ERROR: the local stack runs one SELECT"),
        ("SELECT * FROM records WHERE root_id = ?", [], "SYNTAX_ERROR: Invalid Input Error: Values were not provided"),
        ("SELECT * FROM records WHERE root_id = ?", ["a"], "must be a literal (a text stands in single quotes)"),
        ("SELECT * FROM records WHERE root_id = ?", ["'a' OR 1=1"], "parameter 1: must be a literal"),
        ("SELECT * FROM read_text('/etc/hostname')", [], "Permission Error"),
        ("SELECT CAST(root_id AS bigint) FROM records", [], "GENERIC_INTERNAL_ERROR: Conversion Error"),
    ],
)
def test_a_query_that_cannot_be_served_fails_and_says_why(search, sql, parameters, reason):
    state, returned = search.failure(sql, *parameters)
    assert state == "FAILED"
    assert reason in returned


def test_results_are_paged_and_the_first_row_is_the_header(search):
    execution = search.start("SELECT root_id, day FROM records ORDER BY day, root_id")
    search.ended(execution)
    pages, token = [], {}
    while True:
        result = search.athena.get_query_results(QueryExecutionId=execution, MaxResults=3, **token)
        pages.append([[value["VarCharValue"] for value in row["Data"]] for row in result["ResultSet"]["Rows"]])
        if "NextToken" not in result:
            break
        token = {"NextToken": result["NextToken"]}
    assert pages == [
        [["root_id", "day"], ["a", DAYS[0]], ["b", DAYS[0]]],
        [["a", DAYS[1]], ["b", DAYS[1]], ["a", DAYS[2]]],
        [["b", DAYS[2]]],
    ]


@pytest.mark.skipif(duckdb.__version__ < "2", reason="DuckDB 1, Python 3.10's, does not count all bytes that it reads")
def test_a_query_that_reads_more_than_the_workgroup_allows_is_cancelled(search):
    words = random.Random(1)
    big = pa.table({"root_id": [words.randbytes(600).hex() for _ in range(20_000)]})
    search.put("tables/records/day=2026-11-26/attempt=1/part-0.parquet", big, compression="none")
    search.register("2026-11-26", "tables/records/day=2026-11-26/attempt=1/")
    try:
        execution = search.start("SELECT max(root_id) FROM records")
        result = search.ended(execution)
        assert (result["Status"]["State"], result["Status"]["StateChangeReason"]) == (
            "CANCELLED",
            "Bytes scanned limit was exceeded",
        )
        assert result["Statistics"]["DataScannedInBytes"] > 10_000_000
        with pytest.raises(ClientError, match="Final query state: CANCELLED"):
            search.athena.get_query_results(QueryExecutionId=execution)
        assert search.rows_of("SELECT max(root_id) AS last FROM records WHERE day < '2026-11-26'") == [["last"], ["b"]]
    finally:
        search.glue.delete_partition(DatabaseName=search.database, TableName="records", PartitionValues=["2026-11-26"])


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda search: search.start("SELECT 1", WorkGroup="other"), "WorkGroup is not found"),
        (lambda search: search.start("SELECT 1", WorkGroup="primary"), "No output location provided"),
        (
            lambda search: search.athena.get_query_execution(QueryExecutionId="other"),
            "QueryExecution other was not found",
        ),
        (
            lambda search: search.athena.get_query_results(QueryExecutionId="other"),
            "QueryExecution other was not found",
        ),
        (
            lambda search: search.athena.stop_query_execution(QueryExecutionId="other"),
            "QueryExecution other was not found",
        ),
    ],
)
def test_what_athena_would_refuse_is_refused(search, call, rule):
    with pytest.raises(ClientError, match=rule) as refused:
        call(search)
    assert refused.value.response["Error"]["Code"] == "InvalidRequestException"

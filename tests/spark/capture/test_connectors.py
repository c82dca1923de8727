"""Datasets of third-party sources, with their published jars: Spark makes a plan, without a server behind it.

`make test-formats ARGS=connectors` runs them. Reads and writes fail where they need the server; a failed write is
captured all the same.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.sources import find_datasets
from spark_client.capturing.jvm.executions import Executions
from spark_client.capturing.model import Write
from spark_client.capturing.plans.plan import parse_plan
from tests.servers import serving
from tests.spark import table_formats
from tests.spark.capture.conftest import Watch

_ROWS = "SELECT carrier, flight FROM flights"
_SCHEMA = "carrier STRING, flight INT"


@dataclass(frozen=True)
class Store:
    """A source with its options, and the dataset named by them.

    Attributes:
        jar: begin of the name of its jar.
        form: as in `format("mongodb")`.
        options: of a read; `written` more of them of a write.
    """

    jar: str
    form: str
    options: dict[str, str]
    dataset: DatasetId
    written: dict[str, str] | None = None
    is_read: bool = True
    is_written: bool = True
    mode: str = "append"

    def __str__(self) -> str:
        return f"{self.form}-{self.dataset.name}"


_NOWHERE = "127.0.0.1:9"
_MONGO = f"mongodb://ann:s3cret@{_NOWHERE}/{{}}?serverSelectionTimeoutMS=50&connectTimeoutMS=50"
STORES = (
    Store(
        "mongo-spark",
        "mongodb",
        {"connection.uri": _MONGO.format("shop"), "collection": "orders"},
        DatasetId(f"mongodb://{_NOWHERE}", "shop.orders"),
    ),
    Store(
        "mongo-spark",
        "mongodb",
        {"spark.mongodb.connection.uri": _MONGO.format("shop.items"), "database": "archive"},
        DatasetId(f"mongodb://{_NOWHERE}", "archive.items"),
    ),
    Store(
        "spark-snowflake",
        "snowflake",
        {
            "sfURL": "acme-test.snowflakecomputing.com",
            "sfUser": "ann",
            "sfPassword": "s3cret",
            "sfDatabase": "SHOP",
            "sfSchema": "SALES",
            "dbtable": "ORDERS",
            "loginTimeout": "1",
        },
        DatasetId("snowflake://acme-test", "SHOP.SALES.ORDERS"),
    ),
    *(
        Store(
            f"{scheme}-spark",
            form,
            {
                f"{prefix}.nodes": _NOWHERE.partition(":")[0],
                f"{prefix}.port": "9",
                f"{prefix}.net.http.auth.pass": "s3cret",
                f"{prefix}.http.retries": "0",
                f"{prefix}.nodes.wan.only": "true",
                f"{prefix}.resource": "orders",
            },
            DatasetId(f"{scheme}://{_NOWHERE}", "orders"),
        )
        for scheme, prefix, form in (
            ("elasticsearch", "es", "es"),
            ("elasticsearch", "es", "org.elasticsearch.spark.sql"),
            ("opensearch", "opensearch", "opensearch"),
        )
    ),
)
READ = [store for store in STORES if store.is_read and table_formats.has(store.jar)]
WRITTEN = [store for store in STORES if store.is_written and table_formats.has(store.jar)]
pytestmark = pytest.mark.skipif(not READ, reason=f"{table_formats.VARIABLE} names no connector")


def captured(watch: Watch, act: Callable[[], object]) -> list[Write]:
    """Capture the writes of an action, also if it fails for lack of a server."""

    def tried() -> None:
        with contextlib.suppress(Exception):
            act()

    return watch.writes_of(tried)


def frame(spark: SparkSession, store: Store) -> DataFrame:
    return spark.read.format(store.form).options(**store.options).schema(_SCHEMA).load()


def has_no_secret(write: Write) -> bool:
    ids: list[Any] = [write.output.id, *(dataset.id for dataset in write.inputs)]
    return "s3cret" not in repr((ids, write.unknown, write.unknown_inputs, write.output))


@pytest.mark.parametrize("store", READ, ids=str)
def test_what_is_read_is_named_by_its_connector(store: Store, spark: SparkSession, watch: Watch, tmp_path) -> None:
    [write] = captured(watch, lambda: frame(spark, store).write.parquet(f"{tmp_path}/out"))
    assert [dataset.id for dataset in write.inputs] == [store.dataset]
    assert [column.name for column in write.inputs[0].schema] == ["carrier", "flight"]
    assert sorted(write.columns.fields) == [("carrier",), ("flight",)]
    assert (write.unknown, has_no_secret(write)) == ({}, True)


@pytest.mark.parametrize("store", WRITTEN, ids=str)
def test_what_is_written_is_named_by_its_connector(
    store: Store, spark: SparkSession, watch: Watch, datasets: object
) -> None:
    options = {**store.options, **(store.written or {})}
    [write] = captured(
        watch, lambda: spark.sql(_ROWS).write.format(store.form).options(**options).mode(store.mode).save()
    )
    assert write.output.id == store.dataset
    assert [dataset.id.name.rpartition("/")[2] for dataset in write.inputs] == ["flights"]
    assert (sorted(write.columns.fields), has_no_secret(write)) == ([("carrier",), ("flight",)], True)


_KINESIS = {
    "streamName": "orders",
    "endpointUrl": "https://kinesis.eu-west-1.amazonaws.com",
    "awsAccessKeyId": "s3cret",
    "awsSecretKey": "s3cret",
}
_STREAM = DatasetId("kinesis://kinesis.eu-west-1.amazonaws.com", "orders")
SINKS = [
    *(store for store in WRITTEN if store.form == "mongodb"),
    *(store for store in [Store("spark-sql-kinesis", "kinesis", _KINESIS, _STREAM)] if table_formats.has(store.jar)),
]


@pytest.mark.parametrize("store", SINKS, ids=str)
def test_the_sink_of_a_stream_is_named_by_its_connector(
    store: Store, spark: SparkSession, watch: Watch, datasets: object, tmp_path
) -> None:
    source = spark.readStream.schema("carrier STRING, flight INT").parquet(f"{datasets}/flights")

    def stream() -> None:
        sink = source.select("carrier", sf.col("carrier").alias("data"), sf.lit("k").alias("partitionKey"))
        writer = sink.where("false").writeStream.format(store.form).options(**store.options)
        query = writer.option("checkpointLocation", f"{tmp_path}/progress").trigger(once=True).start()
        query.awaitTermination(3)
        query.stop()

    [write] = captured(watch, stream)
    assert (write.output.id, has_no_secret(write)) == (store.dataset, True)
    assert [dataset.id.name.rpartition("/")[2] for dataset in write.inputs] == ["flights"]


SOURCES = [store for store in SINKS if store.form in ("mongodb", "kinesis")]


@pytest.mark.parametrize("store", SOURCES, ids=str)
def test_the_source_of_a_stream_is_named_by_its_connector(
    store: Store, spark: SparkSession, watch: Watch, tmp_path
) -> None:
    reader = spark.readStream.format(store.form).options(**store.options)
    source = (reader if store.form == "kinesis" else reader.schema(_SCHEMA)).load()

    def stream() -> None:
        writer = source.writeStream.format("parquet").option("checkpointLocation", f"{tmp_path}/progress")
        query = writer.start(f"{tmp_path}/out")
        query.awaitTermination(5)
        query.stop()

    [write] = captured(watch, stream)
    assert ([dataset.id for dataset in write.inputs], has_no_secret(write)) == ([store.dataset], True)


_TAGLINE = "You Know, for Search"


class _Endpoint(BaseHTTPRequestHandler):
    """Elasticsearch with its version, and BigQuery with the description of a table."""

    def do_GET(self) -> None:
        reference = {"projectId": "acme-1", "datasetId": "shop", "tableId": "orders"}
        columns = [{"name": "carrier", "type": "STRING"}, {"name": "flight", "type": "INTEGER"}]
        table = {"tableReference": reference, "type": "TABLE", "schema": {"fields": columns}, "numRows": "1"}
        version = {"number": "8.11.0", "build_flavor": "default"}
        cluster = {"name": "s-1", "cluster_name": "shop", "cluster_uuid": "u", "version": version, "tagline": _TAGLINE}
        body = json.dumps(table if "/tables/" in self.path else cluster).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("X-elastic-product", "Elasticsearch")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def port() -> Iterator[int]:
    """The port of a server with all responses to a plan's requests."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint)
    with serving(server):
        yield server.server_address[1]


@pytest.mark.skipif(not table_formats.has("elasticsearch-spark-30_2.12"), reason="needs the jar for Spark 3.5")
def test_the_sink_of_a_stream_into_elasticsearch_is_named(
    port: int, spark: SparkSession, watch: Watch, datasets: object, tmp_path
) -> None:
    dataset = DatasetId(f"elasticsearch://127.0.0.1:{port}", "orders")
    options = {"es.nodes": "127.0.0.1", "es.port": str(port), "es.nodes.wan.only": "true", "es.resource": "orders"}
    store = Store("elasticsearch-spark", "es", {**options, "es.net.http.auth.pass": "s3cret"}, dataset)
    test_the_sink_of_a_stream_is_named_by_its_connector(store, spark, watch, datasets, tmp_path)


def inputs_of(spark: SparkSession, plan: Any) -> tuple[list[DatasetId], str | None]:
    """Find the inputs of a plan in the JVM, without a run of it."""
    executions = Executions(spark)
    try:
        text = executions._reading().plan(plan)
    finally:
        executions.close()
    read = json.loads(text)["plan"]
    assert "s3cret" not in text
    source = find_datasets(parse_plan(read["kinds"], read["objects"], read["types"]), Catalogs())
    return [dataset.id for dataset in source.datasets], source.unknown


@pytest.mark.skipif(not table_formats.has("spark-3.5-bigquery"), reason="needs BigQuery's jar")
def test_a_table_of_bigquery_is_named(port: int, spark: SparkSession) -> None:
    options = {
        "parentProject": "acme-1",
        "gcpAccessToken": "s3cret",
        "bigQueryHttpEndpoint": f"http://127.0.0.1:{port}",
    }
    frame = spark.read.format("bigquery").options(**options).load("acme-1.shop.orders")
    analyzed = frame._jdf.queryExecution().analyzed()
    assert inputs_of(spark, analyzed) == ([DatasetId("bigquery", "acme-1.shop.orders")], None)


@pytest.mark.skipif(not table_formats.has("spark-dynamodb"), reason="needs the jar of DynamoDB's package")
@pytest.mark.parametrize(("given", "region"), [({"region": "eu-west-1"}, "eu-west-1"), ({}, "us-east-1")])
def test_a_table_of_dynamodb_is_named(given: dict[str, str], region: str, spark: SparkSession) -> None:
    options = spark._jvm.org.apache.spark.sql.util.CaseInsensitiveStringMap({"tableName": "orders", **given})
    loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    table_class = loader.loadClass("com.audienceproject.spark.dynamodb.datasource.DynamoTable")
    # Its constructor would read the table's keys from AWS: Objenesis makes the object without a constructor.
    table = spark._jvm.org.objenesis.ObjenesisStd().newInstance(table_class)
    schema = spark._jvm.scala.Option.apply(spark.createDataFrame([], _SCHEMA)._jdf.schema())
    for name, value in (("options", options), ("userSchema", schema)):
        field = table_class.getDeclaredField(name)
        field.setAccessible(True)
        field.set(table, value)
    relations = spark._jvm.org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
    nothing = spark._jvm.scala.Option.empty()
    relation = relations.create(table, nothing, nothing, options)
    assert inputs_of(spark, relation) == ([DatasetId(f"dynamodb://dynamodb.{region}.amazonaws.com", "orders")], None)

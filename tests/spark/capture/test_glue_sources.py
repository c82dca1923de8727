"""Datasets of Glue's readers and sinks, by the catalog and by the options of their connections."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_client.capturing.model import Symlink, Write
from tests.spark.capture.conftest import Watch
from tests.spark.capture.glue_jobs import CATALOG, REGION, catalog, connection, on_path, to_json, to_parquet, watching

pytestmark = [
    pytest.mark.filterwarnings("ignore:Deprecated in 3.0.0:FutureWarning"),
    pytest.mark.filterwarnings("ignore:DataFrame constructor is internal:UserWarning"),
]
KINESIS = "arn:aws:kinesis:eu-west-1:111122223333:stream/clicks"
# By type of connection, options and the dataset that they name.
READS: list[tuple[str, dict[str, Any], tuple[str, str]]] = [
    ("s3", {"paths": ["s3://lake/raw/orders/"], "recurse": True}, ("s3://lake", "raw/orders")),
    ("s3", {"paths": ["s3a://lake/raw/orders/day=2013-01-01"]}, ("s3://lake", "raw/orders")),
    (
        "postgresql",
        {"url": "jdbc:postgresql://db:5432/shop", "dbtable": "public.orders", "user": "ann", "password": "secret"},
        ("postgres://db:5432", "shop.public.orders"),
    ),
    ("mysql", {"url": "jdbc:mysql://db/shop", "dbtable": "orders"}, ("mysql://db:3306", "shop.orders")),
    (
        "sqlserver",
        {"url": "jdbc:sqlserver://db:1433;databaseName=shop", "dbtable": "dbo.orders"},
        ("sqlserver://db:1433", "shop.dbo.orders"),
    ),
    (
        "redshift",
        {
            "url": "jdbc:redshift://cluster.abc.eu-west-1.redshift.amazonaws.com:5439/dev",
            "dbtable": "orders",
            "redshiftTmpDir": "s3://tmp/x",
        },
        ("redshift://cluster.eu-west-1:5439", "dev.public.orders"),
    ),
    (
        "custom.jdbc",
        {"className": "org.postgresql.Driver", "url": "jdbc:postgresql://db/shop", "dbTable": "orders"},
        ("postgres://db:5432", "shop.public.orders"),
    ),
    (
        "dynamodb",
        {"dynamodb.input.tableName": "orders", "dynamodb.throughput.read.percent": "1.0"},
        (f"dynamodb://dynamodb.{REGION}.amazonaws.com", "orders"),
    ),
    (
        "dynamodb",
        {
            "dynamodb.export": "ddb",
            "dynamodb.tableArn": "arn:aws:dynamodb:us-east-1:111122223333:table/orders",
            "dynamodb.s3.bucket": "tmp",
        },
        ("dynamodb://dynamodb.us-east-1.amazonaws.com", "orders"),
    ),
    (
        "kinesis",
        {"streamARN": KINESIS, "classification": "json"},
        ("kinesis://kinesis.eu-west-1.amazonaws.com", "clicks"),
    ),
    (
        "kinesis",
        {"streamName": "clicks", "endpointUrl": "https://kinesis.us-east-1.amazonaws.com"},
        ("kinesis://kinesis.us-east-1.amazonaws.com", "clicks"),
    ),
    ("kafka", {"bootstrap.servers": "broker:9094", "topicName": "clicks"}, ("kafka://broker:9094", "clicks")),
    (
        "mongodb",
        {"uri": "mongodb://ann:secret@mongo:27017", "database": "shop", "collection": "orders"},
        ("mongodb://mongo:27017", "shop.orders"),
    ),
    (
        "documentdb",
        {"connection.uri": "mongodb://docdb:27017", "database": "shop", "collection": "orders"},
        ("mongodb://docdb:27017", "shop.orders"),
    ),
    (
        "opensearch",
        {"opensearch.nodes": "https://search", "opensearch.port": "443", "opensearch.resource": "orders"},
        ("opensearch://search:443", "orders"),
    ),
    (
        "snowflake",
        {"sfUrl": "org-acc.snowflakecomputing.com", "sfDatabase": "SHOP", "sfSchema": "PUBLIC", "dbtable": "ORDERS"},
        ("snowflake://org-acc", "SHOP.PUBLIC.ORDERS"),
    ),
    ("bigquery", {"parentProject": "acme", "table": "acme.shop.orders"}, ("bigquery", "acme.shop.orders")),
    (
        "custom.spark",
        {"className": "org.elasticsearch.spark.sql", "es.nodes": "search:9200", "es.resource": "orders"},
        ("elasticsearch://search:9200", "orders"),
    ),
]
NAMELESS: list[tuple[str, dict[str, Any], str]] = [
    ("mysql", {"useConnectionProperties": "true", "connectionName": "shop", "dbtable": "orders"}, "connection shop"),
    ("salesforce", {"ENTITY_NAME": "Account", "connectionName": "sales"}, "connection sales"),
    ("kinesis", {"classification": "json"}, "its connector finds no name"),
    ("marketplace.spark", {"className": "com.acme.Source"}, "no name by its options"),
]
ROWS = "SELECT 1 AS id, 'x' AS name"


@pytest.fixture(scope="module")
def jvm() -> Iterator[Any]:
    with on_path() as jvm:
        for kind, _, _ in [*READS, *NAMELESS]:
            connection(jvm, kind, ROWS)
        yield jvm


@pytest.fixture(scope="module")
def watch(spark: SparkSession, jvm: Any) -> Iterator[Watch]:
    with watching(spark) as watch:
        yield watch


@pytest.fixture
def glue(spark: SparkSession, jvm: Any) -> Any:
    from awsglue.context import GlueContext

    return GlueContext(spark.sparkContext)


def only(writes: list[Write]) -> Write:
    assert len(writes) == 1, writes
    return writes[0]


@pytest.mark.parametrize(
    ("kind", "options", "named"), READS, ids=[f"{kind} {number}" for number, (kind, *_) in enumerate(READS)]
)
def test_a_connection_is_named_by_its_options(
    kind: str, options: dict[str, Any], named: tuple[str, str], glue: Any, watch: Watch, tmp_path: Path
) -> None:
    frame = glue.create_dynamic_frame.from_options(kind, options, "json" if kind == "s3" else None).select_fields(
        ["id"]
    )
    read = only(watch.writes_of(lambda: to_json(glue, frame, str(tmp_path / "out"))))
    assert [(dataset.id.namespace, dataset.id.name) for dataset in read.inputs] == [named]
    assert read.unknown_inputs == ()
    assert [(source.dataset.namespace, source.dataset.name) for source in read.columns.fields["id",]] == [named]
    sink = {key.replace(".input.", ".output.").replace("paths", "path"): value for key, value in options.items()}
    if "path" in sink:
        return
    written = only(watch.writes_of(lambda: glue.write_dynamic_frame.from_options(frame, kind, sink)))
    assert (written.output.id.namespace, written.output.id.name) == named
    assert written.command == "GlueWrite"


@pytest.mark.parametrize(("kind", "options", "reason"), NAMELESS)
def test_a_connection_that_names_nothing_is_an_unknown_input(
    kind: str, options: dict[str, Any], reason: str, glue: Any, watch: Watch, tmp_path: Path
) -> None:
    frame = glue.create_dynamic_frame.from_options(connection_type=kind, connection_options=options)
    write = only(watch.writes_of(lambda: to_parquet(glue, frame, str(tmp_path / "out"))))
    assert write.inputs == ()
    assert reason in write.unknown_inputs[0]
    assert reason in write.unknown["id",]


def test_a_table_of_the_catalog_has_the_name_of_its_arn(glue: Any, watch: Watch, tmp_path: Path) -> None:
    frame = glue.create_dynamic_frame.from_catalog(
        name_space="legislators", table_name="persons", catalog_id="222233334444"
    )
    write = only(watch.writes_of(lambda: to_parquet(glue, frame, str(tmp_path / "out"))))
    assert [(dataset.id.namespace, dataset.id.name) for dataset in write.inputs] == [
        (f"arn:aws:glue:{REGION}:222233334444", "table/legislators/persons")
    ]


def test_a_source_and_a_sink_are_made_step_by_step(glue: Any, watch: Watch, tmp_path: Path) -> None:
    source = glue.getSource("mysql", url="jdbc:mysql://db/shop", dbtable="orders", transformation_ctx="source")
    out = str(tmp_path / "out")
    sink = glue.getSink(connection_type="s3", path=out, enableUpdateCatalog=True, updateBehavior="UPDATE_IN_DATABASE")
    sink.setFormat("json")
    sink.setCatalogInfo(catalogDatabase="web", catalogTableName="orders")
    write = only(watch.writes_of(lambda: sink.writeFrame(source.getFrame())))
    assert [dataset.id.name for dataset in write.inputs] == ["shop.orders"]
    assert (write.output.id.name, write.output.symlinks) == (out, (Symlink(CATALOG, "table/web/orders"),))
    assert write.tier == "tables"  # nobody names the columns


@pytest.mark.parametrize("has_place", [False, True])
def test_a_table_of_the_catalog_is_written_at_its_place(
    has_place: bool, glue: Any, watch: Watch, jvm: Any, tmp_path: Path
) -> None:
    out = str(tmp_path / "out")
    jvm.PLACES.clear()
    jvm.PLACES.update({("web", "orders"): out} if has_place else {})
    frame = catalog(glue, "persons").select_fields(["id"])
    write = only(
        watch.writes_of(lambda: glue.write_dynamic_frame.from_catalog(frame=frame, database="web", table_name="orders"))
    )
    if has_place:  # Spark's own command knows it
        assert (write.output.id.name, write.output.symlinks) == (out, (Symlink(CATALOG, "table/web/orders"),))
        assert write.written.rows == 2
        assert write.output.schema[0].name == "id"
    else:
        assert (write.output.id.namespace, write.output.id.name) == (CATALOG, "table/web/orders")
    assert [source.field for source in write.columns.fields["id",]] == [("id",)]


def test_a_frame_of_sparks_is_written_to_the_catalog(glue: Any, watch: Watch, datasets: Path) -> None:
    frame = glue.spark_session.sql("SELECT upper(carrier) AS carrier FROM flights")
    write = only(
        watch.writes_of(lambda: glue.write_data_frame.from_catalog(frame, database="web", table_name="carriers"))
    )
    assert write.output.id.name == "table/web/carriers"
    assert [source.field for source in write.columns.fields["carrier",]] == [("carrier",)]
    assert [dataset.id.name.rsplit("/", 1)[-1] for dataset in write.inputs] == ["flights"]


def test_a_connection_of_the_catalog_names_no_place(glue: Any, watch: Watch, caplog: pytest.LogCaptureFixture) -> None:
    from spark_client.capturing.model import UnknownTarget

    frame = catalog(glue, "persons")
    with pytest.raises(UnknownTarget) as raised:
        watch.writes_of(
            lambda: glue.write_dynamic_frame.from_jdbc_conf(
                frame, "warehouse", {"dbtable": "persons", "database": "dev"}
            )
        )
    assert "connection warehouse, whose address is not known" in str(raised.value)
    assert [dataset.id.name for dataset in raised.value.read.inputs] == ["table/legislators/persons"]


def test_each_frame_of_a_collection_is_written(glue: Any, watch: Watch) -> None:
    frames = catalog(glue, "persons").relationalize("root", "s3://b/tmp")
    options = {"dynamodb.output.tableName": "all"}
    writes = watch.writes_of(lambda: glue.write_dynamic_frame.from_options(frames, "dynamodb", options))
    assert [write.output.id.name for write in writes] == ["all"] * 3


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_a_batch_of_a_stream_is_written_as_a_part_of_the_stream(
    form: str, glue: Any, watch: Watch, datasets: Path, tmp_path: Path
) -> None:
    from awsglue.dynamicframe import DynamicFrame

    flights = glue.spark_session.read.parquet(f"{datasets}/flights")

    def each(batch: Any, number: int) -> None:
        frame = DynamicFrame.fromDF(batch, glue, "batch").rename_field("tailnum", "tail")
        glue.write_dynamic_frame.from_options(
            frame.select_fields(["tail"]), "s3", {"path": str(tmp_path / "out")}, form
        )

    stream = glue.spark_session.readStream.schema(flights.schema).parquet(f"{datasets}/flights")
    options = {"windowSize": "1 second", "checkpointLocation": str(tmp_path / "state")}
    write = only(watch.writes_of(lambda: glue.forEachBatch(stream, each, options)))
    assert [dataset.id.name for dataset in write.inputs] == [f"{datasets}/flights"]
    assert [source.field for source in write.columns.fields["tail",]] == [("tailnum",)]
    assert write.stream is not None
    assert write.unknown_inputs == ()


@pytest.mark.parametrize(
    ("options", "change"),
    [({"retentionPeriod": 0}, "TRUNCATE"), ({}, None), ({"retentionPeriod": 0, "partitionPredicate": "day<'x'"}, None)],
)
def test_a_purge_of_all_files_is_a_truncation(
    options: dict[str, Any], change: str | None, glue: Any, watch: Watch
) -> None:
    writes = watch.writes_of(
        lambda: (glue.purge_table("web", "customers", options), glue.purge_s3_path("s3://lake/x", options))
    )
    assert [(write.output.id.name, write.change, write.inputs) for write in writes] == [
        ("table/web/customers", change, ()),
        ("x", change, ()),
    ]

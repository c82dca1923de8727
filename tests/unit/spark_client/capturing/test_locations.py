"""Locations of data, by OpenLineage's names; secrets never come into one."""

import pytest
from openlineage.client.naming import dataset as theirs

from headwater_model.ids import DatasetId
from spark_client.capturing.databases import jdbc
from spark_client.capturing.datasets.locations import find_path, find_topic, find_uri, is_partition, namespace_of

PATHS = {
    "s3://lake/flights/checked": theirs.S3("lake", "flights/checked"),
    "s3a://lake/flights/checked/": theirs.S3("lake", "flights/checked"),
    "s3n://AKIAEXAMPLE:secret@lake/flights": theirs.S3("lake", "flights"),
    "s3://lake": theirs.S3("lake", "/"),
    "s3://lake/": theirs.S3("lake", "/"),
    "gs://lake/flights": theirs.GCS("lake", "flights"),
    "wasb://raw@acme.dfs.core.windows.net/flights": theirs.WASBS("raw", "acme", "flights"),
    "abfs://raw@acme.dfs.core.windows.net/flights": theirs.ABFSS("raw", "acme", "flights"),
    "abfss://raw@acme.dfs.core.windows.net/flights/": theirs.ABFSS("raw", "acme", "flights"),
    "hdfs://nn:8020/lake/flights/": theirs.HDFS("nn", "8020", "/lake/flights"),
    "hdfs://ann@nn:8020/lake": theirs.HDFS("nn", "8020", "/lake"),
    "dbfs://acme/lake": theirs.DBFS("acme", "/lake"),
    "file:/data/flights.csv": theirs.LocalFileSystem("/data/flights.csv"),
    "file:///data/flights.csv": theirs.LocalFileSystem("/data/flights.csv"),
    "file://host-1/data": theirs.RemoteFileSystem("host-1", "/data"),
    "/data/new flights": theirs.LocalFileSystem("/data/new flights"),
    "file:/": theirs.LocalFileSystem("/"),
    # Partitions, and the files that Spark itself writes, are the dataset.
    "s3://lake/flights/day=2013-01-01/hour=05": theirs.S3("lake", "flights"),
    "s3://lake/flights/2013/01/01/": theirs.S3("lake", "flights"),
    "file:/data/flights/day=2013-01-01/part-00000-1f.c000.snappy.parquet": theirs.LocalFileSystem("/data/flights"),
    "file:/data/flights/part-r-00000": theirs.LocalFileSystem("/data/flights"),
    "file:/data/part-of-flights.csv": theirs.LocalFileSystem("/data/part-of-flights.csv"),
}


@pytest.mark.parametrize(("path", "named"), PATHS.items())
def test_a_path_has_the_name_that_openlineages_own_client_gives(path, named):
    assert find_path(path) == DatasetId(named.get_namespace(), named.get_name())


def test_what_openlineage_has_no_rule_for_is_named_by_its_own_scheme():
    assert find_path("dbfs:/lake/flights") == DatasetId("dbfs", "/lake/flights")
    assert find_path("oss://lake/flights") == DatasetId("oss://lake", "/flights")


def test_a_path_without_a_scheme_is_in_the_default_file_system():
    assert find_path("/lake/flights", "hdfs://nn:8020") == DatasetId("hdfs://nn:8020", "/lake/flights")
    assert find_path("/lake/flights", "s3a://lake/") == DatasetId("s3://lake", "lake/flights")
    assert find_path("hdfs:///lake/flights", "hdfs://nn:8020") == DatasetId("hdfs://nn:8020", "/lake/flights")
    assert find_path("file:///lake/flights", "hdfs://nn:8020") == DatasetId("file", "/lake/flights")


def test_a_catalogs_locations_are_uris():
    assert find_uri("s3://lake/new%20flights/a%2Bb") == DatasetId("s3://lake", "new flights/a+b")
    assert find_path("s3://lake/new%20flights") == DatasetId("s3://lake", "new%20flights")


TEMPORARY = [
    "s3://lake/flights/_temporary/0/_temporary/attempt_1",
    "file:/data/out/.spark-staging-4f1/day=1",
    "hdfs://nn:8020/warehouse/.hive-staging_hive_2013-01-01/-ext-10000",
    "file:/data/flights/_delta_log",
    "file:/data/flights/_spark_metadata/0",
    "file:/tmp/blockmgr-0f8fad5b-d9cb-469f-a165-70867728950e/0a",
]


def test_a_secret_with_a_slash_is_no_part_of_the_bucket():
    assert find_path("s3n://AKIAEXAMPLE:sec/ret@lake/flights") == DatasetId("s3://lake", "flights")
    assert find_path("s3n://AKIAEXAMPLE:sec/ret") is None


@pytest.mark.parametrize("path", TEMPORARY)
def test_temporary_storage_is_no_dataset(path):
    assert find_path(path) is None


def test_a_partition_is_distinguished_from_its_dataset():
    assert [is_partition(path) for path in ("s3://lake/a", "s3://lake/a/day=1", "s3://lake/day=1")] == [
        False,
        True,
        False,
    ]


def test_a_topic_is_named_by_the_first_server():
    named = theirs.Kafka("kafka-1", "9092", "flights")

    assert find_topic("kafka-1,kafka-2:9093", "flights") == DatasetId(named.get_namespace(), named.get_name())
    assert find_topic("", "flights") is find_topic("kafka-1", "") is None


def test_a_warehouse_is_a_namespace():
    assert namespace_of("s3a://lake/warehouse/") == "s3://lake/warehouse"
    assert namespace_of("file:/data/my%20warehouse") == "file:/data/my warehouse"


TABLES = {
    ("postgresql://db/shop", "orders"): theirs.Postgres("db", "5432", "shop", "public", "orders"),
    ("postgresql://db:5433/shop?currentSchema=web,public", "orders"): theirs.Postgres(
        "db", "5433", "shop", "web", "orders"
    ),
    ("postgresql://db/shop", 'web."Orders"'): theirs.Postgres("db", "5432", "shop", "web", "Orders"),
    ("postgresql://db/shop", "other.web.orders"): theirs.Postgres("db", "5432", "other", "web", "orders"),
    ("postgresql:shop", "orders"): theirs.Postgres("localhost", "5432", "shop", "public", "orders"),
    ("postgresql://[::1]:5433/shop", "orders"): theirs.Postgres("[::1]", "5433", "shop", "public", "orders"),
    ("mysql://ann:secret@DB/shop?useSSL=true", "`orders`"): theirs.MySQL("db", "3306", "shop", "orders"),
    ("mysql:loadbalance://db:3307/shop", "web.orders"): theirs.MySQL("db", "3307", "web", "orders"),
    ("sqlserver://db;databaseName=shop;user=sa;password=p;s", "orders"): theirs.AzureSynapse(
        "db", "1433", "shop.dbo", "orders"
    ),
    ("sqlserver://;serverName=db;database=shop", "[web].[orders]"): theirs.AzureSynapse(
        "db", "1433", "shop.web", "orders"
    ),
    ("oracle:thin:@//db:1522/shop", "web.orders"): theirs.Oracle("db", "1522", "shop", "web", "orders"),
    ("oracle:thin:ann/secret@db:1521:shop", "web.orders"): theirs.Oracle("db", "1521", "shop", "web", "orders"),
    ("oracle:thin:@tcps://db:1522/shop?wallet_location=/w", "web.orders"): theirs.Oracle(
        "db", "1522", "shop", "web", "orders"
    ),
    (
        "oracle:thin:@(DESCRIPTION=(ADDRESS=(PROTOCOL=TCP)(HOST=db)(PORT=1522))(CONNECT_DATA=(SERVICE_NAME=shop)))",
        "web.orders",
    ): theirs.Oracle("db", "1522", "shop", "web", "orders"),
    (
        "redshift://main.abc123.eu-west-1.redshift.amazonaws.com:5439/shop;UID=ann;PWD=secret",
        "orders",
    ): theirs.Redshift("main", "eu-west-1", "5439", "shop", "public", "orders"),
    ("redshift:iam://main:eu-west-1/shop", "web.orders"): theirs.Redshift(
        "main", "eu-west-1", "5439", "shop", "web", "orders"
    ),
    ("snowflake://acme-main.snowflakecomputing.com/?user=ann&db=SHOP&schema=WEB", "ORDERS"): theirs.Snowflake(
        "acme", "main", "SHOP", "WEB", "ORDERS"
    ),
    ("db2://db:50001/shop:user=ann;password=secret;currentSchema=WEB;", "orders"): theirs.DB2(
        "db", "50001", "shop", "WEB", "orders"
    ),
    ("trino://db/shop/web?SSL=true", "orders"): theirs.Trino("db", "8080", "shop", "web", "orders"),
    ("trino://db:443/shop", "web.orders"): theirs.Trino("db", "443", "shop", "web", "orders"),
}


@pytest.mark.parametrize(
    ("given", "named"), TABLES.items(), ids=lambda given: given[0] if isinstance(given, tuple) else ""
)
def test_a_table_has_the_name_that_openlineages_own_client_gives(given, named):
    url, table = given

    assert jdbc.find_table(f"jdbc:{url}", table) == DatasetId(named.get_namespace(), named.get_name())


# What OpenLineage's Python client has no class for; its Java client names the first five alike.
OTHER_TABLES = {
    ("postgresql://db-1,db-2:5433/shop", "web.orders"): ("postgres://db-1:5432,db-2:5433", "shop.web.orders"),
    (r"sqlserver://db\sales;databaseName=shop", "orders"): ("sqlserver://db/sales", "shop.dbo.orders"),
    ("snowflake://xy1.snowflakecomputing.com/?db=S", "T"): ("snowflake://xy1.us-west-1.aws", "S.PUBLIC.T"),
    ("snowflake://xy1.eu-west-1.snowflakecomputing.com/?db=S", "T"): ("snowflake://xy1.eu-west-1.aws", "S.PUBLIC.T"),
    ("clickhouse://ann:secret@db:8123/shop?x=1", "orders"): ("clickhouse://db:8123", "shop.orders"),
    ("mariadb://db/shop", "orders"): ("mariadb://db:3306", "shop.orders"),
    ("derby:/data/shop;create=true;user=ann", "APP.ORDERS"): ("derby:/data/shop", "APP.ORDERS"),
    ("derby:memory:shop;create=true", "ORDERS"): ("derby:memory:shop", "ORDERS"),
    ("derby:;databaseName=shop", "ORDERS"): ("derby:shop", "ORDERS"),
    ("derby://db/shop;user=ann;password=secret", "APP.ORDERS"): ("derby://db:1527", "shop.APP.ORDERS"),
    ("h2:mem:shop;MODE=MySQL", "ORDERS"): ("h2:mem:shop", "ORDERS"),
    ("h2:file:/data/shop", "ORDERS"): ("h2:file:/data/shop", "ORDERS"),
    ("sqlite:/data/shop.db?password=secret", "orders"): ("sqlite:/data/shop.db", "orders"),
}


@pytest.mark.parametrize(("given", "named"), OTHER_TABLES.items(), ids=lambda given: given[0])
def test_a_table_of_another_database_is_named_by_the_same_rules(given, named):
    url, table = given

    assert jdbc.find_table(f"jdbc:{url}", table) == DatasetId(*named)


UNKNOWN_FORMS = [
    ("jdbc:postgresql://db/shop", "(select * from orders) t"),
    ("jdbc:postgresql://db/shop", ""),
    ("jdbc:postgresql://db/shop", "a..b"),
    ("jdbc:mysql://ann:se/cret@db/shop", "orders"),
    ("jdbc:mysql://ann:se?cret@db/shop", "orders"),
    ("jdbc:mysql://(host=db,user=ann,password=secret)/shop", "orders"),
    ("jdbc:oracle:thin:ann/secret", "orders"),
    ("jdbc:acme:ann/secret:db", "orders"),
    ("jdbc:acme:ann/secret@db", "orders"),
    ("jdbc:sqlite:ann:secret@db", "orders"),
    ("not a url", "orders"),
    ("", "orders"),
]


@pytest.mark.parametrize(("url", "table"), UNKNOWN_FORMS)
def test_an_unknown_form_has_no_name(url, table):
    assert jdbc.find_table(url, table) is None


@pytest.mark.parametrize("url", [*(url for url, _ in TABLES), *(url for url, _ in OTHER_TABLES)])
def test_no_user_or_password_comes_into_a_name(url):
    named = jdbc.find_table(f"jdbc:{url}", "orders")

    assert named is not None
    assert not [word for word in ("ann", "secret", "user", "password", "sa;") if word in named.node_id]

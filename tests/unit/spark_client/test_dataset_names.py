"""Names of datasets: nothing secret comes into one, and every name of OpenLineage's keeps its shape."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openlineage.client.naming import dataset as theirs

from headwater_model.ids import DatasetId
from spark_client.capturing.databases import jdbc
from spark_client.capturing.datasets.catalogs import parse_catalogs
from spark_client.capturing.datasets.locations import find_path, find_uri, namespace_of
from spark_client.dataset_names import clean_dataset, clean_name

CLEANED = {
    "https://ann:secret@host:8443/f.csv?X-Amz-Signature=secret": "https://host:8443/f.csv",
    "https://ann@host/f.csv": "https://host/f.csv",
    "https://ann:se@cret@host/f@v1.csv": "https://host/f@v1.csv",
    "https://ann:se/cret@host/f.csv": "https://host/f.csv",
    "https://ann:se/cret@host": "https://host",
    "https://host?token=secret": "https://host",
    "https://host:8443?password=a@secret": "https://host:8443",
    "https://host?password=a:b/c@secret": "https://host",
    "https://ann:pw?x=secret@host/f": "https://host/f",
    "https://host/f.csv?secret": "https://host/f.csv",
    "https://host/f.csv#access_token=secret": "https://host/f.csv",
    "s3a://AKIA:se/cret@lake/f": "s3a://lake/f",
    "s3://lake/f?versionId=1&X-Amz-Signature=secret/x": "s3://lake/f",
    "hdfs://ann:secret@nn:8020/lake": "hdfs://nn:8020/lake",
    "abfss://lake@acme.dfs.core.windows.net/f?sv=1&sig=secret": "abfss://lake@acme.dfs.core.windows.net/f",
    "abfss://ann:secret@lake@acme.dfs.core.windows.net/f": "abfss://acme.dfs.core.windows.net/f",
    "wasbs://ann:secret@acme.dfs.core.windows.net": "wasbs://acme.dfs.core.windows.net",
    "delta.s3a://AKIA:secret@lake/f": "delta.s3a://lake/f",
    "/data/f.csv?sig=secret": "/data/f.csv",
    "mongodb+srv://ann:secret@db/shop?authSource=secret": "mongodb+srv://db/shop",
}
KEPT = (
    "file",
    "bigquery",
    "arn:aws:glue:eu-west-1:111122223333",
    "table/web/orders",
    "shop.public.orders",
    "kafka://kafka-1:9092",
    "azurecosmos://host/dbs/shop",
    "snowflake://acme-main",
    "sqlserver://db/sales",
    "postgres://db-1:5432,db-2:5433",
    "spanner://project:instance",
    "redshift://main.eu-west-1:5439",
    "abfss://lake@acme.dfs.core.windows.net",
    "hive://[::1]:9083",
    "http://[::1]:8080/a@b",
    "s3://lake/images/logo@2x.png",
    "/home/ann@acme/f.csv",
    "/data/what?.csv",
    "/data/what?/day=2013-01-01",
    "s3://lake/day=2013-01-01/a#b",
    "topic:project:topic",
    "me@example.com",
)
THEIRS = [
    theirs.S3("lake", "flights/checked"),
    theirs.GCS("lake", "flights"),
    theirs.WASBS("raw", "acme", "flights"),
    theirs.ABFSS("raw", "acme", "flights"),
    theirs.HDFS("nn", "8020", "/lake"),
    theirs.DBFS("acme", "/lake"),
    theirs.LocalFileSystem("/data/f.csv"),
    theirs.RemoteFileSystem("host-1", "/data"),
    theirs.Kafka("kafka-1", "9092", "flights"),
    theirs.Postgres("db", "5432", "shop", "public", "orders"),
    theirs.Oracle("db", "1521", "shop", "web", "orders"),
    theirs.AWSGlue("eu-west-1", "111122223333", "web", "orders"),
    theirs.BigQuery("acme", "web", "orders"),
    theirs.AzureCosmosDB("host", "shop", "orders"),
]


@pytest.mark.parametrize(("text", "clean"), CLEANED.items())
def test_a_name_loses_its_query_string_and_its_user(text, clean):
    assert clean_name(text) == clean


@pytest.mark.parametrize("name", KEPT)
def test_a_name_without_either_keeps_its_shape(name):
    assert clean_name(name) == name


@pytest.mark.parametrize("named", THEIRS, ids=lambda named: type(named).__name__)
def test_every_name_of_openlineages_own_client_is_clean(named):
    dataset = DatasetId(named.get_namespace(), named.get_name())
    assert clean_dataset(dataset) == dataset


PART = st.text("abAB09-_.~", min_size=1, max_size=8)


@given(
    scheme=st.sampled_from(["https", "s3a", "hdfs", "gs", "abfss", "ftp", "mongodb+srv"]),
    secret=st.text("abAB09-_.~/@:+", min_size=4, max_size=20),
    path=st.lists(PART, max_size=3),
)
def test_a_secret_in_the_user_or_in_the_query_is_in_no_name(scheme, secret, path):
    marked = f"SECRET{secret.replace('/', '')}"
    url = f"{scheme}://ann:{marked}@host/{'/'.join(path)}?sig={secret}SECRET"
    assert clean_name(url).removesuffix("/") == f"{scheme}://host/{'/'.join(path)}".removesuffix("/")
    assert clean_name(clean_name(url)) == clean_name(url)


def test_every_way_to_a_name_cleans_it():
    signed = "https://ann:se/cret@host/f.csv?sig=secret"
    assert find_path(signed) == find_uri(signed) == DatasetId("https://host", "/f.csv")
    assert find_uri("https://ann:se%2Fcret%40@host/f.csv") == DatasetId("https://host", "/f.csv")
    assert find_path("s3a://lake/f?X-Amz-Signature=secret/x") == DatasetId("s3://lake", "f")
    assert namespace_of("https://ann:secret@host/warehouse?sig=secret") == "https://host/warehouse"
    assert namespace_of("s3a://AKIA%3Asecret@lake/warehouse%3Fsig=secret") == "s3://lake/warehouse"
    catalogs = parse_catalogs({"spark.sql.warehouse.dir": "s3a://AKIA:secret@lake/warehouse?x=secret"}, {})
    assert catalogs.find_table(None, ["web"], "orders") == DatasetId("s3://lake/warehouse", "web.orders")
    assert catalogs.find_table(None, ["delta"], "s3a://AKIA:secret@lake/f") == DatasetId(
        "s3://lake/warehouse", "delta.s3a://lake/f"
    )


@pytest.mark.parametrize("user", ["ann:12/secret@", "ann:12?secret@", "ann:12/se=cret@", "ann:12;secret@"])
def test_a_password_that_looks_like_a_port_and_a_database_gives_no_name(user):
    assert jdbc.find_table(f"jdbc:postgresql://{user}db/shop", "orders") is None


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://db/shop?user=ann@acme.example",
        "postgresql://db/shop?user=ann&password=p@ss/w",
        "db2://db/shop:user=ann@acme.example;",
        "sqlserver://;serverName=db;databaseName=shop;user=ann@acme.example",
        "snowflake://acme-main.snowflakecomputing.com?db=shop&user=ann@acme.example",
        "mysql://ann:p@ss@db/shop",
    ],
)
def test_an_at_sign_in_an_option_or_in_a_password_does_not_cost_the_name(url):
    named = jdbc.find_table(f"jdbc:{url}", "orders")
    assert named is not None
    assert "shop" in named.name
    assert not [word for word in ("ann", "p@", "ss") if word in named.node_id]

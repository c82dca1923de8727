"""Under which names tables stand in catalogs."""

from __future__ import annotations

import pytest

from headwater.events.naming import NamingRules
from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.catalogs import Catalogs, parse_catalogs
from spark_client.capturing.model import Symlink

GLUE = "com.amazonaws.glue.catalog.metastore.AWSGlueDataCatalogHiveClientFactory"
HIVE = {"spark.sql.catalogImplementation": "hive", "spark.sql.warehouse.dir": "s3://lake/warehouse"}
ON_GLUE = {**HIVE, "spark.hadoop.hive.metastore.client.factory.class": GLUE}
ACCOUNT = "111122223333"
S3_TABLES = f"arn:aws:s3tables:us-east-1:{ACCOUNT}:bucket"
GLUE_REST = "https://glue.us-east-1.amazonaws.com/iceberg"
REGION = {"AWS_REGION": "eu-west-1"}
METASTORE = {"hive.metastore.uris": "thrift://meta:9083,thrift://other:9083"}

SESSIONS = [
    # Glue, if its account and region are known.
    ({**ON_GLUE, "hive.metastore.glue.catalogid": "111122223333"}, REGION, "arn:aws:glue:eu-west-1:111122223333"),
    (
        {**ON_GLUE, "spark.glue.accountId": "111122223333"},
        {"AWS_DEFAULT_REGION": "us-east-1"},
        "arn:aws:glue:us-east-1:111122223333",
    ),
    ({**ON_GLUE, **METASTORE}, REGION, "hive://meta:9083"),
    # A metastore, if the session uses it.
    ({**HIVE, **METASTORE}, {}, "hive://meta:9083"),
    ({**HIVE, "spark.hadoop.hive.metastore.uris": "thrift://meta"}, {}, "hive://meta:9083"),
    ({**HIVE, **METASTORE, "spark.sql.catalogImplementation": "in-memory"}, {}, "s3://lake/warehouse"),
    # Else the warehouse.
    (HIVE, REGION, "s3://lake/warehouse"),
    ({"spark.sql.warehouse.dir": "file:/data/warehouse/"}, {}, "file:/data/warehouse"),
]


@pytest.mark.parametrize(("conf", "environment", "namespace"), SESSIONS)
def test_a_table_is_named_by_glue_else_by_the_metastore_else_by_the_warehouse(conf, environment, namespace):
    name = "table/web/orders" if namespace.startswith("arn:") else "web.orders"

    assert parse_catalogs(conf, environment).find_table("spark_catalog", ["web"], "orders") == DatasetId(
        namespace, name
    )


def test_a_table_outside_of_the_warehouse_is_named_by_where_it_lies():
    catalogs = parse_catalogs({"spark.sql.warehouse.dir": "s3a://lake/warehouse"}, {})

    def namespace(location: str) -> str:
        return catalogs.symlinks(None, ["web"], "orders", location)[0].namespace

    assert namespace("s3://lake/warehouse/web.db/orders") == "s3://lake/warehouse"
    assert namespace("s3://lake/orders") == "s3://lake/orders"
    assert namespace("s3://lake/warehouse2/orders") == "s3://lake/warehouse2/orders"


NAMED = [
    ({"type": "glue"}, "arn:aws:glue:eu-west-1:111122223333", "table/web/orders"),
    (
        {"catalog-impl": "org.apache.iceberg.aws.glue.GlueCatalog"},
        "arn:aws:glue:eu-west-1:111122223333",
        "table/web/orders",
    ),
    ({"type": "hive", "uri": "thrift://meta2:9084"}, "hive://meta2:9084", "web.orders"),
    ({"type": "hive"}, "hive://meta:9083", "web.orders"),
    ({"type": "rest", "uri": "https://ann:secret@ice:8181/api/"}, "https://ice:8181/api", "web.orders"),
    # A warehouse is a catalog of its own.
    (
        {"catalog-impl": "org.apache.iceberg.rest.RESTCatalog", "uri": "https://ice:8181", "warehouse": "sales"},
        "https://ice:8181/sales",
        "web.orders",
    ),
    ({"type": "nessie", "uri": "https://ice:8181", "warehouse": "s3://lake"}, "https://ice:8181", "web.orders"),
    # S3 Tables: by its own endpoint, by Glue's, by its own class, and as a catalog in Glue.
    (
        {"type": "rest", "uri": "https://s3tables.us-east-1.amazonaws.com/iceberg", "warehouse": f"{S3_TABLES}/sales"},
        f"{S3_TABLES}/sales",
        "web.orders",
    ),
    (
        {"type": "rest", "uri": GLUE_REST, "warehouse": f"{ACCOUNT}:s3tablescatalog/sales"},
        f"{S3_TABLES}/sales",
        "web.orders",
    ),
    (
        {"catalog-impl": "software.amazon.s3tables.iceberg.S3TablesCatalog", "warehouse": f"{S3_TABLES}/sales"},
        f"{S3_TABLES}/sales",
        "web.orders",
    ),
    (
        {
            "catalog-impl": "org.apache.iceberg.aws.glue.GlueCatalog",
            "glue.id": f"{ACCOUNT}:s3tablescatalog/sales",
            "client.region": "us-east-1",
            "warehouse": "s3://lake/ice",
        },
        f"{S3_TABLES}/sales",
        "web.orders",
    ),
    # Glue's endpoint for its own catalog.
    ({"type": "rest", "uri": GLUE_REST, "warehouse": ACCOUNT}, f"arn:aws:glue:us-east-1:{ACCOUNT}", "table/web/orders"),
    ({"type": "rest", "uri": GLUE_REST}, f"arn:aws:glue:us-east-1:{ACCOUNT}", "table/web/orders"),
    ({"type": "hadoop", "warehouse": "s3a://lake/ice"}, "s3://lake/ice", "web.orders"),
    ({"url": "jdbc:postgresql://db/shop?password=secret"}, "postgres://db:5432", "shop.web.orders"),
]


@pytest.mark.parametrize(("options", "namespace", "name"), NAMED)
def test_a_catalog_of_another_name_is_named_by_its_own_settings(options, namespace, name):
    conf = {**METASTORE, "spark.glue.accountId": "111122223333", "spark.sql.catalog.x": "a.Class"}
    catalogs = parse_catalogs(
        {**conf, **{f"spark.sql.catalog.x.{key}": value for key, value in options.items()}}, REGION
    )

    assert catalogs.find_table("x", ["web"], "orders") == DatasetId(namespace, name)


@pytest.mark.parametrize("name", ["orders/day=2024-01-01", "orders/2024-01-01/part", "daily_2024-01-01"])
def test_names_have_partitions_and_dates_where_these_are_not_trimmed(name):
    on, off = Catalogs(), Catalogs(trims_partitions=False)
    assert off.find_path(f"s3://lake/{name}") == DatasetId("s3://lake", name)
    assert on.find_path(f"s3://lake/{name}") == NamingRules().dataset("s3://lake", name) != DatasetId("s3://lake", name)
    assert (on.is_partition(f"s3://lake/{name}"), off.is_partition(f"s3://lake/{name}")) == (True, False)


def test_a_table_whose_catalog_or_database_is_unknown_has_no_name():
    catalogs = parse_catalogs({"spark.sql.warehouse.dir": "/warehouse"}, {})

    assert catalogs.find_table("other", ["web"], "orders") is None
    assert catalogs.find_table(None, [], "orders") is None
    assert Catalogs().find_table(None, ["web"], "orders") is None
    assert Catalogs().symlinks("other", ["web"], "orders", "file:/data/orders") == (
        Symlink("file:/data/orders", "web.orders"),
    )

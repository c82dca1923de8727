"""Nodes of plans, as `PlanReader.java` writes them; what a test is not about is left out."""

from __future__ import annotations

import itertools
import json
from typing import Any

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.catalogs import Catalogs, parse_catalogs
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.plan import Node

_NUMBERS = itertools.count()

# Of a session whose tables are in a warehouse on S3, beside a catalog of a database's and one of Iceberg's.
CATALOGS: Catalogs = parse_catalogs(
    {
        "spark.sql.warehouse.dir": "s3a://lake/warehouse",
        "spark.sql.catalog.shop": "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
        "spark.sql.catalog.shop.url": "jdbc:postgresql://db/shop",
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "rest",
        "spark.sql.catalog.ice.uri": "https://ice:8181/api",
    },
    {},
)
# A table in each of them.
BY_NAME = DatasetId("s3://lake/warehouse", "default.flights")
ICE = DatasetId("https://ice:8181/api", "web.flights")
COLUMNS = (SchemaField("carrier", "string"), SchemaField("flight", "integer"))


def a_node(kind: str, **values: Any) -> Node:
    """Return a node; `query__schema` stands for the getter `query.schema`."""
    node = Node(next(_NUMBERS), kind)
    node.values = {name.replace("__", "."): value for name, value in values.items()}
    return node


def a_schema(*columns: SchemaField) -> str:
    """Spark's JSON of flat columns."""
    fields = [{"name": column.name, "type": column.type, "nullable": True, "metadata": {}} for column in columns]
    return json.dumps({"type": "struct", "fields": fields})


SCHEMA = a_schema(*COLUMNS)
ICE_NAME = a_node(
    "ResolvedIdentifier",
    catalog={"class": "SparkCatalog", "name": "ice"},
    identifier={"class": "IdentifierImpl", "namespace": ["web"], "name": "flights"},
)


def a_table(
    name: str = "flights", location: str | None = "s3a://lake/warehouse/flights", **values: Any
) -> dict[str, Any]:
    """Return a `CatalogTable`."""
    identifier = {"class": "TableIdentifier", "table": name, "database": "default", "catalog": "spark_catalog"}
    storage = {"class": "CatalogStorageFormat", "locationUri": location}
    return {"class": "CatalogTable", "identifier": identifier, "storage": storage, "schema": SCHEMA, **values}


def a_relation(*paths: str, table: dict[str, Any] | None = None, schema: str = SCHEMA) -> Node:
    """Return a `LogicalRelation` of files."""
    location = {"class": "InMemoryFileIndex", "rootPaths": list(paths)}
    relation = {"class": "HadoopFsRelation", "location": location, "schema": schema}
    return a_node("LogicalRelation", relation=relation, catalogTable=table, schema=schema)


def a_v2_relation(table: dict[str, Any], catalog: str | None = None, *identifier: str, **values: Any) -> Node:
    """Return a `DataSourceV2Relation`."""
    named = (
        {"class": "IdentifierImpl", "namespace": list(identifier[:-1]), "name": identifier[-1]} if identifier else None
    )
    known = {"class": "Catalog", "name": catalog} if catalog else None
    values = {"schema": SCHEMA, "options": {}, **values}
    return a_node("DataSourceV2Relation", table=table, catalog=known, identifier=named, **values)

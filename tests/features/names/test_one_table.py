"""A table under the names of six producers, by seven catalogs of AWS: a single dataset.

Names of capture and of DynamicFrames come from our code. Names of Airflow's Athena operator and of dbt's integration
come from their wheels on PyPI (`producers.json`, made by `record_producers.py`). Airflow's Glue operator names no
dataset: the jar in its job does. Names of OpenLineage's jar 1.54 follow its source (`S3TablesCatalogTypeHandler`,
`GlueCatalogTypeHandler`, `RestCatalogTypeHandler`, `PathUtils`), names of Trino OpenLineage's naming.
"""

from __future__ import annotations

import json
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from headwater.events.name_rules import read_rules
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.catalogs import Catalogs, parse_catalogs
from spark_client.capturing.datasets.name_rules import NameRules
from spark_client.capturing.datasets.sources import find_datasets, find_table
from spark_client.capturing.glue.sources import find_source
from spark_client.capturing.model import Dataset
from tests.unit.queries.every_query import loaded
from tests.unit.spark_client.capturing.builders_nodes import a_v2_relation
from tests.unit.spark_client.capturing.builders_writes import a_write

REGION, ACCOUNT = "eu-west-1", "111122223333"
GLUE, SALES = f"arn:aws:glue:{REGION}:{ACCOUNT}", f"arn:aws:s3tables:{REGION}:{ACCOUNT}:bucket/sales"
REST, IN_GLUE = f"https://glue.{REGION}.amazonaws.com/iceberg", f"{ACCOUNT}:s3tablescatalog/sales"
GLUE_CATALOG = "org.apache.iceberg.aws.glue.GlueCatalog"
FACTORY = "com.amazonaws.glue.catalog.metastore.AWSGlueDataCatalogHiveClientFactory"
PLACES = {"glue": "s3://lake/web/orders", "s3tables": "s3://63a8e430--table-s3"}
CATALOGS: dict[str, tuple[str, dict[str, str]]] = {
    "Glue, by Hive": ("glue", {}),
    "Glue, by Iceberg": ("glue", {"catalog-impl": GLUE_CATALOG, "warehouse": "s3://lake/ice"}),
    "Glue, by REST": ("glue", {"type": "rest", "uri": REST, "warehouse": ACCOUNT}),
    "S3 Tables, by REST": (
        "s3tables",
        {"type": "rest", "uri": f"https://s3tables.{REGION}.amazonaws.com/iceberg", "warehouse": SALES},
    ),
    "S3 Tables, by Glue's REST": ("s3tables", {"type": "rest", "uri": REST, "warehouse": IN_GLUE}),
    "S3 Tables, by its class": (
        "s3tables",
        {"catalog-impl": "software.amazon.s3tables.iceberg.S3TablesCatalog", "warehouse": SALES},
    ),
    "S3 Tables, by GlueCatalog": ("s3tables", {"catalog-impl": GLUE_CATALOG, "glue.id": IN_GLUE}),
}
PRODUCERS = ("capture", "DynamicFrames", "jar", "Airflow", "dbt", "Trino")
RECORDED = json.loads(Path(__file__).with_name("producers.json").read_text(encoding="utf-8"))
# The rules of docs/connectors.md.
ATHENA, TRINO = f"awsathena://athena.{REGION}.amazonaws.com", "trino://trino:8080"
RULES = [
    {"namespace": ATHENA, "name": "AwsDataCatalog.*.*", "as": {"namespace": GLUE, "name": "table/*/*"}},
    {"namespace": ATHENA, "name": "awsdatacatalog.*.*", "as": {"namespace": GLUE, "name": "table/*/*"}},
    {"namespace": ATHENA, "name": "s3tablescatalog/sales.*", "as": {"namespace": SALES, "name": "*"}},
    {"namespace": TRINO, "name": "lake.*.*", "as": {"namespace": GLUE, "name": "table/*/*"}},
    {"namespace": TRINO, "name": "sales.*", "as": {"namespace": SALES, "name": "*"}},
]


def a_form(namespace: str, name: str, *symlinks: tuple[str, str]) -> dict[str, Any]:
    links = [{"namespace": namespace, "name": name} for namespace, name in symlinks]
    return {"namespace": namespace, "name": name, "symlinks": links}


def form_of(dataset: Dataset) -> dict[str, Any]:
    links = ((link.namespace, link.name) for link in dataset.symlinks)
    return a_form(dataset.id.namespace, dataset.id.name, *links)


def catalogs_of(options: dict[str, str]) -> Catalogs:
    hive = (
        {} if options else {"spark.sql.catalogImplementation": "hive", "hive.metastore.client.factory.class": FACTORY}
    )
    named = {f"spark.sql.catalog.lake.{key}": value for key, value in options.items()}
    return parse_catalogs({"spark.glue.accountId": ACCOUNT, **hive, **named}, {"AWS_REGION": REGION})


def captured(kind: str, options: dict[str, str]) -> Dataset:
    catalogs, place = catalogs_of(options), PLACES[kind]
    if options:
        [table] = find_datasets(
            a_v2_relation({"properties": {"location": place}}, "lake", "web", "orders"), catalogs
        ).datasets
    else:
        name = {"database": "web", "table": "orders"}
        table = find_table({"identifier": name, "storage": {"locationUri": place}}, catalogs) or pytest.fail("no name")
    return NameRules().rename(a_write(output=table)).output


def by_the_jar(kind: str, options: dict[str, str]) -> dict[str, Any]:
    if kind == "s3tables":
        return a_form(SALES, "lake.web.orders", (PLACES[kind], "/"))
    link = (REST, "web.orders") if options.get("type") == "rest" else (GLUE, "table/web/orders")
    return a_form("s3://lake", "web/orders", link)


def form_by(producer: str, catalog: str) -> dict[str, Any]:
    """Describe the table of a catalog as a producer's event does."""
    kind, options = CATALOGS[catalog]
    if producer in RECORDED[kind]:
        recorded: dict[str, Any] = RECORDED[kind][producer]
        return recorded
    if producer == "capture":
        return form_of(captured(kind, options))
    if producer == "DynamicFrames":
        table = {"database": "web", "table": "orders", "catalog_id": IN_GLUE if kind == "s3tables" else None}
        [dataset] = find_source({"catalog": table}, catalogs_of(options)).datasets
        return form_of(dataset)
    if producer == "jar":
        return by_the_jar(kind, options)
    return a_form(TRINO, f"{'lake' if kind == 'glue' else 'sales'}.web.orders")


class Boxes:
    """Datasets of a graph with events of these forms, each from a job of its own."""

    def __init__(self, forms: list[dict[str, Any]], rules: list[dict[str, Any]]) -> None:
        self._naming = NamingRules(names=read_rules({"rules": rules}))
        self._view = GraphView(loaded([self._event(number, form) for number, form in enumerate(forms)]))

    def _event(self, number: int, form: dict[str, Any]) -> Any:
        facet = {"_producer": "https://p", "_schemaURL": "https://s", "identifiers": form["symlinks"]}
        dataset = {"namespace": form["namespace"], "name": form["name"], "facets": {"symlinks": facet}}
        run = {"runId": f"00000000-0000-4000-8000-0000000000{number:02}"}
        body = {
            "eventTime": f"2025-11-20T12:00:{number:02}Z",
            "eventType": "COMPLETE",
            "run": run,
            "producer": "https://p",
        }
        job = {"namespace": "shop", "name": f"job {number}"}
        return parse_event({**body, "job": job, "schemaURL": "https://s", "inputs": [dataset]}, self._naming, now=None)

    def of(self, form: dict[str, Any]) -> DatasetId:
        name = self._naming.dataset(form["namespace"], form["name"])
        self._view.load_names([name])
        return self._view.group(name).primary


def joined_pairs(catalog: str, rules: list[dict[str, Any]]) -> list[tuple[str, str]]:
    forms = {producer: form_by(producer, catalog) for producer in PRODUCERS}
    boxes = Boxes(list(forms.values()), rules)
    return [pair for pair in combinations(PRODUCERS, 2) if boxes.of(forms[pair[0]]) == boxes.of(forms[pair[1]])]


def test_a_table_is_a_single_dataset_for_every_pair_of_producers(capsys: pytest.CaptureFixture[str]) -> None:
    joined = {catalog: joined_pairs(catalog, RULES) for catalog in CATALOGS}
    plain = {catalog: joined_pairs(catalog, []) for catalog in CATALOGS}
    with capsys.disabled():
        sys.stdout.write(f"\n{'of 15 pairs of producers':30}with rules  without\n")
        for catalog in CATALOGS:
            sys.stdout.write(f"{catalog:30}{len(joined[catalog]):10}{len(plain[catalog]):9}\n")

    every_pair = list(combinations(PRODUCERS, 2))
    assert joined == dict.fromkeys(CATALOGS, every_pair)


@pytest.mark.parametrize("rules", [RULES, []])
def test_tables_of_the_same_name_in_other_catalogs_are_other_datasets(rules: list[dict[str, Any]]) -> None:
    tables = {
        kind: [form_by(each, name) for name in CATALOGS if CATALOGS[name][0] == kind for each in PRODUCERS]
        for kind in PLACES
    }
    stranger = ACCOUNT.replace("1", "9")
    tables["of another account"] = [
        a_form("s3://other", "web/orders", (GLUE.replace(ACCOUNT, stranger), "table/web/orders"))
    ]
    tables["of another bucket"] = [a_form(SALES.replace("sales", "news"), "web.orders", ("s3://7b1c--table-s3", "/"))]
    for number, warehouse in enumerate(("a", "b")):
        rest = {"type": "rest", "uri": "https://ice:8181", "warehouse": warehouse}
        place = f"s3://ice-{number}/web/orders"
        [table] = find_datasets(
            a_v2_relation({"properties": {"location": place}}, "lake", "web", "orders"), catalogs_of(rest)
        ).datasets
        tables[f"of warehouse {warehouse}"] = [
            form_of(table),
            a_form(table.id.namespace, table.id.name, ("https://ice:8181", "web.orders")),
        ]
    boxes = Boxes([form for forms in tables.values() for form in forms], rules)

    boxes_of = {kind: {boxes.of(form) for form in forms} for kind, forms in tables.items()}

    assert all(boxes_of[kind].isdisjoint(boxes_of[other]) for kind, other in combinations(tables, 2))

"""`headwater check job.py`: the job over empty frames of the schemas that the service knows."""

from __future__ import annotations

import json

import pytest

from headwater.cli.main import main
from tests.builders_events import a_dataset_event
from tests.features.serving import served
from tests.unit.api.columns_pipeline import FIELDS, a_dataset_made, a_step
from tests.unit.api.graph_api import GraphApi

# Each test starts a program with Spark.
pytestmark = pytest.mark.slow
JOB = """
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("etl").getOrCreate()
raw = spark.read.option("header", True).csv("s3://flights/raw")
planes = spark.sql("SELECT seats, model FROM shop.planes")
checked = raw.join(planes, "seats").selectExpr("flight", "cast(distance AS string) distance", "model")
checked.write.mode("overwrite").parquet("s3://flights/checked")
spark.read.parquet("s3://flights/checked").select("flight").write.saveAsTable("shop.names")
spark.range(9).write.csv(sys.argv[2])
assert checked.count() == 0 and sys.argv[1] == "--out"
"""


def test_a_job_runs_over_empty_frames_and_is_checked(tmp_path, capsys):
    api = GraphApi()
    planes = {"namespace": "s3://lake", "name": "warehouse/shop.db/planes"}
    schema = {"schema": {"fields": [{"name": "seats", "type": "int"}, {"name": "model", "type": "string"}]}}
    names = {"namespace": "s3://lake", "name": "warehouse/shop.db/names"}
    api.load(
        a_step("load", 8, [], [a_dataset_made("raw", {}, FIELDS), {**planes, "facets": schema}]),
        a_step("etl", 9, ["raw"], [a_dataset_made("checked", {}, FIELDS)], run="01941f29-7c00-7ea7-b5a3-00000000000a"),
        a_dataset_event(
            {**names, "facets": {"schema": {"fields": [{"name": "flight", "type": "string"}, {"name": "tail"}]}}}
        ),
    )
    job = tmp_path / "job.py"
    job.write_text(JOB, encoding="utf-8")
    with served(api) as url:
        status = main(["check", "--url", url, "--format", "json", str(job), "--out", str(tmp_path / "out")])
    report = json.loads(capsys.readouterr().out)
    changes = [(change["nodeId"].removeprefix("datasetField:"), change["change"]) for change in report["changes"]]
    assert changes == [
        ("s3://flights:checked:distance", "retyped"),
        ("s3://flights:checked:seats", "lost"),
        ("s3://lake:warehouse/shop.db/names:tail", "lost"),
    ]
    assert status == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["job.py"]


DATABASES = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("etl").getOrCreate()
url = "jdbc:postgresql://db.example/shop"
orders = spark.read.format("jdbc").option("url", url).option("dbtable", "orders").load()
spark.read.jdbc(url, "public.planes").join(orders, "id").select("price").write.jdbc(url, "totals", mode="append")
orders.select("id").write.format("jdbc").options(url=url, dbtable="ids").mode("append").save()
for attempt in (
    lambda: spark.read.format("jdbc").option("url", url).option("query", "SELECT 1").load(),
    lambda: spark.read.jdbc(url, "(SELECT 1) q"),
    lambda: spark.read.jdbc("jdbc:unknown:x", "orders"),
    lambda: spark.read.load(format="kafka", subscribe="t"),
    lambda: spark.range(1).write.format(source="mongodb").saveAsTable("t"),
    lambda: spark.range(1).writeTo("t").using("kafka").create(),
    lambda: spark.readStream.format("rate").load(),
    lambda: spark.readStream.table("t"),
    lambda: spark.sql("CREATE TEMPORARY VIEW v USING org.apache.spark.sql.jdbc OPTIONS (url '%s', dbtable 't')" % url),
):
    try:
        attempt()
        print("not refused")
    except SystemExit as refused:
        print(refused)
"""


def test_tables_of_databases_are_empty_frames_and_other_sources_are_refused(tmp_path, capfd):
    api = GraphApi()
    names = ("orders", "planes", "totals", "ids")
    tables = [{"namespace": "postgres://db.example:5432", "name": f"shop.public.{name}"} for name in names]
    fields = [
        {"fields": [{"name": "id", "type": "integer"}, {"name": column}]} for column in ("price", "seats", "x", "y")
    ]
    api.load(
        a_step("load", 8, [], [{**table, "facets": {"schema": of}} for table, of in zip(tables, fields, strict=True)])
    )
    job = tmp_path / "job.py"
    job.write_text(DATABASES, encoding="utf-8")
    with served(api) as url:
        status = main(["check", "--url", url, "--format", "json", str(job)])
    printed = capfd.readouterr()
    column = "datasetField:postgres://db.example:5432:shop.public"
    changes = [
        (change["nodeId"].removeprefix(column), change["change"]) for change in json.loads(printed.out)["changes"]
    ]
    assert (changes, status) == ([(".ids:y", "lost"), (".totals:id", "lost"), (".totals:x", "lost")], 0)
    refusals = [line for line in printed.err.splitlines() if line.startswith(("headwater check: ", "not refused"))]
    assert [line.removeprefix("headwater check: ").partition(":")[0] for line in refusals] == [
        *("query", "dbtable", "url", "format kafka", "format mongodb", "format kafka"),
        *("readStream", "readStream", "format org.apache.spark.sql.jdbc"),
    ]


def test_statements_of_spark_sql_are_checked(tmp_path, capsys):
    api = GraphApi()
    orders, totals = ({"namespace": "s3://lake", "name": f"warehouse/shop.db/{name}"} for name in ("orders", "totals"))
    made_of = {"fields": {"total": {"inputFields": [{**orders, "field": "price"}]}}}
    schemas = (
        [{"name": "id", "type": "int"}, {"name": "price", "type": "double"}],
        [{"name": "total", "type": "double"}],
    )
    facets = [{"schema": {"fields": fields}} for fields in schemas]
    outputs = [{**orders, "facets": facets[0]}, {**totals, "facets": {**facets[1], "columnLineage": made_of}}]
    api.load(a_step("load", 8, [], outputs))
    file = tmp_path / "job.sql"
    file.write_text("-- a; b\nINSERT OVERWRITE shop.totals SELECT sum(id) FROM shop.orders;\n", encoding="utf-8")
    with served(api) as url:
        assert main(["check", "--url", url, "--format", "json", "--sql", str(file)]) == 0
    [change] = json.loads(capsys.readouterr().out)["changes"]
    column = "datasetField:s3://lake:warehouse/shop.db"
    assert (change["nodeId"], change["change"]) == (f"{column}/totals:total", "remade")
    assert (change["before"], change["after"]) == ([f"{column}/orders:price"], [f"{column}/orders:id"])

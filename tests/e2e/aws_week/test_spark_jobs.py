"""Monday: Spark on Glue and EMR, by capture and by OpenLineage's listener; each job is a process of its own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from scripts.table_formats import CACHE, LOCK, NotFetched, compare_hashes, fetch
from tests.e2e.aws_week.conftest import ACCOUNT, GLUE, REGION, SALES
from tests.stack.emulator import an_emulator

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]
JOBS, EXAMPLES = Path(__file__).with_name("jobs"), ROOT / "examples" / "platforms"
PYTHON_35 = ROOT / ".venv-spark35" / "bin" / "python"
JARS = (
    "io.openlineage:openlineage-spark_2.12:1.53.0",
    "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.12.0",
    "org.apache.iceberg:iceberg-aws-bundle:1.12.0",
)
QUIET = {
    "spark.ui.enabled": "false",
    "spark.log.level": "ERROR",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
# Hive's own metastore, which ignores the class of Glue's client.
GLUES = {
    "spark.sql.catalogImplementation": "hive",
    "spark.hadoop.hive.metastore.client.factory.class": (
        "com.amazonaws.glue.catalog.metastore.AWSGlueDataCatalogHiveClientFactory"
    ),
    "spark.glue.accountId": ACCOUNT,
}


def jars(*names):
    """Fetch jars, checked by their hashes; skip the test where Maven Central cannot be reached."""
    files = []
    for package, version in (each.rsplit(":", 1) for each in JARS if each.split(":")[1].startswith(names)):
        try:
            files += fetch(package, version, CACHE, alone=True)
        except NotFetched as error:
            pytest.skip(f"{package}:{version} could not be fetched: {error}")
    compare_hashes(files, LOCK, add=False)
    return ",".join(map(str, files))


def run(week, folder, job, conf, *, python=sys.executable, **more):
    """Run a job with its configuration, as a platform does; it sends to the week's stack."""
    settings = [part for name, value in {**QUIET, **conf}.items() for part in ("--conf", f"{name}={value}")]
    environment = {
        **{name: value for name, value in os.environ.items() if name != "SPARK_HOME"},
        "AWS_REGION": REGION,
        "HEADWATER_URL": week.stack.api_url,
        "PYTHONPATH": f"{ROOT}:{ROOT / 'tests' / 'spark' / 'glue'}",
        "PYSPARK_PYTHON": str(python),
        "PYSPARK_SUBMIT_ARGS": shlex.join(["--master", "local[1]", *settings, "pyspark-shell"]),
        **more,
    }
    command = [str(part) for part in (python, *job)]
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=400, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]


def drawn(week, node_id, folder):
    return [line.replace(str(folder), "…") for line in week.drawn(node_id)]


def hive(folder):
    return {
        **GLUES,
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:{folder}/metastore;create=true",
    }


def test_a_glue_job_of_dynamic_frames_is_a_child_of_airflows_task(week, tmp_path):
    """Ours: `awsglue`, by its interface, and folders for buckets. Airflow's provider made the configuration."""
    (tmp_path / "raw.json").write_text('{"tailnum": "N14228", "distance": 1400}\n')
    airflow = json.loads(Path(__file__).with_name("airflow.json").read_text(encoding="utf-8"))
    conf = dict(each.split("=", 1) for each in airflow["conf"].split(" --conf "))
    arguments = ["--JOB_NAME", "map-flights", "--source", tmp_path / "raw.json", "--target", tmp_path / "mapped"]

    week.send(airflow["events"])
    run(
        week,
        tmp_path,
        [EXAMPLES / "glue_dynamic_frames.py", *arguments],
        {**conf, "spark.openlineage.namespace": "glue-jobs"},
    )

    here = str(tmp_path)
    picture = f"file …/raw.json -> glue-jobs map-flights.{tmp_path.name}_mapped -> file …/mapped"
    assert drawn(week, f"dataset:file:{here}/mapped", tmp_path) == [picture]
    children = week.get("namespaces/mwaa/jobs/sales.daily/children")["jobs"]
    assert [job["name"] for job in children] == ["map-flights"]
    columns = week.get("column-lineage", nodeId=f"datasetField:file:{here}/mapped:miles")["graph"]
    assert [field["field"] for node in columns for field in node["data"]["inputFields"]] == ["distance"]


def test_sql_on_emr_serverless_over_glues_catalog(week, tmp_path):
    """Ours: Hive's metastore in place of Glue's. The client comes in a zip, as the request names it."""
    request = json.loads((EXAMPLES / "emr_serverless_job_run.json").read_text(encoding="utf-8"))
    with zipfile.ZipFile(tmp_path / "headwater.zip", "w") as archive:
        for package in ("spark_client", "headwater_model"):
            for file in (ROOT / package).rglob("*.*"):
                if file.suffix != ".pyc":
                    archive.write(file, file.relative_to(ROOT))
    submit = request["jobDriver"]["sparkSubmit"]["sparkSubmitParameters"]
    assert "--py-files s3://my-jobs/headwater.zip" in submit
    conf = {**hive(tmp_path), "spark.submit.pyFiles": f"{tmp_path}/headwater.zip", "spark.openlineage.namespace": "emr"}

    run(week, tmp_path, [JOBS / "countries.py", "parquet", "web.orders", "web.countries"], conf, PYTHONPATH="")

    assert drawn(week, f"dataset:{GLUE}:table/web/countries", tmp_path) == [
        "emr countries.web_orders -> file …/warehouse/web.db/orders",
        "file …/warehouse/web.db/orders -> emr countries.web_countries -> file …/warehouse/web.db/countries",
    ]


def test_openlineages_listener_sends_the_graph_of_its_job_under_glues_names(week, tmp_path):
    """OpenLineage's jar itself. Ours: Hive's metastore in place of Glue's."""
    conf = {
        **hive(tmp_path),
        "spark.jars": jars("openlineage"),
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": f"{week.stack.api_url}/api/v1/lineage",
        "spark.openlineage.namespace": "listener",
    }
    run(week, tmp_path, [JOBS / "countries.py", "parquet", "shop.orders", "shop.countries"], conf, python=PYTHON_35)

    lines = drawn(week, f"dataset:{GLUE}:table/shop/countries", tmp_path)
    assert [line.replace("…/warehouse/shop.db/", "").replace("listener countries.", "") for line in lines] == [
        "file orders -> adaptive_spark_plan.shop_db_countries -> file countries",
        "execute_create_data_source_table_command.shop_countries -> file countries",
        "execute_create_data_source_table_command.shop_orders -> file orders",
        "execute_insert_into_hadoop_fs_relation_command.shop_db_orders -> file orders",
    ]


def test_iceberg_tables_in_s3_tables_have_the_names_of_the_table_bucket(week, tmp_path):
    """Iceberg's own client of REST. MiniStack is S3 Tables and S3; it makes no location, so the statements name one."""
    folder = tmp_path / "emulator"
    folder.mkdir()
    with an_emulator(folder, ACCOUNT, REGION) as emulator:
        emulator.client("s3").create_bucket(Bucket="sales", CreateBucketConfiguration={"LocationConstraint": REGION})
        bucket = emulator.client("s3tables").create_table_bucket(name="sales")["arn"]
        assert bucket == SALES
        of = "spark.sql.catalog.lake"
        conf = {
            "spark.jars": jars("iceberg"),
            of: "org.apache.iceberg.spark.SparkCatalog",
            f"{of}.type": "rest",
            f"{of}.uri": f"{emulator.url}/iceberg",
            f"{of}.warehouse": SALES,
            f"{of}.rest.sigv4-enabled": "true",
            f"{of}.rest.signing-name": "s3tables",
            f"{of}.rest.signing-region": REGION,
            f"{of}.io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
            f"{of}.s3.endpoint": emulator.url,
            f"{of}.s3.path-style-access": "true",
            "spark.openlineage.namespace": "emr",
        }
        keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
        run(
            week,
            tmp_path,
            [JOBS / "countries.py", "iceberg LOCATION 's3://sales/{}'", "lake.web.orders", "lake.web.countries"],
            conf,
            python=PYTHON_35,
            **keys,
        )

    assert drawn(week, f"dataset:{SALES}:web.countries", tmp_path) == [
        "emr countries.web_orders -> s3tables web.orders",
        "s3tables web.orders -> emr countries.web_countries -> s3tables web.countries",
    ]

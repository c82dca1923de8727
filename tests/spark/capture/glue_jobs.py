"""Glue's stand-in for the tests of DynamicFrames: its folder on the path, its catalog, and the datasets of a job."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from tests.spark.capture.conftest import Watch
from tests.spark.capture.specification import Case, write

ACCOUNT, REGION = "111122223333", "eu-west-1"
CATALOG = f"arn:aws:glue:{REGION}:{ACCOUNT}"
FOLDER = Path(__file__).parents[1] / "glue"
PEOPLE = """
    SELECT 'p1' AS id, 'Ada' AS name, 'Lovelace' AS family_name, 36 AS age,
           named_struct('city', 'London', 'zip', 'W1') AS address,
           array(named_struct('note', 'web', 'url', 'a.b')) AS links, array('Countess', 'Byron') AS titles
    UNION ALL SELECT 'p2', 'Bob', 'Baker', 17, named_struct('city', 'Rome', 'zip', '00'),
           array(named_struct('note', 'x', 'url', 'y')), array('Sir')
"""
TABLES = {
    "persons": PEOPLE,
    "memberships": "SELECT 'p1' AS person_id, 'o1' AS organization_id, 'chair' AS role, '2013' AS start_date",
    "organizations": "SELECT 'o1' AS id, 'Senate' AS name, 'gov' AS type, 100 AS seats",
}


@contextmanager
def on_path() -> Iterator[Any]:
    """Have the stand-in on the path; its module `jvm` is what is yielded. It is gone afterwards."""
    sys.path.insert(0, str(FOLDER))
    try:
        from awsglue import jvm

        for name, rows in TABLES.items():
            jvm.TABLES["legislators", name] = reader(rows)
        yield jvm
    finally:
        sys.path.remove(str(FOLDER))
        for name in [name for name in sys.modules if name.partition(".")[0] == "awsglue"]:
            del sys.modules[name]


@contextmanager
def watching(spark: SparkSession) -> Iterator[Watch]:
    """Watch a session of an account and a region, as a job of Glue has them."""
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    hadoop.set("hive.metastore.glue.catalogid", ACCOUNT)
    watch = Watch(spark, environment={"AWS_REGION": REGION})
    yield watch
    watch.close()
    hadoop.unset("hive.metastore.glue.catalogid")


def reader(rows: str) -> Callable[[SparkSession], DataFrame]:
    return lambda spark: spark.sql(rows)


def catalog(glue: Any, table: str) -> Any:
    return glue.create_dynamic_frame.from_catalog(database="legislators", table_name=table)


def to_parquet(glue: Any, frame: Any, out: str) -> None:
    """Write a frame as Glue's generated scripts do."""
    glue.write_dynamic_frame.from_options(
        frame=frame, connection_type="s3", connection_options={"path": out}, format="parquet", transformation_ctx="sink"
    )


def to_json(glue: Any, frame: Any, out: str) -> None:
    glue.write_dynamic_frame.from_options(frame, "s3", {"path": out}, "json")


def glue_case(name: str, make: Callable[[Any], Any], lineage: str, into: Any = to_parquet) -> Case:
    """Return the case of a DynamicFrame that is written."""

    def act(spark: SparkSession, out: str) -> None:
        from awsglue.context import GlueContext

        glue = GlueContext(spark.sparkContext)
        into(glue, make(glue), out)

    return write(name, act, lineage)


def spark_case(name: str, make: Callable[[Any], DataFrame], lineage: str) -> Case:
    """Return the case of a frame of Spark's, made of DynamicFrames, that Spark writes."""
    return glue_case(name, make, lineage, lambda glue, frame, out: frame.write.parquet(out))


def connection(jvm: Any, kind: str, rows: str) -> None:
    """Let a connection of this type read these rows, whatever its options."""

    def read(spark: SparkSession, options: Mapping[str, Any]) -> DataFrame:
        return spark.sql(rows)

    jvm.CONNECTIONS[kind] = read

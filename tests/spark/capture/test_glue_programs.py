"""Whole Glue jobs, as AWS's samples and Glue Studio write them, with a line for each column of what they write."""

# ruff: noqa: E501 - lines of generated scripts

from __future__ import annotations

import gc
import sys
import textwrap
from collections.abc import Callable, Iterator

import pytest
from pyspark.sql import SparkSession

from spark_client.capturing.glue.frames import glue_frames
from tests.spark.capture.conftest import Watch
from tests.spark.capture.glue_jobs import connection, on_path, reader, watching
from tests.spark.capture.specification import Case, write

pytestmark = [
    pytest.mark.filterwarnings("ignore:Deprecated in 3.0.0:FutureWarning"),
    pytest.mark.filterwarnings("ignore:DataFrame constructor is internal:UserWarning"),
]
BEGIN = """
import sys
from awsglue.transforms import *
from awsglue.utils import getResolvedOptions
from pyspark.context import SparkContext
from awsglue.context import GlueContext
from awsglue.dynamicframe import DynamicFrame
from awsglue.job import Job

args = getResolvedOptions(sys.argv, ["JOB_NAME"])
sc = SparkContext.getOrCreate()
glueContext = GlueContext(sc)
spark = glueContext.spark_session
job = Job(glueContext)
job.init(args["JOB_NAME"], args)
"""


def program(name: str, text: str, lineage: str) -> Case:
    """Return the case of a job; `OUT` in it is a folder that does not exist yet."""

    def act(spark: SparkSession, out: str) -> None:
        before, sys.argv = sys.argv, ["job.py", "--JOB_NAME", "nightly", "--job-bookmark-option", "job-bookmark-enable"]
        try:
            source = BEGIN + textwrap.dedent(text).replace("OUT", out) + "\njob.commit()\n"
            exec(compile(source, "job.py", "exec"), {"__name__": "__main__"})
        finally:
            sys.argv = before

    return write(name, act, lineage)


PROGRAMS = [
    program(
        "Glue Studio's script: read, map, write",
        """
        # Script generated for node Amazon S3
        AmazonS3_node1 = glueContext.create_dynamic_frame.from_options(
            format_options={"multiline": False}, connection_type="s3", format="json",
            connection_options={"paths": ["s3://lake/raw/trips_json"], "recurse": True}, transformation_ctx="AmazonS3_node1")

        # Script generated for node Change Schema
        ChangeSchema_node2 = ApplyMapping.apply(frame=AmazonS3_node1, mappings=[
            ("tailnum", "string", "tail_number", "string"), ("miles", "bigint", "miles", "double")],
            transformation_ctx="ChangeSchema_node2")

        # Script generated for node Data Catalog
        glueContext.write_dynamic_frame.from_options(frame=ChangeSchema_node2, connection_type="s3",
            format="glueparquet", connection_options={"path": "OUT/trips", "partitionKeys": []},
            format_options={"compression": "snappy"}, transformation_ctx="sink")
        """,
        """
        trips:
        tail_number <- trips_json.tailnum IDENTITY
        miles <- trips_json.miles TRANSFORMATION
        """,
    ),
    program(
        "Glue Studio's script: a query and a custom transform",
        """
        def sparkSqlQuery(glueContext, query, mapping, transformation_ctx) -> DynamicFrame:
            for alias, frame in mapping.items():
                frame.toDF().createOrReplaceTempView(alias)
            result = spark.sql(query)
            return DynamicFrame.fromDF(result, glueContext, transformation_ctx)

        def MyTransform(glueContext, dfc) -> DynamicFrameCollection:
            frame = dfc.select(list(dfc.keys())[0]).toDF()
            adults = frame.filter(frame["age"] > 18).drop("age")
            return DynamicFrameCollection({"CustomTransform0": DynamicFrame.fromDF(adults, glueContext, "x")}, glueContext)

        from awsglue.dynamicframe import DynamicFrameCollection

        people = glueContext.create_dynamic_frame.from_catalog(database="us", table_name="people", transformation_ctx="a")
        members = glueContext.create_dynamic_frame.from_catalog(database="us", table_name="members", transformation_ctx="b")
        joined = sparkSqlQuery(glueContext, query="SELECT p.name, p.age, m.role FROM p JOIN m ON p.id = m.person_id",
            mapping={"p": people, "m": members}, transformation_ctx="SQLQuery_node3")
        custom = MyTransform(glueContext, DynamicFrameCollection({"joined": joined}, glueContext))
        chosen = SelectFromCollection.apply(dfc=custom, key=list(custom.keys())[0], transformation_ctx="c")
        sink = glueContext.getSink(path="OUT/adults", connection_type="s3", updateBehavior="UPDATE_IN_DATABASE",
            partitionKeys=[], enableUpdateCatalog=True, transformation_ctx="sink")
        sink.setCatalogInfo(catalogDatabase="us", catalogTableName="adults")
        sink.setFormat("glueparquet", compression="snappy")
        sink.writeFrame(chosen)
        """,
        """
        adults:
        name <- people.name IDENTITY
        role <- members.role IDENTITY
        * <- people.id JOIN, members.person_id JOIN, people.age FILTER
        """,
    ),
    program(
        "choices are resolved, and a price is cleaned by a function",
        """
        from pyspark.sql.functions import udf
        from pyspark.sql.types import StringType

        medicare = glueContext.create_dynamic_frame.from_catalog(database="payments", table_name="medicare")
        medicare_res = medicare.resolveChoice(specs=[("provider id", "cast:long")])
        chop = udf(lambda value: value[1:], StringType())
        frame = medicare_res.toDF().where("`provider id` is NOT NULL")
        frame = frame.withColumn("ACC", chop(frame["average charges"]))
        cleaned = DynamicFrame.fromDF(frame, glueContext, "nested").apply_mapping([
            ("drg definition", "string", "drg", "string"), ("provider id", "long", "provider.id", "long"),
            ("ACC", "string", "charges.covered", "double")])
        glueContext.write_dynamic_frame.from_options(frame=cleaned, connection_type="s3",
            connection_options={"path": "OUT/medicare_parquet"}, format="parquet")
        """,
        """
        medicare_parquet:
        drg <- medicare.drg definition IDENTITY
        provider.id <- medicare.provider id TRANSFORMATION
        charges.covered <- medicare.average charges TRANSFORMATION (python udf <lambda>)
        * <- medicare.provider id FILTER
        """,
    ),
    program(
        "the generated script of old: map, resolve, drop nulls",
        """
        datasource0 = glueContext.create_dynamic_frame.from_catalog(
            database="us", table_name="people", transformation_ctx="datasource0", additional_options={"jobBookmarkKeys": ["id"]})
        applymapping1 = ApplyMapping.apply(frame=datasource0, mappings=[("id", "string", "id", "string"),
            ("age", "int", "age", "int")], transformation_ctx="applymapping1")
        resolvechoice2 = ResolveChoice.apply(frame=applymapping1, choice="make_struct", transformation_ctx="resolvechoice2")
        dropnullfields3 = DropNullFields.apply(frame=resolvechoice2, transformation_ctx="dropnullfields3")
        datasink4 = glueContext.write_dynamic_frame.from_options(frame=dropnullfields3, connection_type="s3",
            connection_options={"path": "OUT/people"}, format="csv", transformation_ctx="datasink4")
        """,
        "people:\nid <- people.id IDENTITY\nage <- people.age IDENTITY",
    ),
    program(
        "a table is split, and its parts go to two places",
        """
        people = glueContext.create_dynamic_frame.from_catalog(database="us", table_name="people")
        parts = SplitFields.apply(people, ["id", "age"], "ages", "rest")
        for name in ["ages"]:
            glueContext.write_dynamic_frame.from_options(parts[name], "s3", {"path": "OUT/" + name}, "parquet")
        old = SplitRows.apply(parts["ages"], {"age": {">": 18}}, "old", "young")
        glueContext.write_dynamic_frame.from_options(old["old"], "s3", {"path": "OUT/old"}, "json")
        """,
        """
        ages:
        id <- people.id IDENTITY
        age <- people.age IDENTITY
        old:
        id <- people.id IDENTITY
        age <- people.age IDENTITY
        * <- people.age FILTER
        """,
    ),
]


@pytest.fixture(scope="module")
def watch(spark: SparkSession) -> Iterator[Watch]:
    with on_path() as jvm, watching(spark) as watch:
        jvm.TABLES["us", "people"] = reader(
            "SELECT 'p1' AS id, 'Ada' AS name, 36 AS age, array(named_struct('url', 'a.b')) AS links"
        )
        jvm.TABLES["us", "members"] = reader("SELECT 'p1' AS person_id, 'o1' AS organization_id, 'chair' AS role")
        connection(jvm, "s3", "SELECT 'N14228' AS tailnum, 1400L AS miles")
        jvm.TABLES["payments", "medicare"] = reader(
            "SELECT 'd' AS `drg definition`, '7' AS `provider id`, '$1' AS `average charges`"
        )
        yield watch


@pytest.mark.parametrize("case", PROGRAMS, ids=str)
def test_a_job_is_captured(case: Case, check: Callable[[Case], None]) -> None:
    check(case)


# A write is described in a thread of capture, which may come to it late.
@pytest.mark.usefixtures("watch")
def test_a_schema_is_known_after_the_program_let_go_of_its_context(spark: SparkSession) -> None:
    from awsglue import jvm
    from awsglue.context import GlueContext

    jvm.TABLES["us", "late"] = reader("SELECT 1 AS a")
    GlueContext(spark.sparkContext)  # Spark holds the first context of a process
    GlueContext(spark.sparkContext).create_dynamic_frame.from_catalog(database="us", table_name="late")
    gc.collect()

    assert '"name":"a"' in (glue_frames.schema_of("us", "late", None) or "")

"""Glue job that reads, maps and writes DynamicFrames, as Glue Studio generates it, with one line for its lineage."""

import sys

from awsglue.context import GlueContext
from awsglue.job import Job
from awsglue.transforms import ApplyMapping, Filter
from awsglue.utils import getResolvedOptions
from pyspark import SparkContext

from spark_client import capture

arguments = getResolvedOptions(sys.argv, ["JOB_NAME", "source", "target"])
glue = GlueContext(SparkContext.getOrCreate())
capture(glue.spark_session, name=arguments["JOB_NAME"])

job = Job(glue)
job.init(arguments["JOB_NAME"], arguments)
flights = glue.create_dynamic_frame.from_options(
    connection_type="s3",
    connection_options={"paths": [arguments["source"]], "recurse": True},
    format="json",
    transformation_ctx="flights",
)
mapped = ApplyMapping.apply(
    frame=flights,
    mappings=[("tailnum", "string", "tail_number", "string"), ("distance", "bigint", "miles", "double")],
    transformation_ctx="mapped",
)
flown = Filter.apply(frame=mapped, f=lambda flight: flight["miles"] > 0, transformation_ctx="flown")
glue.write_dynamic_frame.from_options(
    frame=flown,
    connection_type="s3",
    connection_options={"path": arguments["target"]},
    format="json",
    transformation_ctx="target",
)
job.commit()

"""Glue job with its writes captured; `glue_job.json` is its definition."""

import sys

from awsglue.context import GlueContext
from awsglue.job import Job
from awsglue.utils import getResolvedOptions
from pyspark import SparkContext

from spark_client import capture

arguments = getResolvedOptions(sys.argv, ["JOB_NAME", "source", "target"])
glue = GlueContext(SparkContext.getOrCreate())
spark = glue.spark_session
# Glue gives the application a new name in each run; the job's own stays.
capture(spark, name=arguments["JOB_NAME"])

job = Job(glue)
job.init(arguments["JOB_NAME"], arguments)
flights = spark.read.csv(arguments["source"], header=True, inferSchema=True)
flights.where("distance > 0").selectExpr("tailnum", "distance * 0.1 AS co2").write.parquet(arguments["target"])
job.commit()

"""Examples of pipelines that report to Headwater: in Spark, in Step Functions, and as a minimal PySpark job."""

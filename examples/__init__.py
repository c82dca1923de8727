"""How pipelines talk to Headwater: a Spark pipeline, a Step Functions pipeline, a minimal PySpark job."""

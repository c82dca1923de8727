"""DAG that starts a Spark job as a part of the task's run.

With `[openlineage] spark_inject_parent_job_info`, Airflow's OpenLineage provider adds the lines of `CONF` by itself.
"""

from datetime import datetime, timezone

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import DAG

CONF = {
    "spark.openlineage.parentJobNamespace": "{{ macros.OpenLineageProviderPlugin.lineage_job_namespace() }}",
    "spark.openlineage.parentJobName": "{{ macros.OpenLineageProviderPlugin.lineage_job_name(task_instance) }}",
    "spark.openlineage.parentRunId": "{{ macros.OpenLineageProviderPlugin.lineage_run_id(task_instance) }}",
    "spark.headwater.url": "https://a1b2c3.execute-api.eu-west-1.amazonaws.com/prod/",
}

with DAG("emissions", schedule="@daily", start_date=datetime(2025, 11, 20, tzinfo=timezone.utc)):
    SparkSubmitOperator(
        task_id="check",
        application="pyspark_job.py",
        py_files="headwater.zip",
        conf=CONF,
        application_args=["in", "out"],
    )

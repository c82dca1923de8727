"""Record the events of Airflow's provider: `python record_airflow.py FILE`, with the packages below installed.

The DAG `sales` has a task of the Athena operator, and a task of the Glue operator: it sends no dataset, but gives its
run to the job in Glue as parent. Botocore's Stubber checks Athena's response by the model of the service.
"""

import json
import sys
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import boto3
from botocore.stub import Stubber

PACKAGES = ("apache-airflow-core", "apache-airflow-providers-amazon", "apache-airflow-providers-openlineage")
DAY = datetime(2025, 11, 20, tzinfo=timezone.utc)
QUERY = "INSERT INTO web.by_country SELECT country, count(*) FROM web.daily GROUP BY country"


def task(name):
    run = SimpleNamespace(logical_date=DAY, run_after=DAY, clear_number=0, conf={})
    names = {"dag_id": "sales", "task_id": name, "try_number": 1, "map_index": -1}
    return SimpleNamespace(**names, get_template_context=lambda: {"dag_run": run})


def of_athena():
    from airflow.providers.amazon.aws.operators.athena import AthenaOperator

    athena = boto3.client("athena", region_name="eu-west-1", aws_access_key_id="a", aws_secret_access_key="s")

    class Operator(AthenaOperator):
        hook = SimpleNamespace(get_conn=lambda: athena, region_name="eu-west-1")

    operator = Operator(task_id="by_country", query=QUERY, database="web", catalog="AwsDataCatalog")
    with Stubber(athena) as stub:
        for table in ("daily", "by_country"):
            metadata = {
                "Name": table,
                "Columns": [{"Name": "country", "Type": "string"}],
                "Parameters": {"location": f"s3://lake/web/{table}"},
            }
            stub.add_response("get_table_metadata", {"TableMetadata": metadata})
        return operator.get_openlineage_facets_on_complete(None)


def send(client):
    """Send what Airflow's listener sends for the two tasks; return the configuration of the job in Glue."""
    from airflow.providers.openlineage.extractors.base import OperatorLineage
    from airflow.providers.openlineage.plugins.adapter import OpenLineageAdapter
    from airflow.providers.openlineage.plugins.macros import lineage_run_id
    from airflow.providers.openlineage.utils.spark import inject_parent_job_information_into_glue_arguments
    from airflow.providers.openlineage.utils.utils import get_task_parent_run_facet

    adapter = OpenLineageAdapter(client)
    parent = get_task_parent_run_facet(OpenLineageAdapter.build_dag_run_id("sales", DAY, 0), "sales")
    for name, lineage in (("daily", OperatorLineage()), ("by_country", of_athena())):
        common = {
            "job_name": f"sales.{name}",
            "nominal_start_time": None,
            "nominal_end_time": None,
            "run_facets": parent,
        }
        common |= {
            "run_id": lineage_run_id(task(name)),
            "owners": [],
            "tags": [],
            "job_description": None,
            "task": lineage,
        }
        adapter.start_task(event_time=DAY.isoformat(), **common)
        adapter.complete_task(end_time=DAY.replace(hour=1).isoformat(), **common)
    return inject_parent_job_information_into_glue_arguments({}, {"ti": task("daily")})["--conf"]


if __name__ == "__main__":
    from openlineage.client import OpenLineageClient

    with TemporaryDirectory() as folder:
        log = Path(folder, "events")
        transport = {"type": "file", "log_file_path": str(log), "append": True}
        conf = send(OpenLineageClient(config={"transport": transport}))
        events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    recorded = {"versions": {name: version(name) for name in PACKAGES}, "conf": conf, "events": events}
    Path(sys.argv[1]).write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")

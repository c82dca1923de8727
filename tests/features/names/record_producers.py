"""Record names of the wheels on PyPI: `python record_producers.py > producers.json`, with the packages below installed.

Botocore's Stubber checks the response of Athena by the model of the service.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import boto3
from botocore.stub import Stubber

REGION, ACCOUNT = "eu-west-1", "111122223333"
PACKAGES = ("apache-airflow-providers-amazon", "openlineage-integration-common")
TABLES = {
    "glue": ("AwsDataCatalog", "s3://lake/web/orders"),
    "s3tables": ("s3tablescatalog/sales", "s3://63a8e430--table-s3"),
}


def of_airflow(catalog, location):
    from airflow.providers.amazon.aws.operators.athena import AthenaOperator

    athena = boto3.client("athena", region_name=REGION, aws_access_key_id="a", aws_secret_access_key="s")
    with Stubber(athena) as stub:
        metadata = {
            "Name": "orders",
            "Columns": [{"Name": "id", "Type": "bigint"}],
            "Parameters": {"location": location},
        }
        stub.add_response("get_table_metadata", {"TableMetadata": metadata})
        hook = SimpleNamespace(get_conn=lambda: athena, region_name=REGION)
        operator = SimpleNamespace(hook=hook, catalog=catalog, log=SimpleNamespace(error=print))
        return AthenaOperator.get_openlineage_dataset(operator, "web", "orders")


def of_dbt(catalog):
    from openlineage.common.provider.dbt.local import DbtLocalArtifactProcessor
    from openlineage.common.provider.dbt.processor import ModelNode

    role = f"arn:aws:iam::{ACCOUNT}:role/dbt"
    with TemporaryDirectory() as folder:
        Path(folder, "dbt_project.yml").write_text("name: shop\nversion: 1.0.0\nprofile: shop\n", encoding="utf-8")
        processor = DbtLocalArtifactProcessor(folder, producer="https://producer", job_namespace="test")
    profile = {"type": "athena", "region_name": REGION, "assume_role_arn": role}
    processor.extract_adapter_type(profile)
    processor.extract_dataset_namespace(profile)
    node = {"database": catalog, "schema": "web", "alias": "orders", "name": "orders", "columns": {}}
    return processor.node_to_dataset(ModelNode(type="model", metadata_node=node, catalog_node=None))


def form(dataset):
    links = [{"namespace": link.namespace, "name": link.name} for link in dataset.facets["symlinks"].identifiers]
    return {"namespace": dataset.namespace, "name": dataset.name, "symlinks": links}


if __name__ == "__main__":
    names = {
        kind: {"Airflow": form(of_airflow(catalog, location)), "dbt": form(of_dbt(catalog.lower()))}
        for kind, (catalog, location) in TABLES.items()
    }
    json.dump({"versions": {name: version(name) for name in PACKAGES}, **names}, sys.stdout, indent=2)

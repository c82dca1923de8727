"""The example company on the local stack, by its own command: one night of it, with its records."""

import subprocess
import sys

import pytest

from headwater.cli.service import fetch_json

REVENUE = "datasetField:snowflake://nordwind.eu-central-1:nordwind.gold.revenue:amount"


# Takes long: six hundred events, the widest of which have 150 columns.
@pytest.mark.slow
def test_a_night_of_the_company_is_loaded_and_its_columns_lead_to_their_sources(local_stack):
    command = [sys.executable, "-m", "examples.company", local_stack.api_url, "--nights", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == f"{local_stack.api_url}/explore/"
    local_stack.drain()

    def fetch(path, **query):
        return fetch_json(local_stack.api_url, path, query)

    namespaces = ("airflow", "dashboards", "dbt", "spark")
    counts = [fetch(f"/api/v1/namespaces/{namespace}/jobs")["totalCount"] for namespace in namespaces]
    assert counts == [3, 40, 146, 110]  # one comes in the second night
    columns = {node["id"] for node in fetch("/api/v1/column-lineage", nodeId=REVENUE, depth=20)["graph"]}
    assert "datasetField:kafka://broker.nordwind.example:9092:cdc.shop.order_items:price" in columns
    files = fetch("/api/v1/records/search", location="s3://nordwind-lake/bronze/erp/invoices/")["records"]
    assert len(files) == 12
    assert local_stack.errors == []
